"""`SparseAttention`: one hypothesis h_{g0, g1}, a key and a value (Golowich et al., Definition 3.3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lengthwise.alphabet import Alphabet, Word
from lengthwise.sparse.functional.evaluate import evaluate
from lengthwise.sparse.functional.keys import Key
from lengthwise.sparse.functional.lookup import HypothesisError
from lengthwise.sparse.functional.values import ValueTable


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
