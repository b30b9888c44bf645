"""Parity with a scratchpad of partial parities (Golowich et al., section 5.2.1, appendix E.2.1, (21)).

BOS b_1 … b_ℓ SEP b'_1 … b'_ℓ, where b'_i is the parity of the first i bits, which are fair. The IDs are 0, 1, …, ℓ, 0,
1, …, ℓ: a partial parity has that of the bit it adds. With jumps k only every k-th parity is written, and k bits of the
question share an ID: b'_i is the parity of the first ki bits, and bit j has the ID of the parity that it is added in,
⌈j/k⌉. What is written next depends on k + 1 tokens, whose IDs are at most 1 apart. The length is ℓ; the paper states
that of question and scratchpad together, 2ℓ at k = 1.

Left open, and chosen here: the paper neither says what happens if k does not divide ℓ nor prints the IDs for k > 1. The
last parity is that of all bits, with what is left of them: there are ⌈ℓ/k⌉ parities, and the last is always the answer.
Without a scratchpad only the answer is written; it has the ID that it has in the scratchpad, ℓ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lengthwise.errors import LengthwiseError
from lengthwise.tasks.algorithmic.answer_task import require_between
from lengthwise.tasks.coupled.positioned_task import (
    BEGIN,
    COUPLED,
    SEPARATOR,
    PositionedTask,
    Words,
    column,
    require_positions,
)
from lengthwise.tasks.registry import register_task

MOST_JUMPS = 100


@register_task("task:scratchpad-parity")
@dataclass(frozen=True)
class ScratchpadParity(PositionedTask):
    """BOS x SEP y, where x are bits and y the parities of the first k, 2k, 3k, … of them, k being `jumps`."""

    jumps: int = 1
    """How many bits each parity adds; the paper has 1 to 4."""
    scratchpad: bool = True
    """Whether all parities are written, or only the last."""
    positions: str = COUPLED

    name = "task:scratchpad-parity"
    symbols_in_order = ("0", "1", BEGIN, SEPARATOR)

    def __post_init__(self) -> None:
        require_between("the number of jumps", self.jumps, 1, MOST_JUMPS)
        require_positions(self.positions)
        if not self.scratchpad and self.jumps > 1:
            raise LengthwiseError(f"{self.name} has jumps in its scratchpad; leave them at 1 if there is none")

    def written(self, length: int) -> int:
        """How many parities are written."""
        return -(-length // self.jumps) if self.scratchpad else 1

    def input_length(self, length: int) -> int:
        """BOS, the bits, SEP and all parities but the last."""
        return length + 1 + self.written(length)

    def largest_coupled_id(self, length: int) -> int:
        """That of the last bit."""
        return -(-length // self.jumps)

    def drawn(self, length: int, batch: int, rng: np.random.Generator) -> Words:
        """Fair bits."""
        bits = rng.integers(2, size=(batch, length))
        ends = np.minimum(np.arange(self.jumps, length + self.jumps, self.jumps), length) - 1
        parities = (bits.cumsum(axis=1) % 2)[:, ends[-self.written(length) :]]
        begin, separator = (column(self.alphabet.index(mark), batch) for mark in (BEGIN, SEPARATOR))
        ids = 1 + np.arange(length) // self.jumps
        return Words(
            np.concatenate([begin, bits, separator, parities], axis=1),
            written=self.written(length),
            ids=np.concatenate([[0], ids, [0], ids[ends[-self.written(length) :]]])[None],
        )
