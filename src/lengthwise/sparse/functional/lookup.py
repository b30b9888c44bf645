"""Finding tuples of tokens in a table, many at once.

A tuple is a number in base |V|; a table is the sorted list of the numbers it contains.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lengthwise.errors import LengthwiseError
from lengthwise.sparse.ensembles.laws import Tokens

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
