"""Which symbol occurs most often: Binary Majority, its interleaving, and Majority over 26 letters.

The text followed lacks the paragraph on Binary Majority. That the two bits are never equally frequent follows from the
others (the label is "the most frequent bit"; Majority has "always a unique answer"). In the authors' program the number
of zeros is uniform among those that leave no tie, and so it is here: with independent fair bits, the lead of one bit
would be about the square root of the length.
"""

from __future__ import annotations

import string
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from lengthwise.crasp import Program
from lengthwise.errors import LengthwiseError
from lengthwise.regular.algorithmic import task_programs
from lengthwise.tasks.algorithmic.answer_task import AnswerTask, Rows, bits, fitting, require_between
from lengthwise.tasks.registry import register_task

MOST_TRACKS = 100
"""The most words that are interleaved: the program grows with them."""


@register_task("task:binary-majority")
@dataclass(frozen=True)
class BinaryMajority(AnswerTask):
    """SOS x SEP y EOS, where y is the bit that x has more often; it has one of them more often."""

    name = "task:binary-majority"
    own_symbols = ("0", "1")

    @cached_property
    def program(self) -> Program:
        """A single difference of counts."""
        return task_programs.binary_majority()

    def answer_length(self, length: int) -> int:
        """One bit."""
        return 1

    def drawn(self, length: int, batch: int, rng: np.random.Generator) -> tuple[Rows, Rows]:
        """The number of zeros is uniform among those that are not half of the length."""
        words = _untied_bits(length, batch, rng)
        return words, _majorities(words)[:, None]


@register_task("task:binary-majority-interleave")
@dataclass(frozen=True)
class BinaryMajorityInterleave(AnswerTask):
    """SOS x SEP y EOS, where x interleaves `tracks` inputs of binary majority, and y are their answers in turn."""

    tracks: int = 3
    """How many words are interleaved; the paper has 3."""

    name = "task:binary-majority-interleave"
    own_symbols = ("0", "1")

    def __post_init__(self) -> None:
        require_between("the number of tracks", self.tracks, 1, MOST_TRACKS)

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The number of tracks."""
        return {"tracks": self.tracks}

    @property
    def min_length(self) -> int:
        """One bit for each track."""
        return self.tracks

    @cached_property
    def program(self) -> Program:
        """A difference of counts for each residue of the position."""
        return task_programs.interleaved_majority(self.tracks)

    def answer_length(self, length: int) -> int:
        """One bit for each track."""
        return self.tracks

    def lengths(self, up_to: int) -> tuple[int, ...]:
        """The multiples of the number of tracks.

        The authors draw any length and take the multiple next to it within the range; here all are equally likely.
        """
        return tuple(range(self.tracks, up_to + 1, self.tracks))

    def drawn(self, length: int, batch: int, rng: np.random.Generator) -> tuple[Rows, Rows]:
        """As many independent inputs of binary majority as there are tracks, all of the same length."""
        each, more = divmod(length, self.tracks)
        if more:
            raise LengthwiseError(
                f"{self.name} has words whose length is a multiple of its {self.tracks} tracks, "
                f"such as {self.tracks * each} or {self.tracks * (each + 1)}, not {length}"
            )
        words = _untied_bits(each, batch * self.tracks, rng)
        answers = _majorities(words).reshape(batch, self.tracks)
        return words.reshape(batch, self.tracks, each).swapaxes(1, 2).reshape(batch, length), answers


@register_task("task:majority")
@dataclass(frozen=True)
class Majority(AnswerTask):
    """SOS x SEP y EOS, where y is the letter that x has most often; it has one of them most often."""

    symbols: int = 26
    """How many letters there are; the paper has 26."""

    name = "task:majority"

    def __post_init__(self) -> None:
        require_between("the number of letters", self.symbols, 2, len(string.ascii_lowercase))

    @property
    def own_symbols(self) -> tuple[str, ...]:
        """The first letters of the alphabet."""
        return tuple(string.ascii_lowercase[: self.symbols])

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The number of letters."""
        return {"symbols": self.symbols}

    @cached_property
    def program(self) -> Program:
        """A count for each letter, and their maximum."""
        return task_programs.majority(self.own_symbols)

    def answer_length(self, length: int) -> int:
        """One letter."""
        return 1

    def drawn(self, length: int, batch: int, rng: np.random.Generator) -> tuple[Rows, Rows]:
        """Letters are independent and uniform; words in which several are most frequent are drawn again."""
        words = fitting(
            lambda count: rng.integers(self.symbols, size=(count, length)),
            lambda drawn: self._untied(self._counts(drawn)),
            batch,
        )
        return words, self._counts(words).argmax(axis=1)[:, None]

    def _counts(self, words: Rows) -> npt.NDArray[np.int64]:
        """How often each word has each letter."""
        cells = words + self.symbols * np.arange(len(words))[:, None]
        counted = np.bincount(cells.ravel(), minlength=self.symbols * len(words))
        return counted.reshape(len(words), self.symbols)

    @staticmethod
    def _untied(counts: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        fits: npt.NDArray[np.bool_] = (counts == counts.max(axis=1, keepdims=True)).sum(axis=1) == 1
        return fits


def _untied_bits(length: int, batch: int, rng: np.random.Generator) -> Rows:
    """Bits with a uniform number of ones among those that are not half of the length."""
    return fitting(lambda count: bits(length, count, rng), lambda words: 2 * words.sum(axis=1) != words.shape[1], batch)


def _majorities(words: Rows) -> Rows:
    """The bit that each word has more often."""
    return np.asarray(2 * words.sum(axis=1) > words.shape[1], dtype=np.int64)
