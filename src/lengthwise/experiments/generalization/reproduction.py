"""An experiment on length generalization from the runs of a store: figures, tables, claims, every number, their origin.

    figure.svg, figure.png      a panel for each task
    overlay.svg, overlay.png    all tasks in two panels, as in the paper
    confusion.md                verdict against outcome, claims, disagreements, rival predictors, every cell
    confusion.csv               the errors of every predictor at every threshold
    cells.csv                   one row for each task and scheme
    results.csv                 one row for each seed and bin
    claims.json                 what became of the claims
    provenance.json             which runs, which versions, and the command that makes all of this again

The same store gives the same bytes. Tables do not depend on how seeds were shared out over runs either, so they are the
same after an interruption.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lengthwise.errors import LengthwiseError
from lengthwise.experiments.generalization.claims import Claim, claims, claims_table
from lengthwise.experiments.generalization.outcomes import Outcomes
from lengthwise.experiments.generalization.overlay import draw_overlay
from lengthwise.experiments.generalization.panels import draw_panels
from lengthwise.experiments.generalization.records import cell_records, confusion_records, seed_records
from lengthwise.experiments.generalization.source import Source
from lengthwise.experiments.generalization.table import Table, as_csv
from lengthwise.experiments.generalization.tables import tables
from lengthwise.experiments.results import Results, as_bytes, write_results
from lengthwise.experiments.sweeps.reproduction import obstacle_to_drawing, origin
from lengthwise.runs.store.disk import writing
from lengthwise.runs.store.store import Store

DRAWINGS = {"figure": draw_panels, "overlay": draw_overlay}


@dataclass(frozen=True)
class Generalization:
    """What came of an experiment, and the files that tell it."""

    outcomes: Outcomes
    results: Results
    claims: tuple[Claim, ...]
    tables: tuple[Table, ...]
    provenance: Mapping[str, Any]
    directory: Path
    files: tuple[str, ...]
    remarks: tuple[str, ...]
    """What could not be done, in sentences."""

    def text(self) -> str:
        """All tables."""
        return "\n\n".join(table.text() for table in self.tables)

    def as_json(self) -> dict[str, Any]:
        """All of it as plain data with stable keys."""
        lacking = [
            {"task": cell.task, "scheme": cell.scheme, "models": models} for cell, models in self.outcomes.lacking()
        ]
        return {
            "figure": self.outcomes.source.name,
            "title": self.outcomes.source.experiment.title,
            "preset": self.outcomes.preset,
            "claims": [claim.as_json() for claim in self.claims],
            "cells": list(cell_records(self.outcomes)),
            "confusion": list(confusion_records(self.outcomes)),
            "missing": lacking,
            "files": [str(self.directory / name) for name in self.files],
            "remarks": list(self.remarks),
            "provenance": dict(self.provenance),
            "results": list(seed_records(self.outcomes, self.results)),
        }


def reproduce(source: Source, preset: str, store: Store, out: Path, formats: Sequence[str]) -> Generalization:
    """Make the files of an experiment in `out`/<name>/<preset> from what the store has."""
    outcomes = Outcomes.of(source, preset, store)
    if not outcomes.models:
        raise LengthwiseError(f"{store.path} has none of the runs of {source.name}, preset {preset!r}")
    trained = [
        each.cell.settings.with_seeds(tuple(seed.number for seed in each.seeds))
        for each in outcomes.measured
        if each.seeds
    ]
    results = Results(store, {"": trained})
    device = "" if source.device is None else f" --device {source.device}"
    provenance = {
        "figure": source.name,
        "title": source.experiment.title,
        "preset": preset,
        "file_sha256": source.digest,
        "command": f"lengthwise reproduce {source.name} --preset {preset}{device}",
        **results.provenance(),
    }
    judged = tuple(claims(outcomes))
    first, *others = tables(outcomes)
    shown = (first, claims_table(judged), *others)
    title = f"# {source.experiment.title} (preset {preset})\n"
    files = {
        "confusion.md": "\n".join([title, *(table.markdown() for table in shown)]).encode(),
        "confusion.csv": as_csv(confusion_records(outcomes)),
        "cells.csv": as_csv(cell_records(outcomes)),
        "results.csv": as_csv(seed_records(outcomes, results)),
        "claims.json": as_bytes([claim.as_json() for claim in judged]),
    }
    remarks = []
    if (obstacle := obstacle_to_drawing()) is not None:
        remarks.append(f"{obstacle}; the tables and the claims are written without the figures")
    else:
        for name in DRAWINGS:
            for suffix in formats:
                files[f"{name}.{suffix}"] = _drawing(name, outcomes, suffix, origin(provenance))
    files["provenance.json"] = as_bytes(provenance)
    directory = out / source.name / preset
    write_results(directory, files)
    return Generalization(outcomes, results, judged, shown, provenance, directory, tuple(files), tuple(remarks))


def _drawing(name: str, outcomes: Outcomes, suffix: str, made_by: str) -> bytes:
    with writing("the figure"), tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / f"{name}.{suffix}"
        DRAWINGS[name](outcomes, path, remarks=[made_by])
        return path.read_bytes()
