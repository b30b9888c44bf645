"""Heat maps as drawings, for files; the page has them as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lengthwise.drawing.style import pyplot
from lengthwise.study.page.chart import Chart
from lengthwise.study.page.heat_map import PALE_TO_DEEP, SWITCH, HeatCell, HeatMap, HeatRow, heat_maps

if TYPE_CHECKING:
    from lengthwise.study.result import Study

COLUMN, ROW = 0.42, 0.34
"""Inches for each column and row."""
AROUND = (0.9, 0.95)


def heat_map_charts(study: Study) -> tuple[Chart, ...]:
    """A chart for each heat map."""
    return tuple(_chart(each) for each in heat_maps(study))


def _chart(heat: HeatMap) -> Chart:
    rows = "; ".join(f"{row.name}: {_in_words(row, heat.columns)}" for row in heat.rows)
    size = (AROUND[0] + COLUMN * len(heat.columns), AROUND[1] + ROW * len(heat.rows))
    return Chart(
        f"heat-map-{heat.key}",
        heat.title,
        f"In percent. {rows}.",
        lambda axes: _draw(axes, heat),
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


def _draw(axes: Any, heat: HeatMap) -> None:
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
