"""`lengthwise protocol MODEL WORD`: what one half of a word has to tell the other, in bits."""

from __future__ import annotations

from typing import Annotated

import typer

from lengthwise.cli.answer import show
from lengthwise.cli.options import CopyingConstruction, Json, Model, PeriodicConstruction, Seconds, grouped, values
from lengthwise.cli.printing import echo
from lengthwise.resources import SECONDS


@grouped
def protocol(
    model: Model,
    word: Annotated[str, typer.Argument(metavar="WORD", help="The word, or with --times the piece it repeats.")],
    *,
    times: Annotated[int, typer.Option("--times", help="How often the word is repeated.")] = 1,
    factor: Annotated[
        float, typer.Option("--factor", help="Activations have ⌈factor · log2 of the length⌉ fractional bits.")
    ] = 2.0,
    key_bits: Annotated[int, typer.Option("--key-bits", help="Fractional bits of keys, whatever the length.")] = 8,
    periodic: PeriodicConstruction,
    copying: CopyingConstruction,
    seconds: Seconds = SECONDS,
    as_json: Json = False,
) -> None:
    """Let Alice tell Bob what he needs of her half of a word: messages, bits, his answer (Huang et al., Theorem 12)."""
    from lengthwise import public

    options = values(periodic, copying)
    found = public.protocol(model, word, times, factor=factor, key_bits=key_bits, seconds=seconds, **options)
    if not as_json:
        echo(found.meaning)
    show(found, as_json)
