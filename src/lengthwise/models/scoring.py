"""Scores of any model on a task: which share of words, and of predictions, is right at each length.

The rule is that of our own runs: the same words for the same seed, the same positions scored, and a word is right only
if every position that decides on it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from lengthwise.errors import LengthwiseError
from lengthwise.models.answering import Answer, Answerer
from lengthwise.resources import require_memory
from lengthwise.runs.training.streams import TESTING, stream
from lengthwise.tasks.request import lengths as lengths_of
from lengthwise.tasks.request import residues
from lengthwise.tasks.task import Batch, Task

AT_ONCE = 1024
"""The most words that are drawn at once, as in runs; which words are drawn depends on it."""
BYTES_EACH = 32
"""Bytes for each position of words that are drawn at once, or each of its outputs if a set is asked for."""
END_ALONE = "only whether words may end is scored, for the model says nothing about next symbols"
DEVIATIONS = 1.959963984540054
"""Of a 95 % interval of the normal distribution."""


@dataclass(frozen=True)
class LengthScore:
    """What a model is worth on the words of a length."""

    length: int
    words: int
    """How many words were drawn; 0 if the model was refused at this length."""
    accuracy: float | None
    """The share of words that are right; None for regression."""
    position_accuracy: float | None
    """The share of scored predictions that are right."""
    interval: tuple[float, float] | None = None
    """A 95 % interval of the accuracy (Wilson)."""
    position_interval: tuple[float, float] | None = None
    """That of predictions; those of one word depend on each other, so words count, not predictions."""
    loss: float | None = None
    """The mean squared error of a regression."""
    note: str | None = None
    """What of the task is not scored, and why."""
    problem: str | None = None
    """Why there is no score."""

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            "length": self.length,
            "words": self.words,
            "accuracy": self.accuracy,
            "position_accuracy": self.position_accuracy,
            "interval": None if self.interval is None else list(self.interval),
            "position_interval": None if self.position_interval is None else list(self.position_interval),
            **({} if self.loss is None else {"loss": self.loss}),
            **({} if self.note is None else {"note": self.note}),
            **({} if self.problem is None else {"problem": self.problem}),
        }


def score(model: Answerer, task: Task, lengths: Sequence[int], words: int = 1000, seed: int = 0) -> list[LengthScore]:
    """Score a model on random words of a task.

    Args:
        model: The model.
        task: The task.
        lengths: The lengths of words.
        words: How many words of each.
        seed: Of the words, which are the same whoever is scored.

    Returns:
        A score for each length; where the model is refused, with the reason.

    Raises:
        LengthwiseError: The task has no words of a length, or the model does not fit the task.

    """
    if words < 1:
        raise LengthwiseError(f"{words} words are too few; give 1 or more")
    model.require_fits(task)
    return [_at(model, task, length, words, seed) for length in dict.fromkeys(lengths)]


def _at(model: Answerer, task: Task, length: int, words: int, seed: int) -> LengthScore:
    drawn, wide = min(words, AT_ONCE), task.outputs if task.loss == "next-set" else 1
    require_memory(
        BYTES_EACH * drawn * length * wide,
        f"{drawn} words of {length} symbols",
        "ask for shorter or fewer words",
    )
    spread = [each for each in range(length, length + residues(task)) if lengths_of(task, each)[-1:] == (each,)]
    if length not in spread:
        near = lengths_of(task, length)[-1:] or lengths_of(task, 2 * length + 8)[:1]
        hint = f"; {near[0]} is the nearest that it has" if near else ""
        raise LengthwiseError(f"{task.name} has no words of length {length}{hint}")
    share = -(-words // len(spread))
    counted = _Counted()
    for each in spread:
        rng = stream(seed, TESTING, each)
        for begin in range(0, share, AT_ONCE):
            batch = task.sample(each, min(AT_ONCE, share - begin), rng)
            try:
                answer = model.answer(task, batch, deepcopy(rng))
            except LengthwiseError as problem:
                return LengthScore(length, 0, None, None, problem=str(problem))
            counted.add(task, batch, answer)
    return counted.score(length)


@dataclass(eq=False)
class _Counted:
    """Words of one length, counted."""

    right_words: int = 0
    right: list[npt.NDArray[np.int64]] = field(default_factory=list)
    """How many predictions of each word are right."""
    scored: list[npt.NDArray[np.int64]] = field(default_factory=list)
    """Of how many."""
    losses: list[npt.NDArray[np.float64]] = field(default_factory=list)
    end_alone: bool = False

    def add(self, task: Task, batch: Batch, answer: Answer) -> None:
        """Count some more words."""
        if task.loss == "regression":
            self.losses.append(((answer.said - batch.targets) ** 2).mean(axis=1))
            return
        right = answer.right if answer.right is not None else _right(batch, answer)
        decisive = batch.mask if batch.answers is None else batch.mask & batch.answers
        self.right_words += int((right | ~decisive).all(axis=1).sum())
        self.end_alone |= answer.outputs is not None and not answer.outputs.all()
        self.right.append((right & batch.mask).sum(axis=1))
        self.scored.append(batch.mask.sum(axis=1))

    def score(self, length: int) -> LengthScore:
        """What all of them give."""
        if self.losses:
            every = np.concatenate(self.losses)
            return LengthScore(length, len(every), None, None, loss=float(every.mean()))
        right, scored = np.concatenate(self.right), np.concatenate(self.scored)
        words, total = len(right), int(scored.sum())
        share, by_position = self.right_words / words, int(right.sum()) / total
        variance = float(((right - by_position * scored) ** 2).sum()) / total**2
        worth = by_position * (1 - by_position) / variance if variance else float(words)
        intervals = wilson(share, words), wilson(by_position, worth)
        return LengthScore(length, words, share, by_position, *intervals, note=END_ALONE if self.end_alone else None)


def _right(batch: Batch, answer: Answer) -> npt.NDArray[np.bool_]:
    """Whether each prediction is right."""
    same: npt.NDArray[np.bool_] = answer.said == batch.targets
    if same.ndim == batch.mask.ndim:
        return same
    asked = same if answer.outputs is None else same[:, :, answer.outputs]
    return np.asarray(asked.all(axis=2))


def wilson(share: float, trials: float) -> tuple[float, float]:
    """Wilson's 95 % interval of a share of so many trials.

    Args:
        share: The share of successes.
        trials: How many trials there were.

    Returns:
        The ends of the interval.

    Example:
        >>> low, high = wilson(1.0, 1000)
        >>> round(low, 4), high
        (0.9962, 1.0)

    """
    square = DEVIATIONS**2 / trials
    centre = (share + square / 2) / (1 + square)
    spread = DEVIATIONS * math.sqrt(share * (1 - share) / trials + square / (4 * trials)) / (1 + square)
    return max(0.0, centre - spread), min(1.0, centre + spread)
