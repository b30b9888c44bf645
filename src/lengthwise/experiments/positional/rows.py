"""The losses of each function, width and test length, and what two guesses would have: computed from results alone.

`nothing` is the loss of products that are 0 everywhere, `near` that of products that equal φ at all distances that were
trained and are 0 beyond. What is 0 anyway far away, a local function, is right with `near`; any other one is not. All
windows of a length have the same guesses, as φ depends on the distance alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lengthwise.experiments.positional.cell import Cell
from lengthwise.experiments.positional.function import Floats
from lengthwise.experiments.positional.outcome import Fits
from lengthwise.experiments.positional.windows import entries
from lengthwise.runs.store.disk import plain


@dataclass(frozen=True, eq=False)
class Row:
    """The losses of a function at a width and a test length."""

    panel: str
    cell: Cell
    length: int
    losses: Floats
    """After the last step, one for each trial; infinite if it diverged."""
    nothing: float
    near: float
    published: float | None
    """What the authors have, with one trial; None if they have none."""

    @property
    def median(self) -> float:
        """Over trials."""
        return float(np.median(self.losses))

    @property
    def spread(self) -> tuple[float, float]:
        """The least and the greatest loss."""
        return float(self.losses.min()), float(self.losses.max())

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        found: dict[str, Any] = plain(
            {
                "panel": self.panel,
                "function": self.cell.function,
                "kind": self.cell.positional_function.kind,
                "width": self.cell.width,
                "test_length": self.length,
                "median": self.median,
                "least": self.spread[0],
                "greatest": self.spread[1],
                "losses": self.losses.tolist(),
                "zero_everywhere": self.nothing,
                "zero_beyond_training": self.near,
                "published": self.published,
            }
        )
        return found


def rows(
    panels: Mapping[str, Sequence[Cell]],
    results: Sequence[Fits],
    reference: Callable[[Cell], tuple[float, ...] | None] = lambda cell: None,
) -> list[Row]:
    """The rows of all cells of the panels that have results, in the order of the panels."""
    there = {each.cell.id: each for each in results}
    found = []
    for panel, cells in panels.items():
        for cell in cells:
            if cell.id not in there:
                continue
            published = reference(cell)
            for place, length in enumerate(cell.test_lengths):
                losses = np.array([trial.losses[place] for trial in there[cell.id].trials])
                losses = np.where(np.isnan(losses), np.inf, losses)
                theirs = None if published is None else published[place]
                found.append(Row(panel, cell, length, losses, *guesses(cell, length), theirs))
    return found


def guesses(cell: Cell, length: int) -> tuple[float, float]:
    """The losses of 0 everywhere, and of φ at the distances that are trained and 0 beyond."""
    distances = np.arange(length)
    squares = (cell.height * cell.positional_function.of(distances)) ** 2 * (length - distances) / entries(length)
    return float(squares.sum()), float(squares[cell.window :].sum())
