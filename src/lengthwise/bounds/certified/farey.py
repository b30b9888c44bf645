"""The one-dimensional cover: one number decides, such as the share of one of two attended types.

With two types, the shares that words with at most n attended keys can have are the Farey fractions of order n (without
those that hits exclude), and longer and longer words come close to every share. So a length suffices exactly if the
neighbourhoods, within ε in the outputs, of the fractions it allows cover the whole line: no search is needed. The same
holds for more types whose values lie on one line.

Neighbourhoods are computed in floating point, a little too large, so that a length that is too small may seem to
suffice but hardly one that is too large. `exact_line` then proves that the length suffices and that the one before does
not, or moves on.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from lengthwise.bounds.certified.axis import Intervals, ValueAxis, axis_of, coordinate, exact_coordinate
from lengthwise.bounds.certified.exact_line import Ends, ExactLine, Gap, gap_in
from lengthwise.bounds.certified.situations import Cover, Integers, Nearness, Situation
from lengthwise.bounds.certified.sure_length import sure_length
from lengthwise.resources import Pace, TimeLimitError

GROWTH = 1.3
"""By how much longer stand-ins are tried when the shorter ones do not suffice."""
MOST_COUNTS = 20_000_000
"""So many counts are listed at most."""
GUIDE = 1e-9
"""By this part of it, ε is larger where floating point guesses."""
DENOMINATORS = [10**power for power in range(3, 16, 2)]
"""Simplest fractions are taken inside of gaps; where hits disturb, larger and larger multiples are tried."""


def is_one_dimensional(situation: Situation) -> bool:
    """Whether long words come close to all of an axis, and to nothing else.

    That is so for a single set of attended keys, of types that the prefix can hold freely, if outputs are functions of
    one number.
    """
    return (
        len(situation.sets) == 1
        and situation.sets[0].is_open
        and not situation.is_tied
        and coordinate(situation) is not None
    )


def cover_line(
    situation: Situation, epsilon: float | Fraction, at_least: int, longest: int = 10**9, deadline: float = math.inf
) -> Cover:
    """The least length, if it is above `at_least`, that gives every word in the situation a stand-in within ε.

    Where stand-ins of length `longest` do not suffice, are too many, or time is up (`resources.clock`), an upper bound.
    """
    epsilon = Fraction(epsilon)
    weights = exact_coordinate(situation)
    if weights is None:
        return Cover(max(at_least, sure_length(situation, epsilon)), at_least)
    line = _Line(situation, weights, epsilon)
    rows = max(situation.rows_within(at_least), situation.least_rows)
    worst: tuple[int, ...] | None = None
    pace = Pace(deadline)
    while situation.length(rows) <= longest and situation.how_many(rows) <= MOST_COUNTS and situation.fits(rows):
        if not pace.allows(situation.how_many(rows)):
            break
        try:
            found = line.least_cover(line.reach(rows))
        except TimeLimitError:
            break
        if found.rows is not None:
            length = situation.length(found.rows)
            if length <= at_least:
                return Cover(at_least, at_least, worst)
            counts = None if found.gap is None else line.outside(found.gap, found.rows - 1)
            # Without a word that needs it, the length is an upper bound.
            return Cover(length, at_least, worst) if counts is None else Cover(length, length, counts)
        if found.gap is not None and (counts := line.outside(found.gap, rows)) is not None:
            worst, at_least = counts, situation.length(rows + 1)
        # At last all that is allowed is tried.
        more = max(math.ceil(rows * GROWTH), line.guess())
        rows = max(rows + 1, min(more, situation.rows_within(longest)))
    return Cover(max(at_least, sure_length(situation, epsilon)), at_least, worst)


def lowest_terms(situation: Situation, counts: Integers, rows: Integers) -> tuple[Integers, Integers]:
    """Counts without those whose shares shorter words have, with the rows they need, for a single open set."""
    hits = situation.sets[0].hits
    keys = counts + hits
    divisor = np.gcd.reduce(keys, axis=1)
    # A multiple is of use only if the next smaller one is not a word: it lacks hits or is too short.
    smaller = keys - keys // divisor[:, None]
    lacking = (smaller < hits).any(axis=1)
    if situation.tight:
        lacking |= smaller.sum(axis=1) - hits.sum() < situation.least_keys
    kept = (divisor == 1) | lacking
    return counts[kept], rows[kept]


def simplest_between(low: Fraction, high: Fraction) -> Fraction:
    """The fraction of least denominator in a closed interval of numbers >= 0."""
    whole = math.ceil(low)
    if whole <= high:
        return Fraction(whole)
    below = math.floor(low)
    return below + 1 / simplest_between(1 / (high - below), 1 / (low - below))


@dataclass(frozen=True)
class _Least:
    """The least number of rows whose intervals cover a line, if all of them do, and what is left out with fewer."""

    rows: int | None
    gap: Gap | None


class _Line:
    """An axis that words come close to all of."""

    def __init__(self, situation: Situation, weights: list[Fraction], epsilon: Fraction) -> None:
        axis = axis_of(situation)
        if axis is None:
            raise ValueError("there is no axis")
        self.situation, self.axis, self.epsilon = situation, axis, epsilon
        self.by_value = isinstance(axis, ValueAxis)
        self.nearness = Nearness(situation, epsilon)
        # On the way from the lowest type to the highest the whole axis is passed; outputs bend at the knots.
        self.first, self.last = (choose(range(len(weights)), key=weights.__getitem__) for choose in (min, max))
        self.exact = ExactLine([each.exact for each in situation.maps], situation.shares_groups, weights, epsilon)
        self.positions = self.exact.outputs if self.by_value else self.exact.positions
        self.low, self.high = min(self.positions), max(self.positions)
        self.counts = np.zeros((0, len(situation.kinds)), dtype=np.int64)

    def guess(self) -> int:
        """How many rows it takes about to come close enough to the ends of the line, which hits keep at a distance."""
        groups = self.situation.shares_groups
        steepest = max(
            (each.exact.steepness(groups) for each in self.situation.maps if each.moved_share), default=Fraction(0)
        )
        hits = self.situation.sets[0].hits
        return max(0, math.ceil(int(hits.max()) * steepest / self.epsilon) - int(hits.sum()))

    def reach(self, rows: int) -> Intervals:
        """About what stand-ins of at most so many rows cover of the line."""
        self.counts, needed = lowest_terms(self.situation, *self.situation.counts_within(rows))
        reach = self.axis.reach(self.situation.shares(self.counts), needed, float(self.epsilon) * (1 + GUIDE))
        low, high = float(self.low), float(self.high)
        spare = GUIDE * (high - low)
        return replace(reach.between(low - spare, high + spare), low=low, high=high)

    def least_cover(self, reach: Intervals) -> _Least:
        """The least number of rows whose intervals cover the line: they do, and with fewer something is left out."""
        levels = np.unique(reach.rows).tolist()
        if not levels:
            return _Least(None, Gap(self.low, self.high))
        guessed = reach.covering_rows()
        place = len(levels) - 1 if guessed is None else levels.index(guessed)
        gap, below = self._gap(reach.up_to(levels[place])), None
        while gap is not None and place + 1 < len(levels):
            place, below = place + 1, gap
            gap = self._gap(reach.up_to(levels[place]))
        if gap is not None:
            return _Least(None, gap)
        while below is None and place > 0:
            below = self._gap(reach.up_to(levels[place - 1]))
            place -= below is None
        # There are no stand-ins with fewer rows at all.
        return _Least(levels[place], Gap(self.low, self.high) if below is None else below)

    def _gap(self, reach: Intervals) -> Gap | None:
        """What some stand-ins do not cover of the line; None if they cover it."""
        sources, pieces = reach.sources, reach.pieces
        if sources is None:
            raise ValueError("intervals of no stand-ins")

        def exact(number: int) -> Ends:
            shares = self.situation.exact_shares(self.counts[sources[number]].tolist())
            if pieces is not None:
                return self.exact.interval(shares, int(pieces[number]))
            above, below = self.exact.maps[0](shares)
            value = Fraction(int(above[0]), below)
            return value - self.epsilon, value + self.epsilon

        if pieces is not None:
            return self.exact.gap_in(self.low, self.high, reach.starts, reach.ends, pieces, exact)
        return gap_in(self.low, self.high, reach.starts, reach.ends, exact)

    def outside(self, gap: Gap, rows: int) -> tuple[int, ...] | None:
        """Counts of a word in a gap, as simple as possible, that has no stand-in of at most so many rows."""
        low = high = Fraction(0)
        for piece, (first, last) in enumerate(zip(self.positions, self.positions[1:], strict=False)):
            if first != last:
                ends = sorted((at - first) / (last - first) for at in (gap.low, gap.high))
                start, end = (min(max(part, Fraction(0)), Fraction(1)) for part in ends)
                begin, length = self.exact.parts[piece], self.exact.parts[piece + 1] - self.exact.parts[piece]
                if (end - start) * length > high - low:
                    low, high = begin + length * start, begin + length * end
        part = simplest_between(low + (high - low) / 4, high - (high - low) / 4)
        for least in DENOMINATORS:
            counts = tuple(self._counts(part, least).tolist())
            if not self.nearness.has_stand_in(counts, rows):
                return counts
        return None

    def _counts(self, part: Fraction, least: int) -> Integers:
        """Counts of the outer types in this proportion; of about so many keys, if hits make it impossible exactly."""
        hits = self.situation.sets[0].hits
        keys = np.zeros(len(hits), dtype=np.int64)
        keys[self.first], keys[self.last] = part.denominator - part.numerator, part.numerator
        times = max([1, *(-(-int(hit) // int(key)) for hit, key in zip(hits, keys, strict=True) if key)])
        if self.situation.tight:
            times = max(times, -(-(self.situation.least_keys + int(hits.sum())) // int(keys.sum())))
        if (times * keys < hits).any():
            times = max(times, -(-least // int(keys.sum())))
        return np.asarray(np.maximum(times * keys - hits, 0))
