"""Experiments on length generalization: tasks that are trained short and tested long, with and without positions.

    [settings]                              # of all runs
    train_length = 50
    test_lengths = [50, 100, 150]

    [kinds.regular]                         # of all runs of a kind
    optimizer.schedule = "constant"

    [[entries]]
    task = "tomita-1"
    kind = "regular"
    parameters = { start = true }
    nope = { layers = 1, heads = 1, width = 16, rate = 1e-3, steps = 30_000 }
    ape = { … }
    reported.ape = [100, 100, 100]          # accuracies that the authors report, in percent, in each bin

    [presets.quick]
    wanted = 3                              # successful seeds, of at most …
    most = 6
    tasks = ["tomita-1"]                    # all, if left out
    [presets.quick.sizes.tomita-1]          # in place of the paper's
    ape = { … }
    [presets.quick.every]                   # in place of the paper's for all other tasks
    nope = { … }

    [presets.other]
    like = "quick"                          # what is said here is added to that, or stands in its place

Entries of algorithmic tasks may have a size for a `baseline`. The files that tell what came of it, beside those of all:

    overlay.svg, overlay.png    all tasks in two panels, as in the paper; `figure` has a panel for each task
    confusion.md                verdict against outcome, claims, disagreements, rival predictors, every cell
    confusion.csv               the errors of every predictor at every threshold
    cells.csv                   one row for each task and scheme

Tables do not depend on how seeds were shared out over runs, so they are the same after an interruption.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from lengthwise.errors import LengthwiseError
from lengthwise.experiments.figure_file import FigureFile, Preset, preset_of
from lengthwise.experiments.generalization.cell import Cell, Kind, Scheme, Seed, Size, wanted_runs
from lengthwise.experiments.generalization.measured import LEARNED, Measured, measure
from lengthwise.experiments.results import Size as HowMuch
from lengthwise.experiments.runs import RunExperiment
from lengthwise.runs.config import ConfigError, RunConfig
from lengthwise.runs.grid import merged
from lengthwise.runs.settings import Parameters, Positive, Settings, Values
from lengthwise.runs.store.store import Store

if TYPE_CHECKING:
    from lengthwise.experiments.generalization.outcomes import Outcomes
    from lengthwise.experiments.generalization.report import GeneralizationReport

Percent = Annotated[float, Field(ge=0, le=100)]
POSITIONS: dict[Scheme, str] = {"nope": "none", "ape": "learned", "baseline": "none"}
"""The position schemes of models by what they are called here."""


class Sizes(Settings):
    """The models of a task by scheme."""

    nope: Size | None = None
    ape: Size | None = None
    baseline: Size | None = None

    def of(self, scheme: Scheme) -> Size | None:
        """The model with a scheme."""
        return {"nope": self.nope, "ape": self.ape, "baseline": self.baseline}[scheme]


class Entry(Sizes):
    """A task with the paper's models."""

    task: str
    kind: Kind
    parameters: Parameters = Values()
    reported: Mapping[Scheme, tuple[Percent, ...]] = {}


class GeneralizationPreset(Preset):
    """How much is trained, and what is different from the paper."""

    like: str | None = None
    """Another preset, which this one changes."""
    wanted: Positive = 5
    most: Positive = 10
    tasks: tuple[str, ...] | None = None
    schemes: tuple[Scheme, ...] = ("nope", "ape", "baseline")
    every: Sizes = Sizes()
    sizes: Mapping[str, Sizes] = {}

    def size(self, entry: Entry, scheme: Scheme) -> Size | None:
        """The model of a task with a scheme; None where the paper has none and the preset does not name one."""
        own, published = self.sizes.get(entry.task, Sizes()).of(scheme), entry.of(scheme)
        return own or (published and self.every.of(scheme)) or published


