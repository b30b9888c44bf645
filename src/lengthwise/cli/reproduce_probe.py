"""The figures of probes that `lengthwise reproduce` trains trials for."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import typer

from lengthwise.cli.interruption import interruptible
from lengthwise.cli.reproduce_cells import KEPT, results_of
from lengthwise.cli.reproduce_request import Request
from lengthwise.experiments.kept import Kept
from lengthwise.experiments.probes import Curves, Examples, Outcomes, ProbeError, follow, measure, watch
from lengthwise.experiments.probes.probe_plot import plot_online, plot_samples
from lengthwise.experiments.probes.published import ProbeFigure, catalogue
from lengthwise.experiments.probes.summary import OnlineSummary, SampleSummary, summarise, summarise_online
from lengthwise.experiments.sweeps.reproduction import read_formats
from lengthwise.runs.engines.engine import Engine
from lengthwise.runs.environment import different_environments
from lengthwise.runs.store.disk import checksum, write_json, writing

PROBES = "probes"
"""The directory within a store that has the results of probes."""


def reproduce_probe(request: Request, as_json: bool) -> None:
    """Train the trials that are missing, write the files of the figure, and print what they say."""
    suffixes = read_formats(request.formats)
    request.require_writable(["summary.json"], suffixes)
    name, preset, directory = request.figure, request.preset, request.directory
    path = catalogue()[name]
    figure = ProbeFigure.from_file(path)
    engine, kept = request.workers(), Path(request.store) / PROBES
    with interruptible(KEPT):
        found = _samples if figure.kind == "samples" else _online
        shown = found(figure, preset, kept, engine if request.train else None)
    facts = {
        "figure": name,
        "title": figure.title,
        "preset": preset,
        "command": f"lengthwise reproduce {name} --preset {preset}",
        "file_sha256": checksum(path),
        "cells": shown.cells,
        "environments": shown.environments,
    }
    data: dict[str, Any] = {**facts, **shown.summary.as_json()}
    with writing(f"the files of {name}"):
        directory.mkdir(parents=True, exist_ok=True)
        write_json(directory / "summary.json", data)
    for suffix in suffixes:
        shown.draw(path=directory / f"figure.{suffix}")
    if as_json:
        typer.echo(json.dumps(data, ensure_ascii=False, indent=2))
        return
    typer.echo(f"{figure.title} ({name}, preset {preset})\n")
    for line in shown.summary.lines():
        typer.echo(line)
    typer.echo(f"\n{directory}: summary.json, {', '.join(f'figure.{suffix}' for suffix in suffixes)}")


@dataclass(frozen=True)
class _Shown:
    """What there is to show of a figure."""

    cells: list[str]
    environments: list[dict[str, Any]]
    """What the cells were computed with."""
    summary: SampleSummary | OnlineSummary
    draw: Callable[..., None]


def _samples(figure: ProbeFigure, preset: str, directory: Path, engine: Engine | None) -> _Shown:
    kept, wanted = Kept(directory, Examples, ProbeError), figure.examples(preset)
    for each in wanted:
        kept.get(each)  # a damaged file is to be told before hours of training, not behind them
    trials = Kept(directory, Outcomes, ProbeError)
    found = results_of(trials, measure, figure.cells(preset), engine)
    examples = results_of(kept, follow, wanted, engine, what="examples", needed=False)
    summary = summarise(found, examples=examples)
    cells = [each.cell.id for each in found] + [each.cell.id for each in examples]
    facts = [trials.environment(each.cell) for each in found] + [kept.environment(each.cell) for each in examples]
    return _Shown(cells, different_environments(facts), summary, partial(plot_samples, summary, figure.title))


def _online(figure: ProbeFigure, preset: str, directory: Path, engine: Engine | None) -> _Shown:
    trials = Kept(directory, Curves, ProbeError)
    found = results_of(trials, watch, figure.online(preset), engine)
    summary = summarise_online(found)
    environments = different_environments(trials.environment(each.cell) for each in found)
    draw = partial(plot_online, found, summary, figure.title)
    return _Shown([each.cell.id for each in found], environments, summary, draw)
