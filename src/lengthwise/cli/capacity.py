"""`lengthwise capacity linear|matrix|head|network|model`: how many samples a class of functions needs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lengthwise.cli.answer import json_text, say
from lengthwise.cli.options import Json, Seconds, file_option, grouped, numbers
from lengthwise.errors import LengthwiseError
from lengthwise.resources import SECONDS, check_time, require_memory, time_limit

if TYPE_CHECKING:
    from lengthwise.bounds import Bound
    from lengthwise.bounds.capacity import Capacity
    from lengthwise.bounds.capacity.function_class import Cover
    from lengthwise.bounds.capacity.sweeps import Make

app = typer.Typer(name="capacity", help="How many samples does a class of functions need?", no_args_is_help=True)

NAMES = 24
"""Characters for the names of terms, the same for a cover and for the loss that follows from it."""
BYTES_EACH = 5_000
"""What a head or layer takes with its covers."""
SHOWN = 12
"""Covers of parts that are shown; of more, the largest."""

Samples = Annotated[int, typer.Option("--samples", "-m", help="How many samples.")]
Length = Annotated[int, typer.Option("--length", "-T", help="Tokens of each sample.")]
Epsilon = Annotated[float, typer.Option("--epsilon", "-e", help="The scale of the cover.")]
Sharp = Annotated[bool, typer.Option("--sharp", help="The best softmax constant, 1, in place of the paper's 2.")]
Plot = Annotated[
    str | None,
    file_option("--plot", help="Draw log N: .svg, .pdf or .png; - is SVG on standard output.", figure=True),
]
Over = Annotated[
    str | None, typer.Option("--over", help="What to draw it against: length, samples, width, heads or layers.")
]
InputNorm = Annotated[float, typer.Option("--input-norm", help="The largest norm of a token.")]
Width = Annotated[int, typer.Option("--width", "-d", help="Numbers of a token.")]
Slope = Annotated[float, typer.Option("--lipschitz", help="The largest slope of the activation.")]
EACH = "one number, or one for each head or layer"
QueryKey = Annotated[str, typer.Option("--query-key", help=f"Spectral norm of W_Q W_K^T: {EACH}.")]
QueryKeyRows = Annotated[str, typer.Option("--query-key-rows", help="Its largest row.")]
Value = Annotated[str, typer.Option("--value", help=f"Spectral norm of W_V: {EACH}.")]
ValueColumns = Annotated[str, typer.Option("--value-columns", help="Its largest column.")]
Mix = Annotated[str, typer.Option("--mix", help=f"Spectral norm of W_C: {EACH}.")]
MixColumns = Annotated[str, typer.Option("--mix-columns", help="Its largest column.")]


@dataclass(frozen=True)
class Loss:
    """What is known of the loss, and how close risk and training error shall be."""

    loss_lipschitz: Annotated[float, typer.Option(help="How fast the loss changes with the output.")] = 1.0
    loss_bound: Annotated[float, typer.Option(help="The largest loss.")] = 1.0
    failure: Annotated[float, typer.Option(help="The probability with which the bound may fail.")] = 0.05
    gap: Annotated[
        float | None, typer.Option(help="Also say how many samples bring risk and training error this close.")
    ] = None


@app.command("linear")
@grouped
def linear(
    *,
    weight_norm: Annotated[float, typer.Option("--weight-norm", help="The largest norm of the weights.")] = 1.0,
    input_norm: InputNorm = 1.0,
    samples: Samples = 1000,
    epsilon: Epsilon = 0.1,
    loss: Loss,
    plot: Plot = None,
    seconds: Seconds = SECONDS,
    as_json: Json = False,
) -> None:
    """Linear functions w·x: Zhang's bound with its constant."""
    from lengthwise.bounds import capacity

    found = capacity.linear(weight_norm, input_norm)
    _answer(lambda _: found, {"samples": samples}, epsilon, loss, plot, None, seconds, as_json)


@app.command("matrix")
def matrix(
    columns: Annotated[int, typer.Option("--columns", help="Outputs of the map.")] = 16,
    column_norm: Annotated[float, typer.Option("--column-norm", help="The largest norm of a column.")] = 1.0,
    column_sum: Annotated[
        float | None, typer.Option("--column-sum", help="The norms of all columns together: uses the (2,1) bound.")
    ] = None,
    input_norm: InputNorm = 1.0,
    samples: Samples = 1000,
    epsilon: Epsilon = 0.1,
    plot: Plot = None,
    over: Over = None,
    seconds: Seconds = SECONDS,
    as_json: Json = False,
) -> None:
    """Linear maps W^T x (Lemma 4.5)."""
    from lengthwise.bounds import capacity

    def make(sizes: Mapping[str, int]) -> Capacity:
        if column_sum is None:
            return capacity.matrices(sizes["width"], column_norm, input_norm)
        return capacity.matrices_by_sum(sizes["width"], column_sum, input_norm, column_norm)

    _answer(make, {"samples": samples, "width": columns}, epsilon, None, plot, over, seconds, as_json)


