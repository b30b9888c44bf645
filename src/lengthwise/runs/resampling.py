"""Resampling seeds: how far a statistic of many cells could be off because each was trained with a few seeds only.

A cell is a config; its losses are those of its seeds. The bootstrap draws as many seeds as a cell has, with repetition
and for each cell independently, and looks at how the statistic scatters. Shuffling deals the seeds of several cells out
anew among them, which is how they would scatter if the cells did not differ at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

CHANCE = 0.025
"""The share of the resamples that may lie beyond each end of an interval."""
FEWEST_IN_ALL = 6
"""Seeds that an interval needs: the range of n has the true median in it with probability 1 - 2^(1 - n)."""
AT_ONCE = 100
"""Shuffles that are in memory at a time: all pairs of their seeds are compared."""


def median(losses: Floats) -> Floats:
    """Over the seeds, on the last axis."""
    return np.asarray(np.median(losses, axis=-1))


def mean(losses: Floats) -> Floats:
    """Over the seeds, on the last axis."""
    return np.asarray(np.mean(losses, axis=-1))


AVERAGES: Mapping[str, Callable[[Floats], Floats]] = {"medians": median, "means": mean}
"""The papers take means; there, a seed that never left its first loss decides alone, so medians come first."""


@dataclass(frozen=True)
class Resampling:
    """How seeds are drawn: the same for the same seed of the generator."""

    seed: int = 0
    times: int = 2000

    def generator(self) -> np.random.Generator:
        """A new one, from its beginning."""
        return np.random.default_rng(self.seed)

    def draws(self, cells: Sequence[Floats]) -> list[Floats]:
        """For each cell, whose last axis are seeds, `times` draws of as many seeds as it has, on a new first axis."""
        rng = self.generator()
        return [
            np.moveaxis(losses[..., rng.integers(losses.shape[-1], size=(self.times, losses.shape[-1]))], -2, 0)
            for losses in cells
        ]

    def shuffles(self, losses: Floats, groups: Sequence[int]) -> Iterator[Floats]:
        """`times` rows of the losses of single seeds, dealt out anew within each group of places; a few at a time."""
        rng = self.generator()
        members = [np.flatnonzero(np.equal(groups, group)) for group in dict.fromkeys(groups)]
        for done in range(0, self.times, AT_ONCE):
            dealt = np.tile(losses, (min(AT_ONCE, self.times - done), 1))
            for places in members:
                dealt[:, places] = rng.permuted(dealt[:, places], axis=1)
            yield dealt


def interval(value: float, draws: Floats) -> tuple[float, float]:
    """The 95 % percentile interval of a resampled statistic, widened to contain its value.

    Resamples have the noise of the seeds twice, so that where noise can only do harm, to a perfect order or to curves
    that coincide, nearly all of them may be worse than the value. A draw that is NaN, for which the statistic did not
    exist, could have been any number: it counts as infinite at both ends, so that more than a few of them leave the
    interval without an end.
    """
    beyond = int(CHANCE * len(draws))
    low = np.sort(np.where(np.isnan(draws), -np.inf, draws))[beyond]
    high = np.sort(np.where(np.isnan(draws), np.inf, draws))[len(draws) - 1 - beyond]
    return min(float(low), value), max(float(high), value)
