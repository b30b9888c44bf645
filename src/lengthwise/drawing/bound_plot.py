"""Bounds along a quantity, as printed, as repaired, as certified: training lengths, and the capacity of classes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeGuard

from lengthwise.bounds.capacity.sweeps import Curve
from lengthwise.bounds.theorems.sweeps import Point
from lengthwise.drawing.style import COLOURS, MARKERS, pyplot, save, style

LABELS = {
    "epsilon": "error ε",
    "omega": "frequency ω",
    "period": "period Δ",
    "symbols": "number of symbols |Σ|",
    "window": "window τ",
    "length": "context length T",
    "samples": "samples m",
    "width": "width d",
    "heads": "heads H",
    "layers": "layers L",
}
"""What quantities are called, along which bounds are drawn."""


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


LARGEST = 300.0
"""What a float can hold, as a decimal logarithm; larger numbers are drawn by their logarithms."""


def plot_capacity(curves: Sequence[Curve], title: str, path: str | Path) -> None:
    """Draw a panel for each curve, all with one scale of log N, and write them to a file."""
    plt = pyplot()
    columns = min(len(curves), 2)
    rows = -(-len(curves) // columns)
    by_logarithm = any(max(_all_logs(curve)) > LARGEST for curve in curves)
    with style():
        size = (5.2 * columns, 3.4 * rows)
        figure, grid = plt.subplots(rows, columns, figsize=size, sharey=True, squeeze=False, layout="constrained")
        shown: dict[str, Any] = {}
        for number, (axes, curve) in enumerate(zip(grid.flat, curves, strict=False)):
            lines: dict[str, Sequence[float | None]] = {"repaired, all constants": curve.repaired}
            lines |= {f"{name}, as printed (constant 1)": logs for name, logs in curve.printed.items()}
            for label, logs in lines.items():
                known = [(value, log) for value, log in zip(curve.values, logs, strict=True) if _is_drawn(log)]
                place = [*shown, label].index(label)
                look = {"label": label, "color": COLOURS[place], "marker": MARKERS[place]}
                heights = [log if by_logarithm else 10.0**log for _, log in known]
                shown[label] = axes.plot([value for value, _ in known], heights, **look)[0]
            axes.set_xscale("log", base=10 if curve.over == "samples" else 2)
            if curve.over in ("heads", "layers"):
                axes.set_xticks(curve.values, [f"{value:g}" for value in curve.values])
                axes.minorticks_off()
            if not by_logarithm:
                axes.set_yscale("log")
            axes.set_xlabel(LABELS[curve.over])
            if number % columns == 0:
                axes.set_ylabel("log10 of log N" if by_logarithm else "log covering number")
        for axes in grid.flat[len(curves) :]:
            axes.set_visible(False)
        figure.suptitle(title)
        figure.legend(shown.values(), shown.keys(), loc="outside lower center", ncols=min(len(shown), 2))
        over = ", ".join(LABELS[curve.over] for curve in curves)
        save(figure, path, f"{title}: log covering number against {over}")


def _is_drawn(log: float | None) -> TypeGuard[float]:
    """Whether there is a number above 0."""
    return log is not None and math.isfinite(log)


def _all_logs(curve: Curve) -> list[float]:
    return [*curve.repaired, *(log for logs in curve.printed.values() for log in logs if _is_drawn(log))]
