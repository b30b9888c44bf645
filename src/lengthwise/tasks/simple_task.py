"""SimpleTask(ω): a sine of how far the 0s of a word outnumber its 1s (Izzo et al., section 6 and appendix C).

The paper draws a point of the simplex uniformly and then the symbols independently with these probabilities. So all
ways to split the length into three counts are equally likely, and all orders of the symbols given the counts: counts
are drawn directly, and the last symbol is then s with probability c_s / T.

Words without any 0 or 1 have no target (0/0), which the paper passes over. Here they do not occur: they are drawn
again. They are one count vector of (T + 1)(T + 2) / 2, that is a third of the words of length 1 and 1 in 561 at 32.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lengthwise.alphabet import Alphabet
from lengthwise.errors import LengthwiseError
from lengthwise.tasks.registry import register_task
from lengthwise.tasks.request import only_the_last, require_drawable
from lengthwise.tasks.task import Batch, CountBatch, Loss
from lengthwise.tasks.uniform_rows import uniform_rows

LONGEST = 10**9
"""The longest words that counts are drawn for: the number of count vectors fits into 64 bits."""


@register_task("simple-task")
@dataclass(frozen=True)
class SimpleTask:
    """sin(ω (c_0 - c_1) / (c_0 + c_1)), where c_s counts the symbols s of a word over 0, 1, 2."""

    omega: float = 2.0
    """The frequency ω; the paper has 2 to 5.5."""

    name = "simple-task"
    alphabet = Alphabet(("0", "1", "2"))
    outputs = 1
    min_length = 1
    period = 1
    program = None
    language = None

    def __post_init__(self) -> None:
        if not math.isfinite(self.omega):
            raise LengthwiseError(f"the frequency omega is a finite number, got {self.omega}")

    @property
    def loss(self) -> Loss:
        """One number at the last position."""
        return "regression"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The frequency."""
        return {"omega": self.omega}

    def targets(self, tokens: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.float64]:
        """The target of every row of symbol ids; NaN for rows without 0 and 1."""
        zeros, ones = ((tokens == symbol).sum(axis=1, dtype=np.int32) for symbol in (0, 1))
        return self._sines(zeros, ones)

    def sample(self, length: int, batch: int, rng: np.random.Generator) -> Batch:
        """Words as the paper draws them, without those of 2s only."""
        require_drawable(self, length, batch)
        tokens = _words(length, batch, rng)
        targets = self.targets(tokens)
        while len(undefined := np.flatnonzero(np.isnan(targets))):
            tokens[undefined] = _words(length, len(undefined), rng)
            targets[undefined] = self.targets(tokens[undefined])
        return Batch(tokens, targets, only_the_last(tokens))

    def sample_counts(self, length: int, batch: int, rng: np.random.Generator) -> CountBatch:
        """The same words, as their counts and last symbols."""
        require_drawable(self, length, batch)
        if length > LONGEST:
            raise LengthwiseError(f"counts are drawn for words of at most {LONGEST} symbols, not {length}")
        # Number the pairs (m, c_0) with c_0 <= m = c_0 + c_1 as 0, 1, 2, …: pair number m(m + 1)/2 + c_0. Leaving out
        # number 0 leaves out the words of 2s only.
        number = rng.integers(1, (length + 1) * (length + 2) // 2, size=batch)
        both = np.rint(np.sqrt(2.0 * number + 0.25) - 0.5).astype(np.int64)  # m or m + 1, whatever the rounding
        both -= both * (both + 1) // 2 > number
        zeros = number - both * (both + 1) // 2
        place = rng.integers(length, size=batch)
        last = (place >= zeros).astype(np.int64) + (place >= both)
        counts = np.stack([zeros, both - zeros, length - both], axis=1)
        return CountBatch(counts[:, :, None], last, np.full(batch, length), self._sines(zeros, both - zeros))

    def _sines(self, zeros: npt.NDArray[Any], ones: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        both = zeros + ones
        lead = np.divide(zeros - ones, both, out=np.full(both.shape, np.nan), where=both > 0)
        return np.asarray(np.sin(self.omega * lead)[:, None])


def _words(length: int, batch: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Words whose symbols are independent given a uniform point of the simplex, the gaps of two uniform numbers."""
    lower, upper = np.sort(rng.random((2, batch, 1)), axis=0)
    tokens = np.empty((batch, length), dtype=np.int64)
    for rows, drawn in uniform_rows(batch, length, rng):
        tokens[rows] = (drawn >= lower[rows]).view(np.int8) + (drawn >= upper[rows]).view(np.int8)
    return tokens
