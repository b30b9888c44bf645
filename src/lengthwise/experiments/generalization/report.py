"""What came of an experiment on length generalization, beside what theories predict: tables, claims, drawings.

There is a record for each seed and bin, for each cell, and for each predictor and threshold. They say nothing of how
seeds were shared out over runs, so they are the same after an interruption.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lengthwise.experiments.generalization.claims import Claim, claims, claims_table
from lengthwise.experiments.generalization.confusion import THRESHOLDS, confusion
from lengthwise.experiments.generalization.measured import Measured
from lengthwise.experiments.generalization.names import THEORY, number, title, verdict
from lengthwise.experiments.generalization.outcomes import Outcomes, chosen
from lengthwise.experiments.generalization.overlay import draw_overlay
from lengthwise.experiments.generalization.panels import draw_panels
from lengthwise.experiments.generalization.predictors import PREDICTORS
from lengthwise.experiments.generalization.tables import Table, agrees, cell_sets, tables
from lengthwise.experiments.results import Results, as_csv
from lengthwise.experiments.runs import RunReport
from lengthwise.runs.config import bins
from lengthwise.runs.store.store import Store

if TYPE_CHECKING:
    from lengthwise.experiments.generalization.experiment import Generalization

YES = {None: None, True: "yes", False: "no"}
"""Predictions in words."""


def seed_records(outcomes: Outcomes, results: Results) -> Iterator[dict[str, Any]]:
    """Every seed that was trained, in every bin."""
    for each in outcomes.measured:
        cell, counted = each.cell, {seed.number for seed in each.counted}
        shortest, within = (
            cell.settings.get_task().min_length,
            bins(cell.settings.train_from, cell.settings.train_length, cell.bins),
        )
        for seed in each.seeds:
            for row in results.rows[cell.settings.settings_id, seed.number]:
                yield {
                    **_common(each),
                    "seed": seed.number,
                    "learned": seed.learned,
                    "counted": seed.number in counted,
                    "from": max(shortest, within[row.test_length].start),
                    "to": row.test_length,
                    "accuracy": row.accuracy,
                    "loss": row.loss,
                    "words": row.words,
                    "steps": row.steps,
                    "ending": row.ending,
                    "settings": cell.settings.settings_id,
                }


def cell_records(outcomes: Outcomes) -> Iterator[dict[str, Any]]:
    """Every cell with its predictions and its outcome."""
    for each in outcomes.measured:
        cell = each.cell
        judged = cell.scheme != "baseline"
        rivals = {name: ask(cell.task, cell.scheme) for name, ask in PREDICTORS.items() if name != THEORY}
        record = {
            **_common(each),
            "title": title(cell.task),
            "number": number(cell.task),
            "verdict": verdict(cell.task, cell.scheme) if judged else None,
            **{name: YES[says] if judged else None for name, says in rivals.items()},
            "rate": cell.size.rate,
            "step_limit": cell.settings.stopping.steps,
            "published": None if cell.published is None else str(cell.published),
            "tried": len(each.seeds),
            "learned": sum(seed.learned for seed in each.seeds),
            "counted": " ".join(str(seed.number) for seed in each.counted),
            "finished": cell.next(list(each.seeds)) is None,
        }
        for place, end in enumerate(cell.bins):
            low, high = each.spread(place) or (None, None)
            record |= {f"mean_{end}": each.mean(place), f"lowest_{end}": low, f"highest_{end}": high}
            record[f"reported_{end}"] = None if cell.reported is None else cell.reported[place]
        yield {**record, "outcome": each.outcome if judged else None, "agrees": agrees(each).replace("–", "")}


def confusion_records(outcomes: Outcomes) -> Iterator[dict[str, Any]]:
    """The errors of every predictor on each set of cells, for all schemes and for one, at every threshold."""
    for which, cells in cell_sets(outcomes).items():
        for scheme in (None, *outcomes.schemes):
            for name in PREDICTORS:
                for threshold in THRESHOLDS:
                    found = confusion(name, chosen(cells, scheme), threshold)
                    yield {
                        "on": which,
                        "scheme": scheme or "all",
                        "predictor": name,
                        "threshold": threshold,
                        "cells": found.counted,
                        "right_yes": len(found.right_yes),
                        "wrong_yes": len(found.wrong_yes),
                        "wrong_no": len(found.wrong_no),
                        "right_no": len(found.right_no),
                        "errors": found.errors,
                        "error_rate": found.error_rate if found.counted else None,
                        "area": None if found.area != found.area else found.area,
                    }


def _common(each: Measured) -> dict[str, Any]:
    """What identifies a cell."""
    cell = each.cell
    return {
        "task": cell.task,
        "kind": cell.kind,
        "scheme": cell.scheme,
        "model": str(cell.size),
        "changed": cell.changed,
    }


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
