"""The charts of a study have room for what they say, however many training lengths there are."""

from itertools import pairwise
from pathlib import Path

import pytest
from lengthwise.report.study.charts import SIZE

from lengthwise.report.style import pyplot, style
from tests.report.pretended_study import pretended_study, small_plan


@pytest.mark.parametrize("lengths", [(4,), (4, 8, 16), (4, 8, 16, 32, 64), (8, 16, 32, 64, 128)])
@pytest.mark.parametrize("task", ["(aa)*", "k-gram"])
def test_legends_and_ticks_have_room(task: str, lengths: tuple[int, ...], tmp_path: Path) -> None:
    plan = small_plan(task, lengths=lengths, period=2 if task == "(aa)*" else None)
    study = pretended_study(tmp_path, task, "fails", "generalizes", plan=plan)
    assert len(study.charts) == (4 if task == "(aa)*" else 3)
    plt = pyplot()
    for chart in study.charts:
        with style():
            figure, axes = plt.subplots(figsize=SIZE, layout="constrained")
            chart.draw(axes)
            figure.canvas.draw()
        legend = axes.get_legend().get_window_extent()
        ticks = [label.get_window_extent() for label in axes.get_xticklabels() if label.get_text()]
        assert legend.x0 >= 0
        assert legend.x1 <= figure.bbox.x1
        assert len(ticks) >= 1
        assert all(left.x1 < right.x0 for left, right in pairwise(ticks))
        # What does not fit makes the axes smaller.
        assert axes.get_window_extent().width > figure.bbox.width * 0.7
        plt.close(figure)
