"""Claims about positional functions: that some have lower test losses than others, at the longest test length.

    [[claims]]
    text = "Local functions length-generalize better at large d than at small d."
    kind = "lower-by-function"
    low = { panels = ["j = i - c"], width = "large" }
    high = { panels = ["j = i - c"], width = "small" }

| kind | says |
|---|---|
| `lower` | every function of `low` has a lower loss than every function of `high` |
| `lower-by-function` | every function has a lower loss at the width of `low` than at that of `high` |

A claim about all is judged by the worst: the number is log₁₀ of the lowest loss of `high` over the highest loss of
`low`, or of the least quotient of one function, so that it is positive if the claim holds throughout. The width is the
`small`est or the `large`st of the preset, or for each function the `best`, at which its loss is lowest. Losses are
medians over trials (means beside them), and the interval comes from resampled trials; a verdict needs three of each.
Across functions the same is said of losses relative to that of products that are 0 everywhere: functions differ in how
often they are 0, and errors weigh the more the rarer they are.

A `Row` has the losses of a function, width and test length, and what two guesses would have. `nothing` is the loss of
products that are 0 everywhere, `near` that of products that equal φ at all distances that were trained and are 0
beyond. What is 0 anyway far away, a local function, is right with `near`; any other one is not. All windows of a length
have the same guesses, as φ depends on the distance alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal

import numpy as np

from lengthwise.experiments.finding import FEWEST_SEEDS, Estimate, Finding, Verdict
from lengthwise.experiments.positional.cell import Cell, Fits
from lengthwise.experiments.positional.fitting import entries
from lengthwise.experiments.positional.function import Floats
from lengthwise.output import plain
from lengthwise.runs.resampling import AVERAGES, FEWEST_IN_ALL, Resampling, interval
from lengthwise.runs.settings import Settings


@dataclass(frozen=True, eq=False)
class Row:
    """The losses of a function at a width and a test length."""

    panel: str
    cell: Cell
    length: int
    losses: Floats
    """After the last step, one for each trial; infinite if it diverged."""
    nothing: float
    near: float
    published: float | None
    """What the authors have, with one trial; None if they have none."""

    @property
    def median(self) -> float:
        """Over trials."""
        return float(np.median(self.losses))

    @property
    def spread(self) -> tuple[float, float]:
        """The least and the greatest loss."""
        return float(self.losses.min()), float(self.losses.max())

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        found: dict[str, Any] = plain(
            {
                "panel": self.panel,
                "function": self.cell.function,
                "kind": self.cell.positional_function.kind,
                "width": self.cell.width,
                "test_length": self.length,
                "median": self.median,
                "least": self.spread[0],
                "greatest": self.spread[1],
                "losses": self.losses.tolist(),
                "zero_everywhere": self.nothing,
                "zero_beyond_training": self.near,
                "published": self.published,
            }
        )
        return found


def rows(
    panels: Mapping[str, Sequence[Cell]],
    results: Sequence[Fits],
    reference: Callable[[Cell], tuple[float, ...] | None] = lambda cell: None,
) -> list[Row]:
    """The rows of all cells of the panels that have results, in the order of the panels."""
    there = {each.cell.id: each for each in results}
    found = []
    for panel, cells in panels.items():
        for cell in cells:
            if cell.id not in there:
                continue
            published = reference(cell)
            for place, length in enumerate(cell.test_lengths):
                losses = np.array([trial.losses[place] for trial in there[cell.id].trials])
                losses = np.where(np.isnan(losses), np.inf, losses)
                theirs = None if published is None else published[place]
                found.append(Row(panel, cell, length, losses, *guesses(cell, length), theirs))
    return found


def guesses(cell: Cell, length: int) -> tuple[float, float]:
    """The losses of 0 everywhere, and of φ at the distances that are trained and 0 beyond."""
    distances = np.arange(length)
    squares = (cell.height * cell.positional_function.of(distances)) ** 2 * (length - distances) / entries(length)
    return float(squares.sum()), float(squares[cell.window :].sum())


class Selection(Settings):
    """Functions of some panels at a width."""

    panels: tuple[str, ...]
    width: Literal["small", "large", "best"]


class Claim(Settings):
    """One claim of a figure."""

    text: str
    kind: Literal["lower", "lower-by-function"]
    low: Selection
    high: Selection


Groups = Mapping[str, Sequence[Row]]
"""The rows of each function, of which the one with the lowest loss counts."""
Averages = Mapping[str, Floats]
"""The losses of cells, by the hash of the cell, averaged over trials; or those of many resamples."""


def judged(claim: Claim, rows: Sequence[Row], widths: Collection[int], resampling: Resampling | None = None) -> Finding:
    """What the rows of a figure say about a claim; `widths` are those it should have, with results or without."""
    longest = max((row.length for row in rows), default=0)
    last = [row for row in rows if row.length == longest]
    low, high = (_groups(last, selection, widths) for selection in (claim.low, claim.high))
    if claim.kind == "lower-by-function":
        names = [name for name in low if name in high]
        low, high = ({name: groups[name] for name in names} for groups in (low, high))
    if not low or not high:
        return Finding.without_results(claim.text, claim.kind)
    cells = {row.cell.id: row for groups in (low, high) for group in groups.values() for row in group}
    return Finding.of(
        claim.text,
        claim.kind,
        _estimates(claim, low, high, cells, resampling or Resampling()),
        _detail(low, high, longest),
        len(cells),
        min(len(row.losses) for row in cells.values()),
    )


def _estimates(
    claim: Claim, low: Groups, high: Groups, cells: Mapping[str, Row], resampling: Resampling
) -> list[Estimate]:
    """By medians, by means, and across functions by medians of relative losses."""
    statistic = "least log₁₀ quotient" if claim.kind == "lower-by-function" else "log₁₀ of lowest over highest"
    measured = [row.losses for row in cells.values()]
    units = {
        "medians": (1.0,) * len(cells),
        "means": (1.0,) * len(cells),
        "medians of relative losses": tuple(row.nothing for row in cells.values()),
    }
    if claim.kind == "lower-by-function":
        # A quotient of two losses of one function has no unit.
        del units["medians of relative losses"]
    found = []
    for name, divisors in units.items():
        average = AVERAGES[name.split()[0]]
        value, drawn = (
            _gap(claim, low, high, dict(zip(cells, map(_over, map(average, losses), divisors), strict=True)))
            for losses in (measured, resampling.draws(measured))
        )
        found.append(_estimate(f"{statistic}, {name}", float(value), drawn, measured))
    return found


def _over(losses: Floats, unit: float) -> Floats:
    return np.asarray(losses / unit)


def _groups(rows: Sequence[Row], selection: Selection, widths: Collection[int]) -> dict[str, list[Row]]:
    wanted = {"small": {min(widths)}, "large": {max(widths)}, "best": set(widths)}[selection.width]
    chosen = [row for row in rows if row.panel in selection.panels and row.cell.width in wanted]
    return {name: list(group) for name, group in groupby(chosen, key=lambda row: row.cell.function)}


def _gap(claim: Claim, low: Groups, high: Groups, averages: Averages) -> Floats:
    """By how many powers of ten the losses of `high` are above those of `low`, at the least."""
    lows, highs = (
        np.stack([np.min([averages[row.cell.id] for row in group], axis=0) for group in groups.values()])
        for groups in (low, high)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        if claim.kind == "lower-by-function":
            return np.asarray((np.log10(highs) - np.log10(lows)).min(axis=0))
        return np.asarray(np.log10(highs.min(axis=0)) - np.log10(lows.max(axis=0)))


def _estimate(statistic: str, value: float, draws: Floats, losses: Sequence[Floats]) -> Estimate:
    trials = [len(each) for each in losses]
    if min(trials) < 2 or np.isnan(value):
        return Estimate(statistic, value, np.nan, np.nan, "undecided")
    least, most = interval(value, draws)
    verdict: Verdict = "reproduced" if least > 0 else "not reproduced" if most <= 0 else "undecided"
    enough = min(trials) >= FEWEST_SEEDS and sum(trials) >= FEWEST_IN_ALL
    return Estimate(statistic, value, least, most, verdict if enough else "undecided")


def _detail(low: Groups, high: Groups, length: int) -> str:
    told = []
    for groups in (low, high):
        best = {name: min(group, key=lambda row: row.median) for name, group in groups.items()}
        ends = [pick(best.values(), key=lambda row: row.median) for pick in (min, max)]
        told.append(" to ".join(f"{row.median:.3g} ({row.cell.function}, d = {row.cell.width})" for row in ends))
    return f"Median losses at length {length}: {told[0]} against {told[1]}."
