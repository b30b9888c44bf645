"""`lengthwise check-proof FILE`: replay what `--proof FILE` saved, with code that shares nothing with the search."""

from __future__ import annotations

from typing import Annotated

import typer

from lengthwise.cli.answer import show
from lengthwise.cli.exit import ExitCode
from lengthwise.resources import SECONDS


def check_proof(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file that `--proof FILE` wrote; - is standard input.")],
    seconds: Annotated[float, typer.Option("--seconds", help="The time limit for each proof.")] = SECONDS,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list of {claim, holds, problem}.")] = False,
) -> None:
    """Replay saved proofs. Exit code 0: all hold. 1: some does not, and what does not hold is said. 2: no proof."""
    from lengthwise import public

    checked = public.check_proof(file, seconds)
    show(checked, as_json, code=ExitCode.DONE if all(each.holds for each in checked) else ExitCode.NO)
