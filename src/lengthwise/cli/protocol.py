"""`lengthwise protocol MODEL WORD`: what one half of a word has to tell the other, in bits."""

from __future__ import annotations

from typing import Annotated

import typer

from lengthwise.cli.completion import model_names
from lengthwise.cli.json_text import json_text
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
)


def protocol(
    model: Annotated[str, typer.Argument(metavar="MODEL", help=MODEL_HELP, autocompletion=model_names)],
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
    from lengthwise import public

    found = public.protocol(
        model, word, times, factor=factor, key_bits=key_bits, omega=omega, units=units, period=period, residue=residue,
        context=context, symbols=symbols, beta=beta, phi=phi,
    )  # fmt: skip
    if as_json:
        typer.echo(json_text(found.as_json()))
        return
    typer.echo(found.meaning)
    typer.echo(str(found))
