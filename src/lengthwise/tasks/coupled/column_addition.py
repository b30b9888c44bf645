"""Addition with the digits of a column coupled, as Golowich et al. refer to it (sections 1 and 2.1: Cho et al., 2024).

BOS x + y = z, where x and y are numbers of n digits and z is their sum with n + 1 digits, from its last digit on: so
every digit depends on the two above it and on the column before. Digits of equal place value share an ID: those of x
and y have 2, …, n + 1 from the first on, + and = have n + 2, and z has n + 1, n, …, 1; BOS has 0. The length is n.

Golowich et al. print no format. This is that of Cho et al., whose published program gives these IDs before their shift,
without the symbol that ends their words, as the words of Golowich et al. have none. Numbers are uniform from 0 to
base^n - 1 and padded with zeros in front; Cho et al. draw the lengths of both numbers, and pad the shorter one.
`task:addition` is the binary addition of Huang et al., with numbers of different lengths.
"""

from __future__ import annotations

import string
from dataclasses import dataclass

import numpy as np

from lengthwise.tasks.algorithmic.answer_task import Rows, require_between
from lengthwise.tasks.coupled.positioned_task import BEGIN, COUPLED, PositionedTask, Words, column, require_positions
from lengthwise.tasks.registry import register_task

DIGITS = string.digits + string.ascii_lowercase
PLUS, EQUALS = "+", "="


@register_task("task:column-addition")
@dataclass(frozen=True)
class ColumnAddition(PositionedTask):
    """BOS x + y = z, where x and y are numbers with LEN digits and z is their sum, written from its last digit on."""

    base: int = 10
    """How many digits there are."""
    positions: str = COUPLED

    name = "task:column-addition"

    def __post_init__(self) -> None:
        require_between("the base", self.base, 2, len(DIGITS))
        require_positions(self.positions)

    @property
    def symbols_in_order(self) -> tuple[str, ...]:
        """The digits, whose ids are their values, and the marks."""
        return (*DIGITS[: self.base], PLUS, EQUALS, BEGIN)

    def input_length(self, length: int) -> int:
        """BOS, both numbers with + and =, and all of the sum but its first digit, which is written last."""
        return 3 * length + 3

    def largest_coupled_id(self, length: int) -> int:
        """That of + and =."""
        return length + 2

    def drawn(self, length: int, batch: int, rng: np.random.Generator) -> Words:
        """Digits are independent and uniform."""
        numbers = rng.integers(self.base, size=(batch, 2, length))
        left, right = numbers[:, 0], numbers[:, 1]
        begin, plus, equals = (column(self.alphabet.index(mark), batch) for mark in (BEGIN, PLUS, EQUALS))
        ids = np.arange(2, length + 3)
        return Words(
            np.concatenate([begin, left, plus, right, equals, self._sums(left, right)], axis=1),
            written=length + 1,
            ids=np.concatenate([[0], ids, ids, ids[-2::-1], [1]])[None],
        )

    def _sums(self, left: Rows, right: Rows) -> Rows:
        """Sums from the last digit on, with one digit more than the numbers have.

        A column whose digits make base - 1 passes on the carry that comes; every other one settles what is carried. So
        the carry out of a column is decided by the last column up to it that settles, and is 0 if there is none.
        """
        columns = np.zeros((len(left), left.shape[1] + 1), dtype=np.int64)
        columns[:, :-1] = (left + right)[:, ::-1]
        settles = np.where(columns != self.base - 1, np.arange(columns.shape[1]), -1)[:, :-1]
        deciding = np.maximum.accumulate(settles, axis=1)
        carried = np.take_along_axis(columns, np.maximum(deciding, 0), axis=1) >= self.base
        columns[:, 1:] += carried & (deciding >= 0)
        return columns % self.base
