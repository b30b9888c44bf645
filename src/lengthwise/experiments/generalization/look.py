"""How lines look: APE solid with circles, NoPE dotted with squares, coloured by verdict; nothing vanishes silently.

Green and vermilion of Okabe and Ito's palette are told apart by everyone, and both schemes also differ in their marks.

The caption says which seeds there are, what is smaller than in the paper, what was not learned and what not run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lengthwise.drawing.style import COLOURS, pyplot
from lengthwise.experiments.generalization.cell import Scheme
from lengthwise.experiments.generalization.measured import GENERALIZES, Measured
from lengthwise.experiments.generalization.names import SCHEMES, Verdict, named, numbers, title, verdict
from lengthwise.experiments.generalization.outcomes import Outcomes

COLOUR: dict[Verdict, str] = {"program": COLOURS[2], "no program": COLOURS[1], "undecided": COLOURS[0]}
BASELINE = "0.55"
"""The grey of models that see the current symbol alone."""
DASHES: dict[Scheme, Any] = {"ape": "-", "nope": (0, (1.2, 1.3)), "baseline": (0, (4, 2))}
MARKER: dict[Scheme, str] = {"ape": "o", "nope": "s", "baseline": ""}
WIDTH: dict[Scheme, float] = {"ape": 1.3, "nope": 1.6, "baseline": 1.0}
ASIDE: dict[Scheme, float] = {"ape": -0.07, "nope": 0.07, "baseline": 0.0}
"""How far lines are moved, so that those of two schemes with equal accuracies are both seen."""
REPORTED = 0.2
"""How far the authors' accuracies stand from the middle."""
SIZE = 3.4
"""Of markers."""
LISTED = 12
"""Cells that are named in a caption; of more, only the number is said."""
PALE = 0.45
"""How opaque lines are of what was not learned."""


def colour(each: Measured) -> str:
    """The colour of a cell."""
    return BASELINE if each.cell.scheme == "baseline" else COLOUR[verdict(each.cell.task, each.cell.scheme)]


def is_learned(each: Measured) -> bool:
    """Whether there are seeds that learned the task, or nobody expects any to."""
    return each.cell.scheme == "baseline" or each.outcome in ("generalizes", "fails")


def draw_cell(axes: Any, each: Measured, *, size: float = SIZE, aside: float = 1.0, whiskers: float = 0.8) -> None:
    """The mean accuracy over the bins, and from the lowest seed to the highest; nothing for what was not run."""
    if not each.seeds:
        return
    scheme, shade = each.cell.scheme, colour(each)
    places = [place + aside * ASIDE[scheme] for place in range(len(each.cell.bins))]
    means = [each.mean(place) for place in range(len(places))]
    opaque = 1.0 if is_learned(each) else PALE
    if scheme != "baseline":
        for place, at in enumerate(places):
            low, high = each.spread(place) or (0.0, 0.0)
            axes.plot([at, at], [low, high], color=shade, linewidth=0.9, alpha=whiskers * opaque, zorder=2)
    axes.plot(
        places,
        means,
        color=shade,
        linestyle=DASHES[scheme],
        linewidth=WIDTH[scheme],
        alpha=opaque,
        zorder=1 if scheme == "baseline" else 3,
        **marks(each, size),
    )


def draw_reported(axes: Any, each: Measured) -> None:
    """The accuracies that the authors report of a cell, beside its line; nothing where there are none."""
    if each.cell.reported is None:
        return
    side = 1 if ASIDE[each.cell.scheme] > 0 else -1
    places = [place + side * REPORTED for place in range(len(each.cell.bins))]
    axes.plot(
        places, each.cell.reported, color=colour(each), linestyle="none", marker="_", markersize=SIZE + 1.4,
        markeredgewidth=1.0, alpha=0.8, zorder=4,
    )  # fmt: skip


def marks(each: Measured, size: float = SIZE) -> dict[str, Any]:
    """The markers of a cell: crosses if it was not learned, hollow if its model is not the published one."""
    scheme = each.cell.scheme
    if not MARKER[scheme]:
        return {}
    if not is_learned(each):
        return {"marker": "x", "markersize": size, "markeredgewidth": 1.0}
    face = {"markerfacecolor": "white"} if each.cell.changed else {}
    return {"marker": MARKER[scheme], "markersize": size, "markeredgewidth": 1.0, **face}


