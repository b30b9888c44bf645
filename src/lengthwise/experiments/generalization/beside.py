"""Measured outcomes beside Tables 2 and 3 of Huang et al.: what a store has on each of their tasks, by scheme."""

from __future__ import annotations

from typing import Any

from lengthwise.experiments.generalization.cell import Scheme
from lengthwise.experiments.generalization.measured import Measured
from lengthwise.experiments.generalization.names import SCHEMES, from_to, percent
from lengthwise.experiments.generalization.outcomes import Outcomes
from lengthwise.experiments.generalization.predictors import PREFIX
from lengthwise.experiments.generalization.source import FIGURE_1, Source
from lengthwise.runs.store.store import Store

Beside = dict[Scheme, dict[str, Any]]
"""What was measured of a task, by scheme, in the order of the tables' columns."""
EMPTY = {"outcome": "not in the preset", "learned": 0, "tried": 0}


def measured_beside(names: list[str], algorithmic: bool, preset: str, store: Store) -> dict[str, Beside]:
    """What a store has on the tasks of a table, by their names there; nothing is trained."""
    outcomes = Outcomes.of(Source.named(FIGURE_1), preset, store)
    prefix = PREFIX if algorithmic else ""
    schemes: tuple[Scheme, ...] = ("nope", "ape")
    cells = {name: outcomes.tasks.get(f"{prefix}{name}", {}) for name in names}
    return {name: {scheme: _facts(found.get(scheme)) for scheme in schemes} for name, found in cells.items()}


def columns(beside: Beside) -> dict[str, str]:
    """The same as entries of a table."""
    entries = {}
    for scheme, facts in beside.items():
        entries[f"{SCHEMES[scheme]} measured"] = _accuracy(facts)
        entries[f"{SCHEMES[scheme]} outcome"] = facts["outcome"]
    return entries


def _facts(each: Measured | None) -> dict[str, Any]:
    low, high = (each and each.spread(-1)) or (None, None)
    facts: dict[str, Any] = {"mean": None if each is None else each.mean(-1), "lowest": low, "highest": high}
    if each is None:
        return {**facts, **EMPTY, "model": None, "changed": None}
    cell = each.cell
    return {
        **facts,
        "outcome": each.outcome,
        "learned": sum(seed.learned for seed in each.seeds),
        "tried": len(each.seeds),
        "model": str(cell.size),
        "changed": cell.changed,
    }


def _accuracy(facts: dict[str, Any]) -> str:
    """The mean, the lowest and the highest accuracy in percent, and how many seeds learned the task."""
    if not facts["tried"]:
        return percent(None)
    shown = percent(facts["mean"]) + from_to(facts["lowest"], facts["highest"])
    return f"{shown}, {facts['learned']}/{facts['tried']}{'°' if facts['changed'] else ''}"
