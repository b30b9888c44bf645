"""Sparse parity: the parity of the few bits that are marked (Golowich et al., section 5.1, appendix E.1.1, (20)).

BOS J_1 t_1 … J_ℓ t_ℓ SEP t*: every bit stands behind a number J from 1 to N, and counts if J ≤ N/2. Exactly k bits do.
All choices of numbers with k small ones are equally likely, bits are fair, and the last token is the parity of the
bits that count. The length is that of the ℓ items, 2ℓ, as on the axis of Figure 1; so it is even.

k is uniform from `fewest` to `most`. A model is trained on 1 to K_train (8 here, as in Figure 1) and tested on one
k: `fewest` and `most` are then both k_test. The paper asks for k < ℓ but draws k up to 12 at ℓ = 10; here k is uniform
up to `most` or ℓ - 1, whichever is less, and words that are too short for `fewest` do not exist.

There are no coupled positions: the answer depends on 2k tokens, each of which has an ID of its own (footnote 10).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lengthwise.errors import LengthwiseError
from lengthwise.tasks.algorithmic.answer_task import require_between
from lengthwise.tasks.coupled.positioned_task import BEGIN, SEPARATOR, PositionedTask, Words
from lengthwise.tasks.registry import register_task

MOST_INDICES = 1000


@register_task("task:sparse-parity")
@dataclass(frozen=True)
class SparseParity(PositionedTask):
    """BOS x SEP y, where x has a bit behind every number, and y is the parity of those behind small numbers."""

    fewest: int = 1
    """The least k: 1 in training, k_test in tests."""
    most: int = 8
    """The largest k: K_train in training, k_test in tests."""
    indices: int = 20
    """N: the numbers before bits are 1 to N."""

    name = "task:sparse-parity"

    def __post_init__(self) -> None:
        require_between("the number of indices", self.indices, 2, MOST_INDICES)
        if not 1 <= self.fewest <= self.most:
            raise LengthwiseError(
                f"the bits that count are at least 1, and the fewest are not more than the most, "
                f"not {self.fewest} to {self.most}"
            )

    @property
    def symbols_in_order(self) -> tuple[str, ...]:
        """1 to N, the bits t0 and t1, and the marks."""
        return (*map(str, range(1, self.indices + 1)), "t0", "t1", BEGIN, SEPARATOR)

    @property
    def min_length(self) -> int:
        """One item more than count at least."""
        return 2 * (self.fewest + 1)

    def lengths(self, up_to: int) -> tuple[int, ...]:
        """Even ones."""
        return tuple(range(self.min_length, up_to + 1, 2))

    def input_length(self, length: int) -> int:
        """BOS, the items and SEP."""
        return length + 2

    def drawn(self, length: int, batch: int, rng: np.random.Generator) -> Words:
        """Numbers with a uniform number of small ones among those that may be, and fair bits."""
        if length % 2:
            raise LengthwiseError(
                f"{self.name} has words of even length, a number and a bit for every item, such as "
                f"{length - 1} or {length + 1}, not of length {length}"
            )
        items, half = length // 2, self.indices // 2
        most = min(self.most, items - 1)
        counted = rng.permuted(np.arange(items) < rng.integers(self.fewest, most + 1, size=(batch, 1)), axis=1)
        small = rng.integers(half, size=(batch, items), dtype=np.int16)
        large = rng.integers(half, self.indices, size=(batch, items), dtype=np.int16)
        bits = rng.integers(2, size=(batch, items), dtype=np.int16)
        # One array from the start: large ones cost more to get than to fill.
        tokens = np.empty((batch, length + 3), dtype=np.int64)
        tokens[:, 0], tokens[:, -2] = (self.alphabet.index(mark) for mark in (BEGIN, SEPARATOR))
        tokens[:, 1:-2:2] = np.where(counted, small, large)
        tokens[:, 2:-2:2] = self.indices + bits
        tokens[:, -1] = self.indices + (bits & counted).sum(axis=1) % 2
        return Words(tokens, written=1)
