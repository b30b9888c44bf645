"""`lengthwise protocol MODEL WORD`: what one half of a word has to tell the other, in bits."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from lengthwise.cli.models import (
    MODEL_HELP,
    Beta,
    Context,
    Omega,
    Period,
    Phi,
    Residue,
    Symbols,
    Units,
    model_from,
)
from lengthwise.errors import LengthwiseError


def protocol(
    model: Annotated[str, typer.Argument(metavar="MODEL", help=MODEL_HELP)],
    word: Annotated[str, typer.Argument(metavar="WORD", help="The word, or with --times the piece it repeats.")],
    times: Annotated[int, typer.Option("--times", help="How often the word is repeated.")] = 1,
    factor: Annotated[
        float, typer.Option("--factor", help="Activations have ⌈factor · log2 of the length⌉ fractional bits.")
    ] = 2.0,
    key_bits: Annotated[int, typer.Option("--key-bits", help="Fractional bits of keys, whatever the length.")] = 8,
    omega: Omega = None,
    units: Units = None,
    period: Period = None,
    residue: Residue = None,
    context: Context = None,
    symbols: Symbols = None,
    beta: Beta = None,
    phi: Phi = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Let Alice tell Bob what he needs of her half of a word: messages, bits, his answer (Huang et al., Theorem 12)."""
    from lengthwise import limit

    if times < 1:
        raise LengthwiseError(f"--times takes a whole number from 1 on, not {times}")
    given = {"omega": omega, "units": units, "period": period, "residue": residue}
    given |= {"context": context, "symbols": symbols, "beta": beta, "phi": phi}  # type: ignore[dict-item]
    known, meaning = model_from(model, given, "Theorem 12 of Huang et al.")
    piece = word.split() if " " in word else word
    found = limit.exchange(known, piece * times, factor, key_bits)
    if as_json:
        typer.echo(json.dumps({"meaning": meaning, **found.as_json()}, ensure_ascii=False, indent=2))
        return
    typer.echo(meaning)
    typer.echo(str(found))
