"""`lengthwise simulate MODEL WORD`: the short word that stands in for a long one, with promised and measured error."""

from __future__ import annotations

from typing import Annotated

import typer

from lengthwise.cli.answer import json_text
from lengthwise.cli.options import Bits, Json, Model, Other, PeriodicConstruction, Seconds, grouped, values
from lengthwise.cli.printing import echo
from lengthwise.resources import SECONDS

SHOWN = 60
"""Symbols of a stand-in that are shown."""


@grouped
def simulate(
    model: Model,
    word: Annotated[str, typer.Argument(metavar="WORD", help="The long word, or with --times the piece it repeats.")],
    *,
    times: Annotated[
        int, typer.Option("--times", help="How often the word is repeated; lengths up to 10⁹ are fine.")
    ] = 1,
    epsilon: Annotated[
        float, typer.Option("--epsilon", "-e", help="The error that both models together may have.")
    ] = 0.1,
    other: Other = None,
    periodic: PeriodicConstruction,
    bits: Bits = None,
    seconds: Seconds = SECONDS,
    as_json: Json = False,
) -> None:
    """Map a long word to the short one that stands in for it (Theorem 4.1), and measure how well it does."""
    from lengthwise import public

    found = public.simulate(
        model, word, times, epsilon=epsilon, other=other, bits=bits, seconds=seconds, **values(periodic)
    )
    if as_json:
        echo(json_text(found.as_json()))
        return
    echo(found.meaning)
    shown = found.word
    if shown is not None and len(shown) > SHOWN:
        shown = shown[:SHOWN] + "…"
    echo(f"{found.source.length:,} symbols -> {found.length:,} symbols (case {found.case})")
    if shown is not None:
        echo(f"stand-in: {shown}")
    for name, promised, measured in zip(("f", "g"), found.promised, found.measured, strict=True):
        echo(f"{name}: error {measured:.6g}, promised at most {promised:.6g}")
