"""`lengthwise bound worst-case|average|two-layer|certified|identification`: how long must training inputs be?"""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Literal

import typer

from lengthwise.cli.answer import json_text, show
from lengthwise.cli.options import (
    Alphabet,
    Bits,
    CopyingConstruction,
    Json,
    Model,
    Other,
    PeriodicConstruction,
    Seconds,
    Subject,
    file_option,
    grouped,
    numbers,
    values,
)
from lengthwise.cli.printing import echo
from lengthwise.errors import LengthwiseError
from lengthwise.resources import SECONDS

app = typer.Typer(name="bound", help="How long must training inputs be?", no_args_is_help=True)

Epsilon = Annotated[float, typer.Option("--epsilon", "-e", help="The error that may be added.")]
Plot = Annotated[
    str | None,
    file_option("--plot", help="Draw the lengths: .svg, .pdf or .png; - is SVG on standard output.", figure=True),
]
Over = Annotated[
    str, typer.Option("--over", help="What to draw them against: epsilon, omega, period, symbols or window.")
]


@app.command("worst-case")
@grouped
def worst_case(
    model: Model,
    *,
    epsilon: Epsilon = 0.1,
    other: Other = None,
    periodic: PeriodicConstruction,
    bits: Bits = None,
    plot: Plot = None,
    over: Over = "epsilon",
    seconds: Seconds = SECONDS,
    as_json: Json = False,
) -> None:
    """Theorem 4.1: agreement on all words up to this length carries over to all words."""
    from lengthwise import public

    found = public.bound(
        "worst-case",
        model,
        other,
        epsilon=epsilon,
        bits=bits,
        plot=plot,
        over=over,
        seconds=seconds,
        **values(periodic),
    )
    show(found, as_json, path=plot)


@app.command("average")
@grouped
def average(
    model: Model,
    *,
    kappa: Annotated[float, typer.Option("--kappa", help="The average error that may be added.")] = 0.1,
    alpha: Annotated[
        str, typer.Option("--alpha", help="The Dirichlet parameters of the symbol distribution: one, or one a symbol.")
    ] = "1",
    other: Other = None,
    periodic: PeriodicConstruction,
    bits: Bits = None,
    estimate: Annotated[
        int | None, typer.Option("--estimate", metavar="LENGTH", help="Also sample words of this length.")
    ] = None,
    samples: Annotated[int, typer.Option("--samples", help="How many.")] = 2000,
    seed: Annotated[int, typer.Option("--seed", help="Of the samples.")] = 0,
    seconds: Seconds = SECONDS,
    as_json: Json = False,
) -> None:
    """Theorem 4.2: the same on average over symbol distributions."""
    from lengthwise import public

    wanted = "--alpha takes numbers, such as 1 or 0.5,2,1"
    alphas = numbers(alpha, alpha.replace(",", " ").split(), float, wanted)
    found = public.bound(
        "average", model, other, epsilon=kappa, bits=bits, alpha=alphas, estimate=estimate, samples=samples, seed=seed,
        seconds=seconds, **values(periodic),
    )  # fmt: skip
    show(found, as_json)


@app.command("two-layer")
@grouped
def two_layer(
    model: Model,
    *,
    epsilon: Epsilon = 0.1,
    other: Other = None,
    copying: CopyingConstruction,
    constant: Annotated[
        float, typer.Option("--constant", help="The unspecified constant c of the printed form.")
    ] = 1.0,
    seconds: Seconds = SECONDS,
    as_json: Json = False,
) -> None:
    """Theorem 5.2: the length for two-layer models. It is astronomic; the explicit chain shows why."""
    from lengthwise import public

    found = public.bound(
        "two-layer", model, other, epsilon=epsilon, constant=constant, seconds=seconds, **values(copying)
    )
    show(found, as_json)


