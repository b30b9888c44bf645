"""Flip-flop: a bit is written (w), ignored (i) or read (r), and what is read is what was written last.

Liu et al. (2023): transformers fail now and then at any distance from the last write, recurrent networks do not. The
language is regular: symbols come in pairs of an instruction and a bit, the first writes, and after r comes the bit that
was written last. After the other instructions either bit may come. The words are drawn as in the paper: the first
instruction is w, the last is r, those between are i with probability `ignore`, and else w or r alike.
"""

from __future__ import annotations

import numpy as np

from lengthwise.errors import LengthwiseError
from lengthwise.regular import Language
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.tasks.language_task import LanguageTask
from lengthwise.tasks.registry import register_task
from lengthwise.tasks.request import require_drawable
from lengthwise.tasks.task import Batch

SYMBOLS = ("w", "i", "r", "0", "1")
WRITE, IGNORE, READ, ZERO = range(4)

# Before the first instruction; after its w; for a memory of 0 and of 1: between pairs, after w, after i, after r; dead.
_START, _FIRST, _DEAD = 0, 1, 10
_TABLE = (
    (_FIRST, _DEAD, _DEAD, _DEAD, _DEAD),
    (_DEAD, _DEAD, _DEAD, 2, 6),
    *(
        row
        for bit, at in ((0, 2), (1, 6))
        for row in (
            (at + 1, at + 2, at + 3, _DEAD, _DEAD),
            (_DEAD, _DEAD, _DEAD, 2, 6),
            (_DEAD, _DEAD, _DEAD, at, at),
            (_DEAD, _DEAD, _DEAD, *((at, _DEAD) if bit == 0 else (_DEAD, at))),
        )
    ),
    (_DEAD,) * 5,
)


@register_task("task:flip-flop")
class FlipFlop(LanguageTask):
    """The next symbols of words in which a bit is written, ignored with probability `ignore`, or read.

    Args:
        ignore: The probability that a pair between the first and the last is to be ignored.

    Raises:
        LengthwiseError: That is no probability.

    Example:
        >>> FlipFlop(ignore=0.5).lengths(9)
        (4, 6, 8)

    """

    def __init__(self, ignore: float = 0.8) -> None:
        if not 0 <= ignore <= 1:
            raise LengthwiseError(f"ignore is a probability from 0 to 1, not {ignore}")
        name = "task:flip-flop"
        automaton = Automaton(SYMBOLS, _TABLE, _START, frozenset({2, 6}))
        super().__init__(Language(automaton, name), None, name, {"ignore": float(ignore)})
        self.ignore = float(ignore)
        self.min_length = 4

    def lengths(self, up_to: int) -> tuple[int, ...]:
        """Even lengths from 4 on: a write, a read, and pairs between them."""
        return tuple(range(4, up_to + 1, 2))

    def sample(self, length: int, batch: int, rng: np.random.Generator) -> Batch:
        """Random words of an even length."""
        require_drawable(self, length, batch)
        if length % 2:
            raise LengthwiseError(f"{self.name} has no words of length {length}; its words have even lengths")
        pairs = length // 2
        other = (1 - self.ignore) / 2
        chosen = rng.choice(3, size=(batch, pairs), p=[other, self.ignore, other])
        chosen[:, 0], chosen[:, -1] = WRITE, READ
        bits = rng.integers(2, size=(batch, pairs))
        written = np.maximum.accumulate(np.where(chosen == WRITE, np.arange(pairs), 0), axis=1)
        bits = np.where(chosen == READ, np.take_along_axis(bits, written, axis=1), bits)
        tokens = np.empty((batch, length), dtype=np.int64)
        tokens[:, 0::2], tokens[:, 1::2] = chosen, bits + ZERO
        return Batch(tokens, self.targets(tokens), np.ones(tokens.shape, dtype=bool))