class GeneralizationFigure(FigureFile):
    """The content of a file."""

    settings: Parameters
    kinds: Mapping[Kind, Parameters] = {}
    entries: tuple[Entry, ...]
    presets: Mapping[str, GeneralizationPreset]

    def preset(self, name: str) -> GeneralizationPreset:
        """A preset with what it takes from another one."""
        own = preset_of(self.presets, name)
        if own.like is None:
            return own
        if own.like == name or self.presets.get(own.like, own).like is not None:
            raise ConfigError(f"the preset {name!r} is like {own.like!r}, which is no preset that stands for itself")
        base = self.preset(own.like)
        changed = {field: getattr(own, field) for field in own.model_fields_set}
        settings = Values(merged(base.settings, own.settings))
        return base.model_copy(update={**changed, "settings": settings, "sizes": {**base.sizes, **own.sizes}})

    def cells(self, preset: str) -> list[Cell]:
        """The cells of a preset, task by task."""
        chosen = self.preset(preset)
        known = [entry.task for entry in self.entries]
        for task in (*(chosen.tasks or ()), *chosen.sizes):
            if task not in known:
                raise ConfigError(f"the preset {preset!r} has a task {task!r}, which the experiment does not have")
        return [
            self.cell(entry, scheme, size, chosen.wanted, chosen.most, chosen.settings)
            for entry in self.entries
            if chosen.tasks is None or entry.task in chosen.tasks
            for scheme in chosen.schemes
            if (size := chosen.size(entry, scheme)) is not None
        ]

    def cell(
        self,
        entry: Entry,
        scheme: Scheme,
        size: Size,
        wanted: int = 5,
        most: int = 10,
        changes: Mapping[str, Any] | None = None,
    ) -> Cell:
        """A task with a scheme and a model, trained as all others; `changes` are settings that differ."""
        settings = merged(
            {"task": entry.task, "parameters": entry.parameters},
            self.settings,
            self.kinds.get(entry.kind, {}),
            size.settings(POSITIONS[scheme]),
            changes or {},
        )
        try:
            config = RunConfig(**settings)
        except LengthwiseError as problem:
            raise ConfigError(f"{entry.task}, {scheme}: {problem}") from None
        published = entry.of(scheme)
        changed = published is not None and (size != published or bool(changes))
        return Cell(
            entry.task, entry.kind, scheme, size, published, config, wanted, most, changed,
            self._reported(entry, scheme, config),
        )  # fmt: skip

    def _reported(self, entry: Entry, scheme: Scheme, config: RunConfig) -> tuple[float, ...] | None:
        """The accuracies that the authors report, if they are of the same lengths in training and tests."""
        lengths = (self.settings.get("train_length"), tuple(self.settings.get("test_lengths", ())))
        percents = entry.reported.get(scheme)
        if percents is None or lengths != (config.train_length, config.test_lengths):
            return None
        if len(percents) != len(config.test_lengths):
            raise ConfigError(f"{entry.task}, {scheme}: {len(percents)} reported accuracies for {len(lengths[1])} bins")
        return tuple(round(percent / 100, 6) for percent in percents)  # 0.854, and not 0.8540000000000001

    def reported(self) -> Iterator[Measured]:
        """What the authors report, as if it had been measured: one mean for each cell and bin.

        The paper draws these means and prints none. They are in the files that belong to it, in percent (on GitHub,
        lacoco-lab/length_generalization, `formal_lang_suite/visualise/data_local.py`), and stand with the entries. So
        the same tables can be made of them: how often would a predictor be wrong on the authors' own numbers?

        By the paper, means are over seeds that reached 100 % on words of training lengths. Where the mean there is
        less, they cannot be, and how many seeds learned the task is not said; so a cell counts as learned from a mean
        of 95 % on.
        """
        for entry in self.entries:
            for scheme in entry.reported:
                if (size := entry.of(scheme)) is None:
                    continue
                cell = self.cell(entry, scheme, size, wanted=1, most=1)
                if (means := cell.reported) is not None:
                    yield Measured(cell, (Seed(0, means[0] >= LEARNED, size.steps, means),))


class Generalization(RunExperiment[GeneralizationFigure]):
    """An experiment on length generalization, whose seeds are trained until enough of them have learned."""

    content = GeneralizationFigure
    tables = ("confusion.md", "confusion.csv", "cells.csv", "results.csv")

    def cells(self, preset: str) -> list[Cell]:
        """The cells of a preset; a mistake is told with the name of the experiment or of its file."""
        with self.about(preset):
            return self.figure.cells(preset)

    def asked(self, preset: str) -> list[RunConfig]:
        """The settings of all cells."""
        return [cell.settings for cell in self.cells(preset)]

    def size(self, preset: str) -> HowMuch:
        """How many cells there are and how many seeds they want, counted without making configs, which takes longer."""
        chosen = self.figure.preset(preset)
        cells = sum(
            chosen.size(entry, scheme) is not None
            for entry in self.figure.entries
            if chosen.tasks is None or entry.task in chosen.tasks
            for scheme in chosen.schemes
        )
        return HowMuch(cells, chosen.wanted, cells * chosen.wanted)

    def next(self, preset: str, store: Path) -> list[RunConfig]:
        """The seeds that cells want, given those that there are."""
        return wanted_runs(Store(store), self.cells(preset))

    def outcomes(self, preset: str, store: Path) -> Outcomes:
        """What a store has on the cells."""
        from lengthwise.experiments.generalization.outcomes import Outcomes

        return Outcomes(self, preset, tuple(measure(Store(store), self.cells(preset))))

    def wanting(self, preset: str, store: Path) -> list[tuple[str, int]]:
        """The cells that want more seeds."""
        from lengthwise.experiments.generalization.names import SCHEMES

        lacking = self.outcomes(preset, store).lacking()
        return [(f"{cell.task} {SCHEMES[cell.scheme]}", models) for cell, models in lacking]

    def has_some(self, preset: str, store: Path) -> bool:
        """Whether there is a seed of any cell."""
        return self.outcomes(preset, store).models > 0

    def report(self, preset: str, store: Path) -> GeneralizationReport:
        """What the seeds say."""
        from lengthwise.experiments.generalization.report import GeneralizationReport

        return GeneralizationReport(self, preset, Store(store))
