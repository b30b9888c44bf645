"""What was measured: for each position scheme and training length the scores of all seeds at each test length.

The score of a task with right and wrong answers is the *accuracy*, the share of words with every position right; for a
program that accepts or rejects, the share of words with the answer at the end right. The score of a task with numbers
as answers is the *variance explained*, 1 - loss / variance of the targets: 1 for a model that is always right, 0 for
one that always says the mean. Either way 1 is perfect, so one rule judges both (`lengthwise.report.study.outcome`).
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from lengthwise.lab.config import RunConfig
from lengthwise.lab.store import Store
from lengthwise.lab.summary import Summary, summarise
from lengthwise.tasks import AcceptanceTask, StartedTask
from lengthwise.tasks.task import CountedTask, Task

Measure = Literal["accuracy", "variance explained"]
Answered = Literal["every position", "the end"]
WORDS = 4096
"""Words that the variance of the targets is taken of."""


@dataclass(frozen=True)
class AtTestLength:
    """The seeds at one test length, in their order."""

    test_length: int
    losses: tuple[float, ...]
    """NaN for a seed that diverged."""
    scores: tuple[float, ...]
    """Minus infinity for a seed that diverged, if the score is a variance explained."""
    words: int
    """How many words were tested."""

    @property
    def score(self) -> float:
        """The median over seeds."""
        return statistics.median(self.scores)

    @property
    def loss(self) -> float:
        """The median over seeds; a seed that diverged counts as infinitely bad."""
        return statistics.median(math.inf if math.isnan(loss) else loss for loss in self.losses)

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            "test_length": self.test_length,
            "median_score": self.score,
            "scores": list(self.scores),
            "median_loss": self.loss,
            "losses": list(self.losses),
            "words": self.words,
        }


@dataclass(frozen=True)
class Trained:
    """One training length of one scheme."""

    train_length: int
    seeds: tuple[int, ...]
    """The seeds that are there."""
    wanted: int
    """How many there should be."""
    reached: int | None
    """How many ended because they were good enough on training lengths, and not at the step limit; None if nothing is
    good enough to end early."""
    diverged: int
    steps: tuple[int, ...]
    lengths: tuple[AtTestLength, ...]
    settings: Mapping[str, Any]
    settings_id: str

    @property
    def missed(self) -> int:
        """How many did not reach the goal of training, if there is one."""
        return 0 if self.reached is None else self.wanted - self.reached

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            "train_length": self.train_length,
            "seeds": list(self.seeds),
            "missing_seeds": self.wanted - len(self.seeds),
            "reached_stop": self.reached,
            "diverged": self.diverged,
            "steps": list(self.steps),
            "results": [each.as_json() for each in self.lengths],
            "settings": self.settings_id,
        }


@dataclass(frozen=True)
class Measurement:
    """All training lengths of one scheme, the shortest first."""

    scheme: str
    position: str
    """The positional encoding that was trained."""
    measure: Measure
    trained: tuple[Trained, ...]
    answered: Answered = "every position"
    """Where a word must be right to count as right."""

    @property
    def known(self) -> tuple[Trained, ...]:
        """The training lengths that there is something on."""
        return tuple(each for each in self.trained if each.lengths)

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            "scheme": self.scheme,
            "position": self.position,
            "measure": self.measure,
            "answered": self.answered,
            "trained": [each.as_json() for each in self.trained],
        }


def measurement(scheme: str, configs: Sequence[RunConfig], store: Store, shown: str) -> Measurement:
    """What a store has on the configs of a scheme; the task is called by the name `shown`."""
    ordered = sorted(configs, key=lambda config: config.train_length)
    task = ordered[0].get_task()
    measure: Measure = "variance explained" if task.loss == "regression" else "accuracy"
    trained = tuple(_trained(summarise(store, config), task, shown) for config in ordered)
    plain = task.task if isinstance(task, StartedTask) else task
    answered: Answered = "the end" if isinstance(plain, AcceptanceTask) else "every position"
    return Measurement(scheme, ordered[0].model.position, measure, trained, answered)


def _trained(summary: Summary, task: Task, shown: str) -> Trained:
    config = summary.config
    lengths = []
    for each in summary.lengths:
        scores = each.accuracies
        if scores is None:
            variance = target_variance(task, each.test_length)
            scores = tuple(-math.inf if math.isnan(loss) else 1 - loss / variance for loss in each.losses)
        lengths.append(AtTestLength(each.test_length, each.losses, scores, each.words))
    return Trained(
        config.train_length,
        tuple(each.seed for each in summary.seeds),
        len(config.seeds),
        None if config.stopping.loss is None and config.stopping.accuracy is None else summary.reached,
        sum(each.ending == "diverged" for each in summary.seeds),
        tuple(each.steps for each in summary.seeds),
        tuple(lengths),
        {**config.settings(), "task": shown},
        config.settings_id,
    )


def target_variance(task: Task, length: int) -> float:
    """The loss of always saying the mean target, on words of a length; those of a fixed seed."""
    rng = np.random.default_rng(0)
    # Counts are quicker to draw than words, and have the same targets.
    drawn = task.sample_counts if isinstance(task, CountedTask) else task.sample
    variance = float(np.mean(np.var(drawn(length, WORDS, rng).targets, axis=0)))
    # Targets that are all the same leave nothing to explain: then any loss is as bad as it is large.
    return variance or 1.0
