"""The probability of success by context and sample size, with how far it could be off.

The paper's standard errors come from the normal approximation (Edelman et al., appendix C.1), which says 0 where all
trials agree. So there is the interval of Wilson as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lengthwise.experiments.probes.function import ProbeError
from lengthwise.experiments.probes.outcome import Outcomes

DEVIATIONS = 1.959963984540054
"""Standard deviations that a normal variable exceeds, on either side, in 5 % of cases."""


@dataclass(frozen=True)
class Success:
    """How many trials of a cell succeeded."""

    context: int
    samples: int
    trials: int
    successes: int

    @property
    def probability(self) -> float:
        """The share of the trials."""
        return self.successes / self.trials

    @property
    def standard_error(self) -> float:
        """By the normal approximation, as in the paper."""
        return math.sqrt(self.probability * (1 - self.probability) / self.trials)

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval."""
        square = DEVIATIONS**2 / self.trials
        centre = (self.probability + square / 2) / (1 + square)
        spread = DEVIATIONS * math.sqrt(self.standard_error**2 + square / (4 * self.trials)) / (1 + square)
        return max(0.0, centre - spread), min(1.0, centre + spread)


@dataclass(frozen=True, eq=False)
class Row:
    """All cells of one context, ordered by their sample sizes."""

    context: int
    samples: npt.NDArray[np.float64]
    trials: tuple[npt.NDArray[np.float64], ...]
    """1 for a success and 0 for none, for each cell."""


def successes(results: Iterable[Outcomes]) -> list[Success]:
    """The successes of each cell, ordered by context and sample size."""
    return [
        Success(row.context, int(size), len(trials), int(trials.sum()))
        for row in rows(results)
        for size, trials in zip(row.samples, row.trials, strict=True)
    ]


def rows(results: Iterable[Outcomes]) -> list[Row]:
    """Results by context; cells that differ in nothing but the seed are one."""
    merged: dict[tuple[int, int], list[bool]] = {}
    kinds = set()
    for each in results:
        cell = each.cell
        kinds.add(cell.model_copy(update={"context": 0, "samples": 0, "seed": 0, "trials": 0}).model_dump_json())
        merged.setdefault((cell.context, cell.samples), []).extend(each.successes)
    if len(kinds) > 1:
        raise ProbeError("cells that are compared differ in context, sample size and seed alone")
    found = []
    for context in sorted({context for context, _ in merged}):
        sizes = sorted(size for other, size in merged if other == context)
        trials = tuple(np.array(merged[context, size], dtype=np.float64) for size in sizes)
        found.append(Row(context, np.array(sizes, dtype=np.float64), trials))
    return found
