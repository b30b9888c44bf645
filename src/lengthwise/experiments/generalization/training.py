"""Training of cells in rounds: all that is wanted next, then what is still lacking, until no cell wants any more."""

from __future__ import annotations

from collections.abc import Sequence

from lengthwise.experiments.generalization.cell import Cell, rows_of
from lengthwise.runs.engines.engine import Engine
from lengthwise.runs.store.store import Store
from lengthwise.runs.sweep import Failure, run_sweep


def train_cells(cells: Sequence[Cell], store: Store, engine: Engine | None = None) -> tuple[Failure, ...]:
    """Train what cells lack; the runs that failed. Finished runs are never repeated."""
    failed: dict[str, Failure] = {}
    while True:
        rows = rows_of(store, list(cells))
        wanted = [config for cell in cells if (config := cell.next(cell.seeds(rows))) is not None]
        # A cell with a run that failed would ask for it again and again.
        wanted = [config for config in wanted if config.settings_id not in failed]
        if not wanted:
            return tuple(failed.values())
        for failure in run_sweep(wanted, store, engine).failed:
            failed[failure.config.settings_id] = failure