@app.command("certified")
@grouped
def certified(
    model: Model,
    *,
    epsilon: Epsilon = 0.1,
    other: Other = None,
    periodic: PeriodicConstruction,
    bits: Bits = None,
    sensitivity: Annotated[
        str | None,
        typer.Option("--sensitivity", help="Certify for all models that change at most this fast: a number, or `own`."),
    ] = None,
    margin: Annotated[
        str | None,
        typer.Option(
            "--margin",
            help="For a program of depth 1: certify for words with this margin, such as 0.03 or 1/3: the part of the "
            "attention that takes an output from a sure yes to a sure no.",
        ),
    ] = None,
    target_length: Annotated[
        int | None,
        typer.Option("--target-length", help="With --margin: which share of the words of this length have it."),
    ] = None,
    start_symbol: Annotated[
        bool | None,
        typer.Option(
            "--start-symbol/--no-start-symbol",
            help="With --margin: whether heads attend to a start symbol; by default where a comparison needs it.",
        ),
    ] = None,
    samples: Annotated[int, typer.Option("--samples", help="With --target-length: words of the task to draw.")] = 2000,
    seed: Annotated[int, typer.Option("--seed", help="Of these words.")] = 0,
    seconds: Annotated[float, typer.Option("--seconds", help="Give an upper bound after this time.")] = 60.0,
    plot: Plot = None,
    over: Over = "epsilon",
    as_json: Json = False,
) -> None:
    """The smallest length such that every word of every length has a stand-in of at most that length."""
    from lengthwise import public

    found = public.bound(
        "certified", model, other, epsilon=epsilon, bits=bits, sensitivity=_sensitivity(sensitivity), seconds=seconds,
        plot=plot, over=over, margin=_margin(margin), target_length=target_length, start_symbol=start_symbol,
        samples=samples, seed=seed, **values(periodic),
    )  # fmt: skip
    show(found, as_json, path=plot)


@app.command("identification")
def identification(
    subject: Subject,
    *,
    alphabet: Alphabet = None,
    asks: Annotated[
        str, typer.Option("--asks", help="accept: is the word accepted; next: what may follow each prefix of a word.")
    ] = "accept",
    fragment: Annotated[
        str | None,
        typer.Option("--fragment", help="The programs: none, periodic, local or periodic,local; else the subject's."),
    ] = None,
    complexity: Annotated[
        int | None, typer.Option("--complexity", help="The largest complexity of a program that is looked for.")
    ] = None,
    depth: Annotated[int | None, typer.Option("--depth", help="Only programs of at most this depth.")] = None,
    encoding: Annotated[
        str, typer.Option("--encoding", help="How complexity is counted: symbols, bits or heads.")
    ] = "symbols",
    words: Annotated[
        int | None, typer.Option("--words", help="Also the length from which so many random words hide no rival.")
    ] = None,
    target_length: Annotated[
        int, typer.Option("--target-length", help="With --words: up to which length rivals matter.")
    ] = 64,
    seconds: Seconds = SECONDS,
    as_json: Json = False,
) -> None:
    """From which length on all words identify SUBJECT among the programs that are no more complex."""
    from lengthwise import public

    found = public.identification(
        subject, alphabet, asks=asks, fragment=fragment, complexity=complexity, depth=depth,  # type: ignore[arg-type]
        encoding=encoding, words=words, target_length=target_length, seconds=seconds,
    )  # fmt: skip
    show(found, as_json)


@app.command("table")
def table(
    seconds: Annotated[float, typer.Option("--seconds", help="Time for each entry.")] = SECONDS,
    as_json: Json = False,
) -> None:
    """Certified lengths of SimpleTask over ω and ModPTask over Δ, beside the theorem's."""
    from lengthwise.bounds.certified import table as certified_table

    found = certified_table.table(seconds=seconds)
    if as_json:
        echo(json_text(certified_table.as_json(found)))
    else:
        echo(certified_table.as_markdown(found).rstrip())


def _sensitivity(text: str | None) -> float | Literal["own"] | None:
    if text is None or text == "own":
        return "own" if text else None
    try:
        return float(text)
    except ValueError:
        raise LengthwiseError(f"--sensitivity takes a number or `own`, not {text!r}") from None


def _margin(text: str | None) -> Fraction | None:
    try:
        return None if text is None else Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise LengthwiseError(
            f"--margin takes a number above 0 and at most 1, such as 0.03 or 1/3, not {text!r}"
        ) from None
