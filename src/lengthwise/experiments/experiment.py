"""`Experiment`: what all kinds of experiments have in common, from the cells that are computed to the report.

An experiment is a figure file with a name. A preset of it has cells; `next` says which are still to be computed, given
what a store has, until there are none; `run` computes them; a `Report` judges the claims of the paper by what the store
has, tells it as tables and text, and draws it. `lengthwise.experiments.reproduce` does all of this for every kind.
"""

from __future__ import annotations

import math
import shlex
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar, cast

from lengthwise.errors import LengthwiseError, UnknownNameError
from lengthwise.experiments.figure_file import FigureFile, digest
from lengthwise.experiments.kept import Kept, Result
from lengthwise.experiments.results import Size, as_csv
from lengthwise.runs.config import ConfigError
from lengthwise.runs.display.progress import Progress, Running
from lengthwise.runs.engines.engine import Engine, completed
from lengthwise.runs.environment import different_environments
from lengthwise.runs.settings import Hashed
from lengthwise.runs.store.kept_results import KeptResultsError

if TYPE_CHECKING:
    from lengthwise.runs.sweep import Failure

Content = TypeVar("Content", bound=FigureFile)
Item = TypeVar("Item")


@dataclass(frozen=True)
class Lacking:
    """What a store lacks of a preset."""

    text: str
    everything: bool


class Judged(Protocol):
    """What became of a claim."""

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        ...


class Experiment(ABC, Generic[Content]):
    """A figure of a paper by its name; how much of it is computed depends on a preset.

    A kind of experiment is a class like this that is registered (`catalogue.register_experiment`).
    """

    content: ClassVar[type[FigureFile]]
    """What its files say."""
    tables: ClassVar[tuple[str, ...]] = ("results.csv",)
    """The files beside `claims.json`, `provenance.json` and the drawings."""
    made: ClassVar[str] = "trained"
    """What happens to cells."""
    keeps: ClassVar[str] = "finished cells are kept, and the same command goes on from there"
    """What an interruption leaves."""

    def __init__(self, name: str, path: Path, device: str | None = None, own: bool = False) -> None:
        self.name, self.path, self.device, self.own = name, Path(path), device, own

    @cached_property
    def figure(self) -> Content:
        """What the file says, trained on the device that was asked for."""
        found: Any = self.content.from_file(self.path)
        return cast(Content, found if self.device is None else self.on_device(found, self.device))

    def on_device(self, figure: Content, device: str) -> Content:
        """The content trained on a device; an error where the kind is trained on the processor alone."""
        if device != "cpu":
            raise LengthwiseError(f"{self.name} is {self.made} on the processor; leave --device out")
        return figure

    @abstractmethod
    def cells(self, preset: str) -> Sequence[Any]:
        """Everything that is computed for a preset."""

    @abstractmethod
    def size(self, preset: str) -> Size:
        """How much there is to train for a preset."""

    @abstractmethod
    def next(self, preset: str, store: Path) -> Sequence[Any]:
        """What is to be computed now, given what a store has; nothing if that is enough."""

    @abstractmethod
    def train(self, preset: str, store: Path, engine: Engine) -> Sequence[Failure]:
        """Compute what a store lacks; the runs that failed."""

    @abstractmethod
    def take_over(self, preset: str, store: Path, directory: Path) -> str:
        """Put the results that a directory has into a store, where it lacks them; how many there were."""

    @abstractmethod
    def lacking(self, preset: str, store: Path) -> Sequence[Lacking]:
        """What a store lacks of a preset."""

    @abstractmethod
    def report(self, preset: str, store: Path) -> Report:
        """What a store has, judged; some of it must be there."""

    def require_sound(self, preset: str) -> None:
        """Refuse a preset that is not there, or a mistake in the file, before anything is computed."""
        self.cells(preset)

    def problems(self, store: Path) -> Sequence[str]:
        """What is damaged in a store, in sentences."""
        return ()

    def command(self, preset: str) -> str:
        """What to type to get the same again; a file of one's own is named without where it is."""
        device = [] if self.device is None else ["--device", self.device]
        return shlex.join(
            ["lengthwise", "reproduce", self.path.name if self.own else self.name, "--preset", preset, *device]
        )

    def facts(self) -> dict[str, Any]:
        """The title and the sizes of all presets; or what is wrong with the file, which does not hide the others."""
        try:
            presets = {preset: asdict(self.size(preset)) for preset in self.figure.presets}
        except LengthwiseError as problem:
            return {"name": self.name, "problem": str(problem)}
        return {"name": self.name, "title": self.figure.title, "presets": presets}

    @contextmanager
    def about(self, preset: str) -> Iterator[None]:
        """Tell a mistake with the name of the file or, if there is no such preset, of the figure."""
        try:
            yield
        except LengthwiseError as problem:
            if preset in self.figure.presets:
                raise ConfigError(f"{self.path}: preset {preset!r}: {problem}") from None
            raise UnknownNameError(f"{self.name}: {problem}") from None


