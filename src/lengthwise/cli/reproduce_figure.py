"""The figures that `lengthwise reproduce` trains models for."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from lengthwise.cli.reproduce_table import TABLES
from lengthwise.cli.train import INTERRUPTED
from lengthwise.errors import LengthwiseError
from lengthwise.lab.claims import table
from lengthwise.lab.config import RunConfig
from lengthwise.lab.disk import plain
from lengthwise.lab.engines import get_engine
from lengthwise.lab.generalization.experiment import catalogue as experiments
from lengthwise.lab.positional.published import catalogue as positional
from lengthwise.lab.probes.published import catalogue as probes
from lengthwise.lab.published import Published, find
from lengthwise.lab.results import Results
from lengthwise.lab.store import Store
from lengthwise.lab.sweep import Failure, SweepInterruptedError, run_sweep
from lengthwise.report.reproduction import Reproduction, read_formats, reproduce, require_sound

LISTED = 4
"""Missing runs that are named."""


@dataclass(frozen=True)
class Request:
    """What was asked for on the command line."""

    figure: str
    preset: str
    store: str
    out: str
    formats: Sequence[str]
    train: bool
    engine: str
    processes: int | None
    address: str | None
    device: str | None


def reproduce_figure(request: Request, as_json: bool) -> None:
    """Train what is missing, write the files of the figure, and print what they say."""
    formats = read_formats(request.formats)
    published = find(request.figure, [*TABLES, *probes(), *positional(), *experiments()], request.device)
    store = Store(request.store)
    try:
        failed = _trained(published, request, store)
        for damage in store.problems():
            typer.echo(damage, err=True)
        made = reproduce(published, request.preset, store, Path(request.out), formats)
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


def _trained(published: Published, request: Request, store: Store) -> tuple[Failure, ...]:
    """Make the runs that are missing, all sweeps at once, so that what they share is run once; those that failed."""
    results = Results(store, published.configs(request.preset))
    missing = results.missing()
    require_sound(published, request.preset)
    if request.train:
        engine = get_engine(request.engine, request.processes, request.address)
        failed = run_sweep(results.configs, store, engine).failed
        if failed and not results.rows:
            reason = f"the first as follows: {failed[0].reason}"
            typer.echo(f"all {len(failed)} runs of {published.name} failed, {reason}", err=True)
            raise typer.Exit(1)
        return failed
    if missing:
        lacking = f"the store {store.path} lacks {_told(missing)} for {published.name}, preset {request.preset!r}"
        if not results.rows:
            raise LengthwiseError(f"{lacking}, which is all of them; without --no-train they are trained")
        typer.echo(f"{lacking}; what is there is shown", err=True)
    return ()


def _told(missing: Sequence[RunConfig]) -> str:
    """How many models are missing, and of which configs."""
    models = sum(len(config.seeds) for config in missing)
    named = [f"{config} ({len(config.seeds)} seeds)" for config in missing[:LISTED]]
    more = [f"{len(missing) - LISTED} more configs"] if len(missing) > LISTED else []
    return f"{models} models ({', '.join(named + more)})"


def _lines(made: Reproduction, failed: Sequence[Failure]) -> Iterator[str]:
    results, facts = made.results, made.provenance
    yield f"{facts['title']} ({facts['figure']}, preset {made.preset})"
    trained = f"{facts['configs']} configs, {facts['trained']} of {facts['models']} models trained"
    goals = " or ".join(results.goals)
    yield f"{trained}, of which {facts['reached']} reached {goals}" if goals else trained
    for each in failed:
        yield f"failed: {each.config}, {len(each.config.seeds)} seeds: {each.reason}"
    if made.findings:
        yield f"\n{table(made.findings)}\n"
    yield f"{made.directory}: {', '.join(made.files)}"
