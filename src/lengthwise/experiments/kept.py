"""`Kept`: a directory with one JSON file for each finished cell, which is there complete or not at all.

The store of runs is for configs that have a task, training lengths and test lengths, and for losses by length; a cell
has none of these, and its result is one small record. So it has a file of its own, named by the hash of the cell. A
file that is there is never computed again, and one that is damaged or of another cell is an error that names it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Generic, Protocol, Self, TypeVar

from lengthwise.errors import LengthwiseError
from lengthwise.runs.engines.engine import Engine, completed
from lengthwise.runs.environment import environment
from lengthwise.runs.store.disk import write_json, writing


class Cell(Protocol):
    """Settings that decide a result."""

    @property
    def id(self) -> str:
        """Their hash."""
        ...

    def model_dump(self, *, mode: str) -> dict[str, Any]:
        """Plain data, in the mode `json`."""
        ...


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


Item = TypeVar("Item", bound=Cell)
Value = TypeVar("Value", bound=Result)


class Kept(Generic[Value]):
    """Results of one kind in a directory; what is wrong with a file is told as an error of the given type."""

    def __init__(self, directory: Path, kind: type[Value], error: type[LengthwiseError]) -> None:
        self.directory, self.kind, self.error = Path(directory), kind, error

    def path(self, cell: Cell) -> Path:
        """Where the result of a cell is, or will be."""
        return self.directory / f"{cell.id}.json"

    def get(self, cell: Cell) -> Value | None:
        """The result of a cell; None if there is none."""
        path = self.path(cell)
        if not path.exists():
            return None
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            same = data["cell"] == cell.model_dump(mode="json")
            found = self.kind.from_json(data)
        except (ValueError, KeyError, TypeError, OSError):
            raise self.error(
                f"{path} cannot be read as the result of a cell; delete it, and it is made again"
            ) from None
        if not same:
            raise self.error(f"{path} is the result of another cell; delete it, and it is made again")
        return found

    def environment(self, cell: Cell) -> Mapping[str, Any] | None:
        """What the result of a cell was computed with; None if there is no result, or if that was not kept."""
        if self.get(cell) is None:
            return None
        found = json.loads(self.path(cell).read_text(encoding="utf-8")).get("environment")
        if found is not None and not isinstance(found, Mapping):
            raise self.error(
                f"{self.path(cell)} does not say what it was computed with; delete it, and it is made again"
            )
        return found

    def put(self, cell: Cell, result: Value, computed_with: Mapping[str, Any] | None = None) -> None:
        """Keep the result of a cell, with what it was computed by: this process, if nothing else is said."""
        facts = environment() if computed_with is None else computed_with
        with writing(f"the result of cell {cell.id}"):
            self.directory.mkdir(parents=True, exist_ok=True)
            write_json(self.path(cell), {**result.as_json(), "environment": facts})

    def results(self, cells: Iterable[Cell]) -> list[Value]:
        """The results there are, in the order of the cells."""
        return [found for cell in cells if (found := self.get(cell)) is not None]

    def missing(self, cells: Iterable[Item]) -> list[Item]:
        """The cells that have no result."""
        return [cell for cell in cells if self.get(cell) is None]

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
        for outcome in completed(engine, partial(_with_environment, function), missing):
            if outcome.error is not None:
                raise outcome.error
            if outcome.value is not None:
                value, facts = outcome.value
                self.put(outcome.item, value, facts)
                yield value


def _with_environment(function: Callable[[Item], Value], cell: Item) -> tuple[Value, dict[str, Any]]:
    """A result with the environment of the process that computed it, which may be on another machine."""
    return function(cell), environment()
