"""Results of cells in a directory: one file for each finished cell, as the probes have them (`lab.probes.kept`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from lengthwise.lab.engines import Engine
from lengthwise.lab.positional.cell import Cell
from lengthwise.lab.positional.fitting import fit
from lengthwise.lab.positional.outcome import Fits
from lengthwise.lab.probes.kept import Kept


class KeptFits:
    """The results in a directory; what is there is never computed again."""

    def __init__(self, directory: Path) -> None:
        self.directory = Path(directory)
        # The files of the probes ask of a cell nothing but its hash and its settings, though their types ask for more.
        self._files: Any = Kept(self.directory, Fits)

    def path(self, cell: Cell) -> Path:
        """Where the result of a cell is, or will be."""
        found: Path = self._files.path(cell)
        return found

    def get(self, cell: Cell) -> Fits | None:
        """The result of a cell; None if there is none."""
        found: Fits | None = self._files.get(cell)
        return found

    def missing(self, cells: Iterable[Cell]) -> list[Cell]:
        """Those that have no result."""
        return [cell for cell in cells if self.get(cell) is None]

    def completed(self, cells: Iterable[Cell], engine: Engine | str = "serial") -> Iterator[Fits]:
        """The results of all cells: those there are, then the others as they are computed and kept."""
        found: Iterator[Fits] = self._files.completed(fit, cells, engine)
        return found

    def results(self, cells: Iterable[Cell]) -> list[Fits]:
        """The results there are, in the order of the cells."""
        return [found for cell in cells if (found := self.get(cell)) is not None]
