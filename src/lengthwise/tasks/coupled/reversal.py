"""String reversal, the paper's first example of coupled positions (Golowich et al., section 2.1, (1) and (2)).

X_1 … X_L SEP X_L … X_1 with the IDs 1, …, L, 0, L, …, 1: each letter has the ID of the one it repeats. There is no BOS.
The length is L. The paper leaves open which letters there are and how they are drawn; here they are independent and
uniform.
"""

from __future__ import annotations

import string
from dataclasses import dataclass

import numpy as np

from lengthwise.tasks.algorithmic.answer_task import require_between
from lengthwise.tasks.coupled.positioned_task import (
    COUPLED,
    SEPARATOR,
    PositionedTask,
    Words,
    column,
    require_positions,
)
from lengthwise.tasks.registry import register_task


@register_task("task:reversal")
@dataclass(frozen=True)
class Reversal(PositionedTask):
    """x SEP y, where x is a word of `symbols` letters and y the same from its end to its beginning."""

    symbols: int = 10
    """How many letters there are."""
    positions: str = COUPLED

    name = "task:reversal"

    def __post_init__(self) -> None:
        require_between("the number of letters", self.symbols, 1, len(string.ascii_lowercase))
        require_positions(self.positions)

    @property
    def symbols_in_order(self) -> tuple[str, ...]:
        """The first letters of the alphabet."""
        return (*string.ascii_lowercase[: self.symbols], SEPARATOR)

    def input_length(self, length: int) -> int:
        """The word, SEP and all of the answer but its last letter."""
        return 2 * length

    def largest_coupled_id(self, length: int) -> int:
        """That of the last letter of the question."""
        return length

    def drawn(self, length: int, batch: int, rng: np.random.Generator) -> Words:
        """Letters are independent and uniform."""
        letters = rng.integers(self.symbols, size=(batch, length))
        separator = column(self.alphabet.index(SEPARATOR), batch)
        ids = np.arange(1, length + 1)
        return Words(
            np.concatenate([letters, separator, letters[:, ::-1]], axis=1),
            written=length,
            ids=np.concatenate([ids, [0], ids[::-1]])[None],
        )
