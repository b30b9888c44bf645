"""`lengthwise bound worst-case|average|two-layer|certified MODEL`: how long training inputs must be."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

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
    model_from,
)
from lengthwise.cli.outputs import beside, writable_figure
from lengthwise.errors import LengthwiseError

if TYPE_CHECKING:
    from lengthwise.bounds import Bound, Certified
    from lengthwise.limit import LimitTransformer

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
    from lengthwise import bounds

    parameters = {"omega": omega, "units": units, "period": period, "residue": residue}
    theorem = "Theorem 4.1 of Izzo et al."
    f, meant = _gradual(theorem, model, parameters)
    found = bounds.worst_case(f, f if other is None else _gradual(theorem, other)[0], epsilon, bits)
    _plot(plot, model, over, epsilon, parameters)
    _print(meant, found, as_json, err=beside(plot))


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
    from lengthwise import bounds

    theorem = "Theorem 4.2 of Izzo et al."
    f, meant = _gradual(theorem, model, {"omega": omega, "units": units, "period": period, "residue": residue})
    g = f if other is None else _gradual(theorem, other)[0]
    shape = _numbers(alpha)
    shape = shape * f.alphabet.id_count if len(shape) == 1 else shape
    found = bounds.average(f, g, shape, kappa, bits)
    data: dict[str, Any] = {"meaning": meant, **found.as_json()}
    lines = [meant, str(found)]
    if estimate is not None:
        short = max(1, estimate // 10) + (estimate - max(1, estimate // 10)) % max(f.period, g.period)
        sampled = bounds.estimate_average(f, g, shape, estimate, short, samples=samples, seed=seed, bits=bits)
        data["estimate"] = {}
        lines.append("")
        for name, side, length in (("long", sampled.long, estimate), ("short", sampled.short, short)):
            data["estimate"][name] = {"length": length, "mean": side.mean, "low": side.low, "high": side.high}
            lines.append(f"sampled gap at length {length:,}: {side.mean:.4g} ({side.low:.4g} to {side.high:.4g})")
    _echo(data if as_json else lines)


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
    from lengthwise import bounds

    theorem = "Theorem 5.2 of Izzo et al."
    f, meant = _gradual(theorem, model, {"context": context, "symbols": symbols, "beta": beta, "phi": phi})
    found = bounds.two_layer(f, f if other is None else _gradual(theorem, other)[0], epsilon, constant)
    _print(meant, found, as_json)


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
    from lengthwise import bounds

    parameters = {"omega": omega, "units": units, "period": period, "residue": residue}
    f, meant = _gradual("the certified length", model, parameters)
    g = None if other is None else _gradual("the certified length", other)[0]
    found = bounds.certified(f, epsilon, g, bits, sensitivity=_sensitivity(sensitivity), seconds=seconds)
    _plot(plot, model, over, epsilon, parameters)
    _print(meant, found, as_json, err=beside(plot))


@app.command("table")
def table(
    seconds: Annotated[float, typer.Option("--seconds", help="Time for each entry.")] = 60.0,
    as_json: Json = False,
) -> None:
    """Certified lengths of SimpleTask over ω and ModPTask over Δ, beside the theorem's."""
    from lengthwise.bounds.certified import table as certified_table

    found = certified_table.table(seconds=seconds)
    _echo(certified_table.as_json(found) if as_json else certified_table.as_markdown(found).splitlines())


def _gradual(theorem: str, text: str, parameters: Mapping[str, Any] | None = None) -> tuple[LimitTransformer, str]:
    """The model that a text stands for and how it was read, unless the theorem does not apply to it."""
    model, meaning = model_from(text, parameters or {}, theorem)
    if not model.uses_heaviside:
        return model, meaning
    from lengthwise.limit.constructions import NAMED

    if Path(text).suffix == ".safetensors":
        instead = "`lengthwise decide` and `lengthwise study` are for the program that it comes from"
    else:
        instead = f"`lengthwise decide {shlex.quote(text)}` and `lengthwise study {shlex.quote(text)}` are for programs"
    raise LengthwiseError(
        f"{theorem} does not apply to {text} ({meaning}): it needs an MLP that is Lipschitz, and this model has "
        f"Heaviside units, which jump; {instead}, bounds for {', '.join(NAMED)} and for model files without such units"
    )


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


def _plot(path: str | None, name: str, over: str, epsilon: float, parameters: dict[str, Any]) -> None:
    if path is None:
        return
    from lengthwise.bounds.theorems.sweeps import sweep
    from lengthwise.drawing.bound_plot import plot_bounds

    given = {key: value for key, value in parameters.items() if value is not None and key != over}
    points = list(sweep(name, over, epsilon=epsilon, parameters=given))
    settings = ", ".join(f"{key} {value:g}" for key, value in given.items())
    title = f"{name}{', ' + settings if settings else ''}" + ("" if over == "epsilon" else f", ε = {epsilon:g}")
    plot_bounds(points, over, title, path)


def _print(meaning: str, found: Bound | Certified, as_json: bool, err: bool = False) -> None:
    _echo({"meaning": meaning, **found.as_json()} if as_json else [meaning, str(found)], err)


def _echo(content: dict[str, Any] | Iterable[str], err: bool = False) -> None:
    if isinstance(content, dict):
        typer.echo(json_text(content), err=err)
    else:
        for line in content:
            typer.echo(line, err=err)
