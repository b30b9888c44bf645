"""The option `--proof FILE`: what was proved, saved so that `lengthwise check-proof FILE` can replay it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from lengthwise.cli.outputs import writable
from lengthwise.output import write_text

if TYPE_CHECKING:
    from lengthwise.regular.proofs import Proof

ProofOption = Annotated[
    str | None,
    typer.Option(
        "--proof",
        metavar="FILE",
        help="Save what was proved, for `lengthwise check-proof FILE`; - is standard output.",
        callback=writable,
    ),
]


def save_proofs(path: str | None, proofs: Iterable[Proof | None]) -> None:
    """Save proofs in a file, if one was asked for; say so where nothing was proved.

    Args:
        path: The file, `-` for standard output, or None.
        proofs: The proofs; None for what was not proved.

    """
    from lengthwise.regular.proofs import proofs_as_json

    if path is None:
        return
    found = [proof for proof in proofs if proof is not None]
    if found:
        write_text(path, proofs_as_json(found))
    else:
        typer.echo(f"nothing was proved, so {path} was not written", err=True)
