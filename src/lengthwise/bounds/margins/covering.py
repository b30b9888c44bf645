"""The shortest words that stand in for all words with a margin: a covering radius, found by refinement.

Asked for is the least N such that every word x with a margin of at least δ has a stand-in z: a word with the same last
symbol, at most N symbols and a margin of at least δ, such that less than r = γ δ of the attention moves from one to the
other. Words matter by their counts. For one stand-in, "x is at least r away from z" is linear in the counts of x, once
multiplied by the numbers of attended keys; so a solver for linear conditions on whole numbers finds words that are far
from all stand-ins seen so far. Each of them gets the shortest stand-in that it has, which is a lower bound for N. When
no such word is left, the stand-ins are enough, which is a proof that N is.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import lcm
from typing import Any

import numpy as np

from lengthwise.bounds.margins.margin import Head, Reading, Situation

MOST_PARTS = 6
"""Up to so many types, all sums of some of them are written out, which is faster."""

Word = tuple[int, ...]
"""The counts of a word."""


@dataclass(frozen=True)
class Cover:
    """The length that stand-ins need.

    Attributes:
        length: The longest stand-in that some word was found to need; 0 if no word has the margin.
        certified: Whether every word with the margin has a stand-in of at most that length.
        exact: Whether, besides, some word has no shorter one.
        word: Counts and last symbol of a word that needs it.
        stand_in: Those of a shortest stand-in of that word.

    """

    length: int
    certified: bool
    exact: bool
    word: tuple[Word, int] | None
    stand_in: tuple[Word, int] | None


def cover(reading: Reading, part: Fraction, radius: Fraction, seconds: float) -> Cover:
    """The least length of stand-ins for all words with a margin of at least `part`, less than `radius` away."""
    deadline = time.monotonic() + seconds
    found = Cover(0, True, True, None, None)
    for situation in reading.situations:
        found = _Search(situation, len(reading.program.symbols), part, radius, deadline).extend(found)
    return found


def distance(heads: tuple[Head, ...], one: Word, other: Word) -> Fraction:
    """The part of the attention that moves between two words, summed over the sets of attended keys; or above it.

    Where there are several sets, it is the largest part times their number, so that being far stays linear.
    """
    sets = _sets(heads)
    return len(sets) * max((_moved(attended, start, one, other) for attended, start in sets), default=Fraction(0))


def _sets(heads: tuple[Head, ...]) -> list[tuple[tuple[int, ...], bool]]:
    """The different sets of attended keys: the symbols, and whether the start symbol is one."""
    return list(dict.fromkeys((head.attended, head.start is not None) for head in heads))


def _moved(attended: tuple[int, ...], start: bool, one: Word, other: Word) -> Fraction:
    first, second = (sum(word[at] for at in attended) + start for word in (one, other))
    moved = sum(abs(one[at] * second - other[at] * first) for at in attended) + start * abs(first - second)
    return Fraction(moved, 2 * first * second)


class _Search:
    def __init__(self, situation: Situation, symbols: int, part: Fraction, radius: Fraction, deadline: float) -> None:
        self.situation, self.part, self.radius, self.deadline = situation, part, radius, deadline
        self.sets = _sets(situation.heads)
        self.free = sorted({at for attended, _ in self.sets for at in attended})
        """The symbols that some head attends to; others only make words longer."""
        self.symbols = symbols

    def extend(self, found: Cover) -> Cover:
        """The cover with this situation taken in."""
        import z3

        solver = z3.Solver()
        # Without a start symbol only shares matter, and every share of whole numbers is one of many.
        sort = z3.Int if any(start for _, start in self.sets) else z3.Real
        counts = [sort(f"x{symbol}") for symbol in range(self.symbols)]
        solver.add(*(count >= int(at == self.situation.last) for at, count in enumerate(counts)))
        solver.add(*(count == int(at == self.situation.last) for at, count in enumerate(counts) if at not in self.free))
        solver.add(z3.Or([self.has_margin(implicant, counts) for implicant in self.situation.implicants]))
        while True:
            # Words of at most as many symbols are their own stand-ins.
            solver.add(z3.Sum(counts) > found.length)
            left = self.deadline - time.monotonic()
            solver.set("timeout", max(1, int(1000 * left)))
            answer = solver.check() if left > 0 else z3.unknown
            if answer == z3.unsat:
                return replace(found, exact=found.exact and len(self.sets) < 2)
            if answer != z3.sat:
                return replace(found, certified=False, exact=False)
            model = solver.model()
            numbers = [Fraction(str(model.eval(count, model_completion=True))) for count in counts]
            scale = lcm(*(number.denominator for number in numbers))
            word = tuple(int(number * scale) for number in numbers)
            stand_in = self.shortest(word, found.length)
            if sum(stand_in) > found.length:
                last = self.situation.last
                found = Cover(sum(stand_in), found.certified, found.exact, (word, last), (stand_in, last))
            solver.add(self.is_far(stand_in, counts))

    def has_margin(self, implicant: Any, counts: list[Any]) -> Any:
        """The condition that these comparisons hold or fail by a margin."""
        import z3

        conditions = [z3.BoolVal(True)]
        for at, holds in implicant:
            head = self.situation.heads[at]
            total = sum(
                (value * count for value, count in zip(head.values, counts, strict=True)), start=head.start or 0
            )
            keys = sum((counts[place] for place in head.attended), start=int(head.start is not None))
            above = total if holds else -total
            conditions.append(above * self.part.denominator >= self.part.numerator * head.spread * keys)
        return z3.And(conditions)

    def is_far(self, stand_in: Word, counts: list[Any]) -> Any:
        """The condition of being at least the radius away; where there are several sets, in one of them its share."""
        import z3

        share = self.radius / max(1, len(self.sets))
        conditions = []
        for attended, start in self.sets:
            keys = sum((counts[at] for at in attended), start=int(start))
            own = sum(stand_in[at] for at in attended) + start
            parts = [counts[at] * own - stand_in[at] * keys for at in attended]
            if start:
                parts.append(own - keys)
            bound = share.numerator * own * keys
            # Parts add up to 0: what moves away somewhere arrives elsewhere, and is a sum over some of them.
            if len(parts) > MOST_PARTS:
                conditions.append(z3.Sum([z3.If(part > 0, part, 0) for part in parts]) * share.denominator >= bound)
                continue
            for number in range(1, len(parts)):
                for chosen in combinations(parts, number):
                    conditions.append(z3.Sum(chosen) * share.denominator >= bound)
        return z3.Or(conditions) if conditions else z3.BoolVal(False)

    def shortest(self, word: Word, length: int) -> Word:
        """A shortest stand-in of a word; of those that are no longer than `length`, the closest one."""
        best: tuple[Fraction, Word] | None = None
        for size in range(1, sum(word) + 1):
            if best is not None and size > length:
                break
            for each in self.nearby(word, size):
                apart = distance(self.situation.heads, word, each)
                if apart < self.radius and (best is None or apart < best[0]) and self.is_certain(each):
                    best = apart, each
        # A word is its own stand-in.
        return word if best is None else best[1]

    def is_certain(self, word: Word) -> bool:
        return bool(self.situation.certain(np.array([word], dtype=np.int64), self.part)[0])

    def nearby(self, word: Word, size: int) -> Iterator[Word]:
        """The words of a size with this last symbol and with counts that are not surely too far."""
        total = sum(word[at] for at in self.free) or 1
        unattended = sum(int(at == self.situation.last) for at in range(self.symbols) if at not in self.free)
        keys = size - unattended
        # On a set of all symbols, no count may be off by more than the radius; on others, all are tried.
        every = len(self.sets) == 1
        slack = self.radius * (keys + 1) + 2 if every else Fraction(keys)
        ranges = []
        for at in range(self.symbols):
            least = int(at == self.situation.last)
            if at not in self.free:
                ranges.append(range(least, least + 1))
                continue
            middle = Fraction(word[at] * keys, total)
            ranges.append(range(max(least, int(middle - slack)), min(keys, int(middle + slack) + 1) + 1))
        yield from _sums(ranges, size)


def _sums(ranges: list[range], total: int) -> Iterator[Word]:
    """The ways to take a number from each range that add up to a total."""
    if not ranges:
        if total == 0:
            yield ()
        return
    least = sum(each.start for each in ranges[1:])
    for number in ranges[0]:
        if number + least > total:
            return
        for rest in _sums(ranges[1:], total - number):
            yield (number, *rest)
