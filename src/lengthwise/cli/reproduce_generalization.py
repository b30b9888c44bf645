"""The experiments on length generalization that `lengthwise reproduce` trains models for."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import typer

from lengthwise.cli.reproduce_figure import LISTED, Request
from lengthwise.cli.train import INTERRUPTED
from lengthwise.errors import LengthwiseError
from lengthwise.lab.disk import plain
from lengthwise.lab.engines import get_engine
from lengthwise.lab.generalization.training import train_cells
from lengthwise.lab.store import Store
from lengthwise.lab.sweep import Failure, SweepInterruptedError
from lengthwise.report.generalization.names import SCHEMES
from lengthwise.report.generalization.outcomes import Outcomes
from lengthwise.report.generalization.reproduction import Generalization, reproduce
from lengthwise.report.generalization.source import Source
from lengthwise.report.reproduction import read_formats


def reproduce_generalization(request: Request, as_json: bool) -> None:
    """Train the seeds that are lacking, write the files of the experiment, and print what they say."""
    formats = read_formats(request.formats)
    source, store = Source.named(request.figure, request.device), Store(request.store)
    try:
        failed = _trained(source, request, store)
        for damage in store.problems():
            typer.echo(damage, err=True)
        made = reproduce(source, request.preset, store, Path(request.out), formats)
    except SweepInterruptedError as problem:
        typer.echo(str(problem), err=True)
        raise typer.Exit(INTERRUPTED) from None
    except KeyboardInterrupt:
        typer.echo("interrupted: finished runs are kept, and the same command goes on from there", err=True)
        raise typer.Exit(INTERRUPTED) from None
    for remark in made.remarks:
        typer.echo(remark, err=True)
    if as_json:
        failures = [
            {"config": str(each.config), "seeds": list(each.config.seeds), "reason": each.reason} for each in failed
        ]
        typer.echo(json.dumps(plain({**made.as_json(), "failed": failures}), ensure_ascii=False, indent=2))
    else:
        for line in _lines(made, failed):
            typer.echo(line)
    if failed:
        raise typer.Exit(1)


def _trained(source: Source, request: Request, store: Store) -> tuple[Failure, ...]:
    """Train what is lacking; the runs that failed."""
    cells = source.cells(request.preset)
    if request.train:
        engine = get_engine(request.engine, request.processes, request.address)
        failed = train_cells(cells, store, engine)
        if failed and not Outcomes.of(source, request.preset, store).models:
            reason = f"the first as follows: {failed[0].reason}"
            typer.echo(f"all {len(failed)} runs of {source.name} failed, {reason}", err=True)
            raise typer.Exit(1)
        return failed
    outcomes = Outcomes.of(source, request.preset, store)
    lacking = outcomes.lacking()
    if lacking:
        named = [f"{cell.task} {SCHEMES[cell.scheme]} ({models} seeds)" for cell, models in lacking[:LISTED]]
        more = [f"{len(lacking) - LISTED} more cells"] if len(lacking) > LISTED else []
        models = sum(models for _, models in lacking)
        told = (
            f"the store {store.path} lacks {models} models ({', '.join(named + more)}) for {source.name}, "
            f"preset {request.preset!r}"
        )
        if not outcomes.models:
            raise LengthwiseError(f"{told}, which is all of them; without --no-train they are trained")
        typer.echo(f"{told}; what is there is shown", err=True)
    return ()


def _lines(made: Generalization, failed: Sequence[Failure]) -> Iterator[str]:
    outcomes, facts = made.outcomes, made.provenance
    yield f"{facts['title']} ({facts['figure']}, preset {facts['preset']})"
    cells = f"{len(outcomes.judged)} cells and {len(outcomes.baselines)} baselines"
    reached = f"{facts['reached']} reached accuracy 1 on training lengths"
    yield f"{cells}, {facts['trained']} models trained, of which {reached}"
    for each in failed:
        yield f"failed: {each.config}, {len(each.config.seeds)} seeds: {each.reason}"
    yield f"\n{made.text()}\n"
    yield f"{made.directory}: {', '.join(made.files)}"
