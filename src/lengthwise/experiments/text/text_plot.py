"""Figures 4 and 6 of Golowich et al.: for each window, what a few chosen tokens are worth and what all far ones are.

The axes are those of the paper's figures. Grey points are the same windows with as many tokens at random; on the dashed
line the chosen tokens are worth as much as all. Of several seeds the first is drawn. Everything comes from kept parts.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lengthwise.drawing.style import COLOURS, pyplot, save, style
from lengthwise.experiments.text.parts import PairOutcome
from lengthwise.runs.text.cell import Name

if TYPE_CHECKING:
    from lengthwise.experiments.text.report import TextReport

PANELS: tuple[tuple[str, Name, Name], ...] = (
    ("Figure 4", "short", "short"),
    ("Figure 6a", "long", "long"),
    ("Figure 6b", "long", "short"),
    ("Figure 6c", "short", "long"),
)
"""What it is called, whose losses it has, and who chooses."""
NAMES: dict[Name, str] = {"short": "ĥ_short", "long": "ĥ_long"}


def plot_text(report: TextReport, path: str | Path) -> None:
    """The four panels."""
    plt = pyplot()
    outcome = report.outcomes[0]
    pair = outcome.pair
    with style():
        figure, grid = plt.subplots(2, 2, figsize=(9.0, 8.0), sharex=True, sharey=True, layout="constrained")
        for axes, (title, model, chooser) in zip(grid.flat, PANELS, strict=True):
            _panel(axes, outcome, model, chooser)
            found = outcome.scatter(model, chooser)["correlation"]
            ends = "" if np.isnan(found.low) else f" [{found.low:.2f}, {found.high:.2f}]"
            axes.set_title(
                f"{title}: losses of {NAMES[model]}, tokens by {NAMES[chooser]}\nr = {found.value:.2f}{ends}",
                fontsize=9,
            )
        for axes in grid[-1]:
            axes.set_xlabel(f"worth of {pair.tokens[0]} chosen bytes (nats)")
        for axes in grid[:, 0]:
            axes.set_ylabel(f"worth of all {pair.window - pair.recent - 1} far bytes (nats)")
        shown = report.experiment.figure.title
        figure.suptitle(f"{shown}\nL = {pair.recent}, L̄ = {pair.window}, {len(outcome.files)} windows")
        save(figure, path, f"{shown}: a point for each window")


def _panel(axes: Any, outcome: PairOutcome, model: Name, chooser: Name) -> None:
    chosen, random = (outcome.dependence(model, who) for who in (chooser, "random"))
    look = {"linestyle": "none", "marker": "o", "markersize": 3, "markeredgewidth": 0}
    axes.plot(random.sparse_gain, random.gain, color="0.6", alpha=0.5, label="at random", **look)
    axes.plot(chosen.sparse_gain, chosen.gain, color=COLOURS[0], alpha=0.7, label="influential", **look)
    ends = [min(chosen.gain.min(), chosen.sparse_gain.min()), max(chosen.gain.max(), chosen.sparse_gain.max())]
    axes.plot(ends, ends, color="0.3", linewidth=1, linestyle="--", label="equal")
    axes.locator_params(nbins=5)
    axes.legend(fontsize=8)
