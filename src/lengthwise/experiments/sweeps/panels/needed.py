"""The training length that a loss needs, against ω, Δ or another setting (workshop version, Figure 1, right).

For each value of the setting, the plateaus at several training lengths give one needed length. That of the medians over
seeds is a point; those of the lower and upper quartiles, and of the best and the worst seeds, are whiskers. Where the
smallest training length is enough already, or the largest is not, there is an arrow instead of a number.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from lengthwise.drawing.axes import WHISKERS, legend_beside, logarithmic, quantile, readable_numbers, ticks_at
from lengthwise.drawing.labels import label, power
from lengthwise.drawing.measured import Measured, grouped, number_of, only
from lengthwise.drawing.style import COLOURS, MARKERS
from lengthwise.experiments.sweeps.needed_length import Needed, needed_length
from lengthwise.experiments.sweeps.panels import certified_lengths
from lengthwise.experiments.sweeps.panels.settings import NeededPanel
from lengthwise.runs.config import RunConfig

ARROWS = {"at most": "v", "more than": "^"}


def draw_needed(axes: Any, panel: NeededPanel, configs: Sequence[RunConfig], measured: Measured) -> list[str]:
    """Draw the panel; what its caption has to say."""
    values = {number_of(members[0], panel.over): members for members in grouped(configs, panel.over).values()}
    curves = {at: found for at, members in values.items() if (found := _curve(panel, at, members, measured))}
    medians = {at: _needed(curve, 0.5, panel.loss) for at, curve in curves.items()}
    for at, curve in curves.items():
        for share, width in WHISKERS:
            ends = [_needed(curve, end, panel.loss).length for end in (share, 1 - share)]
            axes.plot([at, at], ends, color=COLOURS[0], linewidth=width, alpha=0.55, zorder=2)
    known = {at: needed.length for at, needed in medians.items() if needed.bracketed}
    if known:
        style = {"color": COLOURS[0], "marker": MARKERS[0], "zorder": 3}
        axes.plot(list(known), list(known.values()), label=f"needed for loss ≤ {power(panel.loss)}", **style)
    for side, arrow in ARROWS.items():
        beyond = {at: needed.length for at, needed in medians.items() if needed.side == side}
        if beyond:
            name = "enough already" if side == "at most" else "not enough yet"
            place = {"linestyle": "none", "marker": arrow, "color": COLOURS[0], "markerfacecolor": "white"}
            axes.plot(list(beyond), list(beyond.values()), label=name, zorder=3, **place)
    if len(known) > 1:
        _guide(axes, known)
    told = [
        "Needed N: from there on the median plateau is at most the loss, interpolated as a power law; whiskers: the "
        "same for quartiles (thick) and for the best and the worst seeds."
    ]
    if panel.certified is not None:
        lengths = [certified_lengths.certified_length(members[0], panel.certified) for members in values.values()]
        style = {"color": COLOURS[1], "marker": MARKERS[1], "markersize": 4.5}
        axes.plot(list(values), lengths, label=certified_lengths.legend(panel.certified), **style)
        told.append(certified_lengths.explanation(panel.certified))
    logarithmic(axes, "x")
    logarithmic(axes, "y")
    ticks_at(axes, "x", values)
    readable_numbers(axes, "y")
    axes.set_xlabel(label(panel.over))
    axes.set_ylabel("training length N")
    legend_beside(axes)
    return told


def _curve(
    panel: NeededPanel, at: float, configs: Sequence[RunConfig], measured: Measured
) -> dict[int, tuple[float, ...]]:
    """The plateaus of all seeds by training length, as far as there are any."""
    curve = {}
    for length, members in grouped(configs, "train_length").items():
        plateau = measured.plateau(only(members, f"with {panel.over} = {at:g} and train_length = {length}"))
        if plateau is not None:
            curve[length] = plateau.losses
    return curve


def _needed(curve: Mapping[int, Sequence[float]], share: float, loss: float) -> Needed:
    """The needed length of the curve through a quantile of the seeds."""
    return needed_length(list(curve), [quantile(losses, share) for losses in curve.values()], loss)


def _guide(axes: Any, known: Mapping[float, float]) -> None:
    """Growth in proportion to the setting, through the middle of the points: a slope of 1."""
    factor = math.exp(sum(math.log(length / at) for at, length in known.items()) / len(known))
    ends = [min(known), max(known)]
    axes.plot(ends, [factor * end for end in ends], color="0.5", linestyle="--", linewidth=1, label="proportional")
