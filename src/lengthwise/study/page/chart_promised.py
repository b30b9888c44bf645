"""Lengths that theorems promise beside those that were trained and measured, on one logarithmic axis."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lengthwise.drawing.labels import RAISED
from lengthwise.drawing.style import COLOURS
from lengthwise.study.page.chart import PROMISED, WIDTH, Chart, looks

if TYPE_CHECKING:
    from lengthwise.study.result import Study

ROW = 0.4
"""Inches for each row."""
AROUND = 0.75
MOST_TICKS = 6


@dataclass(frozen=True)
class Row:
    """A row of the chart: some lengths as powers of ten, and what they are."""

    label: str
    exponents: tuple[float, ...]
    shown: str
    colour: str
    marker: str


def promised_chart(study: Study) -> Chart | None:
    """The chart, if lengths are promised at all."""
    if not any(each.log10 is not None for each in study.bounds.lengths):
        return None
    rows = tuple(_rows(study))
    told = "; ".join(f"{row.label}: {row.shown}" for row in rows)
    return Chart(
        "promised",
        "Promised and measured lengths",
        f"On one logarithmic axis: {told}.",
        lambda axes: _draw(axes, rows),
        (WIDTH, AROUND + ROW * len(rows)),
        "promised",
    )


def _rows(study: Study) -> Iterator[Row]:
    for each in study.bounds.lengths:
        if each.log10 is not None:
            yield Row(each.label, (each.log10,), each.shown, PROMISED, "D")
    trained = sorted({each.train_length for found in study.measured.values() for each in found.known})
    if trained:
        yield Row("Trained up to", tuple(map(math.log10, trained)), ", ".join(f"{each:,}" for each in trained),
                  COLOURS[4], "|")  # fmt: skip
    look = looks(study)
    for needed in study.answer.needed:
        if needed.train_length is not None:
            yield Row(
                f"Smallest N that holds at {study.answer.target_length:,}, {needed.name}",
                (math.log10(needed.train_length),), f"{needed.train_length:,}", look[needed.scheme].colour, "o",
            )  # fmt: skip
    for key, found in study.findings.items():
        if found.how_far is not None:
            most = "≥ " if found.how_far == found.farthest else ""
            yield Row(
                f"Holds to, {found.name} trained up to {found.train_length:,}",
                (math.log10(found.how_far),), f"{most}{found.how_far:,}", look[key].colour, ">",
            )  # fmt: skip


def _draw(axes: Any, rows: tuple[Row, ...]) -> None:
    highest = max(exponent for row in rows for exponent in row.exponents)
    end = max(3.0, highest * 1.02 + 0.3)
    for place, row in enumerate(rows):
        axes.axhline(place + 0.22, color="0.5", linewidth=0.5, alpha=0.5, zorder=0)
        axes.plot(row.exponents, [place + 0.22] * len(row.exponents), color=row.colour, marker=row.marker,
                  markersize=8 if row.marker == "|" else 5, markeredgewidth=2 if row.marker == "|" else 1,
                  linestyle="none", zorder=3)  # fmt: skip
        axes.annotate(f"{row.label}: {row.shown}", (0, place - 0.2), xycoords=("axes fraction", "data"),
                      xytext=(1, 0), textcoords="offset points", va="center", fontsize=8.2, zorder=4)  # fmt: skip
    axes.set_xlim(0, end)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    step = max(1, math.ceil(end / MOST_TICKS))
    ticks = range(0, math.floor(end) + 1, step)
    axes.set_xticks(list(ticks), [_power(each) for each in ticks])
    axes.grid(visible=True, axis="x")
    axes.set_xlabel("length, logarithmic")


def _power(exponent: int) -> str:
    return f"{10**exponent:,}" if exponent <= 3 else f"10{str(exponent).translate(RAISED)}"