def computed(
    function: Callable[[Item], Any], items: Sequence[Item], engine: Engine, running: Running | None = None
) -> None:
    """Apply a function that keeps what it computes to items, with a display; the first error ends it."""
    with Progress(len(items), running) as progress:
        for outcome in completed(engine, function, items):
            if outcome.error is not None:
                raise outcome.error
            if outcome.value is not None:
                progress.advance(outcome.value.told)


class CellExperiment(Experiment[Content]):
    """An experiment whose cells are small models of a kind of their own, each with a file in a folder of the store."""

    folder: ClassVar[str]
    """Of a store."""
    results: ClassVar[Mapping[type[Hashed], type[Result]]]
    """What is computed for cells, by their type. Cells of the first type in a preset must be there to show anything."""
    what: ClassVar[Mapping[type[Hashed], str]] = {}
    """What cells of a type are called, if not cells."""

    @staticmethod
    @abstractmethod
    def run(cell: Any) -> Any:
        """Compute the result of a cell."""

    @abstractmethod
    def restored(self, preset: str, directory: Path) -> Iterator[Result]:
        """The results that the files of a directory have, with what they were computed with."""

    def size(self, preset: str) -> Size:
        """How many cells and trials there are; cells that are only looked at do not count."""
        cells = self.cells(preset)
        trials = [cell.trials for cell in cells if type(cell) is type(cells[0])]
        return Size(len(trials), max(trials, default=0), sum(trials))

    def kept(self, kind: type[Hashed], store: Path) -> Kept[Result]:
        """Where the results of cells of a type are."""
        return Kept(Path(store) / self.folder, self.results[kind], self.content.problem)

    def next(self, preset: str, store: Path) -> list[Any]:
        """The cells that have no result."""
        return [cell for cell in self.cells(preset) if self.kept(type(cell), store).get(cell) is None]

    def train(self, preset: str, store: Path, engine: Engine) -> Sequence[Failure]:
        """Compute the cells that have no result; an error ends it."""
        missing = self.next(preset, store)
        with Progress(len(missing)) as progress:
            for kind in dict.fromkeys(map(type, missing)):
                cells: list[Any] = [cell for cell in missing if type(cell) is kind]
                for result in self.kept(kind, store).completed(self.run, cells, engine):
                    progress.advance(result.told)
        return ()

    def take_over(self, preset: str, store: Path, directory: Path) -> str:
        """Keep the results of a directory that the preset asks for."""
        missing = {cell.id: cell for cell in self.next(preset, store)}
        asked = {cell.id for cell in self.cells(preset)}
        try:
            found = {result.cell.id: result for result in self.restored(preset, directory)}
        except (LookupError, TypeError, ValueError, AttributeError):
            raise KeptResultsError(
                f"{directory} has no results of cells as `lengthwise reproduce` writes them"
            ) from None
        for name in missing.keys() & found.keys():
            self.kept(type(missing[name]), store).put(found[name])
        taken, other = len(missing.keys() & found.keys()), len(found.keys() - asked)
        more = f"; {other} cells have settings that {self.name} does not ask for" if other else ""
        return f"{directory}: {taken} cells taken over{more}"

    def lacking(self, preset: str, store: Path) -> list[Lacking]:
        """How many cells of each type have no result."""
        cells, missing, found = self.cells(preset), self.next(preset, store), []
        for number, kind in enumerate(dict.fromkeys(map(type, cells))):
            lost, there = (sum(type(cell) is kind for cell in each) for each in (missing, cells))
            what = self.what.get(kind, "cells")
            if lost and lost == there and not number:
                found.append(Lacking(f"{Path(store) / self.folder} has none of the {there} {what}", True))
            elif lost:
                found.append(Lacking(f"{lost} of {there} {what} are missing", False))
        return found

    def there(self, preset: str, store: Path) -> list[Any]:
        """The results there are, in the order of the cells."""
        found = (self.kept(type(cell), store).get(cell) for cell in self.cells(preset))
        return [result for result in found if result is not None]