@app.command("head")
@grouped
def head(
    *,
    width: Width = 16,
    value: Value = "1",
    value_columns: ValueColumns = "",
    query_key_rows: QueryKeyRows = "1",
    heads: Annotated[int, typer.Option("--heads", "-H", help="Heads that are added up.")] = 1,
    input_norm: InputNorm = 1.0,
    query_norm: Annotated[float | None, typer.Option("--query-norm", help="Of the token that asks.")] = None,
    position_norm: Annotated[float, typer.Option("--position-norm", help="Of the fixed positions.")] = 0.0,
    lipschitz: Slope = 1.0,
    readout: Annotated[float | None, typer.Option("--readout", help="The norm of w; else outputs are vectors.")] = None,
    samples: Samples = 1000,
    length: Length = 100,
    epsilon: Epsilon = 0.1,
    loss: Loss,
    sharp: Sharp = False,
    plot: Plot = None,
    over: Over = None,
    seconds: Seconds = SECONDS,
    as_json: Json = False,
) -> None:
    """Self-attention heads (Corollary 4.4, Lemmas A.11 and A.12); columns are as long as the matrix unless given."""
    from lengthwise.bounds import capacity

    _require_positive({"--width": width, "--heads": heads})
    listed = _listed({"value": value, "value_columns": value_columns or value, "query_key_rows": query_key_rows})

    def make(sizes: Mapping[str, int]) -> Capacity:
        return capacity.self_attention(
            [capacity.HeadNorms(**_nth(listed, number)) for number in range(sizes["heads"])],
            sizes["width"],
            input_norm=input_norm,
            query_norm=query_norm,
            position_norm=position_norm,
            lipschitz=lipschitz,
            readout=readout,
            softmax=_softmax(sharp),
        )

    sizes = {"samples": samples, "length": length, "width": width, "heads": max(heads, *map(len, listed.values()))}
    _answer(make, sizes, epsilon, loss, plot, over, seconds, as_json)


@app.command("network")
@grouped
def network(
    *,
    layers: Annotated[int, typer.Option("--layers", "-L", help="Layers; the last norms given hold for the rest.")] = 1,
    width: Width = 16,
    head_width: Annotated[
        int | None, typer.Option("--head-width", "-k", help="Columns of W_V; else the width.")
    ] = None,
    query_key: QueryKey = "1",
    query_key_rows: QueryKeyRows = "",
    value: Value = "1",
    value_columns: ValueColumns = "",
    mix: Mix = "1",
    mix_columns: MixColumns = "",
    readout: Annotated[float, typer.Option("--readout", help="The norm of w.")] = 1.0,
    lipschitz: Slope = 1.0,
    input_norm: InputNorm = 1.0,
    samples: Samples = 1000,
    length: Length = 100,
    epsilon: Epsilon = 0.1,
    loss: Loss,
    sharp: Sharp = False,
    plot: Plot = None,
    over: Over = None,
    seconds: Seconds = SECONDS,
    as_json: Json = False,
) -> None:
    """Deep networks with projections (Theorem A.17); rows and columns are as long as the matrix unless given."""
    from lengthwise.bounds import capacity

    _require_positive({"--width": width, "--layers": layers})
    listed = _listed(
        {
            "query_key": query_key,
            "query_key_rows": query_key_rows or query_key,
            "value": value,
            "value_columns": value_columns or value,
            "mix": mix,
            "mix_columns": mix_columns or mix,
        }
    )

    def make(sizes: Mapping[str, int]) -> Capacity:
        return capacity.network(
            [capacity.LayerNorms(**_nth(listed, number)) for number in range(sizes["layers"])],
            sizes["width"],
            head_width=head_width,
            readout=readout,
            lipschitz=lipschitz,
            input_norm=input_norm,
            softmax=_softmax(sharp),
        )

    sizes = {"samples": samples, "length": length, "width": width, "layers": max(layers, *map(len, listed.values()))}
    _answer(make, sizes, epsilon, loss, plot, over, seconds, as_json)


@app.command("model")
@grouped
def model(
    path: Annotated[
        Path, typer.Argument(metavar="MODEL", help="The directory of a run, or a state dict (.safetensors).")
    ],
    *,
    seed: Annotated[int, typer.Option("--seed", help="Which of a run's seeds, counted from 0.")] = 0,
    heads: Annotated[int | None, typer.Option("--heads", "-H", help="State dict: heads of each layer.")] = None,
    norm_first: Annotated[bool, typer.Option("--norm-first", help="State dict: layer norm comes first.")] = False,
    activation: Annotated[str, typer.Option("--activation", help="State dict: relu or gelu.")] = "relu",
    input_norm: InputNorm = 1.0,
    readout: Annotated[float, typer.Option("--readout", help="State dict: the norm of w.")] = 1.0,
    samples: Samples = 1000,
    length: Length = 100,
    epsilon: Epsilon = 0.1,
    loss: Loss,
    plot: Plot = None,
    over: Over = None,
    seconds: Seconds = SECONDS,
    as_json: Json = False,
) -> None:
    """The class of all networks with the norms of a trained one, which has a residual stream."""
    from lengthwise import public
    from lengthwise.bounds import capacity

    norms = public.model_norms(
        path, seed=seed, heads=heads, norm_first=norm_first, activation=activation, input_norm=input_norm,
        readout=readout,
    )  # fmt: skip

    def make(sizes: Mapping[str, int]) -> Capacity:
        return capacity.residual(replace(norms, blocks=norms.blocks[: sizes["layers"]]))

    sizes = {"samples": samples, "length": length, "layers": len(norms.blocks)}
    grids = {"layers": range(1, len(norms.blocks) + 1)}
    _answer(make, sizes, epsilon, loss, plot, over, seconds, as_json, f"{path.name}: ", grids)


