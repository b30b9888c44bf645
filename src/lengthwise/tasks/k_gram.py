"""In-context k-gram: what followed earlier occurrences of the last symbols (Izzo et al., Definition 5.4, appendix C).

The paper's k means two things: k context symbols in its Definition 5.4, k - 1 in its experiments (ERR-E8). Here it is
the number of context symbols c; the experiments' k is c + 1. The words are those of the experiments: for each a random
transition tensor, whose rows are uniform on the simplex; c uniform symbols; then each symbol by the row of the c
before it. At last the final c symbols, the query, are planted at a random place, so that they occur before.

The paper plants at an end i drawn from [k, T - 1]. For c >= 2 the latest of these overlap the query and change it, so
that the changed query need not occur anywhere. Here the planted occurrence ends at i uniform in [c, T - c] and leaves
the query alone, which is the paper's choice for c = 1. Words so have at least 2c symbols. Targets are those of the word
after planting, so a planted occurrence, whose follower was not drawn for it, counts like any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from lengthwise.alphabet import Alphabet
from lengthwise.errors import LengthwiseError
from lengthwise.tasks.registry import register_task
from lengthwise.tasks.request import only_the_last, require_drawable
from lengthwise.tasks.task import Batch, Loss

MOST_TRANSITIONS = 2**22
"""The most entries a transition tensor may have; also about how many are in memory at a time."""


@register_task("k-gram")
@dataclass(frozen=True)
class KGramTask:
    """The shares of the symbols that followed earlier occurrences of the last `context` ones (in-context k-gram)."""

    context: int = 1
    """c: how many symbols are matched; k - 1 for the k of the paper's experiments."""
    alphabet_size: int = 3
    """S: how many symbols there are, written 0, 1, 2, …."""

    name = "k-gram"
    program = None
    language = None

    def __post_init__(self) -> None:
        if self.context < 1 or self.alphabet_size < 2:
            raise LengthwiseError(
                f"a k-gram has a context of 1 symbol or more and an alphabet of 2 or more, "
                f"got {self.context} and {self.alphabet_size}"
            )
        # The exponent first: a power of large numbers would take for ever.
        if self.context > MOST_TRANSITIONS.bit_length() or self.transitions > MOST_TRANSITIONS:
            raise LengthwiseError(
                f"{self.alphabet_size} symbols after {self.context} make more than {MOST_TRANSITIONS} transitions; "
                "take fewer symbols or a shorter context"
            )

    @property
    def transitions(self) -> int:
        """The entries of a transition tensor."""
        return int(self.alphabet_size ** (self.context + 1))

    @cached_property
    def alphabet(self) -> Alphabet:
        """The numbers from 0 on."""
        return Alphabet(tuple(str(number) for number in range(self.alphabet_size)))

    @property
    def outputs(self) -> int:
        """A share for each symbol."""
        return self.alphabet_size

    @property
    def min_length(self) -> int:
        """The query and, before it, the planted occurrence."""
        return 2 * self.context

    @property
    def loss(self) -> Loss:
        """A distribution at the last position, as numbers."""
        return "regression"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Context and size of the alphabet."""
        return {"context": self.context, "alphabet_size": self.alphabet_size}

    def targets(self, tokens: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.float64]:
        """The shares for every row of symbol ids; NaN where the last symbols did not occur before."""
        batch, length = tokens.shape
        places = max(0, length - self.context)
        matches = np.ones((batch, places), dtype=bool)
        for step in range(self.context if places else 0):
            matches &= tokens[:, step : step + places] == tokens[:, [places + step]]
        cells = tokens[:, self.context :] + self.alphabet_size * np.arange(batch)[:, None]
        counts = np.bincount(cells[matches], minlength=batch * self.alphabet_size).reshape(batch, self.alphabet_size)
        totals = counts.sum(axis=1, keepdims=True)
        return np.asarray(np.divide(counts, totals, out=np.full(counts.shape, np.nan), where=totals > 0))

    def sample(self, length: int, batch: int, rng: np.random.Generator) -> Batch:
        """Words of random Markov chains with the query planted."""
        require_drawable(self, length, batch)
        context = self.context
        group = max(1, MOST_TRANSITIONS // self.transitions)
        groups = [self._chains(length, min(group, batch - done), rng) for done in range(0, batch, group)]
        tokens = np.concatenate(groups or [np.empty((0, length), dtype=np.int64)])
        planted = rng.integers(length - 2 * context + 1, size=(batch, 1)) + np.arange(context)
        np.put_along_axis(tokens, planted, tokens[:, length - context :], axis=1)
        return Batch(tokens, self.targets(tokens), only_the_last(tokens))

    def _chains(self, length: int, batch: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """Words of Markov chains of order c, each with transitions of its own."""
        size, context = self.alphabet_size, self.context
        rows = size**context
        # Exponential variables over their sum are uniform on the simplex; symbol s is drawn from between two sums.
        sums = rng.standard_exponential((size, batch * rows))
        for symbol in range(1, size):  # ten times as fast as cumsum over few rows
            sums[symbol] += sums[symbol - 1]
        thresholds = sums[:-1] / sums[-1]
        symbols = np.empty((length, batch), dtype=np.int64)
        symbols[:context] = rng.integers(size, size=(context, batch))
        drawn = rng.random((length, batch))
        first = rows * np.arange(batch)
        row = size ** np.arange(context)[::-1] @ symbols[:context]
        for place in range(context, length):
            symbols[place] = (thresholds.take(first + row, axis=1) <= drawn[place]).sum(axis=0, dtype=np.int32)
            row = (row * size + symbols[place]) % rows
        return symbols.T
