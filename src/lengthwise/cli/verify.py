"""`lengthwise verify A B`: are two programs, automata or regexes equal at every length? If not, where do they differ?

Exit code 0: equal, proved for all lengths. 1: different. 3: not known. 2, as always: bad input.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from lengthwise.cli.answer import json_line, json_text, save_proofs, say
from lengthwise.cli.completion import subject_names
from lengthwise.cli.exit import ExitCode
from lengthwise.cli.options import SUBJECT, Json, Proof

if TYPE_CHECKING:
    from lengthwise.regular.proofs import Proof as ProofData


def verify(
    left: Annotated[str, typer.Argument(metavar="A", help=SUBJECT, autocompletion=subject_names)],
    right: Annotated[str, typer.Argument(metavar="B", help="The same.", autocompletion=subject_names)],
    alphabet: Annotated[
        str | None,
        typer.Option("--alphabet", "-a", help="The symbols of the words to compare, such as `ab`, `a,b` or `SEP 1 2`."),
    ] = None,
    seconds: Annotated[float, typer.Option("--seconds", min=0.0, help="How long to try.")] = 30.0,
    states: Annotated[int, typer.Option("--states", min=1, help="How many configurations to compare.")] = 200_000,
    proof: Proof = None,
    as_json: Json = False,
) -> None:
    """Compare two acceptors at every length; print the shortest difference if there is one.

    Exit code 0: equal, proved for all lengths. 1: different. 3: not known. The prefixes program:, language:, regex:,
    task: and file: say what a text is meant to be.
    """
    from lengthwise.public import verify as verified

    found = verified(left, right, alphabet, seconds, states)
    save_proofs(proof, [found.proof])
    say(proof, _json(found.as_json(), found.proof) if as_json else str(found))
    if found.equal is not True:
        raise typer.Exit(ExitCode.NO if found.equal is False else ExitCode.INCOMPLETE)


def _json(entry: dict[str, object], proof: ProofData | None) -> str:
    """The entry as indented text, with the proof, which may be long, on one line at its end."""
    written_out = json_text(entry).removesuffix("\n}")
    plain = None if proof is None else proof.as_json()
    return f'{written_out},\n  "proof": {json_line(plain)}\n}}'
