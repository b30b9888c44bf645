"""`lengthwise eval FILE [WORD …]`: what a model file says about words."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from lengthwise.cli.answer import show


def evaluate(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A safetensors file that `lengthwise compile` wrote.")],
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[WORD]...", help="Words; '' is the empty word. Without words, lines of standard input."
        ),
    ] = None,
    regime: Annotated[
        str | None, typer.Option(help="huang(8), izzo_finite(8), izzo_infinite or hardmax, for Limit Transformers.")
    ] = None,
    offset: Annotated[int, typer.Option(metavar="N", help="Where the word starts, for ordinary transformers.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list of {input, accepts, outputs, …}.")] = False,
) -> None:
    """Evaluate a model on words: the verdict, or what is predicted next, with the outputs behind it.

    A model that is not certified, in this regime, to do what its program does answers too; one line on standard error
    says so, and so does "certified" in the JSON.
    """
    from lengthwise import public

    given = words if words else [line.rstrip("\n") for line in sys.stdin]
    found = public.evaluate(file, given, regime=regime, offset=offset)
    show(found.answers, as_json)
    if found.no_certificate:
        typer.echo(f"no certificate: {found.no_certificate}", err=True)
