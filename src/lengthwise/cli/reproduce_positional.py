"""The figures of positional functions that `lengthwise reproduce` fits products for."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

import typer

from lengthwise.cli.train import INTERRUPTED
from lengthwise.errors import LengthwiseError
from lengthwise.lab.engines import Engine, get_engine
from lengthwise.lab.positional import Cell, KeptFits, PositionalFigure, Summary, catalogue
from lengthwise.lab.progress import Progress
from lengthwise.lab.results import write_results
from lengthwise.report.positional_plot import plot_positional
from lengthwise.report.reproduction import obstacle_to_drawing, read_formats

POSITIONAL = "positional"
"""The directory within a store that has the results of cells."""


def reproduce_positional(
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
    """Fit the cells that are missing, write the files of the figure, and print what they say."""
    suffixes = read_formats(formats)
    path = catalogue()[name]
    cells = PositionalFigure.from_file(path).all_cells(preset)
    kept = KeptFits(Path(store) / POSITIONAL)
    worker = get_engine(engine, processes, address)
    try:
        _fit_missing(kept, cells, train, worker)
    except KeyboardInterrupt:
        typer.echo("interrupted: finished cells are kept, and the same command goes on from there", err=True)
        raise typer.Exit(INTERRUPTED) from None
    summary = Summary(name, path, preset, kept.results(cells))
    directory = Path(out) / name / preset
    files = summary.files()
    if (obstacle := obstacle_to_drawing()) is not None:
        typer.echo(f"{obstacle}; the numbers and the claims are written without the figure", err=True)
    else:
        files |= {f"figure.{suffix}": _drawing(summary, suffix) for suffix in suffixes}
    write_results(directory, files)
    if as_json:
        typer.echo(json.dumps(summary.as_json(), ensure_ascii=False, indent=2))
        return
    typer.echo(f"{summary.figure.title} ({name}, preset {preset})\n")
    for line in summary.lines():
        typer.echo(line)
    typer.echo(f"\n{directory}: {', '.join(files)}")


def _fit_missing(kept: KeptFits, cells: Sequence[Cell], train: bool, engine: Engine) -> None:
    """Fit what is missing; without training, say what is."""
    missing = kept.missing(cells)
    if train:
        with Progress(len(missing)) as progress:
            for value in kept.completed(missing, engine):
                progress.advance(value.told)
    elif len(missing) == len(cells):
        have = f"{kept.directory} has none of the {len(cells)} cells"
        raise LengthwiseError(f"{have}; without --no-train they are fitted")
    elif missing:
        typer.echo(f"{len(missing)} of {len(cells)} cells are missing; what is there is shown", err=True)


def _drawing(summary: Summary, suffix: str) -> bytes:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / f"figure.{suffix}"
        plot_positional(summary, path)
        return path.read_bytes()
