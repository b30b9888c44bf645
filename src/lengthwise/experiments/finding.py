"""What measurements say about a claim: a number with its interval, and a verdict.

Every claim is judged twice, by medians over seeds and by means. An interval comes from resampled seeds, so it needs two
in every cell. A verdict by an interval alone needs three: with two seeds, the interval of an exponent that is 1 missed
it in 24 % of simulated sweeps, with three in 6 %, with eight in 2 %. And it needs six in all: the range of n seeds has
the true median in it with probability 1 - 2^(1 - n), so five cannot make an interval of 95 %. Otherwise a claim is
undecided. Only the rank correlation has another way to tell an effect from chance (`sweeps.trend`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from lengthwise.experiments.sweeps.cells import Cell
from lengthwise.output import plain
from lengthwise.runs.resampling import FEWEST_IN_ALL, interval

Verdict = Literal["reproduced", "not reproduced", "undecided"]
NUMBERS = ("value", "cells", "seeds")
"""Columns of a table that are aligned at their right."""


@dataclass(frozen=True)
class Estimate:
    """A statistic with its 95 % interval, and what it alone says about a claim."""

    statistic: str
    value: float
    """NaN if it could not be computed."""
    low: float
    """NaN, like `high`, if the spread over seeds is not known; infinite if there is no bound."""
    high: float
    verdict: Verdict

    @property
    def interval(self) -> str:
        """In brackets; a dash if there is none."""
        return "–" if math.isnan(self.low) else f"[{number(self.low)}, {number(self.high)}]"

    def __str__(self) -> str:
        return f"{number(self.value)} {self.interval}, {self.verdict}"


@dataclass(frozen=True)
class Finding:
    """A claim and what the measurements say about it."""

    text: str
    kind: str
    statistic: str
    value: float
    low: float
    high: float
    verdict: Verdict
    detail: str
    """One or two sentences with the numbers behind it."""
    cells: int
    """How many configs were compared."""
    seeds: int
    """How many seeds each of them has; the fewest, if they differ."""
    others: tuple[Estimate, ...] = ()
    """The same with other averages over seeds."""

    @classmethod
    def of(cls, text: str, kind: str, estimates: Sequence[Estimate], detail: str, cells: int, seeds: int) -> Self:
        """With the first of the estimates as the one of the verdict."""
        first, *others = estimates
        return cls(
            text,
            kind,
            first.statistic,
            first.value,
            first.low,
            first.high,
            first.verdict,
            detail,
            cells,
            seeds,
            tuple(others),
        )

    @classmethod
    def without_results(cls, text: str, kind: str, reason: str = "There are no results for it yet.") -> Self:
        """Undecided, as there is nothing to decide it by."""
        return cls(text, kind, "–", math.nan, math.nan, math.nan, "undecided", reason, 0, 0)

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """That of the verdict, then the others."""
        return Estimate(self.statistic, self.value, self.low, self.high, self.verdict), *self.others

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys; null for what is infinite or unknown."""
        found: dict[str, Any] = plain(asdict(self))
        return found


def number(value: float) -> str:
    """A number with its sign, short."""
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "+∞" if value > 0 else "-∞"
    return f"{value:+.2f}"


def table(findings: Iterable[Finding]) -> str:
    """Findings as aligned text: the text of each claim, and below it a line for every estimate."""
    findings = list(findings)
    rows = [["verdict", "statistic", "value", "95 % interval", "cells", "seeds"]]
    for finding in findings:
        for estimate in finding.estimates:
            sizes = [str(finding.cells), str(finding.seeds)]
            rows.append([estimate.verdict, estimate.statistic, number(estimate.value), estimate.interval, *sizes])
    header, *lines = _aligned(rows)
    shown = [f"  {header}"]
    for finding in findings:
        shown.append(finding.text)
        shown.extend(f"  {lines.pop(0)}" for _ in finding.estimates)
    return "\n".join(shown)


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        entries = [
            entry.rjust(width) if name in NUMBERS else entry.ljust(width)
            for entry, width, name in zip(row, widths, rows[0], strict=True)
        ]
        lines.append("  ".join(entries).rstrip())
    return lines


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
