"""The figures of probes that `lengthwise reproduce` trains trials for."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import typer

from lengthwise.cli.train import INTERRUPTED
from lengthwise.errors import LengthwiseError
from lengthwise.lab.disk import checksum, write_json, writing
from lengthwise.lab.engines import Engine, get_engine
from lengthwise.lab.environment import environment
from lengthwise.lab.probes import Curves, Examples, Kept, Outcomes, follow, measure, watch
from lengthwise.lab.probes.kept import Item, Value
from lengthwise.lab.probes.published import ProbeFigure, catalogue
from lengthwise.lab.probes.summary import OnlineSummary, SampleSummary, summarise, summarise_online
from lengthwise.lab.progress import Progress
from lengthwise.report.probe_plot import plot_online, plot_samples
from lengthwise.report.reproduction import read_formats

PROBES = "probes"
"""The directory within a store that has the results of probes."""


def reproduce_probe(
    name: str,
    preset: str,
    store: str,
    out: str,
    formats: Sequence[str],
    train: bool,
    engine: str,
    processes: int | None,
    address: str | None,
    as_json: bool,
) -> None:
    """Train the trials that are missing, write the files of the figure, and print what they say."""
    suffixes = read_formats(formats)
    path = catalogue()[name]
    figure = ProbeFigure.from_file(path)
    worker, kept = get_engine(engine, processes, address), Path(store) / PROBES
    try:
        shown = (_samples if figure.kind == "samples" else _online)(figure, preset, kept, train, worker)
    except KeyboardInterrupt:
        typer.echo("interrupted: finished cells are kept, and the same command goes on from there", err=True)
        raise typer.Exit(INTERRUPTED) from None
    directory = Path(out) / name / preset
    facts = {
        "figure": name,
        "title": figure.title,
        "preset": preset,
        "command": f"lengthwise reproduce {name} --preset {preset}",
        "file_sha256": checksum(path),
        "cells": shown.cells,
        "environment": environment(),
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
    summary: SampleSummary | OnlineSummary
    draw: Callable[..., None]


def _samples(figure: ProbeFigure, preset: str, directory: Path, train: bool, engine: Engine) -> _Shown:
    kept, wanted = Kept(directory, Examples), figure.examples(preset)
    for each in wanted:
        kept.get(each)  # a damaged file is to be told before hours of training, not behind them
    found = _results(Kept(directory, Outcomes), measure, figure.cells(preset), train, engine)
    examples = _results(kept, follow, wanted, train, engine, "examples")
    summary = summarise(found, examples=examples)
    cells = [each.cell.id for each in found] + [each.cell.id for each in examples]
    return _Shown(cells, summary, partial(plot_samples, summary, figure.title))


def _online(figure: ProbeFigure, preset: str, directory: Path, train: bool, engine: Engine) -> _Shown:
    found = _results(Kept(directory, Curves), watch, figure.online(preset), train, engine)
    summary = summarise_online(found)
    return _Shown([each.cell.id for each in found], summary, partial(plot_online, found, summary, figure.title))


def _results(
    kept: Kept[Value],
    function: Callable[[Item], Value],
    cells: Sequence[Item],
    train: bool,
    engine: Engine,
    what: str = "cells",
) -> list[Value]:
    """The results there are and, if they are to be trained, the others; without examples, the rest can be shown."""
    missing = [cell for cell in cells if kept.get(cell) is None]
    if not train:
        if len(missing) == len(cells) and what == "cells":
            have = f"{kept.directory} has none of the {len(cells)} cells"
            raise LengthwiseError(f"{have}; without --no-train they are trained")
        if missing:
            typer.echo(f"{len(missing)} of {len(cells)} {what} are missing; what is there is shown", err=True)
    else:
        with Progress(len(missing)) as progress:
            for value in kept.completed(function, missing, engine):
                progress.advance(value.told)
    return [found for cell in cells if (found := kept.get(cell)) is not None]
