"""The figures about text that `lengthwise reproduce` trains two small models of bytes for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

import typer

from lengthwise.cli.interruption import interruptible
from lengthwise.cli.reproduce_request import Request
from lengthwise.cli.reproduce_summary import show_summary
from lengthwise.errors import LengthwiseError
from lengthwise.experiments.sweeps.reproduction import read_formats
from lengthwise.experiments.text.published import TextFigure, catalogue
from lengthwise.runs.display.progress import Progress, Running
from lengthwise.runs.display.watch import RunningRun
from lengthwise.runs.engines.engine import Engine, completed
from lengthwise.runs.labels import scheme_label, size_label
from lengthwise.runs.text.cell import TextCell
from lengthwise.runs.text.checkpoint import steps_done
from lengthwise.runs.text.kept_corpus import kept_corpus
from lengthwise.runs.text.pair import TextPair, corpus_of, train_cell
from lengthwise.runs.text.training import read_trained

if TYPE_CHECKING:
    from lengthwise.experiments.text.summary import TextSummary

TEXT = "text"
"""The directory within a store that has texts, models of them, and what was measured."""
KEPT = "checkpoints and finished parts are kept, and the same command goes on"
"""What an interruption leaves."""


class Told(Protocol):
    """Something that was finished."""

    @property
    def told(self) -> str:
        """What it is, in a few words."""
        ...


Item = TypeVar("Item")
Value = TypeVar("Value", bound=Told)


def reproduce_text(request: Request, as_json: bool) -> None:
    """Train the models and measure the parts that are missing, write the files of the figure, and print what they say.

    A model that is in work goes on from its last checkpoint.
    """
    from lengthwise.experiments.text.text_plot import plot_text

    suffixes = read_formats(request.formats)
    request.require_writable(["claims.json", "provenance.json"], suffixes)
    path = catalogue()[request.figure]
    pairs, kept = TextFigure.from_file(path).pairs(request.preset), Path(request.store) / TEXT
    engine = request.workers()
    if not engine.shares_disk:
        raise LengthwiseError(f"{request.figure} keeps its checkpoints on this machine; take --engine local or serial")
    with interruptible(KEPT):
        if request.train:
            _complete(kept, pairs, engine)
    summary = _summary(request, path, kept, pairs)
    show_summary(summary, partial(plot_text, summary), request, suffixes, as_json)


def _complete(kept: Path, pairs: Sequence[TextPair], engine: Engine) -> None:
    """Train what is missing, then measure what is missing."""
    from lengthwise.experiments.text.parts import measure_part, missing_parts

    for settings in {pair.short.corpus for pair in pairs}:
        kept_corpus(kept, settings)  # once, before several processes would
    cells = [cell for pair in pairs for cell in pair.cells.values() if read_trained(kept / cell.id) is None]
    _work(partial(train_cell, kept), cells, engine, partial(_in_training, kept, cells, _steps(kept, cells)))
    _work(partial(measure_part, kept), missing_parts(kept, pairs), engine)


def _steps(kept: Path, cells: Sequence[TextCell]) -> dict[str, int]:
    """How many steps the checkpoint of each cell has behind it; a finished cell has no checkpoint any more."""
    return {cell.id: steps_done(kept / cell.id) for cell in cells}


def _in_training(kept: Path, cells: Sequence[TextCell], at_first: Mapping[str, int]) -> list[RunningRun]:
    """The models that have come further than they were at first."""
    now = _steps(kept, cells)
    return [
        RunningRun(
            cell.id,
            "text",
            scheme_label("pose" if cell.pose_steps else "rope"),
            cell.context,
            size_label(cell.model.layers, cell.model.heads, cell.model.width),
            str(cell.seed),
            now[cell.id],
            cell.steps,
            first_step=at_first[cell.id],
        )
        for cell in cells
        if now[cell.id] > at_first[cell.id]
    ]


def _work(
    function: Callable[[Item], Value], items: Sequence[Item], engine: Engine, running: Running | None = None
) -> None:
    with Progress(len(items), running) as progress:
        for outcome in completed(engine, function, items):
            if outcome.error is not None:
                raise outcome.error
            if outcome.value is not None:
                progress.advance(outcome.value.told)


def _summary(request: Request, path: Path, kept: Path, pairs: Sequence[TextPair]) -> TextSummary:
    """What there is to show, after a word on what is missing."""
    from lengthwise.experiments.text.outcome import outcome_of
    from lengthwise.experiments.text.summary import TextSummary

    outcomes = [found for pair in pairs if (found := outcome_of(kept, pair)) is not None]
    if not outcomes:
        have = f"{kept} has no results for the {len(pairs)} pairs of models"
        raise LengthwiseError(f"{have}; without --no-train they are trained")
    if len(outcomes) < len(pairs) or not all(each.complete for each in outcomes):
        typer.echo("some results are missing; what is there is shown", err=True)
    corpus = corpus_of(kept, outcomes[0].pair, outcomes[0].trained)
    return TextSummary(request.figure, path, request.preset, outcomes, corpus)
