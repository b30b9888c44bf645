"""The accuracy of single predictions against their position in words of the target length, a line for each scheme."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Any

from lengthwise.study.measurement import Trained
from lengthwise.study.outcome import decisive
from lengthwise.study.page.chart import Chart, legend_above, looks, score_axis
from lengthwise.study.wording import listed, percent
from lengthwise.tasks.request import input_length
from lengthwise.tasks.task import Task

if TYPE_CHECKING:
    from lengthwise.study.result import Study


def last_trained_position(task: Task, train_length: int) -> int:
    """The last position that inputs of a training length have; the first symbol of a word is at 1."""
    # Tasks with a separator count their own start symbol, which is at 0.
    return input_length(task, train_length) - (getattr(task, "separator", None) is not None)


def position_chart(study: Study) -> Chart | None:
    """The chart of the training lengths that count; None for tasks with numbers, which have one answer for a word."""
    shown = {key: found for key, each in study.measured.items() if (found := decisive(each)) and found.positions}
    if not shown:
        return None
    names = {key: study.measured[key].scheme.name for key in shown}
    ends = {key: last_trained_position(study.subject.task, each.train_length) for key, each in shown.items()}
    told = [
        f"{names[key]}, trained up to {each.train_length:,} (position {ends[key]:,}): {_in_words(each, ends[key])}"
        for key, each in shown.items()
    ]
    target = max(each.positions[-1].last for each in shown.values())
    return Chart(
        "position",
        "Accuracy of single predictions against position in the word",
        f"In words with positions up to {target:,}, median over seeds. {'; '.join(told)}.",
        lambda axes: _draw(axes, study, shown, ends),
        kind="position",
    )


def _in_words(trained: Trained, end: int) -> str:
    inside = [statistics.median(each.scores) for each in trained.positions if each.last <= end]
    beyond = [statistics.median(each.scores) for each in trained.positions if each.last > end]
    parts = [
        f"{name} {percent(min(scores))} to {percent(max(scores))}"
        for name, scores in (("up to there", inside), ("beyond", beyond))
        if scores
    ]
    return listed(parts, "and")


def _draw(axes: Any, study: Study, shown: dict[str, Trained], ends: dict[str, int]) -> None:
    look = looks(study)
    for key, each in shown.items():
        middle = [(at.first + at.last) / 2 for at in each.positions]
        medians = [statistics.median(at.scores) for at in each.positions]
        low, high = [min(at.scores) for at in each.positions], [max(at.scores) for at in each.positions]
        axes.fill_between(middle, low, high, color=look[key].colour, alpha=0.2, linewidth=0, zorder=1)
        name = study.measured[key].scheme.name
        axes.plot(middle, medians, color=look[key].colour, linestyle=look[key].dashes, label=name, zorder=3)
    together = len(set(ends.values())) == 1
    for number, end in enumerate(dict.fromkeys(ends.values())):
        lines = {"color": "0.5", "linestyle": "--", "linewidth": 1.1, "zorder": 0}
        axes.axvline(end + 0.5, label=None if number else "end of training words", **lines)
        if together:
            break
    axes.set_xlim(left=0)
    score_axis(axes, "predictions right")
    axes.set_xlabel("position in the word")
    legend_above(axes, columns=2 if len(shown) > 1 else None)
