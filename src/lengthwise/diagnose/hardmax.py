"""Whether attention is a hardmax: shared out evenly among some keys, with next to nothing left for all others.

Theorem 4.1 of Izzo et al. is about models that attend in this way from some length on, and section 6 checks it on
ModPTask(p, k) (Figure 3 of both versions of the paper). There the last position should give each of the n positions
that are ≡ k (mod p) the same attention, 1/n, and other positions none. So the attention probabilities on a batch of
words are taken in two groups, those at positions ≡ k and the others, and each group has a mean and a standard deviation
over words and positions (and heads, if there are several).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lengthwise.diagnose.attention import DiagnosisError
from lengthwise.runs.config import RunConfig
from lengthwise.runs.store.run_directory import RunDirectory
from lengthwise.runs.store.store import Store
from lengthwise.runs.training.streams import TESTING, stream

if TYPE_CHECKING:
    from lengthwise.tasks.task import Task

WORDS = 1024
"""Words in the batch."""
AT_ONCE = 2**22
"""Numbers of a seed's residual stream in memory at a time."""


@dataclass(frozen=True)
class Group:
    """Attention probabilities at some positions of all words.

    Attributes:
        mean: The mean attention of one of them.

    """

    positions: int
    """How many positions of a word belong to the group."""
    mean: float
    deviation: float
    """The standard deviation over words and positions; both are 0 for a group without positions."""

    @property
    def mass(self) -> float:
        """The attention that the group gets together, on average over words."""
        return self.positions * self.mean

    @property
    def relative_deviation(self) -> float:
        """The standard deviation in parts of the mean: 0 for attention that is shared out evenly."""
        return self.deviation / self.mean if self.mean else math.nan


@dataclass(frozen=True)
class SeedAttention:
    """The attention of one seed; all numbers are NaN if its training diverged.

    Attributes:
        seed: The seed.
        others: The other positions.

    """

    seed: int
    attended: Group
    """Positions ≡ k (mod p)."""
    others: Group


@dataclass(frozen=True)
class HardmaxCheck:
    """The attention of all seeds of a config, on the same words.

    Attributes:
        config: The settings of the model.
        length: The length of the words.
        words: How many words.
        seeds: The attention of every seed.

    """

    config: RunConfig
    length: int
    words: int
    seeds: tuple[SeedAttention, ...]

    @property
    def expected(self) -> float:
        """What a hardmax would give to each position ≡ k: 1/n."""
        return expected(self.config.get_task(), self.length)


def check_run(run: RunDirectory, length: int, words: int = WORDS) -> tuple[SeedAttention, ...]:
    """The attention of every seed of a run, on words of this length.

    Args:
        run: The directory of a run.
        length: The length of the words.
        words: How many words.

    Returns:
        The attention of every seed of the run.

    Example:
        >>> check_run(RunDirectory(Path("lengthwise-runs/runs/3c9d")), length=12)  # doctest: +SKIP

    """
    import torch

    from lengthwise.diagnose.attention import attention_of_last, load

    config = run.config()
    task = config.get_task()
    attended = _attended(task, length)
    model = load(run)
    tokens = task.sample(length, words, stream(config.evaluation.seed, TESTING, length)).tokens
    at_once = max(1, AT_ONCE // (length * config.model.width))
    parts = [torch.from_numpy(tokens[begin : begin + at_once]) for begin in range(0, words, at_once)]
    weights = np.concatenate([attention_of_last(model, part).double().numpy() for part in parts], axis=1)
    return tuple(
        SeedAttention(seed, _group(weights[place], attended), _group(weights[place], ~attended))
        for place, seed in enumerate(model.seeds)
    )


def check(store: Store, config: RunConfig, length: int, words: int = WORDS) -> HardmaxCheck:
    """The attention of the seeds of a config that a store has, ordered by seed.

    Args:
        store: The store of runs.
        config: The settings of the runs.
        length: The length of the words.
        words: How many words.

    Returns:
        The attention of every seed, at the positions that should be attended and at the others.

    Example:
        >>> config = RunConfig(task="mod-p-task", train_length=6, test_lengths=["N"])
        >>> check(Store("lengthwise-runs-that-do-not-exist"), config, length=12).seeds
        ()

    """
    found: dict[int, SeedAttention] = {}
    for run in store.directories(config):
        for each in check_run(run, length, words):
            if each.seed in config.seeds:
                found.setdefault(each.seed, each)
    return HardmaxCheck(config, length, words, tuple(found[seed] for seed in sorted(found)))


def expected(task: Task, length: int) -> float:
    """What a hardmax would give to each position ≡ k of a word: 1/n."""
    return 1 / int(_attended(task, length).sum())


def pooled(groups: Sequence[Group]) -> Group:
    """The groups of several seeds as one: seeds have equally many words."""
    means, deviations = np.array([each.mean for each in groups]), np.array([each.deviation for each in groups])
    variance = (deviations**2).mean() + means.var()
    return Group(groups[0].positions, float(means.mean()), float(np.sqrt(variance)))


def _attended(task: Task, length: int) -> npt.NDArray[np.bool_]:
    """Which positions, the first being number 1, are ≡ k (mod p)."""
    period, residue = (task.parameters.get(name) for name in ("period", "residue"))
    if not isinstance(period, int) or not isinstance(residue, int):
        raise DiagnosisError(
            f"attention is compared at positions of a residue, which mod-p-task has; {task.name} has none"
        )
    if length < task.min_length:
        raise DiagnosisError(f"words of {task.name} have at least {task.min_length} symbols, not {length}")
    return np.asarray(np.arange(1, length + 1) % period == residue)


def _group(weights: npt.NDArray[np.float64], chosen: npt.NDArray[np.bool_]) -> Group:
    """Those of the weights (words, heads, length) that are at the chosen positions."""
    values: Any = weights[..., chosen]
    return Group(int(chosen.sum()), float(values.mean()), float(values.std())) if values.size else Group(0, 0.0, 0.0)
