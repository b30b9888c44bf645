"""Test loss or accuracy against test length, one line for each training length or other setting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lengthwise.drawing.axes import (
    SPREAD_IN_WORDS,
    draw_band,
    draw_median,
    legend_beside,
    logarithmic,
    readable_numbers,
)
from lengthwise.drawing.labels import label, value
from lengthwise.drawing.measured import Measured, flawed, grouped, only
from lengthwise.drawing.style import colours, markers
from lengthwise.experiments.sweeps.panels.settings import LengthPanel
from lengthwise.runs.config import ConfigError, RunConfig
from lengthwise.runs.store.summary import AtLength


def draw_test_length(axes: Any, panel: LengthPanel, configs: Sequence[RunConfig], measured: Measured) -> list[str]:
    """Draw the panel; what its caption has to say."""
    lines = grouped(configs, panel.lines)
    looks = zip(colours(list(lines)), markers(list(lines)), strict=True)
    for (shown, members), (colour, marker) in zip(lines.items(), looks, strict=True):
        summary = measured.summary(only(members, f"with {panel.lines} = {shown}" if panel.lines else "to show"))
        if not summary.lengths:
            continue
        places = [each.test_length for each in summary.lengths]
        losses = [_shown(panel, each) for each in summary.lengths]
        draw_band(axes, places, losses, colour)
        name = value(shown) if panel.lines else "median"
        hollow = [flawed(summary)] * len(places)
        draw_median(axes, places, losses, hollow, label=name, colour=colour, marker=marker)
    axes.set_xlabel("test length T")
    if panel.of == "accuracies":
        axes.set_ylim(-0.03, 1.03)
        axes.set_ylabel("accuracy")
    else:
        for which in ("x", "y"):
            logarithmic(axes, which)
            readable_numbers(axes, which)
        axes.set_ylabel("test loss")
    if panel.lines:
        legend_beside(axes, label(panel.lines))
    return [SPREAD_IN_WORDS["band" if panel.of == "losses" else "accuracies"]]


def _shown(panel: LengthPanel, each: AtLength) -> tuple[float, ...]:
    if panel.of == "losses":
        return each.losses
    if each.accuracies is None:
        raise ConfigError("a regression has no accuracies; show losses")
    return each.accuracies
