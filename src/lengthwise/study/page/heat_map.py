"""Heat maps: the median score at each training length and test length, for each scheme.

A row for each training length and a column for each test length. Where all schemes have one training length, there is
one heat map with a row for each scheme. Cells say their score; colours go from pale to deep in ten steps and a last one
for 100 %, so that they can be told apart by lightness alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lengthwise.runs.config import CONTEXTS
from lengthwise.study.measurement import AtTestLength, Measurement, Trained
from lengthwise.study.wording import listed, number, percent

if TYPE_CHECKING:
    from lengthwise.study.result import Study

PALE_TO_DEEP = (
    "#f6f4ef", "#eaf0f4", "#dbe8f2", "#c9deee", "#b3d1e8", "#98c1df", "#78add3", "#5c99c8", "#3272a9", "#1d5c96",
    "#0b3f73",
)  # fmt: skip
"""Backgrounds on a light page: one for each tenth, and one for 100 %."""
ON_DARK = (
    "#22272d", "#1f2e3a", "#1d3647", "#1b3f56", "#1a4865", "#1b5276", "#1e5f88", "#26709c", "#5ca2cb", "#84bde0",
    "#b9dff5",
)  # fmt: skip
"""The same on a dark page, where more is lighter."""
SWITCH = 8
"""The step from which on the ink changes from dark to light, or the other way round on a dark page."""
STEPS = len(PALE_TO_DEEP) - 1


@dataclass(frozen=True)
class HeatCell:
    """One cell, or several columns that one test stands for."""

    span: int
    """How many columns it takes."""
    text: str
    step: int | None
    """Of the colour scale; None if it was not tested."""
    told: str
    """All that is known about it, or why it was not tested."""
    training: bool = False
    """Whether it is about words of training lengths."""
    why_not: str = ""
    """Why it was not tested."""


@dataclass(frozen=True)
class HeatRow:
    """The cells of a training length, or of a scheme."""

    name: str
    cells: tuple[HeatCell, ...]
    note: str = ""


@dataclass(frozen=True)
class HeatMap:
    """The cells of one scheme, or of all schemes at one training length."""

    key: str
    title: str
    corner: str
    """What rows and columns are."""
    columns: tuple[int, ...]
    rows: tuple[HeatRow, ...]
    untested: tuple[str, ...]
    """Why cells are empty, in phrases."""


def heat_maps(study: Study) -> tuple[HeatMap, ...]:
    """The heat maps of a study: one for each scheme, or one for all if there is one training length."""
    known = {key: each for key, each in study.measured.items() if each.known}
    if not known:
        return ()
    columns = _columns(known.values())
    measure = next(iter(known.values())).measure
    if all(len(each.trained) == 1 for each in known.values()) and len({_only(each) for each in known.values()}) == 1:
        rows = tuple(_row(each.scheme.name, each, each.known[0], columns) for each in known.values())
        length = _only(next(iter(known.values())))
        title = f"Median {measure}, trained up to {length:,}"
        return (HeatMap("all", title, "test length", columns, rows, _reasons(rows)),)
    found = []
    for key, each in known.items():
        rows = tuple(_row(f"N = {trained.train_length:,}", each, trained, columns) for trained in each.trained)
        title = f"{each.scheme.name}: median {measure} by training length N and test length"
        found.append(HeatMap(key, title, "test length", columns, rows, _reasons(rows)))
    return tuple(found)


def step_of(score: float) -> int:
    """The step of the colour scale: tenths, and the last one for 100 %."""
    return 0 if not math.isfinite(score) or score <= 0 else min(STEPS, math.floor(score * STEPS + 1e-9))


def heat_style() -> str:
    """The style sheet of the colour scale, for light and dark pages."""
    light, dark = _rules(PALE_TO_DEEP, "#1b1f24", "#ffffff"), _rules(ON_DARK, "#ffffff", "#10141a")
    inner = "".join(f"  {rule}\n" for rule in dark)
    return "".join(f"{rule}\n" for rule in light) + f"@media screen and (prefers-color-scheme: dark) {{\n{inner}}}\n"


def _rules(colours: Sequence[str], few: str, many: str) -> list[str]:
    """A rule for each step; inks are for small and for large scores."""
    return [
        f".lw-study .heat .h{step} {{ background-color: {colour}; color: {many if step >= SWITCH else few}; }}"
        for step, colour in enumerate(colours)
    ]


def cell_text(at: AtTestLength) -> str:
    """The median score in percent, with a decimal where it would be rounded to 0 or 100 without."""
    score = 100 * at.score
    if not math.isfinite(score) or score < 0:
        return "< 0"
    if score in (0, 100) or 0.5 <= score < 99.5:
        return f"{score:.0f}"
    rounded = f"{score:.1f}"
    return {"0.0": "< 0.1", "100.0": "> 99.9"}.get(rounded, rounded)


def told_of(measured: Measurement, trained: Trained, at: AtTestLength) -> str:
    """Everything about one test: its words, the median, the seeds, single predictions."""
    words = f"{at.shortest:,} to {at.test_length:,}" if at.shortest < at.test_length else f"{at.test_length:,}"
    seeds = ", ".join(f"{percent(score)} (seed {seed})" for seed, score in zip(trained.seeds, at.scores, strict=True))
    parts = [
        f"{measured.scheme.name}, N = {trained.train_length:,}, {at.words:,} words of {words} symbols",
        f"median {measured.measure} {percent(at.score)}",
        seeds,
    ]
    if at.position_score is not None:
        parts.append(f"{percent(at.position_score)} of single predictions right")
    if measured.measure != "accuracy":
        parts.append(f"median loss {number(at.loss)}")
    return "; ".join(parts) + "."


def _only(measured: Measurement) -> int:
    return measured.known[0].train_length


def _columns(measured: Iterable[Measurement]) -> tuple[int, ...]:
    lengths = {at.test_length for each in measured for trained in each.known for at in trained.lengths}
    return tuple(sorted(lengths))


def _row(name: str, measured: Measurement, trained: Trained, columns: tuple[int, ...]) -> HeatRow:
    note = "" if trained.lengths and trained.learned else "not learned" if trained.lengths else "not trained"
    return HeatRow(name, tuple(_cells(measured, trained, columns)), note)


def _cells(measured: Measurement, trained: Trained, columns: tuple[int, ...]) -> Iterator[HeatCell]:
    start = 0
    for at in trained.lengths:
        place = columns.index(at.test_length)
        # A test of binned lengths stands for all columns above the test length before it.
        first = next(number for number in range(start, place + 1) if columns[number] >= at.shortest)
        if first > start:
            yield _untested(first - start, measured, trained, columns[start:first])
        yield HeatCell(
            place + 1 - first, cell_text(at), step_of(at.score), told_of(measured, trained, at),
            at.test_length <= trained.train_length,
        )  # fmt: skip
        start = place + 1
    if start < len(columns):
        yield _untested(len(columns) - start, measured, trained, columns[start:])


def _untested(span: int, measured: Measurement, trained: Trained, lengths: tuple[int, ...]) -> HeatCell:
    why = _why_not(measured, trained, lengths)
    return HeatCell(span, "", None, f"not tested: {why}", why_not=why)


def _why_not(measured: Measurement, trained: Trained, lengths: tuple[int, ...]) -> str:
    name = measured.scheme.name
    if not trained.lengths:
        return f"{name} was not trained with N = {trained.train_length:,}"
    if lengths[-1] < trained.train_length:
        return "they are shorter than the longest training words"
    if measured.scheme.position in CONTEXTS:
        return f"{name} has no trained position ids beyond {trained.lengths[-1].test_length:,}"
    return f"{name} was not tested at {listed([f'{each:,}' for each in lengths])}"


def _reasons(rows: Sequence[HeatRow]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(cell.why_not for row in rows for cell in row.cells if cell.step is None))
