"""Addition: two binary numbers, and behind them their sum.

SOS 1 0 1 + 1 0 = 1 1 1 EOS: the answer is asked for at =, and LEN is the length of both numbers with + and =. The paper
draws the length of the first from [1, LEN - 2], which would leave the second empty at its end; the authors' program
draws it from [1, LEN - 3], as is done here. Numbers are not padded with zeros in front: of more than one bit, the
first is 1, as in that program, and the others are independent and fair. The sum has no zero in front, either.

Sums of numbers with equal LEN differ in length. So that the words of a batch are equally long, EOS is repeated behind
the end of a shorter one; nothing is scored there, and a causal model does not see it before.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lengthwise.regular.algorithmic.task_programs import END
from lengthwise.tasks.algorithmic.answer_task import AnswerTask, Rows
from lengthwise.tasks.registry import register_task

PLUS = 2
"""The id of +; those of the bits are the bits."""


@register_task("task:addition")
@dataclass(frozen=True)
class Addition(AnswerTask):
    """SOS x + y = z EOS, where x and y are binary numbers and z is their sum; LEN is the length of x + y =."""

    name = "task:addition"
    own_symbols = ("0", "1", "+", "=")
    separator = "="
    min_length = 4

    def answer_length(self, length: int) -> int:
        """One more than the longest number that there may be."""
        return length - 2

    def input_length(self, length: int) -> int:
        """SOS, the question and the answer: the length of a question has the separator in it."""
        return 1 + length + self.answer_length(length)

    def question_length(self, symbols: int) -> int:
        """The separator counts, too."""
        return symbols + 1

    def drawn(self, length: int, batch: int, rng: np.random.Generator) -> tuple[Rows, Rows]:
        """The numbers around a +, the first of any length, and their sums."""
        first = rng.integers(1, length - 2, size=(batch, 1))
        second = length - 2 - first
        questions = rng.integers(2, size=(batch, length - 1))
        rows = np.arange(batch)
        questions[rows, first[:, 0]] = PLUS
        questions[rows, 0] |= first[:, 0] > 1
        questions[rows, first[:, 0] + 1] |= second[:, 0] > 1
        numbers = (_digits(questions, first, first), _digits(questions, np.full_like(first, length - 1), second))
        return questions, self._written(_sums(*numbers))

    def _written(self, digits: Rows) -> Rows:
        """Numbers given from the last bit on, written from the first on, with EOS behind them."""
        width = digits.shape[1]
        # Where there is no 1, the last bit remains.
        size = np.where(digits.any(axis=1), width - digits[:, ::-1].argmax(axis=1), 1)[:, None]
        places = size - 1 - np.arange(width)
        bits = np.take_along_axis(digits, np.maximum(places, 0), axis=1)
        return np.where(places >= 0, bits, self.alphabet.index(END))


def _digits(questions: Rows, ends: Rows, sizes: Rows) -> Rows:
    """The bits of one number of each question, from its last one on and with zeros behind its first."""
    places = np.arange(questions.shape[1] - 1)
    bits = np.take_along_axis(questions, np.maximum(ends - 1 - places, 0), axis=1)
    return np.where(places < sizes, bits, 0)


def _sums(left: Rows, right: Rows) -> Rows:
    """Sums of numbers given from the last bit on; there must be room for the carry.

    Two equal bits settle what is carried from their place: the bit itself. Two different ones pass on what comes. So
    the carry into a place is the bit at the last place before it where both numbers have the same, or 0.
    """
    places = np.arange(left.shape[1])
    settled = np.maximum.accumulate(np.where(left == right, places, -1), axis=1)[:, :-1]
    carried = np.where(settled >= 0, np.take_along_axis(left, np.maximum(settled, 0), axis=1), 0)
    sums = left ^ right
    sums[:, 1:] ^= carried
    return sums
