"""The one-dimensional cover: two attended types, so that all that matters is the share of the first.

The shares that words with at most n attended keys can have are the Farey fractions of order n (without those that the
hits exclude), and a long word can have any rational share. So a length suffices exactly if the neighbourhoods, within
ε in the outputs, of the fractions it allows cover the whole line from 0 to 1. Outputs are piecewise linear along it:
on each piece the neighbourhood of a fraction is an interval that can be written down.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from lengthwise.bounds.share_map import ShareMap
from lengthwise.bounds.situations import Cover, Integers, Situation
from lengthwise.bounds.sure_length import sure_length
from lengthwise.limit.regimes import Floats

GROWTH = 1.3
"""By how much longer stand-ins are tried when the shorter ones do not suffice."""
MOST_FRACTIONS = 20_000_000
"""So many pairs of counts are listed at most."""


def is_one_dimensional(situation: Situation) -> bool:
    """Whether one share decides everything: one set of attended keys, of two types that the prefix can both hold."""
    return (
        len(situation.sets) == 1 and len(situation.kinds) == 2 and situation.sets[0].is_open and not situation.is_tied
    )


def cover_line(
    situation: Situation, epsilon: float, at_least: int, longest: int = 10**9, deadline: float = math.inf
) -> Cover:
    """The least length, if it is above `at_least`, that gives every word in the situation a stand-in within ε.

    Where stand-ins of length `longest` do not suffice, are too many, or time is up (`time.monotonic`), an upper bound.
    """
    line = _Line(situation, epsilon)
    rows = max(situation.rows_within(at_least), situation.least_rows)
    worst: tuple[int, ...] | None = None
    while (
        situation.length(rows) <= longest and situation.how_many(rows) <= MOST_FRACTIONS and time.monotonic() < deadline
    ):
        reach = line.intervals(Fractions.of(situation, rows))
        needed = reach.covering_rows()
        if needed is not None:
            length = situation.length(needed)
            return (
                Cover(length, length, line.outside(reach.before(needed)))
                if length > at_least
                else Cover(at_least, at_least)
            )
        worst, at_least = line.outside(reach), situation.length(rows + 1)
        rows = max(rows + 1, math.ceil(rows * GROWTH), line.guess())
    return Cover(sure_length(situation, epsilon), at_least, worst)


@dataclass(frozen=True, eq=False)
class Fractions:
    """The shares of the first type in words of limited length, each with the rows of the shortest such word."""

    shares: Floats
    rows: Integers

    @classmethod
    def of(cls, situation: Situation, rows: int) -> Fractions:
        """All shares of words with at most so many rows."""
        counts, needed = situation.counts_within(rows)
        keys = counts + situation.sets[0].hits
        divisor = np.gcd(keys[:, 0], keys[:, 1])
        # A multiple is of use only if the next smaller one is not a word: it lacks hits or is too short.
        smaller = keys - keys // divisor[:, None]
        lacking = (smaller < situation.sets[0].hits).any(axis=1)
        if situation.tight:
            lacking |= smaller.sum(axis=1) - situation.sets[0].hits.sum() < situation.least_keys
        kept = (divisor == 1) | lacking
        keys = keys[kept]
        return cls(keys[:, 0] / keys.sum(axis=1), needed[kept])


@dataclass(frozen=True, eq=False)
class Intervals:
    """Closed intervals, each allowed from a number of rows on, that are to cover the line from `low` to `high`."""

    starts: Floats
    ends: Floats
    rows: Integers
    low: float
    high: float

    def gaps(self) -> tuple[Floats, Floats]:
        """Starts and ends of the open parts of the line that no interval covers."""
        order = np.argsort(self.starts, kind="stable")
        reach = np.maximum.accumulate(np.concatenate([[self.low], self.ends[order]]))
        nexts = np.minimum(np.concatenate([self.starts[order], [np.inf]]), self.high)
        # The last one ends where the line does; there, and at its start, even a single point has to be covered.
        open_parts = reach < nexts
        if not (self.starts <= self.low).any() and not open_parts[:1].any():
            open_parts[0] = True
        if not (self.ends >= self.high).any() and not open_parts[-1:].any():
            open_parts[-1] = True
        return np.minimum(reach[open_parts], nexts[open_parts]), nexts[open_parts]

    def up_to(self, rows: int) -> Intervals:
        """Those that so many rows allow."""
        kept = self.rows <= rows
        return Intervals(self.starts[kept], self.ends[kept], self.rows[kept], self.low, self.high)

    def before(self, rows: int) -> Intervals:
        """Those that fewer rows allow."""
        return self.up_to(rows - 1)

    def covering_rows(self) -> int | None:
        """The least number of rows that allows enough intervals; None if all of them are not enough."""
        if len(self.gaps()[0]):
            return None
        tried = np.unique(self.rows).tolist()
        low, high = 0, len(tried) - 1
        while low < high:
            middle = (low + high) // 2
            if len(self.up_to(tried[middle]).gaps()[0]):
                low = middle + 1
            else:
                high = middle
        return int(tried[high])


class _Line:
    """The outputs along the line of shares, piece by piece."""

    def __init__(self, situation: Situation, epsilon: float) -> None:
        self.situation, self.epsilon = situation, epsilon
        self.maps = situation.maps
        knots = np.unique(np.concatenate([[0.0, 1.0], *(each.knots() for each in self.maps)]))
        self.knots = knots
        self.corners = [each(_pairs(knots)) for each in self.maps]
        self.by_value = len(self.maps) == 1 and self.maps[0].is_scalar

    def guess(self) -> int:
        """How many rows it takes about to come close enough to the ends of the line, which hits keep at a distance."""
        steepest = max((each.steepness([[0, 1]]) for each in self.maps if each.moved_share), default=0.0)
        hits = self.situation.sets[0].hits
        farther, nearer = int(hits.max()), int(hits.sum() - hits.max())
        return max(0, math.ceil(farther * steepest / self.epsilon * (1 - 1e-12)) - farther - nearer)

    def intervals(self, fractions: Fractions) -> Intervals:
        """What stand-ins of these shares cover: values if there is one output, else shares."""
        values = [each(_pairs(fractions.shares)) for each in self.maps]
        if self.by_value:
            corners, found = self.corners[0][:, 0], values[0][:, 0]
            low, high = float(corners.min()), float(corners.max())
            return Intervals(found - self.epsilon, found + self.epsilon, fractions.rows, low, high)
        starts, ends, rows = [], [], []
        for piece in range(len(self.knots) - 1):
            near = self._near(fractions.shares, piece)
            start, end = np.zeros(len(near)), np.ones(len(near))
            for number, each in enumerate(self.maps):
                low, high = _within(each, self.corners[number][piece : piece + 2], values[number][near], self.epsilon)
                start, end = np.maximum(start, low), np.minimum(end, high)
            kept = start <= end
            width = self.knots[piece + 1] - self.knots[piece]
            starts.append(self.knots[piece] + width * start[kept])
            # The end of one piece is the start of the next, to the last bit.
            ends.append(np.where(end[kept] >= 1, self.knots[piece + 1], self.knots[piece] + width * end[kept]))
            rows.append(fractions.rows[near][kept])
        return Intervals(np.concatenate(starts), np.concatenate(ends), np.concatenate(rows), 0.0, 1.0)

    def _near(self, shares: Floats, piece: int) -> npt.NDArray[np.intp]:
        """The fractions from which attention need not be moved too far to get to a piece."""
        steepest = max((each.steepness([[0, 1]]) for each in self.maps if each.moved_share), default=0.0)
        if not steepest:
            return np.arange(len(shares))
        reach = self.epsilon / steepest * (1 + 1e-9)
        return np.flatnonzero((shares >= self.knots[piece] - reach) & (shares <= self.knots[piece + 1] + reach))

    def outside(self, intervals: Intervals) -> tuple[int, ...]:
        """Counts of a word whose share none of the intervals covers."""
        starts, ends = intervals.gaps()
        if not self.by_value:
            widest = int(np.argmax(ends - starts))
            return self._counts(float(starts[widest]), float(ends[widest]))
        best = (0.0, 0.0)
        for piece in range(len(self.knots) - 1):
            first, last = self.corners[0][piece, 0], self.corners[0][piece + 1, 0]
            if first != last:
                inside = np.clip((np.stack([starts, ends]) - first) / (last - first), 0.0, 1.0)
                inside.sort(axis=0)
                widest = int(np.argmax(inside[1] - inside[0]))
                width = self.knots[piece + 1] - self.knots[piece]
                found = self.knots[piece] + width * inside[:, widest]
                if found[1] - found[0] > best[1] - best[0]:
                    best = (float(found[0]), float(found[1]))
        return self._counts(*best)

    def _counts(self, low: float, high: float) -> tuple[int, ...]:
        """Counts with a share well inside an interval, as simple as possible."""
        middle, half = (Fraction(low) + Fraction(high)) / 2, (Fraction(high) - Fraction(low)) / 2
        if not half:
            # A single point is left out: an end of the line, which only longer and longer words come close to.
            middle = min(max(middle, Fraction(1, 10**9)), 1 - Fraction(1, 10**9))
        share = simplest_between(middle - half / 2, middle + half / 2)
        keys = np.array([share.numerator, share.denominator - share.numerator])
        hits = self.situation.sets[0].hits
        times = max(-(-int(hit) // int(key)) for hit, key in zip(hits, keys, strict=True) if key)
        times = max(times, 1)
        if self.situation.tight:
            times = max(times, -(-(self.situation.least_keys + int(hits.sum())) // int(keys.sum())))
        first, second = (times * keys - hits).tolist()
        return first, second


def simplest_between(low: Fraction, high: Fraction) -> Fraction:
    """The fraction of least denominator in a closed interval of positive numbers."""
    whole = math.ceil(low)
    if whole <= high:
        return Fraction(whole)
    below = math.floor(low)
    return below + 1 / simplest_between(1 / (high - below), 1 / (low - below))


def _pairs(shares: Floats) -> Floats:
    return np.stack([shares, 1 - shares], axis=1)


def _within(each: ShareMap, corners: Floats, values: Floats, epsilon: float) -> tuple[Floats, Floats]:
    """From where to where, as parts of a linear piece, the output is within ε of each of some values."""
    # Moving attention between two places changes both by the same amount: half the ℓ1 norm is ℓ2 over √2.
    radius = epsilon * math.sqrt(2) if each.moved_share else epsilon
    direction = corners[1] - corners[0]
    apart = corners[0] - values
    square, mixed = float(direction @ direction), apart @ direction
    constant = np.square(apart).sum(axis=1) - radius * radius
    if square == 0:
        return np.where(constant <= 0, 0.0, 2.0), np.ones(len(values))
    root = np.sqrt(np.maximum(mixed * mixed - square * constant, 0.0))
    missed = mixed * mixed < square * constant
    return np.where(missed, 2.0, (-mixed - root) / square), (root - mixed) / square
