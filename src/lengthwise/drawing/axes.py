"""What all panels do to their axes: scales, ticks at the values of settings, legends beside the data."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from lengthwise.drawing.labels import power, value

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
