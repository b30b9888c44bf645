"""`RunExperiment`: experiments whose cells are runs of the store, in rounds until nothing is wanted any more."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from lengthwise.experiments.experiment import Content, Experiment, Lacking, Report
from lengthwise.experiments.results import Results
from lengthwise.runs.config import RunConfig
from lengthwise.runs.engines.engine import Engine
from lengthwise.runs.store.kept_results import take_over
from lengthwise.runs.store.store import Store
from lengthwise.runs.sweep import Failure, run_sweep

LISTED = 4
"""Missing runs that are named."""
SHORT = 12
"""Digits of a commit or a hash in a caption."""


def train_rounds(
    wanted: Callable[[], Sequence[RunConfig]], store: Store, engine: Engine | None = None
) -> tuple[Failure, ...]:
    """Train all that is wanted, then what is wanted after that, until there is nothing; the runs that failed.

    Finished runs are never repeated, and a run that failed is not tried again.
    """
    failed: dict[str, Failure] = {}
    while configs := [config for config in wanted() if config.settings_id not in failed]:
        for failure in run_sweep(configs, store, engine).failed:
            failed[failure.config.settings_id] = failure
    return tuple(failed.values())


class RunExperiment(Experiment[Content]):
    """An experiment whose models are trained as runs, on any device and with any engine."""

    keeps = "finished runs are kept, and the same command goes on from there"
    cells_are: ClassVar[str] = "cells"
    """What more of them are called in a list."""

    @abstractmethod
    def asked(self, preset: str) -> Sequence[RunConfig]:
        """The runs that are made, seeds aside."""

    @abstractmethod
    def next(self, preset: str, store: Path) -> Sequence[RunConfig]:
        """What is to be trained now, given what a store has; nothing if that is enough."""

    @abstractmethod
    def wanting(self, preset: str, store: Path) -> Sequence[tuple[str, int]]:
        """What wants more models, by name, and how many it wants."""

    @abstractmethod
    def has_some(self, preset: str, store: Path) -> bool:
        """Whether a store has any of the models."""

    def on_device(self, figure: Content, device: str) -> Content:
        """The content trained on a device."""
        return figure.on(device)

    def train(self, preset: str, store: Path, engine: Engine) -> tuple[Failure, ...]:
        """Train what a store lacks; the runs that failed."""
        return train_rounds(lambda: self.next(preset, store), Store(store), engine)

    def take_over(self, preset: str, store: Path, directory: Path) -> str:
        """Make runs from the results that a directory has."""
        taken = take_over(directory, self.asked(preset), Store(store))
        other = f"; {taken.other} runs have settings that {self.name} does not ask for" if taken.other else ""
        return f"{directory}: {taken.runs} runs taken over{other}"

    def lacking(self, preset: str, store: Path) -> list[Lacking]:
        """How many models a store lacks, and the first of them by name."""
        wanting = self.wanting(preset, store)
        if not wanting:
            return []
        names = [f"{name} ({models} seeds)" for name, models in wanting[:LISTED]]
        if len(wanting) > LISTED:
            names.append(f"{len(wanting) - LISTED} more {self.cells_are}")
        everything = not self.has_some(preset, store)
        text = (
            f"the store {store} lacks {sum(models for _, models in wanting)} models ({', '.join(names)}) "
            f"for {self.name}, preset {preset!r}{', which is all of them' if everything else ''}"
        )
        return [Lacking(text, everything)]

    def problems(self, store: Path) -> Sequence[str]:
        """The runs that are damaged."""
        return Store(store).problems()


class RunReport(Report):
    """A report on runs, whose files say which runs the numbers are from."""

    results: Results

    @cached_property
    def provenance(self) -> Mapping[str, Any]:
        """Which runs, which versions, and the command that makes all of this again."""
        return {**self.facts, **self.results.provenance()}

    @property
    def timings(self) -> Mapping[str, Any]:
        """How long the runs took."""
        return self.results.timings()

    @abstractmethod
    def missing(self) -> Sequence[Mapping[str, Any]]:
        """What there are no models of, or not enough."""

    @abstractmethod
    def numbers(self) -> Mapping[str, Any]:
        """Further numbers, by name."""

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys; what was written, and what failed, is for others to say."""
        return {
            **{name: self.facts[name] for name in ("figure", "title", "preset")},
            "claims": self.claims,
            **self.numbers(),
            "missing": list(self.missing()),
            "files": [],
            "remarks": [],
            "provenance": dict(self.provenance),
            "results": list(self.records()),
        }

    @property
    def origin(self) -> str:
        """Where the figure comes from, for its caption."""
        facts = self.provenance
        environments = facts["environments"]
        versions, commits = (
            sorted({str(each.get(name)) for each in environments}) for name in ("lengthwise", "commit")
        )
        torch = sorted({str(each.get("packages", {}).get("torch")) for each in environments})
        commits = [commit[:SHORT] + ("-dirty" if commit.endswith("-dirty") else "") for commit in commits]
        told = [
            f"lengthwise {', '.join(versions)}",
            *([f"commit {', '.join(commits)}"] if commits != ["None"] else []),
            f"torch {', '.join(torch)}",
            f"figure file {facts['file_sha256'][:SHORT]}",
        ]
        return f"{facts['command']} ({'; '.join(told)})."
