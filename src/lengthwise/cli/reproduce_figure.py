"""The figures that `lengthwise reproduce` trains models for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import typer

from lengthwise.cli.interruption import interruptible
from lengthwise.cli.reproduce_request import Request
from lengthwise.cli.reproduce_runs import all_failed, failure_lines, shortened, show_made, take_kept, tell_lacking
from lengthwise.cli.reproduce_table import TABLES
from lengthwise.experiments.generalization.experiment import catalogue as experiments
from lengthwise.experiments.positional.published import catalogue as positional
from lengthwise.experiments.probes.published import catalogue as probes
from lengthwise.experiments.results import Results
from lengthwise.experiments.sweeps.claims import table
from lengthwise.experiments.sweeps.published import Published, find
from lengthwise.experiments.sweeps.reproduction import Reproduction, read_formats, reproduce, require_sound
from lengthwise.experiments.text.published import catalogue as texts
from lengthwise.runs.store.store import Store
from lengthwise.runs.sweep import Failure, run_sweep


def reproduce_figure(request: Request, as_json: bool) -> None:
    """Train what is missing, write the files of the figure, and print what they say."""
    formats = read_formats(request.formats)
    published = find(request.figure, [*TABLES, *probes(), *positional(), *texts(), *experiments()], request.device)
    store = Store(request.store)
    with interruptible():
        failed = _trained(published, request, store, formats)
        for damage in store.problems():
            typer.echo(damage, err=True)
        made = reproduce(published, request.preset, store, Path(request.out), formats)
    show_made(made, failed, _lines(made, failed), as_json)


def _trained(published: Published, request: Request, store: Store, formats: Sequence[str]) -> tuple[Failure, ...]:
    """Make the runs that are missing, all sweeps at once, so that what they share is run once; those that failed."""
    results = Results(store, published.configs(request.preset))
    require_sound(published, request.preset)
    request.require_writable(["claims.json", "results.csv", "provenance.json"], formats, published.name)
    take_kept(request, published.name, results.configs, store)
    missing = results.missing()
    if request.train:
        failed = run_sweep(results.configs, store, request.workers()).failed
        if failed and not results.rows:
            raise all_failed(published.name, failed)
        return failed
    if missing:
        models = sum(len(config.seeds) for config in missing)
        named = shortened([f"{config} ({len(config.seeds)} seeds)" for config in missing], "configs")
        told = f"the store {store.path} lacks {models} models ({named}) for {published.name}"
        tell_lacking(f"{told}, preset {request.preset!r}", bool(results.rows))
    return ()


def _lines(made: Reproduction, failed: Sequence[Failure]) -> Iterator[str]:
    results, facts = made.results, made.provenance
    yield f"{facts['title']} ({facts['figure']}, preset {made.preset})"
    trained = f"{facts['configs']} configs, {facts['trained']} of {facts['models']} models trained"
    goals = " or ".join(results.goals)
    yield f"{trained}, of which {facts['reached']} reached {goals}" if goals else trained
    yield from failure_lines(failed)
    if made.findings:
        yield f"\n{table(made.findings)}\n"
    yield f"{made.directory}: {', '.join(made.files)}"
