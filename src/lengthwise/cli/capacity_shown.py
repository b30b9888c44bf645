"""What `lengthwise capacity` prints and draws."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import typer

from lengthwise.cli.json_text import json_text
from lengthwise.errors import LengthwiseError

if TYPE_CHECKING:
    from lengthwise.bounds import Bound
    from lengthwise.bounds.capacity import Capacity
    from lengthwise.bounds.capacity.function_class import Cover
    from lengthwise.bounds.capacity.sweeps import Make

NAMES = 24
"""Characters for the names of terms, the same for a cover and for the loss that follows from it."""
SHOWN = 12
"""Covers of parts that are shown; of more, the largest."""


def show(
    found: Capacity,
    epsilon: float,
    samples: int,
    length: int,
    loss: tuple[float, float, float] | None,
    gap: float | None,
    as_json: bool,
    err: bool = False,
) -> None:
    """Print the covering number and, if outputs are numbers, what follows for a loss (its slope, largest value, δ)."""
    from lengthwise.bounds.bound_text import bound_lines
    from lengthwise.bounds.capacity import samples_needed

    covering, covers = found.covering(epsilon, samples, length), found.covers(epsilon, samples, length)
    if gap is not None and not found.scalar:
        raise LengthwiseError("--gap is about the loss of a number; give --readout, so that outputs are numbers")
    promised: Bound | None = None
    needed: dict[str, int | None] = {}
    if found.scalar and loss is not None:
        options = {"lipschitz": loss[0], "loss_bound": loss[1], "failure": loss[2]}
        promised = found.generalization(samples, length, **options)
        if gap is not None:
            needed["samples_needed"] = samples_needed(found, gap, length, **options)
    if as_json:
        data: dict[str, Any] = covering.as_json()
        data["covers"] = [cover.as_json() for cover in covers]
        data["generalization"] = None if promised is None else promised.as_json()
        typer.echo(json_text(data | needed), err=err)
        return
    lines = [*bound_lines(covering, names=NAMES), *_covers(covers)]
    if promised is not None and loss is not None:
        is_help = promised.log10 < (math.log10(loss[1]) if loss[1] > 0 else -math.inf)
        remark = "" if is_help else f" (no help: no loss is above {loss[1]:g})"
        lines += ["", *bound_lines(promised, remark, said=covering.assumptions, names=NAMES)]
    if needed:
        count = needed["samples_needed"]
        lines += ["", f"samples needed for {gap:g}: {'more than 10^60' if count is None else f'{count:,}'}"]
    for line in lines:
        typer.echo(line, err=err)


def _covers(covers: Sequence[Cover]) -> Iterator[str]:
    chosen = sorted(covers, key=lambda cover: -cover.log_covering.log10)[:SHOWN] if len(covers) > SHOWN else covers
    for cover in chosen:
        yield f"cover of {cover.name}: log N {cover.log_covering.shown} at scale {cover.scale:.4g}"
    if len(covers) > SHOWN:
        yield f"and {len(covers) - SHOWN} smaller covers"


def draw(
    path: str | None,
    over: str | None,
    make: Make,
    sizes: Mapping[str, int],
    epsilon: float,
    title: str,
    grids: Mapping[str, Sequence[int]] | None = None,
) -> None:
    """Draw log N along all sizes, or along one, if a file is given."""
    if path is None:
        return
    from lengthwise.bounds.capacity.sweeps import curves
    from lengthwise.drawing.capacity_plot import plot_capacity

    drawn = curves(make, sizes, epsilon, None if over is None else [over], grids)
    plot_capacity(drawn, f"{title}, ε = {epsilon:g}", path)
