"""`lengthwise bound worst-case|average|two-layer|certified MODEL`: how long training inputs must be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from lengthwise.cli.completion import model_names
from lengthwise.cli.json_text import json_text
from lengthwise.cli.models import (
    MODEL_HELP,
    Beta,
    Bits,
    Context,
    Omega,
    Other,
    Period,
    Phi,
    Residue,
    Symbols,
    Units,
)
from lengthwise.cli.outputs import beside, writable_figure
from lengthwise.errors import LengthwiseError

if TYPE_CHECKING:
    from lengthwise.bounds import Bound, Certified

app = typer.Typer(name="bound", help="How long must training inputs be?", no_args_is_help=True)

Model = Annotated[str, typer.Argument(metavar="MODEL", help=MODEL_HELP, autocompletion=model_names)]
Epsilon = Annotated[float, typer.Option("--epsilon", "-e", help="The error that may be added.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Plot = Annotated[
    str | None,
    typer.Option(
        "--plot",
        metavar="FILE",
        help="Draw the lengths: .svg, .pdf or .png; - is SVG on standard output.",
        callback=writable_figure,
    ),
]
Over = Annotated[
    str, typer.Option("--over", help="What to draw them against: epsilon, omega, period, symbols or window.")
]


@app.command("worst-case")
def worst_case(
    model: Model,
    epsilon: Epsilon = 0.1,
    other: Other = None,
    omega: Omega = None,
    units: Units = None,
    period: Period = None,
    residue: Residue = None,
    bits: Bits = None,
    plot: Plot = None,
    over: Over = "epsilon",
    as_json: Json = False,
) -> None:
    """Theorem 4.1: agreement on all words up to this length carries over to all words."""
    from lengthwise import public

    found = public.bound(
        "worst-case", model, other, epsilon=epsilon, bits=bits, plot=plot, over=over, omega=omega, units=units,
        period=period, residue=residue,
    )  # fmt: skip
    _print(found, as_json, err=beside(plot))


@app.command("average")
def average(
    model: Model,
    kappa: Annotated[float, typer.Option("--kappa", help="The average error that may be added.")] = 0.1,
    alpha: Annotated[
        str, typer.Option("--alpha", help="The Dirichlet parameters of the symbol distribution: one, or one a symbol.")
    ] = "1",
    other: Other = None,
    omega: Omega = None,
    units: Units = None,
    period: Period = None,
    residue: Residue = None,
    bits: Bits = None,
    estimate: Annotated[
        int | None, typer.Option("--estimate", metavar="LENGTH", help="Also sample words of this length.")
    ] = None,
    samples: Annotated[int, typer.Option("--samples", help="How many.")] = 2000,
    seed: Annotated[int, typer.Option("--seed", help="Of the samples.")] = 0,
    as_json: Json = False,
) -> None:
    """Theorem 4.2: the same on average over symbol distributions."""
    from lengthwise import public

    found = public.bound(
        "average", model, other, epsilon=kappa, bits=bits, alpha=_numbers(alpha), estimate=estimate, samples=samples,
        seed=seed, omega=omega, units=units, period=period, residue=residue,
    )  # fmt: skip
    _print(found, as_json)


@app.command("two-layer")
def two_layer(
    model: Model,
    epsilon: Epsilon = 0.1,
    other: Other = None,
    context: Context = None,
    symbols: Symbols = None,
    beta: Beta = None,
    phi: Phi = None,
    constant: Annotated[
        float, typer.Option("--constant", help="The unspecified constant c of the printed form.")
    ] = 1.0,
    as_json: Json = False,
) -> None:
    """Theorem 5.2: the length for two-layer models. It is astronomic; the explicit chain shows why."""
    from lengthwise import public

    found = public.bound(
        "two-layer", model, other, epsilon=epsilon, constant=constant, context=context, symbols=symbols, beta=beta,
        phi=phi,
    )  # fmt: skip
    _print(found, as_json)


@app.command("certified")
def certified(
    model: Model,
    epsilon: Epsilon = 0.1,
    other: Other = None,
    omega: Omega = None,
    units: Units = None,
    period: Period = None,
    residue: Residue = None,
    bits: Bits = None,
    sensitivity: Annotated[
        str | None,
        typer.Option("--sensitivity", help="Certify for all models that change at most this fast: a number, or `own`."),
    ] = None,
    seconds: Annotated[float, typer.Option("--seconds", help="Give an upper bound after this time.")] = 60.0,
    plot: Plot = None,
    over: Over = "epsilon",
    as_json: Json = False,
) -> None:
    """The smallest length such that every word of every length has a stand-in of at most that length."""
    from lengthwise import public

    found = public.bound(
        "certified", model, other, epsilon=epsilon, bits=bits, sensitivity=_sensitivity(sensitivity), seconds=seconds,
        plot=plot, over=over, omega=omega, units=units, period=period, residue=residue,
    )  # fmt: skip
    _print(found, as_json, err=beside(plot))


@app.command("table")
def table(
    seconds: Annotated[float, typer.Option("--seconds", help="Time for each entry.")] = 60.0,
    as_json: Json = False,
) -> None:
    """Certified lengths of SimpleTask over ω and ModPTask over Δ, beside the theorem's."""
    from lengthwise.bounds.certified import table as certified_table

    found = certified_table.table(seconds=seconds)
    if as_json:
        typer.echo(json_text(certified_table.as_json(found)))
    else:
        typer.echo(certified_table.as_markdown(found).rstrip())


def _sensitivity(text: str | None) -> float | Literal["own"] | None:
    if text is None or text == "own":
        return "own" if text else None
    try:
        return float(text)
    except ValueError:
        raise LengthwiseError(f"--sensitivity takes a number or `own`, not {text!r}") from None


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.replace(",", " ").split()]
    except ValueError:
        raise LengthwiseError(f"--alpha takes numbers, such as 1 or 0.5,2,1, not {text!r}") from None


def _print(found: Bound | Certified, as_json: bool, err: bool = False) -> None:
    typer.echo(json_text(found.as_json()) if as_json else str(found), err=err)
