"""The experiments on length generalization that `lengthwise reproduce` trains models for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import typer

from lengthwise.cli.interruption import interruptible
from lengthwise.cli.reproduce_request import Request
from lengthwise.cli.reproduce_runs import all_failed, failure_lines, shortened, show_made, take_kept, tell_lacking
from lengthwise.experiments.generalization.names import SCHEMES
from lengthwise.experiments.generalization.outcomes import Outcomes
from lengthwise.experiments.generalization.reproduction import Generalization, reproduce
from lengthwise.experiments.generalization.source import Source
from lengthwise.experiments.generalization.training import train_cells
from lengthwise.experiments.sweeps.reproduction import read_formats
from lengthwise.runs.store.store import Store
from lengthwise.runs.sweep import Failure


def reproduce_generalization(request: Request, as_json: bool) -> None:
    """Train the seeds that are lacking, write the files of the experiment, and print what they say."""
    formats = read_formats(request.formats)
    request.require_writable(["claims.json", "results.csv", "provenance.json"], formats)
    source, store = Source.named(request.figure, request.device), Store(request.store)
    with interruptible():
        failed = _trained(source, request, store)
        for damage in store.problems():
            typer.echo(damage, err=True)
        made = reproduce(source, request.preset, store, Path(request.out), formats)
    show_made(made, failed, _lines(made, failed), as_json)


def _trained(source: Source, request: Request, store: Store) -> tuple[Failure, ...]:
    """Train what is lacking; the runs that failed."""
    cells = source.cells(request.preset)
    take_kept(request, source.name, [cell.settings for cell in cells], store)
    if request.train:
        failed = train_cells(cells, store, request.workers())
        if failed and not Outcomes.of(source, request.preset, store).models:
            raise all_failed(source.name, failed)
        return failed
    outcomes = Outcomes.of(source, request.preset, store)
    lacking = outcomes.lacking()
    if lacking:
        models = sum(models for _, models in lacking)
        named = shortened([f"{cell.task} {SCHEMES[cell.scheme]} ({seeds} seeds)" for cell, seeds in lacking], "cells")
        told = f"the store {store.path} lacks {models} models ({named}) for {source.name}"
        tell_lacking(f"{told}, preset {request.preset!r}", bool(outcomes.models))
    return ()


def _lines(made: Generalization, failed: Sequence[Failure]) -> Iterator[str]:
    outcomes, facts = made.outcomes, made.provenance
    yield f"{facts['title']} ({facts['figure']}, preset {facts['preset']})"
    cells = f"{len(outcomes.judged)} cells and {len(outcomes.baselines)} baselines"
    learned = sum(seed.learned for each in outcomes.judged for seed in each.seeds)
    reached = f"{learned} reached accuracy 1 on training lengths"
    yield f"{cells}, {facts['trained']} models trained, of which {reached}"
    yield from failure_lines(failed)
    yield f"\n{made.text()}\n"
    yield f"{made.directory}: {', '.join(made.files)}"
