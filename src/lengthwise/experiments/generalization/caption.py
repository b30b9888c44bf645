"""The caption of figures: which seeds, what is smaller than in the paper, what was not learned and what not run."""

from __future__ import annotations

from collections.abc import Sequence

from lengthwise.experiments.generalization.measured import GENERALIZES, Measured
from lengthwise.experiments.generalization.names import SCHEMES, named, numbers, title
from lengthwise.experiments.generalization.outcomes import Outcomes

LISTED = 12
"""Cells that are named; of more, only the number is said."""


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
