"""What measurements say about a claim: a number with its interval, and a verdict."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, Self

from lengthwise.output import plain

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
