"""Training lengths along a quantity: as printed, as repaired, as certified."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lengthwise.bounds.theorems.sweeps import Point
from lengthwise.drawing.style import COLOURS, MARKERS, pyplot, save, style

LABELS = {
    "epsilon": "error ε",
    "omega": "frequency ω",
    "period": "period Δ",
    "symbols": "number of symbols |Σ|",
    "window": "window τ",
}


def plot_bounds(points: Sequence[Point], over: str, title: str, path: str | Path) -> None:
    """Draw a sweep with logarithmic scales and write it to a file."""
    plt = pyplot()
    with style():
        figure, axes = plt.subplots()
        values = [point.value for point in points]
        lines = [
            ("as printed (constant 1)", [point.printed for point in points]),
            ("repaired, explicit", [point.repaired for point in points]),
        ]
        known = [point for point in points if point.certified is not None]
        for number, (label, logs) in enumerate(lines):
            axes.plot(values, [10.0**log for log in logs], label=label, color=COLOURS[number], marker=MARKERS[number])
        if known:
            exact = all(point.exact for point in known)
            axes.plot(
                [point.value for point in known],
                [10.0 ** (point.certified or 0.0) for point in known],
                label="certified, for all models as steep" + ("" if exact else " (upper bounds where not exact)"),
                color=COLOURS[2],
                marker=MARKERS[2],
            )
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xticks(values, [f"{value:g}" for value in values])
        axes.minorticks_off()
        axes.set_xlabel(LABELS[over])
        axes.set_ylabel("training length that suffices for 2ε")
        axes.set_title(title)
        axes.legend()
        save(figure, path, f"{title}: training length against {LABELS[over]}")
