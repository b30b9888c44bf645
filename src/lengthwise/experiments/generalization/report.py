"""What came of an experiment on length generalization, beside what theories predict: tables, claims, drawings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lengthwise.experiments.generalization.claims import Claim, claims, claims_table
from lengthwise.experiments.generalization.overlay import draw_overlay
from lengthwise.experiments.generalization.panels import draw_panels
from lengthwise.experiments.generalization.records import cell_records, confusion_records, seed_records
from lengthwise.experiments.generalization.tables import Table, tables
from lengthwise.experiments.results import Results, as_csv
from lengthwise.experiments.runs import RunReport
from lengthwise.runs.store.store import Store

if TYPE_CHECKING:
    from lengthwise.experiments.generalization.experiment import Generalization


class GeneralizationReport(RunReport):
    """What came of an experiment, beside what theories predict."""

    def __init__(self, experiment: Generalization, preset: str, store: Store) -> None:
        self.experiment, self.preset = experiment, preset
        self.outcomes = experiment.outcomes(preset, store.path)
        trained = [
            each.cell.settings.with_seeds(tuple(seed.number for seed in each.seeds))
            for each in self.outcomes.measured
            if each.seeds
        ]
        self.results = Results(store, {"": trained})

    @cached_property
    def findings(self) -> Sequence[Claim]:
        """What the paper says of its figure."""
        return claims(self.outcomes)

    @cached_property
    def shown(self) -> tuple[Table, ...]:
        """All tables."""
        first, *others = tables(self.outcomes)
        return (first, claims_table(self.findings), *others)

    def records(self) -> Iterator[dict[str, Any]]:
        """One record for each seed and bin."""
        return seed_records(self.outcomes, self.results)

    def tables(self) -> dict[str, bytes]:
        """The tables, and the records of predictors, cells and seeds."""
        title = f"# {self.facts['title']} (preset {self.preset})\n"
        return {
            "confusion.md": "\n".join([title, *(table.markdown() for table in self.shown)]).encode(),
            "confusion.csv": as_csv(confusion_records(self.outcomes)),
            "cells.csv": as_csv(cell_records(self.outcomes)),
            **super().tables(),
        }

    def numbers(self) -> Mapping[str, Any]:
        """The cells, and the errors of predictors."""
        return {"cells": list(cell_records(self.outcomes)), "confusion": list(confusion_records(self.outcomes))}

    def missing(self) -> list[dict[str, Any]]:
        """The cells that want more seeds."""
        lacking = self.outcomes.lacking()
        return [{"task": cell.task, "scheme": cell.scheme, "models": models} for cell, models in lacking]

    def counts(self) -> Iterator[str]:
        """How many models were trained, and how many of them learned their task."""
        judged, baselines = self.outcomes.judged, self.outcomes.baselines
        learned = sum(seed.learned for each in judged for seed in each.seeds)
        reached = f"{learned} reached accuracy 1 on training lengths"
        trained = f"{self.provenance['trained']} models trained, of which {reached}"
        yield f"{len(judged)} cells and {len(baselines)} baselines, {trained}"

    def text(self) -> str:
        """All tables."""
        return "\n\n".join(table.text() for table in self.shown)

    def lines(self) -> Iterator[str]:
        """All tables."""
        yield f"\n{self.text()}\n"

    def draw(self, path: Path) -> None:
        """A panel for each task."""
        self.drawings["figure"](path)

    @property
    def drawings(self) -> Mapping[str, Any]:
        """A panel for each task, and all tasks in two panels."""
        drawn = {"figure": draw_panels, "overlay": draw_overlay}
        return {name: partial(draw, self.outcomes, remarks=[self.origin]) for name, draw in drawn.items()}