# ----------------------------------------------------------------------------------------------------- what is given


def _require_positive(given: Mapping[str, int]) -> None:
    for option, value in given.items():
        if value < 1:
            raise LengthwiseError(f"{option} takes a whole number from 1 on, not {value}")


def _listed(given: Mapping[str, str]) -> dict[str, list[float]]:
    found = {}
    for name, text in given.items():
        parts = text.replace(",", " ").split() or [text]
        wanted = f"--{name.replace('_', '-')} takes numbers, such as 1 or 1,0.5,2"
        found[name] = numbers(text, parts, float, wanted)
    return found


def _nth(listed: Mapping[str, list[float]], number: int) -> dict[str, float]:
    """The norms of one head or layer; the last ones hold for all that follow."""
    check_time()
    return {name: values[min(number, len(values) - 1)] for name, values in listed.items()}


def _softmax(sharp: bool) -> float:
    from lengthwise.bounds.capacity import SHARP_SOFTMAX, SOFTMAX

    return SHARP_SOFTMAX if sharp else SOFTMAX


# ------------------------------------------------------------------------------------------- what is printed and drawn


def _answer(
    make: Make,
    sizes: Mapping[str, int],
    epsilon: float,
    loss: Loss | None,
    plot: str | None,
    over: str | None,
    seconds: float,
    as_json: bool,
    named: str = "",
    grids: Mapping[str, Sequence[int]] | None = None,
) -> None:
    """Draw log N, if a file is given; print it and, if outputs are numbers, what follows for a loss."""
    from lengthwise.bounds.bound import bound_lines

    for name in sizes.keys() & {"heads", "layers"}:
        require_memory(BYTES_EACH * sizes[name], f"a network with {sizes[name]} {name}", f"lower --{name}")
    deadline = time_limit(seconds)
    with deadline.in_force():
        found = make(sizes)
    if plot is not None:
        from lengthwise.bounds.capacity.sweeps import curves
        from lengthwise.drawing.bound_plot import plot_capacity

        drawn = curves(make, sizes, epsilon, None if over is None else [over], grids)
        plot_capacity(drawn, f"{named}{found.theorem}, ε = {epsilon:g}", plot)
    samples, length = sizes["samples"], sizes.get("length", 1)
    with deadline.in_force():
        covering, covers = found.covering(epsilon, samples, length), found.covers(epsilon, samples, length)
        promised, needed = _promised(found, samples, length, loss)
    if as_json:
        data: dict[str, Any] = covering.as_json()
        data["covers"] = [cover.as_json() for cover in covers]
        data["generalization"] = None if promised is None else promised.as_json()
        say(plot, json_text(data | needed))
        return
    lines = [*bound_lines(covering, names=NAMES), *_covers(covers)]
    if promised is not None and loss is not None:
        is_help = promised.log10 < (math.log10(loss.loss_bound) if loss.loss_bound > 0 else -math.inf)
        remark = "" if is_help else f" (no help: no loss is above {loss.loss_bound:g})"
        lines += ["", *bound_lines(promised, remark, said=covering.assumptions, names=NAMES)]
        for count in needed.values():
            lines += ["", f"samples needed for {loss.gap:g}: {'more than 10^60' if count is None else f'{count:,}'}"]
    for line in lines:
        say(plot, line)


def _promised(
    found: Capacity, samples: int, length: int, loss: Loss | None
) -> tuple[Bound | None, dict[str, int | None]]:
    """What follows for a loss, and how many samples are needed for the gap, if one is given."""
    from lengthwise.bounds.capacity import samples_needed

    if loss is None:
        return None, {}
    if not found.scalar:
        if loss.gap is not None:
            raise LengthwiseError("--gap is about the loss of a number; give --readout, so that outputs are numbers")
        return None, {}
    options = {"lipschitz": loss.loss_lipschitz, "loss_bound": loss.loss_bound, "failure": loss.failure}
    promised = found.generalization(samples, length, **options)
    if loss.gap is None:
        return promised, {}
    return promised, {"samples_needed": samples_needed(found, loss.gap, length, **options)}


def _covers(covers: Sequence[Cover]) -> Iterator[str]:
    chosen = sorted(covers, key=lambda cover: -cover.log_covering.log10)[:SHOWN] if len(covers) > SHOWN else covers
    for cover in chosen:
        yield f"cover of {cover.name}: log N {cover.log_covering.shown} at scale {cover.scale:.4g}"
    if len(covers) > SHOWN:
        yield f"and {len(covers) - SHOWN} smaller covers"