def legend(
    canvas: Any,
    schemes: Sequence[Scheme],
    verdicts: Sequence[Verdict],
    baselines: bool,
    reported: bool = False,
    **place: Any,
) -> None:
    """What colours, lines and markers mean."""
    handle = pyplot().Line2D
    words = {"program": "a program exists", "no program": "proved: none exists", "undecided": "undecided"}
    handles = [
        handle(
            [], [], color=COLOUR[said], linestyle=DASHES[scheme], linewidth=WIDTH[scheme], marker=MARKER[scheme],
            markersize=SIZE + 0.6, label=f"{SCHEMES[scheme]}, {words[said]}",
        )
        for said in verdicts
        for scheme in schemes
    ]  # fmt: skip
    dark: dict[str, Any] = {"color": "0.25", "linestyle": "none", "markersize": SIZE + 0.6}
    hollow = {**dark, "marker": "o", "markerfacecolor": "white"}
    handles.append(handle([], [], label="not the published model or training", **hollow))
    handles.append(handle([], [], marker="x", label="not learned", **dark))
    handles.append(handle([], [], label="lowest to highest seed", **{**dark, "marker": "|", "markersize": 8}))
    if reported:
        handles.append(handle([], [], label="the authors' mean", **{**dark, "marker": "_", "markersize": 8}))
    if baselines:
        grey = {"color": BASELINE, "linestyle": DASHES["baseline"], "linewidth": WIDTH["baseline"]}
        handles.append(handle([], [], label="baseline: the current symbol alone", **grey))
    canvas.legend(handles=handles, fontsize=7.5, handlelength=2.6, columnspacing=1.4, frameon=False, **place)


def caption(outcomes: Outcomes) -> list[str]:
    """The sentences of a figure."""
    cell = outcomes.measured[0].cell
    lengths = ", ".join(outcomes.bins)
    measured = (
        f"Accuracy on whole words of lengths {lengths}, after training on lengths up to {cell.settings.train_length}: "
        f"means over the seeds that reached 100 % on training lengths, the first {cell.wanted} of at most {cell.most} "
        "(where none did, over all, with crosses). "
        f"A task is said to generalize from {100 * GENERALIZES:g} % in the last bin on (grey line)."
    )
    trained = f"{outcomes.models} models, seeds {numbers(outcomes.seeds)}"
    lacking = outcomes.lacking()
    if lacking:
        trained += f"; {len(lacking)} of {len(outcomes.measured)} cells (baselines included) want more"
    changed = [f"Settings of this preset: {', '.join(outcomes.changes)}."] if outcomes.changes else []
    return [measured, f"Trained: {trained}. {_as_published(outcomes)}", *changed, *_left_out(outcomes)]


def _as_published(outcomes: Outcomes) -> str:
    found = [each for each in outcomes.judged if each.cell.changed]
    if not found:
        return "All models have the published sizes and step limits."
    cells = f"{len(found)} of {len(outcomes.judged)} cells"
    return f"In {cells} model or training are not the published ones (hollow markers)."


def _left_out(outcomes: Outcomes) -> list[str]:
    sentences = []
    for outcome in ("not learned", "not run"):
        found = outcomes.with_outcome(outcome)
        if found:
            named_cells = f": {_listed(found)}" if len(found) <= LISTED else ""
            sentences.append(f"{outcome.capitalize()}, {len(found)} of {len(outcomes.judged)} cells{named_cells}.")
    schemes = [name for scheme, name in SCHEMES.items() if scheme not in (*outcomes.schemes, "baseline")]
    if schemes:
        sentences.append(f"Schemes that this preset leaves out: {', '.join(schemes)}.")
    if outcomes.absent:
        number = f"{len(outcomes.absent)} of {len(outcomes.experiment.figure.entries)}"
        sentences.append(f"Tasks that this preset leaves out, {number}: {', '.join(map(title, outcomes.absent))}.")
    return sentences


def _listed(cells: Sequence[Measured]) -> str:
    """Cells by name, both schemes of a task together."""
    schemes: dict[str, list[Measured]] = {}
    for each in cells:
        schemes.setdefault(each.cell.task, []).append(each)
    return ", ".join(
        named(found[0])
        if len(found) == 1
        else f"{title(task)} {' and '.join(SCHEMES[each.cell.scheme] for each in found)}"
        for task, found in schemes.items()
    )
