"""Published figures that are sweeps of training runs: what is trained, the verdicts on claims, and every number."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from lengthwise.drawing.style import obstacle_to_drawing
from lengthwise.errors import LengthwiseError
from lengthwise.experiments.finding import Finding, table
from lengthwise.experiments.results import Results, Size, size_of
from lengthwise.experiments.runs import RunExperiment, RunReport
from lengthwise.experiments.sweeps.claims import Evaluator, evaluate_all
from lengthwise.experiments.sweeps.figure import Figure
from lengthwise.runs.config import ConfigError, RunConfig
from lengthwise.runs.store.store import Store
from lengthwise.runs.store.summary import Summary, summarise


class Sweeps(RunExperiment[Figure]):
    """A figure of sweeps."""

    content = Figure
    cells_are = "configs"

    def configs(self, preset: str) -> dict[str, list[RunConfig]]:
        """The runs of a preset by sweep; a mistake in the file is told with the name of the file."""
        with self.about(preset):
            return self.figure.configs(preset)

    def cells(self, preset: str) -> list[RunConfig]:
        """The runs of all sweeps."""
        return [config for configs in self.configs(preset).values() for config in configs]

    asked = cells

    def size(self, preset: str) -> Size:
        """How much there is to train; what several sweeps share is counted once."""
        return size_of(self.configs(preset).values())

    def next(self, preset: str, store: Path) -> list[RunConfig]:
        """What the store lacks, all sweeps at once, so that what they share is run once."""
        return Store(store).missing(self.cells(preset))

    def wanting(self, preset: str, store: Path) -> list[tuple[str, int]]:
        """The configs with missing seeds."""
        return [(str(config), len(config.seeds)) for config in self.next(preset, store)]

    def has_some(self, preset: str, store: Path) -> bool:
        """Whether there is a result of any config."""
        return bool(Results(Store(store), self.configs(preset)).rows)

    def report(self, preset: str, store: Path) -> SweepReport:
        """What the runs say."""
        return SweepReport(self, preset, Store(store))

    def require_sound(self, preset: str) -> None:
        """Refuse a figure file with a mistake in its panels or claims, before anything is trained for it."""
        from lengthwise.experiments.sweeps.figure_plot import draw
        from lengthwise.experiments.sweeps.panel_settings import read_panels

        sweeps = {
            name: [Summary(each, (), (), ()) for each in configs] for name, configs in self.configs(preset).items()
        }
        with tempfile.TemporaryDirectory() as empty:
            nothing = Store(Path(empty) / "store")
            try:
                evaluate_all(self.figure.claims, sweeps, more_claims(nothing))
                if self.figure.plot:
                    read_panels(self.figure)
                    if obstacle_to_drawing() is None:
                        draw(self.figure, preset, nothing, Path(empty) / "figure.svg")
            except LengthwiseError as problem:
                raise ConfigError(f"{self.path}: {problem}") from None


class SweepReport(RunReport):
    """What the runs of a figure say."""

    def __init__(self, experiment: Sweeps, preset: str, store: Store) -> None:
        self.experiment, self.preset, self.store = experiment, preset, store
        self.results = Results(store, experiment.configs(preset))

    @cached_property
    def findings(self) -> Sequence[Finding]:
        """On the claims of the figure."""
        sweeps = {
            name: [summarise(self.store, config) for config in configs] for name, configs in self.results.sweeps.items()
        }
        return evaluate_all(self.experiment.figure.claims, sweeps, more_claims(self.store))

    def records(self) -> Iterator[dict[str, Any]]:
        """One record for each config, seed and test length."""
        return self.results.records()

    def missing(self) -> list[dict[str, Any]]:
        """The configs and the seeds of which there are no results."""
        return [{"config": str(each), "seeds": list(each.seeds)} for each in self.results.missing()]

    def numbers(self) -> Mapping[str, Any]:
        """No others."""
        return {}

    def counts(self) -> Iterator[str]:
        """How many models there are, and how many were good enough."""
        facts, goals = self.provenance, " or ".join(self.results.goals)
        trained = f"{facts['configs']} configs, {facts['trained']} of {facts['models']} models trained"
        yield f"{trained}, of which {facts['reached']} reached {goals}" if goals else trained

    def lines(self) -> Iterator[str]:
        """The findings."""
        if self.findings:
            yield f"\n{table(self.findings)}\n"

    @property
    def drawings(self) -> Mapping[str, Any]:
        """The panels, if the file has any."""
        return {"figure": self.draw} if self.experiment.figure.plot else {}

    def draw(self, path: Path) -> None:
        """The panels with their caption."""
        from lengthwise.experiments.sweeps.figure_plot import draw

        draw(self.experiment.figure, self.preset, self.store, path, remarks=[self.origin])


def more_claims(store: Store) -> dict[str, Evaluator]:
    """The kinds of claims that are about the models themselves."""
    from lengthwise.experiments.sweeps.uniform_attention import KIND, uniform_attention

    return {KIND: uniform_attention(store)}
