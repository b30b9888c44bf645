"""`Kept`: a directory with one JSON file for each finished cell, which is there complete or not at all.

The store of runs is for configs that have a task, training lengths and test lengths, and for losses by length; a cell
has none of these, and its result is one small record. So it has a file of its own in the store, named by the hash of
the cell, with a digest (`lengthwise.runs.store.sealed`). A file that is there is never computed again, and one that is
damaged or of another cell is an error that names it; `lengthwise store repair` sets it aside.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Generic, Self, TypeVar

from pydantic import BeforeValidator, TypeAdapter

from lengthwise.errors import LengthwiseError
from lengthwise.runs.engines.engine import Engine, completed
from lengthwise.runs.environment import environment
from lengthwise.runs.settings import Hashed
from lengthwise.runs.store.disk import writing
from lengthwise.runs.store.sealed import read_sealed, write_sealed

Number = Annotated[float, BeforeValidator(lambda value: math.nan if value is None else value)]
"""A number that is null in JSON where it is none, as the loss of a trial that diverged."""


@dataclass(frozen=True)
class Result(ABC):
    """What is computed for a cell: plain data, which goes into a file and comes back from it."""

    cell: Any
    """The settings that decide it, `Hashed`."""
    seconds: Number = field(default=math.nan, compare=False, kw_only=True)
    """What it took; NaN if that was not kept."""
    environment: Mapping[str, Any] | None = field(default=None, compare=False, kw_only=True)
    """What it was computed with; known of results that come from a file, if it was kept."""

    @property
    @abstractmethod
    def told(self) -> str:
        """Which cell it is and what came of it, in a few words."""

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        data = {**asdict(self), "cell": self.cell.model_dump(mode="json"), "seconds": round(self.seconds, 3)}
        return {name: value for name, value in data.items() if name != "environment"}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """What `as_json` gave."""
        return TypeAdapter(cls).validate_python({**data, "environment": None})


Item = TypeVar("Item", bound=Hashed)
Value = TypeVar("Value", bound=Result)


class Kept(Generic[Value]):
    """Results of one kind in a directory; what is wrong with a file is told as an error of the given type."""

    def __init__(self, directory: Path, kind: type[Value], error: type[LengthwiseError]) -> None:
        self.directory, self.kind, self.error = Path(directory), kind, error

    def path(self, cell: Hashed) -> Path:
        """Where the result of a cell is, or will be."""
        return self.directory / f"{cell.id}.json"

    def get(self, cell: Hashed) -> Value | None:
        """The result of a cell with what it was computed with; None if there is none."""
        path = self.path(cell)
        if not path.exists():
            return None
        try:
            data = read_sealed(path)
            same, facts = data["cell"] == cell.model_dump(mode="json"), data.get("environment")
            found = self.kind.from_json(data)
        except (ValueError, KeyError, TypeError, AttributeError, OSError):
            raise self.error(
                f"{path} cannot be read as the result of a cell; delete it, and it is made again"
            ) from None
        if not same:
            raise self.error(f"{path} is the result of another cell; delete it, and it is made again")
        if facts is not None and not isinstance(facts, Mapping):
            raise self.error(f"{path} does not say what it was computed with; delete it, and it is made again")
        return replace(found, environment=facts)

    def put(self, result: Value) -> None:
        """Keep a result with what it was computed with: this process, if it does not say."""
        facts = environment() if result.environment is None else result.environment
        with writing(f"the result of cell {result.cell.id}"):
            self.directory.mkdir(parents=True, exist_ok=True)
            write_sealed(self.path(result.cell), {**result.as_json(), "environment": facts})

    def results(self, cells: Iterable[Hashed]) -> list[Value]:
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
                self.put(outcome.value)
                yield outcome.value


def _with_environment(function: Callable[[Item], Value], cell: Item) -> Value:
    """A result with the environment of the process that computed it, which may be on another machine."""
    begin = time.perf_counter()
    return replace(function(cell), seconds=time.perf_counter() - begin, environment=environment())
