"""Dot-depth 0 and 1, the two levels of the star-free languages that are decided by a law of the syntactic semigroup.

Dot-depth 0 holds the finite languages and their complements: S₊ is nilpotent, which means that its only idempotent is a
zero. Dot-depth 1 holds the Boolean combinations of Σ*w₁Σ*w₂…Σ*: by Knast's theorem (1983) S₊ satisfies

    (xy)^ω · x t · (zt)^ω  =  (xy)^ω · (zt)^ω      for idempotents e, f, all x, z in eS₊f and all y, t in fS₊e.

Two facts keep the check small. (1) The law speaks of (xy)^ω and (xy)^ω x, and of (zt)^ω and t (zt)^ω, so the pairs
of such values are collected first, and every left pair is compared with every right pair. (2) One idempotent from each
regular D-class with no regular D-class above is enough:

- If e = ab and g = ba, then x ↦ bx and y ↦ ya carry eS₊f and fS₊e to gS₊f and fS₊g, and both sides of the law to
  b · side · a, from which a · … · b brings them back. The same holds for f, so one idempotent for each D-class will do.
- If g lies below e in the order of D-classes, g = aeb, then h = e b g a e is an idempotent in the class of g with
  h = eh = he, so hS₊f is part of eS₊f, and every instance of the law at h is one at e.

So for a language with a neutral letter, where the identity is in S₊, only e = f = identity is tried: J-triviality.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lengthwise.regular.algebra.green import Green
from lengthwise.regular.algebra.monoid import MonoidLimitError, TransitionMonoid
from lengthwise.resources import within_time

LARGEST_TABLE = 5000
"""The most elements of a monoid whose products are all written down: 50 MB."""
BLOCK = 1 << 20
"""How many comparisons are made at once."""

Elements = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True)
class KnastFailure:
    """Elements that break Knast's law: e and f are idempotents, x and z lie in eS₊f, y and t in fS₊e."""

    e: int
    f: int
    x: int
    y: int
    z: int
    t: int


def is_nilpotent(green: Green) -> bool:
    """Whether S₊ has one idempotent and it is a zero: every long word acts alike."""
    monoid = green.monoid
    if len(monoid.idempotents) != 1:
        return False
    zero = monoid.idempotents[0]
    return all(product == zero for product in (*monoid.right[zero], *green.left[zero]))


def knast_failure(green: Green, largest: int = LARGEST_TABLE) -> KnastFailure | None:
    """Elements of an aperiodic semigroup S₊ that break Knast's law; None if it holds and the dot-depth is at most 1."""
    if len(green.monoid) > largest:
        raise MonoidLimitError(f"Knast's law is checked for at most {largest} elements, and the monoid has more")
    products = _Products(green.monoid)
    for e in green.highest_idempotents:
        for f in green.highest_idempotents:
            if failure := products.failure(e, f):
                return failure
    return None


class _Products:
    """All products and idempotent powers of an aperiodic monoid."""

    def __init__(self, monoid: TransitionMonoid) -> None:
        count = len(monoid)
        right = np.array(monoid.right, dtype=np.min_scalar_type(count)).T
        self.table = np.empty((count, count), dtype=right.dtype)  # table[y, x] = x · y
        self.table[0] = np.arange(count)
        for element, (parent, symbol) in enumerate(within_time(monoid.parents[1:]), 1):
            self.table[element] = right[symbol][self.table[parent]]
        self.omega = np.arange(count)
        while True:  # x, x², x⁴, … arrive at x^ω, since no cycle of powers is longer than 1
            squares = self.table[self.omega, self.omega].astype(np.intp)
            if np.array_equal(squares, self.omega):
                break
            self.omega = squares
        self.semigroup = np.array(monoid.semigroup)

    def times(self, left: Elements | int, right: Elements | int) -> Elements:
        products: Elements = self.table[right, left].astype(np.intp)
        return products

    def between(self, e: int, f: int) -> Elements:
        """The elements of eS₊f."""
        return np.unique(self.times(self.times(e, self.semigroup), f))

    def failure(self, e: int, f: int) -> KnastFailure | None:
        there, back = self.between(e, f), self.between(f, e)
        loops, starts = self._pairs(
            (power, self.times(power, x)) for x in within_time(there) for power in [self.omega[self.times(x, back)]]
        )
        ends, tails = self._pairs(
            (power, self.times(t, power)) for t in within_time(back) for power in [self.omega[self.times(there, t)]]
        )
        rows = max(1, BLOCK // len(ends))
        for first in within_time(range(0, len(loops), rows)):
            some = slice(first, first + rows)
            longer = self.times(starts[some, None], tails[None, :])
            shorter = self.times(loops[some, None], ends[None, :])
            if len(broken := np.argwhere(longer != shorter)):
                row, column = broken[0]
                x, y = self._origin(there, back, loops[first + row], starts[first + row])
                z, t = self._origin(there, back, ends[column], tails[column], reverse=True)
                return KnastFailure(e, f, x, y, z, t)
        return None

    def _pairs(self, found: Iterable[tuple[Elements, Elements]]) -> tuple[Elements, Elements]:
        count = len(self.table)
        codes = np.unique(np.concatenate([np.unique(first * count + second) for first, second in found]))
        return codes // count, codes % count

    def _origin(
        self, there: Elements, back: Elements, power: int, value: int, reverse: bool = False
    ) -> tuple[int, int]:
        """Some x in eS₊f and y in fS₊e with this (xy)^ω and this (xy)^ω x, or y (xy)^ω if reversed."""
        powers = self.omega[self.times(there[:, None], back[None, :])]
        values = self.times(back[None, :], powers) if reverse else self.times(powers, there[:, None])
        row, column = np.argwhere((powers == power) & (values == value))[0]
        return int(there[row]), int(back[column])
