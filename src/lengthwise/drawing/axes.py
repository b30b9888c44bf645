"""What panels have in common: scales, ticks at the values of settings, legends, lines with the spread over seeds."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from lengthwise.drawing.labels import power, value
from lengthwise.drawing.measured import comparable

MOST_TICKS = 10
"""Values of a setting that have a tick each."""
FEW_DECADES = 2.8
"""Powers of ten alone make too few ticks up to this."""


def logarithmic(axes: Any, which: str) -> None:
    """A logarithmic axis, x or y; empty ones stay linear, as there is nothing to scale by."""
    if axes.lines or axes.collections:
        getattr(axes, f"set_{which}scale")("log")


def readable_numbers(axes: Any, which: str) -> None:
    """Ticks of a logarithmic axis at powers of ten, or also at 2 and 5 times these if there would be too few."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = getattr(axes, f"get_{which}lim")()
    if getattr(axes, f"get_{which}scale")() == "log" and 0 < low < high:
        axis = getattr(axes, f"{which}axis")
        narrow = math.log10(high / low) < FEW_DECADES
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if narrow else (1.0,), numticks=20))
        axis.set_major_formatter(FuncFormatter(lambda number, _: power(number)))
        axis.set_minor_formatter(NullFormatter())


def ticks_at(axes: Any, which: str, values: Iterable[float]) -> None:
    """Ticks at these values and nowhere else, if they are not too many."""
    at = sorted(set(values))
    if at and len(at) <= MOST_TICKS:
        getattr(axes, f"set_{which}ticks")(at, [value(each) for each in at])
        getattr(axes, f"{which}axis").minorticks_off()


def doubled(values: Collection[float], end: float) -> list[float]:
    """The values and, if the axis goes on behind them, twice, four times, … the last."""
    found = sorted(values)
    while found and 0 < 2 * found[-1] <= end:
        found.append(2 * found[-1])
    return found


def legend_beside(axes: Any, title: str = "", extra: Sequence[Any] = ()) -> None:
    """The legend at the right of the panel, where no data are."""
    handles, labels = axes.get_legend_handles_labels()
    handles, labels = [*handles, *extra], [*labels, *(each.get_label() for each in extra)]
    if handles:
        box = axes.legend(
            handles,
            labels,
            title=title or None,
            loc="upper left",
            bbox_to_anchor=(1.0, 1.03),
            alignment="left",
            fontsize=8.5,
            title_fontsize=8.5,
            handlelength=1.6,
            borderaxespad=0.4,
        )
        box.set_zorder(5)


MIDDLE = 0.22
"""How opaque the band of the middle half is."""
SIZE = 4.5
"""Of markers."""
WHISKERS = ((0.0, 0.9), (0.25, 2.4))
"""Quantiles at which whiskers end, with their widths."""
SPREAD_IN_WORDS = {
    "band": "Loss over T: median over seeds, in a band of the middle half of them; thin lines: the seeds.",
    "accuracies": "Accuracy over T: median over seeds, in a band of the middle half of them; thin lines: the seeds.",
    "whiskers": "Plateau: median over seeds; whiskers from the best to the worst seed, thick for the middle half.",
}


def quantile(losses: Sequence[float], share: float) -> float:
    """Linear between the two nearest of the sorted losses; infinite if one that counts is."""
    values = sorted(comparable(losses))
    place = share * (len(values) - 1)
    low, high = values[math.floor(place)], values[math.ceil(place)]
    return low if low == high else low + (place - math.floor(place)) * (high - low)


def finite(numbers: Sequence[float]) -> list[float]:
    """Numbers that can be drawn: gaps where they are infinite."""
    return [number if math.isfinite(number) else math.nan for number in numbers]


def draw_median(
    axes: Any,
    places: Sequence[float],
    losses: Sequence[Sequence[float]],
    hollow: Sequence[bool],
    *,
    label: str,
    colour: Any,
    marker: str,
) -> None:
    """The median line with a marker at each place, hollow where something is to be said about the seeds."""
    medians = finite([quantile(each, 0.5) for each in losses])
    axes.plot(places, medians, color=colour, marker=marker, markersize=SIZE, label=label, zorder=3)
    draw_hollow(axes, places, medians, hollow, colour=colour, marker=marker)


def draw_hollow(
    axes: Any,
    places: Sequence[float],
    heights: Sequence[float],
    hollow: Sequence[bool],
    *,
    colour: Any,
    marker: str,
    size: float = SIZE,
) -> None:
    """White over the markers at some of the places."""
    chosen = [(place, height) for place, height, empty in zip(places, heights, hollow, strict=True) if empty]
    if chosen:
        look = {"linestyle": "none", "marker": marker, "markersize": size, "color": colour, "markerfacecolor": "white"}
        axes.plot(*zip(*chosen, strict=True), zorder=4, **look)


def draw_band(axes: Any, places: Sequence[float], losses: Sequence[Sequence[float]], colour: Any) -> None:
    """The middle half of the seeds as a band, and every seed as a thin line."""
    for each in zip(*losses, strict=True):
        axes.plot(places, finite(each), color=colour, alpha=0.35, linewidth=0.6, zorder=1)
    low, high = (finite([quantile(each, share) for each in losses]) for share in (0.25, 0.75))
    axes.fill_between(places, low, high, color=colour, alpha=MIDDLE, linewidth=0, zorder=1)


def draw_whiskers(axes: Any, places: Sequence[float], losses: Sequence[Sequence[float]], colour: Any) -> None:
    """From the best seed to the worst that did not diverge, thick for the middle half."""
    for share, width in WHISKERS:
        for place, each in zip(places, losses, strict=True):
            ends = [quantile(each, share), quantile(each, 1 - share)]
            known = [loss for loss in each if math.isfinite(loss)]
            if known:
                ends = [end if math.isfinite(end) else max(known) for end in ends]
                axes.plot([place, place], ends, color=colour, linewidth=width, alpha=0.55, zorder=2)


def dodged(place: float, number: int, count: int, step: float = 0.025) -> float:
    """A place on a logarithmic axis, moved so that the whiskers of several lines stand side by side."""
    return place * math.exp(step * (number - (count - 1) / 2))
