"""The figures of positional functions that `lengthwise reproduce` fits products for."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from lengthwise.cli.interruption import interruptible
from lengthwise.cli.reproduce_cells import KEPT, results_of
from lengthwise.cli.reproduce_request import Request
from lengthwise.cli.reproduce_summary import show_summary
from lengthwise.experiments.kept import Kept
from lengthwise.experiments.positional import Fits, PositionalError, PositionalFigure, Summary, catalogue, fit
from lengthwise.experiments.positional.positional_plot import plot_positional
from lengthwise.experiments.sweeps.reproduction import read_formats

POSITIONAL = "positional"
"""The directory within a store that has the results of cells."""


def reproduce_positional(request: Request, as_json: bool) -> None:
    """Fit the cells that are missing, write the files of the figure, and print what they say."""
    suffixes = read_formats(request.formats)
    request.require_writable(["claims.json", "provenance.json"], suffixes)
    path = catalogue()[request.figure]
    cells = PositionalFigure.from_file(path).all_cells(request.preset)
    kept = Kept(Path(request.store) / POSITIONAL, Fits, PositionalError)
    engine = request.workers()
    with interruptible(KEPT):
        results = results_of(kept, fit, cells, engine if request.train else None, made="fitted")
    summary = Summary(request.figure, path, request.preset, results)
    show_summary(summary, partial(plot_positional, summary), request, suffixes, as_json)
