"""What was measured for a cell: accuracies in every bin over the seeds that count, and the outcome.

The outcome is read off the last bin, lengths 101 to 150, which the paper takes as its measure of length generalization.
The paper draws accuracies and names no number from which on a model generalizes; here it is a mean of 90 %, chosen
before anything was trained. `confusion` also says what other numbers would give.

Only successful seeds count, as in the paper. A model whose training ends at 99.9 % is none, though it tells much the
same: `nearly` counts seeds from 99 % on. (The paper has about 99 % with its largest models, all of whose seeds count.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any, Literal

from lengthwise.experiments.generalization.cell import Cell, Seed, rows_of
from lengthwise.runs.store.store import Store

Outcome = Literal["generalizes", "fails", "not learned", "not run"]
GENERALIZES = 0.9
"""The mean accuracy on the longest words from which on a model is said to generalize."""
NEARLY = 0.99
"""The accuracy on words of training lengths from which on a seed has nearly learned a task."""
LEARNED = 0.95
"""The mean accuracy on words of training lengths that is enough where seeds count that did not reach 100 %."""


@dataclass(frozen=True)
class Measured:
    """A cell with the seeds that were trained."""

    cell: Cell
    seeds: tuple[Seed, ...]
    least: float = 1.0
    """The accuracy on words of training lengths from which on seeds count."""

    @property
    def nearly(self) -> Measured:
        """The same where seeds count that have nearly learned the task."""
        return replace(self, least=NEARLY)

    @property
    def counted(self) -> tuple[Seed, ...]:
        """Those whose accuracies are reported."""
        return tuple(self.cell.counted(list(self.seeds), self.least))

    @property
    def shown(self) -> tuple[Seed, ...]:
        """Those that count, or all if none does, so that what was not learned is seen as well."""
        return self.counted or self.seeds

    def accuracies(self, place: int) -> tuple[float, ...]:
        """Of the seeds that are shown, in a bin."""
        return tuple(seed.accuracies[place] for seed in self.shown)

    def mean(self, place: int) -> float | None:
        """The mean over the seeds that are shown; None if there are none."""
        found = self.accuracies(place)
        return fmean(found) if found else None

    def spread(self, place: int) -> tuple[float, float] | None:
        """The lowest and the highest accuracy of seeds that are shown."""
        found = self.accuracies(place)
        return (min(found), max(found)) if found else None

    @property
    def outcome(self) -> Outcome:
        """Whether training was successful and, if so, whether long words are right as well."""
        return self.outcome_at(GENERALIZES)

    def outcome_at(self, threshold: float) -> Outcome:
        """The same with another accuracy in the place of 90 %."""
        last, first = self.mean(-1), self.mean(0)
        if last is None or first is None:
            return "not run"
        if not self.counted or first < LEARNED:
            return "not learned"
        return "generalizes" if last >= threshold else "fails"

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "task": self.cell.task,
            "kind": self.cell.kind,
            "scheme": self.cell.scheme,
            "model": str(self.cell.size),
            "published": None if self.cell.published is None else str(self.cell.published),
            "changed": self.cell.changed,
            "rate": self.cell.size.rate,
            "steps": self.cell.settings.stopping.steps,
            "tried": len(self.seeds),
            "learned": sum(seed.learned for seed in self.seeds),
            "counted": [seed.number for seed in self.counted],
            "bins": [
                {"to": end, "mean": self.mean(place), "accuracies": list(self.accuracies(place))}
                for place, end in enumerate(self.cell.bins)
            ],
            "outcome": self.outcome,
        }


def measure(store: Store, cells: Sequence[Cell]) -> list[Measured]:
    """What a store has on cells, in their order."""
    rows = rows_of(store, list(cells))
    return [Measured(cell, tuple(cell.enough(cell.seeds(rows)))) for cell in cells]
