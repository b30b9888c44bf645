"""Sparse functional attention in time O(L · C(L_local, k − 1)), with a streaming log-sum-exp.

Shape by shape: all sets of one shape, wherever they begin and in all words at once, are looked up and added to running
sums that are rescaled whenever a larger score turns up. Nothing is stored but those sums, and no score is too large.
Golowich et al., Definition 3.3 under Assumption 3.3; `naive.py` is the definition itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lengthwise.sparse.functional.keys import Key
from lengthwise.sparse.functional.lookup import HypothesisError
from lengthwise.sparse.functional.subsequences import plain_mean
from lengthwise.sparse.functional.values import ValueTable

Floats = npt.NDArray[np.float64]


@dataclass
class RunningMean:
    """Σ e^s v / Σ e^s over the scores s and values v seen so far, for each word of a batch."""

    largest: Floats
    """The largest score so far, −∞ before any."""
    total: Floats
    """Σ e^(s − largest)."""
    weighted: Floats
    """Σ e^(s − largest) v."""

    @classmethod
    def empty(cls, words: int, dimension: int) -> RunningMean:
        """Nothing seen yet."""
        return cls(np.full(words, -np.inf), np.zeros(words), np.zeros((words, dimension)))

    def add(self, scores: Floats, values: Floats) -> None:
        """One block of scores (word, set) with their values (word, set, entry)."""
        if not scores.shape[1]:
            return
        largest = np.maximum(self.largest, scores.max(axis=1))
        level = np.where(np.isneginf(largest), 0.0, largest)  # −∞ − (−∞) is not a number
        kept = np.exp(self.largest - level)
        weights = np.exp(scores - level[:, None])
        self.total = self.total * kept + weights.sum(axis=1)
        self.weighted = self.weighted * kept[:, None] + np.einsum("ws,wsd->wd", weights, values)
        self.largest = largest


def evaluate(key: Key, value: ValueTable, words: npt.NDArray[np.int64]) -> Floats:
    """h_{g0, g1} of each word (row of symbol ids)."""
    count, length = words.shape
    if length < key.sparsity:
        raise HypothesisError(f"a word of {length} symbols has no set of {key.sparsity} positions to attend to")
    mean = RunningMean.empty(count, value.dimension)
    for shape in key.shapes(length):
        starts = np.arange(1, length - shape[-1] + 1)
        tokens = words[:, starts[:, None] - 1 + np.array(shape)]
        mean.add(key.scores(shape, starts, tokens), value.values(tokens))
    ignored = np.isneginf(mean.largest)
    outputs = mean.weighted / np.where(ignored, 1.0, mean.total)[:, None]
    if ignored.any():
        outputs[ignored] = plain_mean(value, words[ignored])
    return outputs
