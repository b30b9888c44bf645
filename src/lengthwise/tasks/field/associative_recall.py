"""Multi-query associative recall: pairs of a key and its value, then all keys in another order; which value has each?

Arora et al. (2024) compare attention with models of bounded state by it. A word of length n has n pairs, n different
keys, a mark and the n keys again; what is asked at each of these is its value. So the keys bound the length. A program
with one local window solves it: the value after a key is remembered for each of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from lengthwise.alphabet import Alphabet
from lengthwise.crasp import Program, parse
from lengthwise.errors import LengthwiseError
from lengthwise.tasks.registry import register_task
from lengthwise.tasks.request import require_drawable
from lengthwise.tasks.task import Batch, Loss

MARK = "?"
MOST = 1024
"""The most keys, and the most values."""


@register_task("task:associative-recall")
class AssociativeRecall:
    """k v k v … ? k k …, where each of up to `keys` keys is asked for its value, one of `values`.

    Args:
        keys: How many different keys there are, which is the greatest length.
        values: How many different values.

    Raises:
        LengthwiseError: A number is below 1 or too large.

    Example:
        >>> AssociativeRecall(keys=2, values=1).alphabet.symbols
        ('k0', 'k1', 'v0', '?')

    """

    name = "task:associative-recall"
    min_length = 1
    language = None

    def __init__(self, keys: int = 64, values: int = 8) -> None:
        for what, number in (("keys", keys), ("values", values)):
            if not 1 <= number <= MOST:
                raise LengthwiseError(f"{what} is a number from 1 to {MOST}, not {number}")
        self.keys, self.values = keys, values
        self.parameters: Mapping[str, Any] = {"keys": keys, "values": values}
        names = [f"k{number}" for number in range(keys)] + [f"v{number}" for number in range(values)]
        self.alphabet = Alphabet((*names, MARK))
        self.outputs = len(self.alphabet)

    def __repr__(self) -> str:
        return f"<AssociativeRecall of {self.keys} keys>"

    @property
    def loss(self) -> Loss:
        """The value of each key that is asked."""
        return "next-token"

    @cached_property
    def program(self) -> Program | None:
        """A C-RASP program: at a key, the value that stands after an earlier occurrence of it."""
        known = [f'"{symbol}"' for symbol in self.alphabet.symbols]
        keys, values = known[: self.keys], known[self.keys : -1]
        lines = [f"alphabet {' '.join(known)}"]
        lines += [f"B_{number} = #[j == i-1] {key}" for number, key in enumerate(keys)]
        for place, value in enumerate(values):
            found = []
            for number, key in enumerate(keys):
                lines.append(f"C_{number}_{place} = #({value} && B_{number} >= 1)")
                found.append(f"({key} && C_{number}_{place} >= 1)")
            lines.append(f"next {value} = {' || '.join(found)}")
        return parse("\n".join(lines), title="associative-recall")

    def lengths(self, up_to: int) -> tuple[int, ...]:
        """How many pairs there can be."""
        return tuple(range(1, min(up_to, self.keys) + 1))

    def input_length(self, length: int) -> int:
        """The pairs, the mark and the keys."""
        return 3 * length + 1

    def sample(self, length: int, batch: int, rng: np.random.Generator) -> Batch:
        """Random pairs with all keys asked in random order."""
        require_drawable(self, length, batch)
        if length > self.keys:
            raise LengthwiseError(f"{self.name} has {self.keys} keys, so no words of {length} pairs; set keys={length}")
        keys = rng.permuted(np.tile(np.arange(self.keys), (batch, 1)), axis=1)[:, :length]
        values = rng.integers(self.values, size=(batch, length)) + self.keys
        order = rng.permuted(np.tile(np.arange(length), (batch, 1)), axis=1)
        tokens = np.empty((batch, self.input_length(length)), dtype=np.int64)
        tokens[:, 0 : 2 * length : 2], tokens[:, 1 : 2 * length : 2] = keys, values
        tokens[:, 2 * length] = len(self.alphabet) - 1
        tokens[:, 2 * length + 1 :] = np.take_along_axis(keys, order, axis=1)
        targets, mask = np.zeros_like(tokens), np.zeros(tokens.shape, dtype=bool)
        targets[:, 2 * length + 1 :] = np.take_along_axis(values, order, axis=1)
        mask[:, 2 * length + 1 :] = True
        return Batch(tokens, targets, mask)
