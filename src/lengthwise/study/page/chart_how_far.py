"""How far each scheme holds: the median seed as a bar, from the worst to the best seed as a whisker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lengthwise.drawing.axes import ticks_at
from lengthwise.drawing.style import pyplot
from lengthwise.study.answer import how_far_told
from lengthwise.study.outcome import Finding
from lengthwise.study.page.chart import WIDTH, Chart, chosen_ticks, legend_above, looks

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
        lambda axes: _draw(axes, study, shown, target),
        (WIDTH, AROUND + ROW * len(shown)),
        "how-far",
    )


def label(found: Finding) -> str:
    """How far a scheme holds, as a number: with ≥ if nothing longer was tested."""
    if found.how_far is None:
        return "none"
    return f"{'≥ ' if found.how_far == found.farthest else ''}{found.how_far:,}"


def _draw(axes: Any, study: Study, shown: dict[str, Finding], target: int) -> None:
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
