"""`lengthwise capacity linear|matrix|head|network|model`: how many samples a class of functions needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lengthwise.cli.capacity_shown import draw, show
from lengthwise.cli.outputs import beside, writable_figure
from lengthwise.errors import LengthwiseError

if TYPE_CHECKING:
    from lengthwise.bounds.capacity import Capacity

app = typer.Typer(name="capacity", help="How many samples does a class of functions need?", no_args_is_help=True)

Samples = Annotated[int, typer.Option("--samples", "-m", help="How many samples.")]
Length = Annotated[int, typer.Option("--length", "-T", help="Tokens of each sample.")]
Epsilon = Annotated[float, typer.Option("--epsilon", "-e", help="The scale of the cover.")]
Lipschitz = Annotated[float, typer.Option("--loss-lipschitz", help="How fast the loss changes with the output.")]
LossBound = Annotated[float, typer.Option("--loss-bound", help="The largest loss.")]
Failure = Annotated[float, typer.Option("--failure", help="The probability with which the bound may fail.")]
Gap = Annotated[
    float | None, typer.Option("--gap", help="Also say how many samples bring risk and training error this close.")
]
Sharp = Annotated[bool, typer.Option("--sharp", help="The best softmax constant, 1, in place of the paper's 2.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Plot = Annotated[
    str | None,
    typer.Option(
        "--plot",
        metavar="FILE",
        help="Draw log N: .svg, .pdf or .png; - is SVG on standard output.",
        callback=writable_figure,
    ),
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


@app.command("linear")
def linear(
    weight_norm: Annotated[float, typer.Option("--weight-norm", help="The largest norm of the weights.")] = 1.0,
    input_norm: InputNorm = 1.0,
    samples: Samples = 1000,
    epsilon: Epsilon = 0.1,
    loss_lipschitz: Lipschitz = 1.0,
    loss_bound: LossBound = 1.0,
    failure: Failure = 0.05,
    gap: Gap = None,
    plot: Plot = None,
    as_json: Json = False,
) -> None:
    """Linear functions w·x: Zhang's bound with its constant."""
    from lengthwise.bounds import capacity

    found = capacity.linear(weight_norm, input_norm)
    loss = (loss_lipschitz, loss_bound, failure)
    draw(plot, None, lambda _: found, {"samples": samples}, epsilon, found.theorem)
    show(found, epsilon, samples, 1, loss, gap, as_json, beside(plot))


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
    as_json: Json = False,
) -> None:
    """Linear maps W^T x (Lemma 4.5)."""
    from lengthwise.bounds import capacity

    def make(sizes: Mapping[str, int]) -> Capacity:
        if column_sum is None:
            return capacity.matrices(sizes["width"], column_norm, input_norm)
        return capacity.matrices_by_sum(sizes["width"], column_sum, input_norm, column_norm)

    sizes = {"samples": samples, "width": columns}
    found = make(sizes)
    draw(plot, over, make, sizes, epsilon, found.theorem)
    show(found, epsilon, samples, 1, None, None, as_json, beside(plot))


@app.command("head")
def head(
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
    loss_lipschitz: Lipschitz = 1.0,
    loss_bound: LossBound = 1.0,
    failure: Failure = 0.05,
    gap: Gap = None,
    sharp: Sharp = False,
    plot: Plot = None,
    over: Over = None,
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
    found = make(sizes)
    draw(plot, over, make, sizes, epsilon, found.theorem)
    show(found, epsilon, samples, length, (loss_lipschitz, loss_bound, failure), gap, as_json, beside(plot))


@app.command("network")
def network(
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
    loss_lipschitz: Lipschitz = 1.0,
    loss_bound: LossBound = 1.0,
    failure: Failure = 0.05,
    gap: Gap = None,
    sharp: Sharp = False,
    plot: Plot = None,
    over: Over = None,
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
    found = make(sizes)
    draw(plot, over, make, sizes, epsilon, found.theorem)
    show(found, epsilon, samples, length, (loss_lipschitz, loss_bound, failure), gap, as_json, beside(plot))


@app.command("model")
def model(
    path: Annotated[
        Path, typer.Argument(metavar="MODEL", help="The directory of a run, or a state dict (.safetensors).")
    ],
    seed: Annotated[int, typer.Option("--seed", help="Which of a run's seeds, counted from 0.")] = 0,
    heads: Annotated[int | None, typer.Option("--heads", "-H", help="State dict: heads of each layer.")] = None,
    norm_first: Annotated[bool, typer.Option("--norm-first", help="State dict: layer norm comes first.")] = False,
    activation: Annotated[str, typer.Option("--activation", help="State dict: relu or gelu.")] = "relu",
    input_norm: InputNorm = 1.0,
    readout: Annotated[float, typer.Option("--readout", help="State dict: the norm of w.")] = 1.0,
    samples: Samples = 1000,
    length: Length = 100,
    epsilon: Epsilon = 0.1,
    loss_lipschitz: Lipschitz = 1.0,
    loss_bound: LossBound = 1.0,
    failure: Failure = 0.05,
    gap: Gap = None,
    plot: Plot = None,
    over: Over = None,
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
    found = make(sizes)
    grids = {"layers": range(1, len(norms.blocks) + 1)}
    draw(plot, over, make, sizes, epsilon, f"{path.name}: {found.theorem}", grids)
    show(found, epsilon, samples, length, (loss_lipschitz, loss_bound, failure), gap, as_json, beside(plot))


# ----------------------------------------------------------------------------------------------------- what is given


def _require_positive(given: Mapping[str, int]) -> None:
    for option, value in given.items():
        if value < 1:
            raise LengthwiseError(f"{option} takes a whole number from 1 on, not {value}")


def _listed(given: Mapping[str, str]) -> dict[str, list[float]]:
    found = {}
    for name, text in given.items():
        try:
            found[name] = [float(part) for part in text.replace(",", " ").split()]
        except ValueError:
            found[name] = []
        if not found[name]:
            raise LengthwiseError(f"--{name.replace('_', '-')} takes numbers, such as 1 or 1,0.5,2, not {text!r}")
    return found


def _nth(listed: Mapping[str, list[float]], number: int) -> dict[str, float]:
    """The norms of one head or layer; the last ones hold for all that follow."""
    return {name: values[min(number, len(values) - 1)] for name, values in listed.items()}


def _softmax(sharp: bool) -> float:
    from lengthwise.bounds.capacity import SHARP_SOFTMAX, SOFTMAX

    return SHARP_SOFTMAX if sharp else SOFTMAX
