"""The figures about text that `lengthwise reproduce` trains two small models of bytes for."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

import typer

from lengthwise.cli.train import INTERRUPTED
from lengthwise.errors import LengthwiseError
from lengthwise.lab.engines import Engine, completed, get_engine
from lengthwise.lab.progress import Progress
from lengthwise.lab.results import write_results
from lengthwise.lab.text.checkpoint import steps_done
from lengthwise.lab.text.kept_corpus import kept_corpus
from lengthwise.lab.text.pair import TextPair, corpus_of, train_cell
from lengthwise.lab.text.published import TextFigure, catalogue
from lengthwise.lab.text.training import read_trained
from lengthwise.report.reproduction import obstacle_to_drawing, read_formats

if TYPE_CHECKING:
    from lengthwise.diagnose.influence.summary import TextSummary

TEXT = "text"
"""The directory within a store that has texts, models of them, and what was measured."""


class Told(Protocol):
    """Something that was finished."""

    @property
    def told(self) -> str:
        """What it is, in a few words."""
        ...


Item = TypeVar("Item")
Value = TypeVar("Value", bound=Told)


def reproduce_text(
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
    """Train the models and measure the parts that are missing, write the files of the figure, and print what they say.

    A model that is in work goes on from its last checkpoint.
    """
    suffixes = read_formats(formats)
    path = catalogue()[name]
    pairs, kept = TextFigure.from_file(path).pairs(preset), Path(store) / TEXT
    worker = get_engine(engine, processes, address)
    if not worker.shares_disk:
        raise LengthwiseError(f"{name} keeps its checkpoints on this machine; take --engine local or serial")
    try:
        if train:
            _complete(kept, pairs, worker)
    except KeyboardInterrupt:
        typer.echo("interrupted: checkpoints and finished parts are kept, and the same command goes on", err=True)
        raise typer.Exit(INTERRUPTED) from None
    summary = _summary(name, path, preset, kept, pairs)
    directory = Path(out) / name / preset
    files = summary.files()
    if (obstacle := obstacle_to_drawing()) is not None:
        typer.echo(f"{obstacle}; the numbers and the claims are written without the figure", err=True)
    else:
        files |= {f"figure.{suffix}": _drawing(summary, suffix) for suffix in suffixes}
    write_results(directory, files)
    if as_json:
        from lengthwise.lab.disk import plain

        typer.echo(json.dumps(plain(summary.as_json()), ensure_ascii=False, indent=2))
        return
    typer.echo(f"{summary.figure.title} ({name}, preset {preset})\n")
    for line in summary.lines():
        typer.echo(line)
    typer.echo(f"\n{directory}: {', '.join(files)}")


def _complete(kept: Path, pairs: Sequence[TextPair], engine: Engine) -> None:
    """Train what is missing, then measure what is missing."""
    from lengthwise.diagnose.influence.parts import measure_part, missing_parts

    for settings in {pair.short.corpus for pair in pairs}:
        kept_corpus(kept, settings)  # once, before several processes would
    cells = [cell for pair in pairs for cell in pair.cells.values() if read_trained(kept / cell.id) is None]
    at_first = sum(steps_done(kept / cell.id) / cell.steps for cell in cells)

    def in_work() -> float:
        return max(0.0, sum(steps_done(kept / cell.id) / cell.steps for cell in cells) - at_first)

    _work(partial(train_cell, kept), cells, engine, in_work)
    _work(partial(measure_part, kept), missing_parts(kept, pairs), engine)


def _work(
    function: Callable[[Item], Value], items: Sequence[Item], engine: Engine, in_work: Callable[[], float] | None = None
) -> None:
    with Progress(len(items), in_work or (lambda: 0.0)) as progress:
        for outcome in completed(engine, function, items):
            if outcome.error is not None:
                raise outcome.error
            if outcome.value is not None:
                progress.advance(outcome.value.told)


def _summary(name: str, path: Path, preset: str, kept: Path, pairs: Sequence[TextPair]) -> TextSummary:
    """What there is to show, after a word on what is missing."""
    from lengthwise.diagnose.influence.outcome import outcome_of
    from lengthwise.diagnose.influence.summary import TextSummary

    outcomes = [found for pair in pairs if (found := outcome_of(kept, pair)) is not None]
    if not outcomes:
        have = f"{kept} has no results for the {len(pairs)} pairs of models"
        raise LengthwiseError(f"{have}; without --no-train they are trained")
    if len(outcomes) < len(pairs) or not all(each.complete for each in outcomes):
        typer.echo("some results are missing; what is there is shown", err=True)
    return TextSummary(name, path, preset, outcomes, corpus_of(kept, outcomes[0].pair, outcomes[0].trained))


def _drawing(summary: TextSummary, suffix: str) -> bytes:
    from lengthwise.report.text_plot import plot_text

    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / f"figure.{suffix}"
        plot_text(summary, path)
        return path.read_bytes()
