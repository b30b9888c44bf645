"""Figure 1 of Huang et al. as the paper draws it: all algorithmic tasks in one panel, all regular languages in another.

Lines are named at their right ends, APE and NoPE in columns of their own; regular languages by their numbers in Table
2, those that end together in one label.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lengthwise.drawing.style import pyplot, save, style
from lengthwise.experiments.generalization.cell import Kind
from lengthwise.experiments.generalization.look import ASIDE, caption, colour, draw_cell, legend
from lengthwise.experiments.generalization.measured import GENERALIZES, Measured
from lengthwise.experiments.generalization.names import SCHEMES, VERDICTS, number, numbers, title, verdict
from lengthwise.experiments.generalization.outcomes import Outcomes

WIDTH, HEIGHT = 2.7, 3.1
"""Of a panel, in inches, as everything below."""
COLUMN: dict[Kind, float] = {"algorithmic": 1.42, "regular": 1.0}
"""The width of a column of labels."""
NAMES: dict[Kind, str] = {"algorithmic": "Algorithmic tasks", "regular": "Regular languages"}
MARGIN, APART = 0.5, 0.6
LINE, LETTERS = 0.15, 17
"""The height of a line of the caption, and its letters in an inch."""
SPACING = 0.047
"""Of labels, in units of accuracy."""
TOGETHER = 0.025
"""Lines of languages that end as close as this have one label."""
ASIDE_SHARE = 0.6
"""How far lines are moved sideways, beside what they are in small panels."""


@dataclass(frozen=True)
class Label:
    """What stands beside the right end of lines."""

    text: str
    colour: str
    height: float


def draw_overlay(outcomes: Outcomes, path: str | Path, *, remarks: Sequence[str] = ()) -> tuple[str, ...]:
    """Write the figure to a file (svg, pdf or png); the sentences of its caption."""
    plt = pyplot()
    kinds = [kind for kind in COLUMN if any(each.cell.kind == kind for each in outcomes.measured)]
    width = 0.2 + sum(MARGIN + WIDTH + 2 * COLUMN[kind] for kind in kinds)
    told = (*caption(outcomes), *remarks)
    below = [line for sentence in told for line in textwrap.wrap(sentence, int(LETTERS * width))]
    above = textwrap.wrap(f"{outcomes.experiment.figure.title} (preset {outcomes.preset})", int(11 * width))
    undecided = any(verdict(each.cell.task, each.cell.scheme) == "undecided" for each in outcomes.judged)
    verdicts = [said for said in VERDICTS if said != "undecided" or undecided]
    keys = 4 if width > 8 else 2
    top = 0.24 * len(above) + 0.17 * -(-8 // keys) + 0.42
    bottom = 0.5 + LINE * len(below)
    height = top + HEIGHT + bottom
    with style():
        canvas = plt.figure(figsize=(width, height))
        try:
            canvas.text(0.5, 1 - 0.06 / height, "\n".join(above), ha="center", va="top", fontsize=11)
            place = (0.5, 1 - (0.24 * len(above)) / height)
            legend(
                canvas,
                outcomes.schemes,
                verdicts,
                bool(outcomes.baselines),
                loc="upper center",
                ncols=keys,
                bbox_to_anchor=place,
            )
            left = MARGIN
            for kind in kinds:
                box = (left / width, bottom / height, WIDTH / width, HEIGHT / height)
                _draw_kind(canvas.add_axes(box), kind, outcomes)
                left += WIDTH + 2 * COLUMN[kind] + MARGIN
            canvas.text(0.06 / width, (LINE * len(below)) / height, "\n".join(below), va="top", fontsize=8)
        except BaseException:
            plt.close(canvas)
            raise
        save(canvas, path, f"{' '.join(above)}. {' '.join(told)}")
    return told


def _draw_kind(axes: Any, kind: Kind, outcomes: Outcomes) -> None:
    cells = [each for each in outcomes.measured if each.cell.kind == kind]
    for each in cells:
        draw_cell(axes, each, size=3.0, aside=ASIDE_SHARE, whiskers=0.35)
    axes.axhline(GENERALIZES, color="0.6", linewidth=0.8, zorder=0)
    bins = outcomes.bins
    axes.set(xlim=(-0.15, len(bins) - 0.85), ylim=(-0.03, 1.03))
    axes.set_ylabel("accuracy", fontsize=9)
    axes.set_xlabel("length of the word", fontsize=9)
    axes.set_xticks(range(len(bins)), bins, fontsize=8)
    axes.tick_params(axis="y", labelsize=8)
    axes.set_title(NAMES[kind], fontsize=9.5, fontweight="bold", loc="left", pad=14)
    end = len(bins) - 1
    # Inches on the horizontal axis.
    inch = (len(bins) - 0.7) / WIDTH
    for column, scheme in enumerate(outcomes.schemes):
        at = len(bins) - 0.85 + (0.12 + column * COLUMN[kind]) * inch
        axes.text(at, 1.06, SCHEMES[scheme], fontsize=8, fontweight="bold", va="bottom")
        labels = _labels([each for each in cells if each.cell.scheme == scheme and each.seeds], kind)
        for label, height in zip(labels, spaced([each.height for each in labels], SPACING, (-0.02, 1.02)), strict=True):
            axes.text(at, height, label.text, color=label.colour, fontsize=7.2, va="center")
            if column == 0:
                ends = [end + ASIDE_SHARE * ASIDE[scheme], at - 0.03 * inch]
                axes.plot(ends, [label.height, height], color=label.colour, linewidth=0.4, clip_on=False)


def _labels(cells: Sequence[Measured], kind: Kind) -> list[Label]:
    """The labels of lines from the lowest up; languages of one colour that end together share one."""
    ordered = sorted(cells, key=lambda each: (each.mean(-1) or 0.0, -cells.index(each)))
    if kind == "algorithmic":
        return [Label(title(each.cell.task), colour(each), each.mean(-1) or 0.0) for each in ordered]
    found: list[list[Measured]] = []
    for each in ordered:
        near = [
            group
            for group in found
            if colour(group[0]) == colour(each) and (each.mean(-1) or 0.0) - (group[0].mean(-1) or 0.0) <= TOGETHER
        ]
        if near:
            near[-1].append(each)
        else:
            found.append([each])
    return [Label(_numbered(group), colour(group[0]), group[-1].mean(-1) or 0.0) for group in found]


def _numbered(group: Sequence[Measured]) -> str:
    known = [place for each in group if (place := number(each.cell.task)) is not None]
    others = [title(each.cell.task) for each in group if number(each.cell.task) is None]
    return ", ".join(([numbers(known)] if known else []) + others)


def spaced(heights: Sequence[float], least: float, within: tuple[float, float]) -> list[float]:
    """Rising heights moved as little as possible (in the sum of squares), so that neighbours are `least` apart.

    They stay within limits if there is room, and below the upper one in any case.
    """
    blocks: list[tuple[float, int]] = []
    for place, height in enumerate(heights):
        blocks.append((height - least * place, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (low, few), (high, many) = blocks[-2:]
            blocks[-2:] = [((low * few + high * many) / (few + many), few + many)]
    level = [mean for mean, count in blocks for _ in range(count)]
    low, high = within
    room = high - least * (len(heights) - 1)
    return [min(max(mean, low), room) + least * place for place, mean in enumerate(level)]
