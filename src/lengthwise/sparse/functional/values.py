"""Values g1: what attention reads off the tokens of a set (Golowich et al., Definition 3.3).

The plain mean of g1 over all sets of k positions, without visiting them.

Where a key ignores every set, attention is uniform over all C(L, k) sets (Definition 3.3, its footnote). How many of
them carry a given tuple is the number of ways to embed it as a subsequence: O(L k) for each tuple of the value table.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np
import numpy.typing as npt

from lengthwise.alphabet import Alphabet
from lengthwise.sparse.ensembles.ensemble import as_tokens
from lengthwise.sparse.ensembles.laws import Label, Number, Tokens, as_label
from lengthwise.sparse.functional.tables import HypothesisError, Lookup, require_tuples


@dataclass(frozen=True, eq=False)
class ValueTable:
    """g1: a vector for every tuple of k tokens."""

    alphabet_size: int
    sparsity: int
    table: Mapping[Tokens, Label]
    default: Label
    """The value of tuples that are not listed."""

    def __post_init__(self) -> None:
        if any(len(value) != len(self.default) for value in self.table.values()):
            raise HypothesisError(f"all values must have {len(self.default)} entries, as many as the default")
        require_tuples(self.table, self.alphabet_size, self.sparsity, "a value table")

    @classmethod
    def of(
        cls,
        alphabet: Alphabet,
        sparsity: int,
        values: Mapping[str, Number | Sequence[Number]],
        default: Number | Sequence[Number] = 0,
    ) -> ValueTable:
        """The values of words, and one for all others."""
        table = {as_tokens(alphabet, word): as_label(value) for word, value in values.items()}
        return cls(alphabet.id_count, sparsity, table, as_label(default))

    @property
    def dimension(self) -> int:
        """The number d of entries."""
        return len(self.default)

    @cached_property
    def denominator(self) -> int:
        """A common denominator of all values."""
        values = [self.default, *self.table.values()]
        return math.lcm(*(entry.denominator for value in values for entry in value))

    @cached_property
    def image(self) -> frozenset[Label]:
        """Every value that some tuple has; the default only if a tuple is not listed."""
        listed = frozenset(self.table.values())
        return listed if len(self.table) == self.alphabet_size**self.sparsity else listed | {self.default}

    def value(self, tokens: Tokens) -> Label:
        """g1(x)."""
        return self.table.get(tokens, self.default)

    def values(self, tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """g1 of every tuple (last axis), as floats."""
        lookup, listed = self.rows
        return listed[lookup.find(tokens)]

    @cached_property
    def rows(self) -> tuple[Lookup, npt.NDArray[np.float64]]:
        """The table for many tuples at once; its last row is the default."""
        lookup = Lookup.of(self.alphabet_size, self.sparsity, self.table)
        listed = [*self.table.values(), self.default]
        return lookup, np.array([[float(entry) for entry in value] for value in listed])


def embeddings(words: npt.NDArray[np.int64], tuples: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """How often each tuple (row) occurs as a subsequence of each word (row), neighbours or not."""
    count, length = words.shape
    width = tuples.shape[1]
    found = np.zeros((count, len(tuples), width + 1))
    found[:, :, 0] = 1
    for place in range(length):
        matches = words[:, place, None, None] == tuples[None]
        # Longer beginnings first: one position must not serve twice.
        for size in range(width, 0, -1):
            found[:, :, size] += found[:, :, size - 1] * matches[:, :, size - 1]
    return found[:, :, width]


def plain_mean(value: ValueTable, words: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """The mean of g1 over all sets of k positions of each word."""
    _, listed = value.rows
    tuples = np.array(list(value.table), dtype=np.int64).reshape(-1, value.sparsity)
    shares = embeddings(words, tuples) / comb(words.shape[1], value.sparsity)
    return np.asarray(listed[-1] + shares @ (listed[:-1] - listed[-1]))
