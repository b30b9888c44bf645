"""The plateau, the test loss at the longest test length, against the training length or another setting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lengthwise.drawing.axes import (
    SPREAD_IN_WORDS,
    dodged,
    doubled,
    draw_median,
    draw_whiskers,
    legend_beside,
    logarithmic,
    readable_numbers,
    ticks_at,
)
from lengthwise.drawing.labels import label, power, symbol, value, words
from lengthwise.drawing.measured import Measured, flawed, grouped, number_of, only
from lengthwise.drawing.style import colours, markers, pyplot
from lengthwise.experiments.sweeps.panels import certified_lengths
from lengthwise.experiments.sweeps.panels.settings import PlateauPanel
from lengthwise.runs.config import RunConfig

STAR = {"marker": "*", "markersize": 9.5, "markeredgecolor": "black", "markeredgewidth": 0.6, "linestyle": "none"}


def draw_plateau(axes: Any, panel: PlateauPanel, configs: Sequence[RunConfig], measured: Measured) -> list[str]:
    """Draw the panel; what its caption has to say."""
    lines = grouped(configs, panel.lines)
    looks = list(zip(colours(list(lines)), markers(list(lines)), strict=True))
    stars = []
    for number, ((shown, members), (colour, marker)) in enumerate(zip(lines.items(), looks, strict=True)):
        places, losses, hollow = [], [], []
        for at, found in grouped(members, panel.over).items():
            config = only(found, f"with {panel.over} = {at}" + (f" and {panel.lines} = {shown}" if panel.lines else ""))
            plateau = measured.plateau(config)
            if plateau is not None:
                # Divided by a setting, places are different for every line anyway.
                place = number_of(config, panel.over) / _scale(panel, config)
                places.append(dodged(place, number, len(lines)) if panel.scaled_by is None else place)
                losses.append(plateau.losses)
                hollow.append(flawed(measured.summary(config)))
        if places:
            draw_whiskers(axes, places, losses, colour)
            name = value(shown) if panel.lines else "median"
            draw_median(axes, places, losses, hollow, label=name, colour=colour, marker=marker)
            stars.append((members[0], colour))
    logarithmic(axes, "x")
    logarithmic(axes, "y")
    told, extra = [SPREAD_IN_WORDS["whiskers"]], []
    if panel.certified is not None and stars:
        extra = [_mark_certified(axes, panel, panel.certified, stars)]
        told.append(certified_lengths.explanation(panel.certified))
    if panel.scaled_by is None:
        ticks_at(axes, "x", doubled({config.value(panel.over) for config in configs}, axes.get_xlim()[1]))
        axes.set_xlabel(label(panel.over))
    else:
        quotient = f"{symbol(panel.over)} / {symbol(panel.scaled_by)}"
        axes.set_xlabel(f"{words(panel.over)} / {words(panel.scaled_by)}, {quotient}")
        readable_numbers(axes, "x")
    readable_numbers(axes, "y")
    axes.set_ylabel(f"test loss at {_longest(configs)}")
    if panel.lines or extra:
        legend_beside(axes, label(panel.lines) if panel.lines else "", extra)
    return told


def _scale(panel: PlateauPanel, config: RunConfig) -> float:
    return 1.0 if panel.scaled_by is None else number_of(config, panel.scaled_by)


def _longest(configs: Sequence[RunConfig]) -> str:
    """The longest test length in words, as a multiple of N where it is one."""
    longest = {max(config.test_lengths) for config in configs}
    multiples = {max(config.test_lengths) / config.train_length for config in configs}
    if len(longest) == 1:
        return f"T = {longest.pop():,}"
    return f"T = {multiples.pop():g} N" if len(multiples) == 1 else "the longest T"


def _mark_certified(axes: Any, panel: PlateauPanel, error: float, lines: Sequence[tuple[RunConfig, Any]]) -> Any:
    """A star for each line at its certified length, at the height of the loss that is promised; its legend."""
    for config, colour in lines:
        length = certified_lengths.certified_length(config, error)
        axes.plot([length / _scale(panel, config)], [error**2], color=colour, zorder=4, **STAR)
    axes.axhline(error**2, color="0.4", linewidth=0.8, linestyle=":", zorder=0)
    text = f"{certified_lengths.legend(error)}\n(loss ≤ {power(error**2)})"
    return pyplot().Line2D([], [], color="0.75", label=text, **STAR)
