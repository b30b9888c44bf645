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
from lengthwise.sparse.ensembles.laws import Label, Tokens
from lengthwise.sparse.functional.attention import SparseAttention
from lengthwise.sparse.functional.keys import TokenKey
from lengthwise.sparse.functional.tables import HypothesisError
from lengthwise.sparse.functional.values import ValueTable

Matrix = npt.NDArray[np.float64]

TOLERANCE = 1e-9
"""Ranks are decided up to this, relative to the largest entry of each row."""
ROUNDING = 1e-15
"""Scores that differ by no more than this, relative to the largest one, are equal numbers that were rounded."""


@dataclass(frozen=True, eq=False)
class AttentionHead:
    """One head with its token embedding and a fixed query (Definition B.1)."""

    alphabet: Alphabet
    embedding: Matrix
    """W_e, one column for each symbol, and one for all others if the alphabet is open."""
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

    def __post_init__(self) -> None:
        if self.embedding.shape[1] != self.alphabet.id_count:
            raise HypothesisError(
                f"an embedding of {self.alphabet} needs {self.alphabet.id_count} columns, not {self.embedding.shape[1]}"
            )

    def __call__(self, word: Word) -> npt.NDArray[np.float64]:
        """O · Σ softmax(⟨Q h_query, K h_i⟩) V h_i."""
        embedded = self.embedding[:, self.alphabet.encode(word)]
        if not embedded.shape[1]:
            raise HypothesisError("an attention head needs a word of at least 1 symbol to attend to")
        logits = (self.query @ self.query_vector) @ (self.key @ embedded)
        weights = np.exp(logits - logits.max())
        return np.asarray(self.output @ (self.value @ embedded @ (weights / weights.sum())))


def to_sparse(head: AttentionHead) -> SparseAttention:
    """The same function as sparse functional attention with k = 1."""
    scores = (head.query @ head.query_vector) @ (head.key @ head.embedding)
    values = head.output @ head.value @ head.embedding
    size = head.alphabet.id_count
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
    added to the scores since softmax ignores it. If all values are equal the function is constant, and any scores do.
    """
    scores, values = _tables(hypothesis)
    return max(len(values), len(_span(scores, values)[0]))


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
    rows, reads_scores, reads_values = _span(scores, values)
    embedding = np.zeros((dimension, len(scores)))
    embedding[: len(rows)] = rows
    read_scores = np.zeros((dimension, dimension))
    read_scores[0, : len(rows)] = reads_scores
    read_values = np.zeros((dimension, dimension))
    read_values[: len(values), : len(rows)] = reads_values
    identity = np.eye(dimension)
    return AttentionHead(hypothesis.alphabet, embedding, identity[0], read_scores, identity, read_values, identity)


def _tables(hypothesis: SparseAttention) -> tuple[Matrix, Matrix]:
    """The score of each token, and the value of each token as a column."""
    if hypothesis.sparsity != 1 or not isinstance(hypothesis.key, TokenKey):
        raise HypothesisError("an attention head has k = 1 and a key that depends on tokens only")
    size = hypothesis.alphabet.id_count
    scores = [hypothesis.key.table.get((symbol,), -math.inf) for symbol in range(size)]
    if not np.isfinite(scores).all():
        raise HypothesisError("an attention head looks at every token; give each of them a finite score")
    columns: list[Sequence[float]] = [[float(x) for x in hypothesis.value.value((symbol,))] for symbol in range(size)]
    return np.array(scores), np.array(columns).T


def _span(scores: Matrix, values: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    """As few rows as possible whose combinations are values and scores (up to a constant), and these combinations."""
    rows = _row_space(values)
    reads_values = values @ rows.T
    spread = scores - scores.mean()
    largest = np.abs(spread).max()
    if _all_equal(values) or largest <= ROUNDING * np.abs(scores).max():
        return rows, np.zeros(len(rows)), reads_values  # the scores do not matter, or are equal
    basis = np.vstack([rows, np.ones((1, len(scores)))]).T
    weights, *_ = np.linalg.lstsq(basis, spread / largest, rcond=TOLERANCE)
    if np.abs(basis @ weights - spread / largest).max() <= TOLERANCE:
        return rows, weights[:-1] * largest, reads_values
    one_more = np.vstack([rows, spread / largest])
    reads_scores = np.zeros(len(one_more))
    reads_scores[-1] = largest
    return one_more, reads_scores, np.hstack([reads_values, np.zeros((len(values), 1))])


def _row_space(matrix: Matrix) -> Matrix:
    """Orthonormal rows that span those of the matrix, each of which counts relative to its largest entry."""
    largest = np.abs(matrix).max(axis=1, keepdims=True)
    scaled = matrix / np.where(largest > 0, largest, 1.0)
    _, singular, right = np.linalg.svd(scaled, full_matrices=False)
    return np.asarray(right[singular > TOLERANCE * singular[0]])


def _all_equal(values: Matrix) -> bool:
    """Whether all tokens have the same value, up to the tolerance."""
    gaps = np.abs(values - values[:, :1]).max(axis=1)
    return bool((gaps <= TOLERANCE * np.abs(values).max(axis=1)).all())