class Report(ABC):
    """What the results of an experiment say, as files, as plain data and as text; the same results, the same bytes."""

    experiment: Any
    preset: str

    @cached_property
    def facts(self) -> dict[str, Any]:
        """What is computed, from which file, by which command."""
        experiment = self.experiment
        return {
            "figure": experiment.name,
            "title": experiment.figure.title,
            "preset": self.preset,
            "file_sha256": digest(experiment.path),
            "command": experiment.command(self.preset),
        }

    @property
    @abstractmethod
    def findings(self) -> Sequence[Judged]:
        """What became of the claims of the paper."""

    @abstractmethod
    def records(self) -> Iterable[Mapping[str, Any]]:
        """One record for each number that was measured."""

    @property
    @abstractmethod
    def provenance(self) -> Mapping[str, Any]:
        """Where the numbers come from; nothing in it depends on the clock or on where files are."""

    @property
    def timings(self) -> Mapping[str, Any]:
        """How long the cells or runs took, which differs each time: `seconds`, of all and of each."""
        return {}

    def counts(self) -> Iterator[str]:
        """How much was computed, below the title."""
        yield from ()

    @abstractmethod
    def lines(self) -> Iterator[str]:
        """What the results say, as text between blank lines."""

    @abstractmethod
    def draw(self, path: Path) -> None:
        """The drawing."""

    @property
    def drawings(self) -> Mapping[str, Callable[[Path], None]]:
        """The drawings by the names of their files; none of a figure that has none."""
        return {"figure": self.draw}

    @cached_property
    def claims(self) -> list[dict[str, Any]]:
        """The findings as plain data."""
        return [finding.as_json() for finding in self.findings]

    def tables(self) -> dict[str, bytes]:
        """The files with numbers."""
        return {"results.csv": as_csv(self.records())}

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {**self.provenance, "claims": self.claims}


class CellReport(Report):
    """A report on cells, whose results are records of their own."""

    def __init__(self, experiment: CellExperiment[Any], preset: str, results: Sequence[Any]) -> None:
        self.experiment, self.preset, self.results = experiment, preset, results

    @property
    def provenance(self) -> dict[str, Any]:
        """Which cells, with which settings, and what they were computed with."""
        size = self.experiment.size(self.preset)
        environments = different_environments(each.environment for each in self.results)
        plainly = [{name: value for name, value in each.items() if name != "cells"} for each in environments]
        return {
            **self.facts,
            "configs": size.configs,
            "models": size.models,
            "trained": sum(each.cell.trials for each in self.results),
            "environments": environments,
            "cells": [
                {
                    "settings": each.cell.id,
                    **each.cell.model_dump(mode="json"),
                    **({"environment": plainly.index(each.environment or {})} if len(environments) > 1 else {}),
                }
                for each in self.results
            ],
        }

    @property
    def timings(self) -> Mapping[str, Any]:
        """How long each cell took."""
        return cell_timings(self.results)


def cell_timings(results: Iterable[Any]) -> dict[str, Any]:
    """The seconds of all results together, and of each cell by its id."""
    seconds = {each.cell.id: each.seconds for each in results}
    return {"seconds": round(sum(seconds.values()), 3), "cells": seconds}


def computed_with(provenance: Mapping[str, Any], cell: Mapping[str, Any]) -> dict[str, Any]:
    """The seconds and the environment of a cell, by a `provenance.json` as `CellReport` writes it.

    The only environment need not be named. Of several, files of earlier versions do not say which it was.
    """
    environments, seconds = provenance["environments"], cell.get("seconds")
    place = cell.get("environment", 0 if len(environments) == 1 else None)
    found = {} if place is None else environments[place]
    return {
        "seconds": math.nan if seconds is None else seconds,
        "environment": {name: value for name, value in found.items() if name != "cells"},
    }
