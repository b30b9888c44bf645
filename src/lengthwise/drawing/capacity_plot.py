"""Capacity along context length, samples, width and depth: as printed, as repaired."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeGuard

from lengthwise.bounds.capacity.sweeps import Curve
from lengthwise.drawing.style import COLOURS, MARKERS, pyplot, save, style

LABELS = {
    "length": "context length T",
    "samples": "samples m",
    "width": "width d",
    "heads": "heads H",
    "layers": "layers L",
}
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
