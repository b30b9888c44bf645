"""Parity: a word of bits, and behind it whether it has an even or an odd number of ones.

This is the algorithmic format, with one answer behind the word; the language `parity` of Table 2 is asked about after
every symbol. The text followed lacks the paragraph: format, symbols and distribution are those of the authors' program,
where the answer is e (even) or o (odd), the number of ones is uniform from 0 to the length, and a word may be empty.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lengthwise.tasks.algorithmic.answer_task import AnswerTask, Rows, bits
from lengthwise.tasks.registry import register_task

EVEN = 2
"""The id of e; that of o is the next one."""


@register_task("task:parity")
@dataclass(frozen=True)
class Parity(AnswerTask):
    """SOS x SEP y EOS, where y is e if the bits x have an even number of ones, else o."""

    name = "task:parity"
    own_symbols = ("0", "1", "e", "o")
    min_length = 0

    def answer_length(self, length: int) -> int:
        """One symbol."""
        return 1

    def drawn(self, length: int, batch: int, rng: np.random.Generator) -> tuple[Rows, Rows]:
        """The number of ones is uniform."""
        words = bits(length, batch, rng)
        return words, EVEN + words.sum(axis=1, keepdims=True) % 2
