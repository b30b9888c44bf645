"""Tables of tuples of tokens: finding many tuples at once, and scores beside exact weights.

A tuple is a number in base |V|; a table is the sorted list of the numbers it contains. e^score = weight, and a weight
of 0 is a score of −∞. Tables can be given as weights, which then are exact fractions, or as scores, whose weights are
exact only up to one rounding.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from lengthwise.errors import LengthwiseError
from lengthwise.sparse.ensembles.laws import Number, Tokens, exact

LARGEST_CODE = 2**62
"""Codes of tuples are 64-bit integers."""


class HypothesisError(LengthwiseError):
    """A key, a value table or a word that does not fit the hypothesis it is used with."""


def require_tuples(entries: Iterable[Tokens], alphabet_size: int, sparsity: int, what: str) -> None:
    """Refuse tuples that are not `sparsity` ids of symbols; `what` names their table in messages."""
    if sparsity < 1:
        raise HypothesisError(f"the tuples of {what} must have at least 1 token, not {sparsity}")
    for tokens in entries:
        if len(tokens) != sparsity:
            raise HypothesisError(f"all tuples of {what} must have {sparsity} tokens, but {tokens} has {len(tokens)}")
        if not all(0 <= token < alphabet_size for token in tokens):
            raise HypothesisError(f"all tuples of {what} consist of ids from 0 to {alphabet_size - 1}, unlike {tokens}")


@dataclass(frozen=True, eq=False)
class Lookup:
    """Which row of a table a tuple of tokens is."""

    base: int
    codes: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int64]

    @classmethod
    def of(cls, base: int, width: int, entries: Iterable[Tokens]) -> Lookup:
        """The table with these tuples, in their order, over tokens 0 to base − 1."""
        if base**width > LARGEST_CODE:
            raise HypothesisError(
                f"{base} symbols in tuples of {width} are too many to be told apart by 64-bit numbers"
            )
        listed = np.array(list(entries), dtype=np.int64).reshape(-1, width)
        codes = _codes(base, listed)
        order = np.argsort(codes)
        return cls(base, codes[order], order.astype(np.int64))

    def find(self, tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The row of each tuple (last axis); −1 for tuples that the table does not contain."""
        codes = _codes(self.base, tokens)
        if not len(self.codes):
            return np.full(codes.shape, -1, dtype=np.int64)
        place = np.minimum(np.searchsorted(self.codes, codes), len(self.codes) - 1)
        return np.where(self.codes[place] == codes, self.rows[place], -1)


def _codes(base: int, tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    powers = base ** np.arange(tokens.shape[-1], dtype=np.int64)
    return np.asarray(tokens @ powers, dtype=np.int64)


LARGEST_SCORE = 700.0
"""Beyond this, e^score is no double; such keys can be evaluated, but not exactly."""


def exact_weight(weight: Number) -> Fraction:
    """A weight as a fraction, not negative."""
    found = exact(weight)
    if found < 0:
        raise HypothesisError(f"a weight is e to the power of a score and cannot be {weight}")
    return found


def score_of(weight: Fraction) -> float:
    """The logarithm of a weight, also where the weight is no double."""
    return math.log(weight.numerator) - math.log(weight.denominator) if weight else -math.inf


def weight_of(score: float) -> Fraction:
    """The weight of a score, rounded once."""
    if score == -math.inf:
        return Fraction(0)
    if not abs(score) <= LARGEST_SCORE:
        raise HypothesisError(f"the score {score} is too large for exact losses; give the table as weights")
    return Fraction(math.exp(score))
