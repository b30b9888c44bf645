"""The charts of a study."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lengthwise.report.style import pyplot, save, style

if TYPE_CHECKING:
    from lengthwise.study.result import Study

SIZE = (3.9, 3.1)
"""Of a chart, in inches: two fit side by side on a page, one on a telephone."""


@dataclass(frozen=True)
class Chart:
    """A drawing with its text."""

    name: str
    """Of its file, without suffix."""
    title: str
    alternative: str
    """What there is to see, for those who do not see it."""
    draw: Callable[[Any], None]
    """Draws on axes of matplotlib."""


def charts(study: Study) -> tuple[Chart, ...]:
    """The charts that the measurements allow."""
    return ()


def write(chart: Chart, path: Path) -> None:
    """Write a chart to a file: svg, pdf or png."""
    plt = pyplot()
    with style():
        figure, axes = plt.subplots(figsize=SIZE, layout="constrained")
        chart.draw(axes)
        figure.suptitle(chart.title, fontsize=10)
        save(figure, path, f"{chart.title}. {chart.alternative}")
