"""`SparseAttention`: one hypothesis h_{g0, g1}, a key and a value, evaluated (Golowich et al., Definition 3.3).

It is evaluated in time O(L · C(L_local, k − 1)), with a streaming log-sum-exp, shape by shape: all sets of one shape,
wherever they begin and in all words at once, are looked up and added to running sums that are rescaled whenever a
larger score turns up. Nothing is stored but those sums, and no score is too large. That is Definition 3.3 under
Assumption 3.3; `naive.py` of the tests is the definition itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lengthwise.alphabet import Alphabet, Word
from lengthwise.sparse.ensembles.ensemble import Ensemble
from lengthwise.sparse.functional.keys import Key
from lengthwise.sparse.functional.tables import HypothesisError
from lengthwise.sparse.functional.values import ValueTable, plain_mean

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


@dataclass(frozen=True, eq=False)
class SparseAttention:
    """The mean of g1 over all sets of k positions, weighted by e^g0."""

    alphabet: Alphabet
    key: Key
    """g0."""
    value: ValueTable
    """g1."""

    def __post_init__(self) -> None:
        if self.key.sparsity != self.value.sparsity:
            raise HypothesisError(
                f"the key looks at {self.key.sparsity} tokens and the value at {self.value.sparsity}; "
                "both must see the same set"
            )
        for what, size in (("key", self.key.alphabet_size), ("value", self.value.alphabet_size)):
            if size not in (None, self.alphabet.id_count):
                raise HypothesisError(
                    f"the {what} was made for {size} symbols, but the hypothesis reads {self.alphabet}; "
                    "make it over this alphabet"
                )

    @property
    def sparsity(self) -> int:
        """The number k of positions in a set."""
        return self.key.sparsity

    def __call__(self, word: Word) -> npt.NDArray[np.float64]:
        """The output on one word."""
        outputs = self.outputs(self.alphabet.encode(word)[None, :])
        return np.asarray(outputs[0])

    def outputs(self, words: npt.NDArray[np.integer]) -> npt.NDArray[np.float64]:
        """The outputs on words of one length, one a row of symbol ids."""
        if words.ndim != 2:
            raise HypothesisError("words of one length are the rows of a two-dimensional array of symbol ids")
        return evaluate(self.key, self.value, self.alphabet.checked(words).astype(np.int64))


def require_fit(hypothesis: SparseAttention, ensemble: Ensemble) -> None:
    """Refuse a hypothesis over another alphabet, or with values of another dimension than the labels."""
    if hypothesis.alphabet != ensemble.alphabet:
        raise HypothesisError(
            f"the hypothesis reads {hypothesis.alphabet}, but the ensemble draws from {ensemble.alphabet}; "
            "make both over one alphabet, with its symbols in one order"
        )
    if hypothesis.value.dimension != ensemble.dimension:
        raise HypothesisError(
            f"the values of the hypothesis have dimension {hypothesis.value.dimension}, but the labels of the ensemble "
            f"dimension {ensemble.dimension}; give both the same"
        )
