"""The results of cells that a figure is made from: those that are kept and, if asked for, those that are missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import typer

from lengthwise.errors import LengthwiseError
from lengthwise.experiments.kept import Item, Kept, Value
from lengthwise.runs.display.progress import Progress
from lengthwise.runs.engines.engine import Engine

KEPT = "finished cells are kept, and the same command goes on from there"
"""What an interruption leaves."""


def results_of(
    kept: Kept[Value],
    function: Callable[[Item], Value],
    cells: Sequence[Item],
    engine: Engine | None,
    *,
    what: str = "cells",
    needed: bool = True,
    made: str = "trained",
) -> list[Value]:
    """All results, or without an engine those there are, after a word on what is missing; if needed, some must be."""
    missing = kept.missing(cells)
    if engine is not None:
        with Progress(len(missing)) as progress:
            for value in kept.completed(function, missing, engine):
                progress.advance(value.told)
    elif needed and len(missing) == len(cells):
        have = f"{kept.directory} has none of the {len(cells)} {what}"
        raise LengthwiseError(f"{have}; without --no-train they are {made}")
    elif missing:
        typer.echo(f"{len(missing)} of {len(cells)} {what} are missing; what is there is shown", err=True)
    return kept.results(cells)
