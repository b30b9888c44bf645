"""The charts of a study, in the order in which the page has them.

    heat-map     the score at each training length and test length
    how-far      how far each scheme holds
    position     the accuracy against the position in the word
    test-length  the score against the test length, for each scheme
    promised     promised and measured lengths on one axis

Every chart can be written as a file for a paper or a talk (`write`), or put into a page (`inline_svg`).
Heat maps are drawn for files only; the page has them as tables. Those of scores are in `chart_scores`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lengthwise.drawing.labels import RAISED
from lengthwise.drawing.style import COLOURS, pyplot, save, style
from lengthwise.study.page.chart import PROMISED, SIZE, WIDTH, Chart, looks
from lengthwise.study.page.chart_scores import how_far_chart, position_chart, test_length_charts
from lengthwise.study.page.heat_map import PALE_TO_DEEP, SWITCH, HeatCell, HeatMap, HeatRow, heat_maps

if TYPE_CHECKING:
    from lengthwise.study.result import Study

__all__ = ["SIZE", "Chart", "charts", "write"]

ROW = 0.4
"""Inches for each row of the chart of promised lengths."""
AROUND = 0.75
MOST_TICKS = 6
CELL = (0.42, 0.34)
"""Inches for each column and row of a heat map."""
AROUND_CELLS = (0.9, 0.95)


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
        lambda axes: _draw_promised(axes, rows),
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


def _draw_promised(axes: Any, rows: tuple[Row, ...]) -> None:
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


def charts(study: Study) -> tuple[Chart, ...]:
    """Make the charts that the measurements allow.

    Args:
        study: The study.

    Returns:
        The charts; none if nothing was trained.

    """
    if not any(each.known for each in study.measured.values()):
        return ()
    found = (*heat_map_charts(study), how_far_chart(study), position_chart(study), *test_length_charts(study))
    return tuple(each for each in (*found, promised_chart(study)) if each is not None)


def write(chart: Chart, path: Path) -> None:
    """Write a chart to a file, with its title and its text alternative.

    Args:
        chart: The chart.
        path: Where to; the suffix is `svg`, `pdf` or `png`.

    """
    plt = pyplot()
    with style():
        figure, axes = plt.subplots(figsize=chart.size, layout="constrained")
        chart.draw(axes)
        figure.suptitle(chart.title, fontsize=10)
        save(figure, path, f"{chart.title}. {chart.alternative}")


def heat_map_charts(study: Study) -> tuple[Chart, ...]:
    """A chart for each heat map."""
    return tuple(_chart(each) for each in heat_maps(study))


def _chart(heat: HeatMap) -> Chart:
    rows = "; ".join(f"{row.name}: {_in_words(row, heat.columns)}" for row in heat.rows)
    size = (AROUND_CELLS[0] + CELL[0] * len(heat.columns), AROUND_CELLS[1] + CELL[1] * len(heat.rows))
    return Chart(
        f"heat-map-{heat.key}",
        heat.title,
        f"In percent. {rows}.",
        lambda axes: _draw_heat_map(axes, heat),
        (max(3.9, size[0]), size[1]),
        "heat-map",
    )


def _in_words(row: HeatRow, columns: tuple[int, ...]) -> str:
    place, told = 0, []
    for cell in row.cells:
        place += cell.span
        if cell.step is not None:
            told.append(f"{cell.text} at {columns[place - 1]:,}")
    return ", ".join(told) or "nothing"


def _draw_heat_map(axes: Any, heat: HeatMap) -> None:
    for number, row in enumerate(heat.rows):
        place = 0
        for cell in row.cells:
            _draw_cell(axes, cell, place, number)
            place += cell.span
    axes.set_xlim(0, len(heat.columns))
    axes.set_ylim(len(heat.rows), 0)
    axes.set_xticks([place + 0.5 for place in range(len(heat.columns))], [f"{each:,}" for each in heat.columns])
    axes.set_yticks([place + 0.5 for place in range(len(heat.rows))], [row.name for row in heat.rows])
    axes.tick_params(length=0)
    axes.grid(visible=False)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_xlabel("test length (framed: words of training lengths)")


def _draw_cell(axes: Any, cell: HeatCell, place: int, row: int) -> None:
    plt = pyplot()
    tested = cell.step is not None
    axes.add_patch(
        plt.Rectangle(
            (place + 0.03, row + 0.04), cell.span - 0.06, 0.92,
            facecolor=PALE_TO_DEEP[cell.step or 0] if tested else "white",
            edgecolor="black" if cell.training else "0.75" if not tested else "none",
            linewidth=1.4 if cell.training else 0.6,
            hatch=None if tested else "////",
        )
    )  # fmt: skip
    ink = "white" if (cell.step or 0) >= SWITCH else "black"
    axes.text(place + cell.span / 2, row + 0.5, cell.text, ha="center", va="center", fontsize=8.5, color=ink)
