"""Charts of scores: how far each scheme holds, against the test length, and against the position in the word.

How far a scheme holds is a bar to the median seed, with a whisker from the worst to the best. Scores against the test
length have a chart for each scheme and a line for each training length; against the position of single predictions in
words of the target length, there is a line for each scheme.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from lengthwise.drawing.axes import draw_hollow, ticks_at
from lengthwise.drawing.style import MARKERS, pyplot
from lengthwise.study.answer import how_far_told
from lengthwise.study.measurement import Measurement, Trained
from lengthwise.study.outcome import GOOD, Finding, decisive, failing
from lengthwise.study.page.chart import (
    WIDTH,
    Chart,
    Look,
    chosen_ticks,
    drawable,
    legend_above,
    looks,
    measure_words,
    score_axis,
)
from lengthwise.study.wording import listed, percent
from lengthwise.tasks.request import input_length
from lengthwise.tasks.task import Task

if TYPE_CHECKING:
    from lengthwise.study.result import Study

ROW = 0.46
"""Inches for each scheme."""
AROUND = 1.05
"""Inches for the axis and the legend."""


def how_far_chart(study: Study) -> Chart | None:
    """The chart of the training lengths that count; None if no scheme has any."""
    shown = {key: each for key, each in study.findings.items() if each.train_length is not None}
    if not shown:
        return None
    target = study.plan.lengths.target
    told = [f"{each.name}, trained up to {each.train_length:,}, {how_far_told(each)}" for each in shown.values()]
    return Chart(
        "how-far",
        "How far each scheme holds",
        f"The longest test length up to which at least 95 % are right: {'; '.join(told)}. The target length is "
        f"{target:,}.",
        lambda axes: _draw_how_far(axes, study, shown, target),
        (WIDTH, AROUND + ROW * len(shown)),
        "how-far",
    )


def label(found: Finding) -> str:
    """How far a scheme holds, as a number: with ≥ if nothing longer was tested."""
    if found.how_far is None:
        return "none"
    return f"{'≥ ' if found.how_far == found.farthest else ''}{found.how_far:,}"


def _draw_how_far(axes: Any, study: Study, shown: dict[str, Finding], target: int) -> None:
    look = looks(study)
    rows = list(shown.items())
    farthest = max([target, *(each.farthest or 0 for each in shown.values())])
    start = min(each.train_length or 1 for each in shown.values()) / 2
    for row, (key, each) in enumerate(rows):
        base, colour = each.train_length or 1, look[key].colour
        for multiple, style in ((1, "-"), (2, (0, (4, 2)))):
            name = None if row else ("N", "2N")[multiple - 1]
            axes.plot([multiple * base] * 2, [row - 0.5, row + 0.5], color="0.5", linestyle=style, linewidth=1.1,
                      label=name, zorder=1)  # fmt: skip
        end = float(each.how_far or start)
        axes.barh(row, end - start, left=start, height=0.42, color=colour, alpha=0.75, zorder=2)
        low, high = (float(value or start) for value in each.how_far_range)
        if low != high:
            ink = pyplot().rcParams["text.color"]
            axes.plot([low, high], [row, row], color=ink, linewidth=1.3, marker="|", markersize=9, zorder=3)
        axes.annotate(label(each), (max(end, high), row), xytext=(5, 0), textcoords="offset points", va="center",
                      fontsize=8.5, zorder=4)  # fmt: skip
    axes.axvline(target, color="0.5", linestyle=":", linewidth=1.8, label=f"target {target:,}", zorder=1)
    axes.set_xscale("log", base=2)
    axes.set_xlim(start, farthest * 1.9)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_yticks(range(len(rows)), [f"{each.name}\nN = {each.train_length:,}" for _, each in rows])
    axes.grid(visible=False, axis="y")
    lengths = {each.train_length or 1 for each in shown.values()}
    ticks_at(axes, "x", chosen_ticks([target, *sorted(lengths), farthest, *(2 * each for each in sorted(lengths))]))
    axes.set_xlabel(f"longest test length with ≥ 95 % {_words(study)}")
    legend_above(axes)


def _words(study: Study) -> str:
    measures = {each.measure for each in study.measured.values()}
    return "right" if measures == {"accuracy"} else "explained"


FAINTEST = 0.4
"""How strong the hue of the shortest training length is."""
MOST_TICKS = 8
SIZE_OF_MARKERS = 4.5


def test_length_charts(study: Study) -> tuple[Chart, ...]:
    """A chart for each scheme that was trained."""
    look = looks(study)
    return tuple(_chart(each, look[key]) for key, each in study.measured.items() if each.known)


def _chart(measured: Measurement, look: Look) -> Chart:
    scheme = measured.scheme
    return Chart(
        f"test-length-{scheme.key}",
        f"{scheme.name}: {measured.measure} against test length",
        f"Median {measured.measure} of models {scheme.words}. {' '.join(_told_scores(measured))}",
        lambda axes: _draw_test_length(axes, measured, look),
        kind="test-length",
    )


def _told_scores(measured: Measurement) -> Iterator[str]:
    for each in measured.known:
        points = [f"{percent(at.score)} at length {at.test_length:,}" for at in each.lengths]
        yield f"Trained up to {each.train_length:,}: {listed(points)}{_flaws(each)}."


def _flaws(trained: Trained) -> str:
    missed = trained.missed
    return f" ({missed} of {trained.wanted} seeds did not reach the goal of training)" if missed else ""


def _draw_test_length(axes: Any, measured: Measurement, look: Look) -> None:
    trained = measured.known
    below = False
    for place, each in enumerate(trained):
        strength = FAINTEST + (1 - FAINTEST) * (place + 1) / len(trained) if len(trained) > 1 else 1.0
        at = [found.test_length for found in each.lengths]
        medians = [drawable(found.score) for found in each.lengths]
        low = [drawable(min(found.scores)) for found in each.lengths]
        high = [drawable(max(found.scores)) for found in each.lengths]
        below = below or min(low) < 0
        marker = MARKERS[place % len(MARKERS)]
        colour: Any = (look.colour, strength)
        axes.fill_between(at, low, high, color=look.colour, alpha=0.2 * strength, linewidth=0, zorder=1)
        axes.plot(
            at, medians, color=colour, marker=marker, markersize=SIZE_OF_MARKERS, label=f"{each.train_length:,}",
            zorder=3,
        )  # fmt: skip
        draw_hollow(axes, at, medians, [each.missed > 0] * len(at), colour=colour, marker=marker)
    axes.set_xscale("log", base=2)
    lengths = sorted({at.test_length for each in trained for at in each.lengths}, reverse=True)
    wanted = [each.train_length for each in reversed(trained)]
    # The longest length first, so that none stands beside it.
    ticks = chosen_ticks([lengths[0], *wanted], lengths)
    ticks_at(axes, "x", ticks if len(ticks) <= MOST_TICKS else chosen_ticks([lengths[0], *wanted], lengths, 1.9))
    score_axis(axes, measure_words(measured), sorted({failing(measured), GOOD}), below)
    axes.set_xlabel("test length")
    legend_above(axes, "N =")


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
        f"{names[key]}, trained up to {each.train_length:,} (position {ends[key]:,}): {_told_range(each, ends[key])}"
        for key, each in shown.items()
    ]
    target = max(each.positions[-1].last for each in shown.values())
    return Chart(
        "position",
        "Accuracy of single predictions against position in the word",
        f"In words with positions up to {target:,}, median over seeds. {'; '.join(told)}.",
        lambda axes: _draw_positions(axes, study, shown, ends),
        kind="position",
    )


def _told_range(trained: Trained, end: int) -> str:
    inside = [statistics.median(each.scores) for each in trained.positions if each.last <= end]
    beyond = [statistics.median(each.scores) for each in trained.positions if each.last > end]
    parts = [
        f"{name} {percent(min(scores))} to {percent(max(scores))}"
        for name, scores in (("up to there", inside), ("beyond", beyond))
        if scores
    ]
    return listed(parts, "and")


def _draw_positions(axes: Any, study: Study, shown: dict[str, Trained], ends: dict[str, int]) -> None:
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
