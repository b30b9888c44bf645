"""Figure 1 of Huang et al. as small panels: one for each task with both schemes, in rows by what `decide` says.

The paper overlays all tasks (`overlay`). Here every line can be read: algorithmic tasks on the left, regular languages
on the right, and in each row of panels tasks that should behave alike.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lengthwise.drawing.style import pyplot, save, style
from lengthwise.experiments.generalization.cell import Kind, Scheme
from lengthwise.experiments.generalization.look import caption, colour, draw_cell, draw_reported, legend
from lengthwise.experiments.generalization.measured import GENERALIZES, Measured
from lengthwise.experiments.generalization.names import SCHEMES, VERDICTS, label, verdict
from lengthwise.experiments.generalization.outcomes import Outcomes
from lengthwise.experiments.generalization.tables import agrees

GROUPS: dict[tuple[str, str], str] = {
    ("program", "program"): "A program with and without positions: APE and NoPE should generalize",
    ("program", "no program"): "A program with positions only: APE should generalize, NoPE should not",
    ("no program", "no program"): "No program: neither should generalize",
}
"""By the verdicts for APE and NoPE."""
OTHERS = "Not decided for both"
BLOCKS: dict[Kind, tuple[str, int]] = {
    "algorithmic": ("Algorithmic tasks", 3),
    "regular": ("Regular languages, with the numbers of Table 2", 5),
}
"""What tasks of a kind are called, and how many panels stand side by side."""
WIDTH, HEIGHT = 1.16, 0.92
"""Of a panel, in inches, as everything below."""
ACROSS, DOWN = 0.14, 0.44
"""Between panels."""
APART = 0.52
"""Between algorithmic tasks and regular languages."""
MARGIN = 0.5
HEADING = 0.3
"""Above a group."""
LINE, LETTERS = 0.15, 17
"""The height of a line of the caption, and its letters in an inch."""
NARROWEST = 7.0
ROW = 0.145
"""The height of a row of words in a panel, in units of accuracy."""


@dataclass(frozen=True)
class Group:
    """Tasks with the same verdicts."""

    title: str
    tasks: dict[Kind, list[str]]

    def rows(self, columns: dict[Kind, int]) -> int:
        """How many rows of panels they need."""
        return max(-(-len(tasks) // columns[kind]) for kind, tasks in self.tasks.items())


def draw_panels(outcomes: Outcomes, path: str | Path, *, remarks: Sequence[str] = ()) -> tuple[str, ...]:
    """Write the figure to a file (svg, pdf or png); the sentences of its caption."""
    plt = pyplot()
    groups = _groups(outcomes)
    columns = {
        kind: min(most, max(len(group.tasks.get(kind, ())) for group in groups)) for kind, (_, most) in BLOCKS.items()
    }
    columns = {kind: number for kind, number in columns.items() if number}
    starts, width = _starts(columns)
    width = max(width, NARROWEST)
    told = (*caption(outcomes), *remarks)
    below = [line for sentence in told for line in textwrap.wrap(sentence, int(LETTERS * width))]
    above = textwrap.wrap(f"{outcomes.experiment.figure.title} (preset {outcomes.preset})", int(11 * width))
    verdicts = [said for said in VERDICTS if said != "undecided" or any(group.title == OTHERS for group in groups)]
    keys = 4 if width > 9 else 3
    reported = any(each.cell.reported for each in outcomes.judged)
    key_rows = -(-(len(outcomes.schemes) * len(verdicts) + 3 + reported + bool(outcomes.baselines)) // keys)
    top = 0.24 * len(above) + 0.17 * key_rows + 0.38
    rows = sum(group.rows(columns) for group in groups)
    height = top + rows * (HEIGHT + DOWN) + HEADING * len(groups) + LINE * len(below) + 0.1
    with style():
        canvas = plt.figure(figsize=(width, height))
        try:
            canvas.text(0.5, 1 - 0.06 / height, "\n".join(above), ha="center", va="top", fontsize=11)
            legend(
                canvas, outcomes.schemes, verdicts, bool(outcomes.baselines), reported, loc="upper center", ncols=keys,
                bbox_to_anchor=(0.5, 1 - (0.24 * len(above)) / height),
            )  # fmt: skip
            for kind in columns:
                canvas.text(
                    starts[kind] / width, 1 - (top - 0.02) / height, BLOCKS[kind][0], va="bottom", fontsize=9.5,
                    fontweight="bold",
                )  # fmt: skip
            down = top
            for group in groups:
                _draw_group(canvas, group, outcomes, columns, starts, down)
                down += HEADING + group.rows(columns) * (HEIGHT + DOWN)
            canvas.text(0.06 / width, (LINE * len(below)) / height, "\n".join(below), va="top", fontsize=8)
        except BaseException:
            plt.close(canvas)
            raise
        save(canvas, path, f"{' '.join(above)}. {' '.join(told)}")
    return told


def _groups(outcomes: Outcomes) -> list[Group]:
    """The tasks by their verdicts, in the order of the experiment."""
    found: dict[str, dict[Kind, list[str]]] = {name: {} for name in (*GROUPS.values(), OTHERS)}
    for task, cells in outcomes.tasks.items():
        name = GROUPS.get((verdict(task, "ape"), verdict(task, "nope")), OTHERS)
        kind = next(iter(cells.values())).cell.kind
        found[name].setdefault(kind, []).append(task)
    return [Group(name, tasks) for name, tasks in found.items() if tasks]


def _starts(columns: dict[Kind, int]) -> tuple[dict[Kind, float], float]:
    """Where the blocks of panels begin, and how wide they are together."""
    starts: dict[Kind, float] = {}
    across = MARGIN
    for kind, number in columns.items():
        starts[kind] = across
        across += number * WIDTH + (number - 1) * ACROSS + APART
    return starts, across - APART + 0.1


def _draw_group(
    canvas: Any, group: Group, outcomes: Outcomes, columns: dict[Kind, int], starts: dict[Kind, float], down: float
) -> None:
    width, height = canvas.get_size_inches()
    line = pyplot().Line2D((0.02, 0.995), (1 - (down + 0.03) / height,) * 2, color="0.8", linewidth=0.8)
    canvas.add_artist(line)
    place = 1 - (down + 0.07) / height
    canvas.text(MARGIN / width, place, group.title, va="top", fontsize=8.5, style="italic", color="0.25")
    for kind, tasks in group.tasks.items():
        for index, task in enumerate(tasks):
            row, column = divmod(index, columns[kind])
            left = starts[kind] + column * (WIDTH + ACROSS)
            bottom = height - down - HEADING - row * (HEIGHT + DOWN) - DOWN / 2 - HEIGHT
            axes = canvas.add_axes((left / width, bottom / height, WIDTH / width, HEIGHT / height))
            _draw_task(axes, task, outcomes.tasks[task], outcomes.bins, first=column == 0)


def _draw_task(axes: Any, task: str, cells: dict[Scheme, Measured], bins: Sequence[str], *, first: bool) -> None:
    axes.axhline(GENERALIZES, color="0.75", linewidth=0.6, zorder=0)
    for each in cells.values():
        draw_cell(axes, each)
        draw_reported(axes, each)
    axes.set(xlim=(-0.3, len(bins) - 0.7), ylim=(-0.06, 1.06))
    axes.set_xticks(range(len(bins)), bins, fontsize=6.5)
    axes.set_yticks((0, 0.5, 1), ("0", "0.5", "1") if first else ("", "", ""), fontsize=6.5)
    axes.tick_params(length=2, pad=1.5)
    if first and next(iter(cells.values())).cell.kind == "algorithmic":
        axes.set_ylabel("accuracy", fontsize=7, labelpad=1.5)
    axes.grid(visible=False)
    axes.set_title(label(task), fontsize=7.5, pad=3)
    told = [(each, words) for each in cells.values() if (words := _remark(each))]
    lowest = _free_height(list(cells.values()), len(told))
    for row, (each, words) in enumerate(told):
        axes.text(
            -0.22, lowest + ROW * row, f"{SCHEMES[each.cell.scheme]} {words}", fontsize=6, va="center",
            color=colour(each), zorder=5, bbox={"facecolor": "white", "alpha": 0.75, "pad": 0.6, "linewidth": 0},
        )  # fmt: skip


def _remark(each: Measured) -> str:
    """What is to be said of a cell in its panel: that there is nothing to see, or that the verdict was wrong."""
    if each.cell.scheme == "baseline":
        return ""
    if each.outcome in ("not learned", "not run"):
        return each.outcome
    return "against the verdict" if agrees(each) == "no" else ""


def _free_height(cells: Sequence[Measured], rows: int) -> float:
    """Where so many rows of words cross the fewest lines, the lowest such place first."""
    points = [
        (1 - share) * (each.mean(place) or 0.0) + share * (each.mean(place + 1) or 0.0)
        for each in cells
        if each.seeds
        for place in range(len(each.cell.bins) - 1)
        for share in (0.0, 0.25, 0.5, 0.75, 1.0)
        # Words reach about as far as the middle of the last stretch.
        if place + share <= len(each.cell.bins) - 1.5
    ]
    places = [0.12 + 0.04 * step for step in range(17)]
    return min(places, key=lambda low: sum(low - ROW / 2 < point < low + ROW * (rows - 0.5) for point in points))
