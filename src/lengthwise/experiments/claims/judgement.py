"""Judging a claim: from the losses of many cells to a number with its interval, and a verdict.

Every claim is judged twice, by medians over seeds and by means. An interval comes from resampled seeds, so it needs two
in every cell. A verdict by an interval alone needs three: with two seeds, the interval of an exponent that is 1 missed
it in 24 % of simulated sweeps, with three in 6 %, with eight in 2 %. And it needs six in all: the range of n seeds has
the true median in it with probability 1 - 2^(1 - n), so five cannot make an interval of 95 %. Otherwise a claim is
undecided. Only the rank correlation has another way to tell an effect from chance (`sweeps.trend`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lengthwise.experiments.claims.finding import Estimate, Verdict
from lengthwise.experiments.sweeps.cells import Cell
from lengthwise.runs.resampling import FEWEST_IN_ALL, interval

Floats = npt.NDArray[np.float64]

FEWEST_SEEDS = 3
"""In each cell, for a verdict by an interval alone."""


@dataclass(frozen=True)
class Judgement:
    """What cells say about a claim."""

    estimates: tuple[Estimate, ...]
    """By medians over seeds, which counts, and by means."""
    detail: str
    cells: tuple[Cell, ...] = ()
    """Those that were compared."""


def nothing(statistic: str, detail: str) -> Judgement:
    """Undecided, as there is nothing to compare."""
    return Judgement((Estimate(statistic, np.nan, np.nan, np.nan, "undecided"),), detail)


def spread_is_known(cells: Sequence[Cell]) -> bool:
    """Whether every cell has two seeds or more."""
    return all(cell.seeds > 1 for cell in cells)


def enough_seeds(cells: Sequence[Cell]) -> bool:
    """Whether intervals can be relied on."""
    seeds = [cell.seeds for cell in cells]
    return min(seeds) >= FEWEST_SEEDS and sum(seeds) >= FEWEST_IN_ALL


def estimate(
    statistic: str, value: float, draws: Floats, cells: Sequence[Cell], verdict: Callable[[float, float], Verdict]
) -> Estimate:
    """A statistic with the interval of its resampled values, on which the verdict depends."""
    if not spread_is_known(cells) or np.isnan(value):
        return Estimate(statistic, value, np.nan, np.nan, "undecided")
    low, high = interval(value, draws)
    return Estimate(statistic, value, low, high, verdict(low, high) if enough_seeds(cells) else "undecided")
