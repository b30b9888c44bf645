"""What the runs of one config say: how its seeds ended, and the spread of their losses at every test length."""

from __future__ import annotations

import math
import statistics
from dataclasses import asdict, dataclass
from typing import Any

from lengthwise.output import plain
from lengthwise.runs.config import RunConfig
from lengthwise.runs.store.run_directory import SeedSummary
from lengthwise.runs.store.store import Store


@dataclass(frozen=True)
class AtLength:
    """All seeds at one test length, in the order of the seeds."""

    test_length: int
    losses: tuple[float, ...]
    accuracies: tuple[float, ...] | None
    words: int

    @property
    def median_loss(self) -> float:
        """The median over seeds; a seed that diverged counts as infinitely bad, here and below."""
        return statistics.median(self._comparable())

    @property
    def lowest_loss(self) -> float:
        """That of the best seed."""
        return min(self._comparable())

    @property
    def highest_loss(self) -> float:
        """That of the worst seed."""
        return max(self._comparable())

    @property
    def median_accuracy(self) -> float | None:
        """The median over seeds; None for regression."""
        return None if self.accuracies is None else statistics.median(self.accuracies)

    def _comparable(self) -> list[float]:
        return [math.inf if math.isnan(loss) else loss for loss in self.losses]


@dataclass(frozen=True)
class Summary:
    """A config with what came of it so far.

    Attributes:
        config: The settings.
        runs: The ids of the runs that hold its seeds.
        seeds: How the training of each seed ended.
        lengths: All seeds at each test length.

    """

    config: RunConfig
    runs: tuple[str, ...]
    seeds: tuple[SeedSummary, ...]
    lengths: tuple[AtLength, ...]

    @property
    def reached(self) -> int:
        """How many seeds ended because they were good enough."""
        return sum(summary.ending in ("loss", "accuracy") for summary in self.seeds)

    def as_json(self) -> dict[str, Any]:
        """The same as plain data; losses of seeds that diverged are null."""
        found: dict[str, Any] = plain(
            {
                "task": self.config.task,
                "parameters": dict(self.config.parameters),
                "train_length": self.config.train_length,
                "seeds": [asdict(summary) for summary in self.seeds],
                "reached": self.reached,
                "results": [
                    {**asdict(each), "median_loss": each.median_loss, "median_accuracy": each.median_accuracy}
                    for each in self.lengths
                ],
                "settings": self.config.settings(),
                "runs": self.runs,
            }
        )
        return found

    def _repr_html_(self) -> str:
        from lengthwise.runs.store.summary_html import summary_fragment

        return summary_fragment(self)


def summarise(store: Store, config: RunConfig) -> Summary:
    """What a store has on the seeds of a config.

    Args:
        store: The store.
        config: The config.

    Returns:
        How its seeds ended, and the spread of their losses and accuracies at every test length.

    Example:
        >>> config = RunConfig(task="simple-task", train_length=4, test_lengths=["N"])
        >>> summarise(Store("lengthwise-runs-that-do-not-exist"), config).seeds
        ()

    """
    rows = store.rows([config])
    by_length = {length: [row for row in rows if row.test_length == length] for length in config.test_lengths}
    first = next(iter(by_length.values()))
    lengths = [
        AtLength(
            length,
            tuple(row.loss for row in found),
            None if any(row.accuracy is None for row in found) else tuple(row.accuracy or 0.0 for row in found),
            found[0].words,
        )
        for length, found in by_length.items()
        if found
    ]
    return Summary(
        config,
        tuple(dict.fromkeys(row.run for row in rows)),
        tuple(SeedSummary(row.seed, row.steps, row.ending, row.training_loss) for row in first),
        tuple(lengths),
    )
