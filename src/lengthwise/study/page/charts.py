"""The charts of a study, in the order in which the page has them.

    heat-map     the score at each training length and test length
    how-far      how far each scheme holds
    position     the accuracy against the position in the word
    test-length  the score against the test length, for each scheme
    promised     promised and measured lengths on one axis

Every chart can be written as a file for a paper or a talk (`write`), or put into a page (`inline_svg`).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lengthwise.drawing.style import pyplot, save, style
from lengthwise.study.page.chart import SIZE, Chart
from lengthwise.study.page.chart_heat_map import heat_map_charts
from lengthwise.study.page.chart_how_far import how_far_chart
from lengthwise.study.page.chart_position import position_chart
from lengthwise.study.page.chart_promised import promised_chart
from lengthwise.study.page.chart_test_length import test_length_charts

if TYPE_CHECKING:
    from lengthwise.study.result import Study

__all__ = ["SIZE", "Chart", "charts", "write"]


def charts(study: Study) -> tuple[Chart, ...]:
    """Make the charts that the measurements allow.

    Args:
        study: The study.

    Returns:
        The charts; none if nothing was trained.

    """
    if not any(each.known for each in study.measured.values()):
        return ()
    found = (*heat_map_charts(study), how_far_chart(study), position_chart(study), *test_length_charts(study))
    return tuple(each for each in (*found, promised_chart(study)) if each is not None)


def write(chart: Chart, path: Path) -> None:
    """Write a chart to a file, with its title and its text alternative.

    Args:
        chart: The chart.
        path: Where to; the suffix is `svg`, `pdf` or `png`.

    """
    plt = pyplot()
    with style():
        figure, axes = plt.subplots(figsize=chart.size, layout="constrained")
        chart.draw(axes)
        figure.suptitle(chart.title, fontsize=10)
        save(figure, path, f"{chart.title}. {chart.alternative}")
