"""The critical sample size m*(T): how many samples make success more likely than failure.

- `smallest`, the paper's: "the smallest m for which the fraction of successes was greater than 0.5". It is one of the
  sizes that were tried, and a lucky cell makes it too small.
- `crossing`: where the success probability crosses 0.5, made monotone first (neighbouring cells that are out of order
  are averaged, which is the best monotone fit by least squares) and then joined by straight lines.

Intervals come from resampled trials. A size below the smallest m or above the largest is not known, and says so.

The probability of success (`Success`) is there with how far it could be off. The paper's standard errors come from the
normal approximation (Edelman et al., appendix C.1), which says 0 where all trials agree. So there is the interval of
Wilson as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from lengthwise.experiments.probes.cell import Outcomes
from lengthwise.experiments.probes.function import ProbeError
from lengthwise.runs.resampling import Resampling, interval

Floats = npt.NDArray[np.float64]
Rule = Literal["smallest", "crossing"]
RULES: tuple[Rule, ...] = ("smallest", "crossing")

DEVIATIONS = 1.959963984540054
"""Standard deviations that a normal variable exceeds, on either side, in 5 % of cases."""
HALF = 0.5
"""The success probability that is to be exceeded."""


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


@dataclass(frozen=True, eq=False)
class Critical:
    """A critical sample size with its 95 % interval."""

    context: int
    rule: Rule
    size: float
    """-inf if the smallest m that was tried is enough already, inf if the largest is not enough."""
    low: float
    high: float
    tried: tuple[int, int]
    """The smallest and the largest m that were tried."""
    draws: Floats
    """The sizes of resampled trials."""

    @property
    def known(self) -> bool:
        """Whether sample sizes on both sides of it were tried."""
        return bool(np.isfinite(self.size))

    @property
    def standard_error(self) -> float:
        """The deviation over resamples, as in the paper; NaN unless all of them have a size."""
        return float(self.draws.std()) if np.isfinite(self.draws).all() else float("nan")

    def __str__(self) -> str:
        shown = self._shown(self.size)
        return f"{shown} [{self._shown(self.low)}, {self._shown(self.high)}]" if self.known else shown

    def _shown(self, size: float) -> str:
        """A size, or on which side of those that were tried it is."""
        if np.isfinite(size):
            return f"{size:.4g}"
        return f"≤ {self.tried[0]}" if size < 0 else f"> {self.tried[1]}"


def critical(
    results: Iterable[Outcomes], rule: Rule = "smallest", resampling: Resampling | None = None
) -> list[Critical]:
    """The critical sample size of every context, from the smallest context on."""
    if rule not in RULES:
        raise ProbeError(f"a critical size is found by one of {', '.join(RULES)}, not {rule!r}")
    how = resampling or Resampling()
    # A generator of its own for each context: the same seed for all would tie their errors together.
    return [_of_row(row, rule, Resampling(how.seed + place, how.times)) for place, row in enumerate(rows(results))]


def _of_row(row: Row, rule: Rule, resampling: Resampling) -> Critical:
    draws = np.stack([each.mean(axis=-1) for each in resampling.draws(row.trials)], axis=-1)
    if rule == "crossing":
        weights = np.array([len(each) for each in row.trials], dtype=np.float64)
        sizes = np.array([crossing(row.samples, monotone(each, weights)) for each in draws])
        value = float(crossing(row.samples, monotone(np.array([each.mean() for each in row.trials]), weights)))
    else:
        sizes = smallest(row.samples, draws)
        value = float(smallest(row.samples, np.array([each.mean() for each in row.trials])))
    low, high = interval(value, sizes)
    return Critical(row.context, rule, value, low, high, (int(row.samples[0]), int(row.samples[-1])), sizes)


def smallest(samples: Floats, shares: Floats) -> Floats:
    """The smallest m whose share of successes is above one half, where `shares[..., i]` is that of `samples[i]`."""
    above = shares > HALF
    found = np.where(above.any(axis=-1), samples[above.argmax(axis=-1)], np.inf)
    return np.where(above[..., 0], -np.inf, found)


def crossing(samples: Floats, shares: Floats) -> Floats:
    """Where rising shares cross one half, on straight lines between the sample sizes."""
    if shares[0] > HALF:
        return np.asarray(-np.inf)
    if not (shares > HALF).any():
        return np.asarray(np.inf)
    behind = int((shares > HALF).argmax())
    before = behind - 1
    way = (HALF - shares[before]) / (shares[behind] - shares[before])
    return np.asarray(samples[before] + way * (samples[behind] - samples[before]))


def monotone(shares: Floats, weights: Floats) -> Floats:
    """The shares that never fall and are nearest to these in weighted least squares: pools of neighbours."""
    pools: list[tuple[float, float, int]] = []
    for share, weight in zip(shares.tolist(), weights.tolist(), strict=True):
        pools.append((share, weight, 1))
        while len(pools) > 1 and pools[-2][0] >= pools[-1][0]:
            right, left = pools.pop(), pools.pop()
            total = left[1] + right[1]
            pools.append(((left[0] * left[1] + right[0] * right[1]) / total, total, left[2] + right[2]))
    return np.repeat([share for share, _, _ in pools], [count for _, _, count in pools])
