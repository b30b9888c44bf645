"""Where models are right: the accuracy by position in the input, and one word on which a model errs.

The accuracy of a run says which share of words is right at every position that decides on them. A model that is wrong
on every long word may still be right at nearly all positions, or at all those it was trained on; that is what is kept
here, in the results of a run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

PARTS = 24
"""Ranges of positions for which the accuracy of a test length is kept."""

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class PositionRange:
    """How many predictions are right at the positions of a range, over all test words of a length."""

    last: int
    """The last position of the range; it begins after the one before. The first symbol that a model reads is at 0."""
    right: int
    scored: int
    """How many predictions were scored there."""


@dataclass(frozen=True)
class ErrorExample:
    """A word on which a model errs. Positions count from 0; a prediction is the set of output ids that are said."""

    tokens: tuple[int, ...]
    """The ids of the symbols that the model read."""
    wrong: tuple[int, ...]
    """The positions at which its prediction is wrong."""
    expected: tuple[tuple[int, ...], ...]
    """The right outputs at these positions."""
    predicted: tuple[tuple[int, ...], ...]
    """What the model said there."""

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> ErrorExample:
        """The example that `asdict` wrote."""
        expected, predicted = (tuple(tuple(each) for each in entry[name]) for name in ("expected", "predicted"))
        return cls(tuple(entry["tokens"]), tuple(entry["wrong"]), expected, predicted)


@dataclass(frozen=True, eq=False)
class Predictions:
    """What all seeds say to some words of one length, and what is right."""

    tokens: npt.NDArray[np.int64]
    """(words, length)."""
    scored: Flags
    """(words, length): where predictions are scored."""
    decisive: Flags
    """(words, length): where they decide whether a word is right."""
    right: Flags
    """(seeds, words, length): whether the prediction is right."""
    expected: npt.NDArray[Any]
    """(words, length) ids, or (words, length, outputs) Booleans."""
    predicted: npt.NDArray[Any]
    """(seeds, words, length) ids, or with Booleans for all outputs."""

    def example(self, seed: int) -> ErrorExample | None:
        """The first word on which a seed errs; None if there is none."""
        wrong = self.scored & ~self.right[seed]
        words = np.flatnonzero((wrong & self.decisive).any(axis=1))
        if not len(words):
            return None
        word = int(words[0])
        where = np.flatnonzero(wrong[word])
        return ErrorExample(
            tuple(self.tokens[word].tolist()),
            tuple(where.tolist()),
            tuple(_said(self.expected[word, place]) for place in where),
            tuple(_said(self.predicted[seed, word, place]) for place in where),
        )


def _said(answer: Any) -> tuple[int, ...]:
    """The ids of a prediction: the one that was chosen, or those that are true."""
    found = np.flatnonzero(answer) if np.ndim(answer) else np.array([answer])
    return tuple(int(each) for each in found)


@dataclass(eq=False)
class Tally:
    """Predictions of one seed at one test length, counted."""

    right: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    scored: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    example: ErrorExample | None = None

    def add(self, found: Predictions, seed: int) -> None:
        """Count some more words."""
        right = (found.right[seed] & found.scored).sum(axis=0)
        self.right, self.scored = _added(self.right, right), _added(self.scored, found.scored.sum(axis=0))
        if self.example is None:
            self.example = found.example(seed)

    @property
    def accuracy(self) -> float | None:
        """The share of scored predictions that are right; None if none was scored."""
        scored = int(self.scored.sum())
        return int(self.right.sum()) / scored if scored else None

    def ranges(self) -> tuple[PositionRange, ...]:
        """The counts in at most `PARTS` ranges of positions of one width, those with nothing scored left out."""
        width = -(-len(self.scored) // PARTS) or 1
        found = [
            PositionRange(
                min(begin + width, len(self.scored)) - 1,
                int(self.right[begin : begin + width].sum()),
                int(self.scored[begin : begin + width].sum()),
            )
            for begin in range(0, len(self.scored), width)
        ]
        return tuple(each for each in found if each.scored)


def _added(before: npt.NDArray[np.int64], more: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    total = np.zeros(max(len(before), len(more)), dtype=np.int64)
    total[: len(before)] += before
    total[: len(more)] += more
    return total


def first_examples(tallies: Sequence[tuple[int, Tally]], train_length: int) -> dict[int, ErrorExample]:
    """The example of the shortest test length beyond the training length that has one, by that length."""
    for length, tally in sorted(tallies, key=lambda each: each[0]):
        if length > train_length and tally.example is not None:
            return {length: tally.example}
    return {}
