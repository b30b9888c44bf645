"""`lengthwise simulate MODEL WORD`: the short word that stands in for a long one, with promised and measured error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from lengthwise.cli.completion import model_names
from lengthwise.cli.json_text import json_text
from lengthwise.cli.models import MODEL_HELP, Bits, Omega, Other, Period, Residue, Units, model_from
from lengthwise.errors import LengthwiseError

if TYPE_CHECKING:
    from lengthwise.alphabet import Alphabet
    from lengthwise.bounds.theorems.count_evaluation import Counts
    from lengthwise.bounds.theorems.pair import Pair

SHOWN = 60
"""Symbols of a stand-in that are shown."""


def simulate(
    model: Annotated[str, typer.Argument(metavar="MODEL", help=MODEL_HELP, autocompletion=model_names)],
    word: Annotated[str, typer.Argument(metavar="WORD", help="The long word, or with --times the piece it repeats.")],
    times: Annotated[
        int, typer.Option("--times", help="How often the word is repeated; lengths up to 10⁹ are fine.")
    ] = 1,
    epsilon: Annotated[
        float, typer.Option("--epsilon", "-e", help="The error that both models together may have.")
    ] = 0.1,
    other: Other = None,
    omega: Omega = None,
    units: Units = None,
    period: Period = None,
    residue: Residue = None,
    bits: Bits = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Map a long word to the short one that stands in for it (Theorem 4.1), and measure how well it does."""
    from lengthwise import bounds
    from lengthwise.bounds.theorems.pair import Pair

    given = {"omega": omega, "units": units, "period": period, "residue": residue}
    f, meaning = model_from(model, given, "Theorem 4.1 of Izzo et al.")
    g = f if other is None else model_from(other, {})[0]
    counts = _counts(f.alphabet, word, times, Pair.of(f, g, bits))
    found = bounds.stand_in(f, g, counts, epsilon, bits=bits)
    if as_json:
        typer.echo(json_text({"meaning": meaning, **found.as_json()}))
        return
    typer.echo(meaning)
    shown = found.word
    if shown is not None and len(shown) > SHOWN:
        shown = shown[:SHOWN] + "…"
    typer.echo(f"{counts.length:,} symbols -> {found.length:,} symbols (case {found.case})")
    if shown is not None:
        typer.echo(f"stand-in: {shown}")
    for name, promised, measured in zip(("f", "g"), found.promised, found.measured, strict=True):
        typer.echo(f"{name}: error {measured:.6g}, promised at most {promised:.6g}")


def _counts(alphabet: Alphabet, word: str, times: int, pair: Pair) -> Counts:
    from lengthwise.bounds.theorems.count_evaluation import Counts

    if times < 1 or not word:
        raise LengthwiseError("give a word of at least one symbol, repeated at least once")
    block = alphabet.encode(word).astype("int64")
    return Counts.from_repeated(block, times, pair.symbols, pair.period, pair.window)
