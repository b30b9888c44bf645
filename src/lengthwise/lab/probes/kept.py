"""`Kept`: a directory with one JSON file for each finished cell, which is there complete or not at all.

The store of runs is for configs that have a task, training lengths and test lengths, and for losses by length; a cell
has none of these, and its result is one small record. So it has a file of its own, named by the hash of the cell. A
file that is there is never computed again, and one that is damaged or of another cell is an error that names it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, Generic, Protocol, Self, TypeVar

from lengthwise.lab.disk import write_json, writing
from lengthwise.lab.engines import Engine, completed
from lengthwise.lab.environment import environment
from lengthwise.lab.probes.cell import Cell, Probe
from lengthwise.lab.probes.function import ProbeError
from lengthwise.lab.probes.outcome import Outcomes
from lengthwise.lab.probes.trials import measure


class Result(Protocol):
    """What is computed for a cell."""

    @property
    def told(self) -> str:
        """Which cell it is and what came of it, in a few words."""
        ...

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        ...

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """What `as_json` gave."""
        ...


Item = TypeVar("Item", bound=Probe)
Value = TypeVar("Value", bound=Result)


class Kept(Generic[Value]):
    """Results of one kind in a directory."""

    def __init__(self, directory: Path, kind: type[Value]) -> None:
        self.directory, self.kind = Path(directory), kind

    def path(self, cell: Probe) -> Path:
        """Where the result of a cell is, or will be."""
        return self.directory / f"{cell.id}.json"

    def get(self, cell: Probe) -> Value | None:
        """The result of a cell; None if there is none."""
        path = self.path(cell)
        if not path.exists():
            return None
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            same = data["cell"] == cell.model_dump(mode="json")
            found = self.kind.from_json(data)
        except (ValueError, KeyError, TypeError, OSError):
            raise ProbeError(
                f"{path} cannot be read as the result of a cell; delete it, and it is made again"
            ) from None
        if not same:
            raise ProbeError(f"{path} is the result of another cell; delete it, and it is made again")
        return found

    def put(self, cell: Probe, result: Value) -> None:
        """Keep the result of a cell, with what it was computed by."""
        with writing(f"the result of cell {cell.id}"):
            self.directory.mkdir(parents=True, exist_ok=True)
            write_json(self.path(cell), {**result.as_json(), "environment": environment()})

    def completed(
        self, function: Callable[[Item], Value], cells: Iterable[Item], engine: Engine | str = "serial"
    ) -> Iterator[Value]:
        """The results of all cells: those there are, then the others as they are computed and kept."""
        missing = []
        for cell in cells:
            found = self.get(cell)
            if found is None:
                missing.append(cell)
            else:
                yield found
        for outcome in completed(engine, function, missing):
            if outcome.error is not None:
                raise outcome.error
            value = outcome.value
            if value is not None:
                self.put(outcome.item, value)
                yield value


def grid(contexts: Sequence[int], samples: Sequence[int], **settings: Any) -> list[Cell]:
    """The cells of all contexts T and sample sizes m, which agree in all else."""
    return [Cell(context=context, samples=size, **settings) for context, size in product(contexts, samples)]


def run(cells: Iterable[Cell], directory: Path, engine: Engine | str = "serial") -> list[Outcomes]:
    """The outcomes of all cells, from the directory as far as they are there; ordered by T and m."""
    found = Kept(directory, Outcomes).completed(measure, cells, engine)
    return sorted(found, key=lambda each: (each.cell.context, each.cell.samples))
