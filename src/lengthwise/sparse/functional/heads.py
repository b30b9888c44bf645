"""Attention heads are sparse functional attention with k = 1, and the other way round (Proposition B.1).

A head with a fixed query looks at one token at a time: its key is a score for each token, its value a vector for
each. Back again, the proposition promises a head of the same embedding dimension d for every table of scores and
values. That is false: scores and values of a head are linear in the same d numbers for each token, so that with d = 1
the values determine the scores up to affine maps. One more dimension is always enough, and `embedding_dimension` says
when the printed d is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from lengthwise.alphabet import Alphabet, Word
from lengthwise.sparse.ensembles.labels import Label
from lengthwise.sparse.ensembles.laws import Tokens
from lengthwise.sparse.functional.attention import SparseAttention
from lengthwise.sparse.functional.keys import TokenKey
from lengthwise.sparse.functional.lookup import HypothesisError
from lengthwise.sparse.functional.values import ValueTable

Matrix = npt.NDArray[np.float64]

TOLERANCE = 1e-9
"""Ranks are decided up to this, relative to the largest entry."""


@dataclass(frozen=True, eq=False)
class AttentionHead:
    """One head with its token embedding and a fixed query (Definition B.1)."""

    alphabet: Alphabet
    embedding: Matrix
    """W_e, one column for each symbol."""
    query_vector: Matrix
    """h_query."""
    key: Matrix
    """K."""
    query: Matrix
    """Q."""
    value: Matrix
    """V."""
    output: Matrix
    """O."""

    def __call__(self, word: Word) -> npt.NDArray[np.float64]:
        """O · Σ softmax(⟨Q h_query, K h_i⟩) V h_i."""
        embedded = self.embedding[:, self.alphabet.encode(word)]
        logits = (self.query @ self.query_vector) @ (self.key @ embedded)
        weights = np.exp(logits - logits.max())
        return np.asarray(self.output @ (self.value @ embedded @ (weights / weights.sum())))


def to_sparse(head: AttentionHead) -> SparseAttention:
    """The same function as sparse functional attention with k = 1."""
    scores = (head.query @ head.query_vector) @ (head.key @ head.embedding)
    values = head.output @ head.value @ head.embedding
    size = len(head.alphabet)
    table: dict[Tokens, Label] = {
        (symbol,): tuple(Fraction(float(entry)) for entry in values[:, symbol]) for symbol in range(size)
    }
    return SparseAttention(
        head.alphabet,
        TokenKey(size, 1, {(symbol,): float(scores[symbol]) for symbol in range(size)}),
        ValueTable(size, 1, table, (Fraction(0),) * len(values)),
    )


def embedding_dimension(hypothesis: SparseAttention) -> int:
    """The least d for which a head of embedding dimension d computes this hypothesis with k = 1.

    The larger of the dimension of the values and the least rank of scores and values together, where a constant may be
    added to the scores since softmax ignores it.
    """
    scores, values = _tables(hypothesis)
    return max(len(values), _shifted(scores, values)[1])


def from_sparse(hypothesis: SparseAttention, dimension: int | None = None) -> AttentionHead:
    """A head that computes the hypothesis; outputs beyond its own entries are 0.

    Without `dimension` it has the least embedding dimension there is; one that is too small is refused.
    """
    scores, values = _tables(hypothesis)
    least = embedding_dimension(hypothesis)
    dimension = least if dimension is None else dimension
    if dimension < least:
        raise HypothesisError(
            f"no head of embedding dimension {dimension} has these scores and values; it takes {least}"
        )
    moved, rank = _shifted(scores, values)
    stacked = np.vstack([moved[None], values])
    left, singular, right = np.linalg.svd(stacked, full_matrices=False)
    size = len(hypothesis.alphabet)
    embedding = np.zeros((dimension, size))
    embedding[:rank] = singular[:rank, None] * right[:rank]
    reading = np.zeros((len(stacked), dimension))
    reading[:, :rank] = left[:, :rank]
    first = np.eye(dimension)[0]
    read_scores = np.zeros((dimension, dimension))
    read_scores[0] = reading[0]
    read_values = np.zeros((dimension, dimension))
    read_values[: len(values)] = reading[1:]
    identity = np.eye(dimension)
    return AttentionHead(hypothesis.alphabet, embedding, first, read_scores, identity, read_values, identity)


def _tables(hypothesis: SparseAttention) -> tuple[Matrix, Matrix]:
    """The score of each token, and the value of each token as a column."""
    if hypothesis.sparsity != 1 or not isinstance(hypothesis.key, TokenKey):
        raise HypothesisError("an attention head has k = 1 and a key that depends on tokens only")
    size = len(hypothesis.alphabet)
    scores = [hypothesis.key.table.get((symbol,), -math.inf) for symbol in range(size)]
    if not np.isfinite(scores).all():
        raise HypothesisError("an attention head looks at every token; give each of them a finite score")
    columns: list[Sequence[float]] = [[float(x) for x in hypothesis.value.value((symbol,))] for symbol in range(size)]
    return np.array(scores), np.array(columns).T


def _shifted(scores: Matrix, values: Matrix) -> tuple[Matrix, int]:
    """Scores plus the constant that makes the rank of scores and values smallest, and that rank."""
    ones = np.ones_like(scores)
    basis = np.vstack([values, ones[None]]).T
    weights, *_ = np.linalg.lstsq(basis, scores, rcond=None)
    gap = float(np.abs(basis @ weights - scores).max())
    rank = _rank(values)
    if gap > TOLERANCE * max(1.0, float(np.abs(scores).max())):
        return scores, rank + 1
    return scores - weights[-1] * ones, rank


def _rank(matrix: Matrix) -> int:
    singular = np.linalg.svd(matrix, compute_uv=False)
    return int((singular > TOLERANCE * max(1.0, float(singular[0]))).sum())
