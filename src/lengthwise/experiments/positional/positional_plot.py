"""Figures of positional functions: the loss of each function by test length, a row of panels for each width.

Huang et al., Figures 5 and 6: the axis of losses is linear up to 1 and logarithmic above. Lines join medians over
trials, bars reach from the least to the greatest loss, and crosses are what the authors have. Everything else that is
drawn comes from kept results.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lengthwise.drawing.style import COLOURS, MARKERS, pyplot, save, style
from lengthwise.experiments.positional.claims import Row

if TYPE_CHECKING:
    from lengthwise.experiments.positional.experiment import PositionalReport

LINEAR = 1.0
"""The loss up to which the axis is linear."""


def plot_positional(report: PositionalReport, path: str | Path) -> None:
    """The panels of the figure that are drawn."""
    plt = pyplot()
    shown = report.experiment.figure
    titles = [panel.title for panel in shown.panels if panel.drawn]
    rows = [row for row in report.rows if row.panel in titles]
    widths = sorted({row.cell.width for row in rows})
    with style():
        figure, grid = plt.subplots(
            len(widths),
            len(titles),
            figsize=(3.8 * len(titles), 3.1 * len(widths)),
            sharex=True,
            sharey=True,
            squeeze=False,
            layout="constrained",
        )
        for line, width in zip(grid, widths, strict=True):
            for axes, title in zip(line, titles, strict=True):
                _panel(axes, [row for row in rows if row.panel == title and row.cell.width == width])
                axes.set_title(f"{title}; d = {width}", fontsize=10)
        for axes in grid[-1]:
            axes.set_xlabel("length of test windows")
        for axes in grid[:, 0]:
            axes.set_ylabel("mean squared error")
        figure.suptitle(shown.title)
        figure.supxlabel(_caption(rows), fontsize=8)
        save(figure, path, f"{shown.title}: mean squared error by test length")


def _caption(rows: Sequence[Row]) -> str:
    trials = sorted({len(row.losses) for row in rows})
    told = f"medians over {' or '.join(map(str, trials))} trials, bars from the least to the greatest loss"
    return f"{told}; crosses: published" if any(row.published is not None for row in rows) else told


def _panel(axes: Any, rows: Sequence[Row]) -> None:
    for number, (function, group) in enumerate(groupby(rows, key=lambda row: row.cell.function)):
        found = [row for row in group if np.isfinite(row.median)]
        lengths = [row.length for row in found]
        medians = np.array([row.median for row in found])
        ends = np.array([row.spread for row in found]).reshape(-1, 2)
        errors = np.maximum(np.stack([medians - ends[:, 0], ends[:, 1] - medians]), 0.0)
        look = {"color": COLOURS[number % len(COLOURS)], "marker": MARKERS[number % len(MARKERS)]}
        axes.errorbar(lengths, medians, yerr=errors, capsize=2, markersize=4, label=function, **look)
        theirs = [(row.length, row.published) for row in found if row.published is not None]
        if theirs:
            axes.plot(*zip(*theirs, strict=True), color=look["color"], marker="x", markersize=7, linestyle="none")
    axes.set_yscale("symlog", linthresh=LINEAR)
    axes.set_ylim(bottom=-0.3)
    axes.set_xticks(sorted({row.length for row in rows}))
    if rows:
        axes.legend(fontsize=8)
