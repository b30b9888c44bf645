"""`Cell`: one task with one position scheme, which is trained until enough seeds have learned it.

The paper reports the mean accuracy of five *successful* seeds, those with 100 % on test words of training lengths. So
seeds are trained in their order until there are enough successful ones, or the most that may be tried have been. Which
seeds these are depends on results alone: it is the same after an interruption, with any engine, in any order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from lengthwise.experiments.runs import train_rounds
from lengthwise.runs.config import RunConfig
from lengthwise.runs.engines.engine import Engine
from lengthwise.runs.settings import Natural, Positive, PositiveReal, Settings
from lengthwise.runs.store.store import Row, Store
from lengthwise.runs.sweep import Failure

Scheme = Literal["nope", "ape", "baseline"]
"""No positions, learned absolute ones, or a model that sees the current symbol alone."""
Kind = Literal["algorithmic", "regular"]


class Size(Settings):
    """Layers, heads and width of a GPT-2, its learning rate and the step limit."""

    layers: Positive
    heads: Natural
    """0 for a model that sees the current symbol alone."""
    width: Positive
    rate: PositiveReal
    steps: Positive
    warm_up: Natural = 0
    every_seed: bool = False
    """Whether seeds count that did not reach 100 % as well, as for the largest model of the paper."""

    @property
    def complexity(self) -> tuple[int, int, int]:
        """What makes a model simpler than another: fewer layers, then fewer heads, then a smaller width (App. E.3)."""
        return self.layers, self.heads, self.width

    def settings(self, position: str) -> dict[str, Any]:
        """The settings of a run that it decides, for learned positions or none."""
        return {
            "model": {
                "layers": self.layers,
                "heads": self.heads,
                "width": self.width,
                "hidden": 4 * self.width,
                "position": position,
            },
            "optimizer": {"learning_rate": self._rates(), "warmup": self.warm_up},
            "stopping": {"steps": self.steps},
        }

    def _rates(self) -> dict[str, Any]:
        return {**dict.fromkeys(("embedding", "hidden", "readout", "bias", "phi"), self.rate), "scaling": "plain"}

    def __str__(self) -> str:
        return f"{self.layers}/{self.heads}/{self.width}"


@dataclass(frozen=True)
class Seed:
    """What became of one seed."""

    number: int
    learned: bool
    """Whether it reached 100 % on words of training lengths: on those that end its training or those of the first bin,
    which are other words of the same kind."""
    steps: int
    accuracies: tuple[float, ...]
    """In every bin, from the shortest words on."""


@dataclass(frozen=True)
class Cell:
    """A task with a scheme, and how many seeds are wanted."""

    task: str
    kind: Kind
    scheme: Scheme
    size: Size
    published: Size | None
    """What the paper has, if that is known."""
    settings: RunConfig
    """With seed 0."""
    wanted: int
    """Successful seeds that are enough."""
    most: int
    """Seeds that are tried at most."""
    changed: bool = False
    """Whether the model or its training is not the paper's."""
    reported: tuple[float, ...] | None = None
    """The mean accuracies that the authors report for it, in every bin."""

    @cached_property
    def bins(self) -> tuple[int, ...]:
        """Where the bins of test lengths end."""
        return self.settings.test_lengths

    def seeds(self, rows: Mapping[tuple[str, int], list[Row]]) -> list[Seed]:
        """The seeds that there are results of, in their order, up to the first that is missing."""
        found: list[Seed] = []
        while there := rows.get((self.settings.settings_id, len(found))):
            first = there[0]
            accuracies = tuple(row.accuracy or 0.0 for row in there)
            learned = first.ending == "accuracy" or accuracies[0] == 1.0
            found.append(Seed(len(found), learned, first.steps, accuracies))
        return found

    def counted(self, seeds: list[Seed], least: float = 1.0) -> list[Seed]:
        """The seeds whose accuracies are reported: the first successful ones, or all.

        `least` below 1 lets those count as well that had this accuracy on words of training lengths in the end.
        """
        chosen = seeds
        if not self.size.every_seed and self.scheme != "baseline":
            chosen = [seed for seed in seeds if seed.learned or seed.accuracies[0] >= least < 1]
        return chosen[: self.wanted]

    def enough(self, seeds: list[Seed]) -> list[Seed]:
        """The seeds up to the first with which there are enough, whatever others there are in a store."""
        for tried in range(min(len(seeds), self.most) + 1):
            if len(self.counted(seeds[:tried])) == self.wanted:
                return seeds[:tried]
        return seeds[: self.most]

    def next(self, seeds: list[Seed]) -> RunConfig | None:
        """What is to be trained next, given what there is; None if that is enough."""
        lacking = self.wanted - len(self.counted(seeds))
        more = min(lacking, self.most - len(seeds))
        return self.settings.with_seeds(tuple(range(len(seeds) + more))) if more > 0 else None


def rows_of(store: Store, cells: list[Cell]) -> dict[tuple[str, int], list[Row]]:
    """The results of cells in a store, by settings and seed, each in the order of test lengths."""
    found: dict[tuple[str, int], list[Row]] = {}
    settings: dict[str, str] = {}
    for row in store.rows([cell.settings.with_seeds(tuple(range(cell.most))) for cell in cells]):
        if row.run not in settings:
            settings[row.run] = row.config.settings_id
        found.setdefault((settings[row.run], row.seed), []).append(row)
    return found


def wanted_runs(store: Store, cells: Sequence[Cell]) -> list[RunConfig]:
    """What cells want to be trained next, given what a store has."""
    rows = rows_of(store, list(cells))
    return [config for cell in cells if (config := cell.next(cell.seeds(rows))) is not None]


def train_cells(cells: Sequence[Cell], store: Store, engine: Engine | None = None) -> tuple[Failure, ...]:
    """Train cells in rounds, until none of them wants any more; the runs that failed."""
    return train_rounds(lambda: wanted_runs(store, cells), store, engine)
