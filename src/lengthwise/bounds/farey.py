"""The one-dimensional cover: one number decides, such as the share of one of two attended types.

With two types, the shares that words with at most n attended keys can have are the Farey fractions of order n (without
those that hits exclude), and longer and longer words come close to every share. So a length suffices exactly if the
neighbourhoods, within ε in the outputs, of the fractions it allows cover the whole line: no search is needed. The same
holds for more types whose values lie on one line.
"""

from __future__ import annotations

import math
import time
from fractions import Fraction

import numpy as np

from lengthwise.bounds.axis import Axis, Intervals, axis_of, coordinate
from lengthwise.bounds.situations import Cover, Integers, Situation
from lengthwise.bounds.sure_length import sure_length
from lengthwise.limit.regimes import Floats

GROWTH = 1.3
"""By how much longer stand-ins are tried when the shorter ones do not suffice."""
MOST_COUNTS = 20_000_000
"""So many counts are listed at most."""
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
    situation: Situation, epsilon: float, at_least: int, longest: int = 10**9, deadline: float = math.inf
) -> Cover:
    """The least length, if it is above `at_least`, that gives every word in the situation a stand-in within ε.

    Where stand-ins of length `longest` do not suffice, are too many, or time is up (`time.monotonic`), an upper bound.
    """
    weights, axis = coordinate(situation), axis_of(situation)
    if weights is None or axis is None:
        return Cover(max(at_least, sure_length(situation, epsilon)), at_least)
    line = _Line(situation, axis, weights, epsilon)
    rows = max(situation.rows_within(at_least), situation.least_rows)
    worst: tuple[int, ...] | None = None
    while situation.length(rows) <= longest and situation.how_many(rows) <= MOST_COUNTS and time.monotonic() < deadline:
        reach = line.reach(rows)
        needed = reach.covering_rows()
        if needed is not None:
            length = situation.length(needed)
            if length <= at_least:
                return Cover(at_least, at_least, worst)
            return Cover(length, length, line.outside(reach.up_to(needed - 1)))
        worst, at_least = line.outside(reach), situation.length(rows + 1)
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


class _Line:
    """An axis that words come close to all of."""

    def __init__(self, situation: Situation, axis: Axis, weights: Floats, epsilon: float) -> None:
        self.situation, self.axis, self.epsilon = situation, axis, epsilon
        # On the way from the lowest type to the highest the whole axis is passed; outputs bend at the knots.
        self.first, self.last = int(np.argmin(weights)), int(np.argmax(weights))
        inside = [each.knots(np.eye(len(weights))[[self.first, self.last]]) for each in situation.maps]
        self.knots = np.unique(np.concatenate([[0.0, 1.0], *inside]))
        self.positions = axis.position(self._edge(self.knots))
        self.low, self.high = float(self.positions.min()), float(self.positions.max())

    def _edge(self, parts: Floats) -> Floats:
        shares = np.zeros((len(parts), len(self.situation.kinds)))
        shares[:, self.first] = 1 - parts
        shares[:, self.last] += parts
        return shares

    def guess(self) -> int:
        """How many rows it takes about to come close enough to the ends of the line, which hits keep at a distance."""
        groups = self.situation.shares_groups
        steepest = max((each.steepness(groups) for each in self.situation.maps if each.moved_share), default=0.0)
        hits = self.situation.sets[0].hits
        return max(0, math.ceil(int(hits.max()) * steepest / self.epsilon * (1 - 1e-12)) - int(hits.sum()))

    def reach(self, rows: int) -> Intervals:
        """What stand-ins of at most so many rows cover of the line."""
        counts, needed = lowest_terms(self.situation, *self.situation.counts_within(rows))
        reach = self.axis.reach(self.situation.shares(counts), needed, self.epsilon)
        return reach.between(self.low, self.high)

    def outside(self, reach: Intervals) -> tuple[int, ...] | None:
        """Counts of a word that none of the intervals covers, as simple as possible."""
        starts, ends = reach.gaps()
        low, high = 0.0, 0.0
        for piece in range(len(self.knots) - 1):
            first, last = self.positions[piece], self.positions[piece + 1]
            if first != last:
                parts = np.sort(np.clip((np.stack([starts, ends]) - first) / (last - first), 0.0, 1.0), axis=0)
                widest = int(np.argmax(parts[1] - parts[0]))
                found = self.knots[piece] + (self.knots[piece + 1] - self.knots[piece]) * parts[:, widest]
                if found[1] - found[0] >= high - low:
                    low, high = float(found[0]), float(found[1])
        middle, half = (Fraction(low) + Fraction(high)) / 2, (Fraction(high) - Fraction(low)) / 2
        part = simplest_between(middle - half / 2, middle + half / 2)
        for least in DENOMINATORS:
            counts = self._counts(part, least)
            where = self.axis.position(self.situation.shares(counts[None]))[0]
            if not ((reach.starts <= where) & (where <= reach.ends)).any():
                return tuple(counts.tolist())
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
