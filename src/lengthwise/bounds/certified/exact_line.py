"""Whether intervals cover a line, decided in fractions.

Floating point names the intervals that are worth a look, and where: a greedy walk goes from the low end of the line to
the high one and takes the interval that leads furthest. Every step is checked with the exact ends of the interval, so
that a walk that arrives is a proof, and one that stops has found a part of the line that is not covered.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from lengthwise.bounds.certified.share_map import ExactMap, Shares, Value, root_below, shares_of
from lengthwise.limit.evaluation.regimes import Floats
from lengthwise.resources import check_time, within_time

Ends = tuple[Fraction, Fraction]
Integers = npt.NDArray[np.int64]
MARGIN = 1e-7
"""Intervals are looked at if they begin so close to where they are needed; a part of the line."""


@dataclass(frozen=True)
class Gap:
    """A part of a line that no interval covers; its ends may be covered, what is between them is not."""

    low: Fraction
    high: Fraction


def gap_in(low: Fraction, high: Fraction, starts: Floats, ends: Floats, exact: Callable[[int], Ends]) -> Gap | None:
    """Finds the first part of a line that closed intervals leave out.

    Args:
        low: Where the line begins.
        high: Where it ends; both ends are to be covered, too.
        starts: About where each interval starts.
        ends: About where each ends.
        exact: The ends of an interval, by its number; an interval that is empty ends before it starts.

    Returns:
        None if the intervals cover the line, which is then proved.

    """
    walk = _Walk(starts, ends, exact, MARGIN * float(high - low) + sys.float_info.min)
    at, inside = low, False
    while not inside or at < high:
        check_time()
        reached = walk.furthest(at, inside)
        if reached is None:
            return Gap(at, walk.next_start(at, high))
        at, inside = reached, True
    return None


class _Walk:
    """Intervals in the order of their starts, as far as floating point knows it."""

    def __init__(self, starts: Floats, ends: Floats, exact: Callable[[int], Ends], margin: float) -> None:
        self.order = np.argsort(starts, kind="stable")
        self.starts, self.ends, self.exact, self.margin = starts[self.order], ends[self.order], exact, margin
        highest = np.maximum.accumulate(self.ends)
        numbers = np.where(self.ends == highest, np.arange(len(self.order)), 0)
        self.furthest_so_far = np.maximum.accumulate(numbers)

    def furthest(self, at: Fraction, inside: bool) -> Fraction | None:
        """Where the interval ends that leads furthest from a point that it holds; None if none leads on.

        If the point is not covered yet (not `inside`), one that ends there will do.
        """
        here = float(at)
        known = int(np.searchsorted(self.starts, here, side="right"))
        likely = [int(self.furthest_so_far[known - 1])] if known else []
        for place in itertools.chain(likely, self._around(here)):
            start, end = self.exact(int(self.order[place]))
            if start <= at and (end > at or (end == at and not inside)):
                return end
        return None

    def _around(self, here: float) -> Iterator[int]:
        """All that may hold a point, those that end last first."""
        possible = int(np.searchsorted(self.starts, here + self.margin, side="right"))
        places = np.flatnonzero(self.ends[:possible] >= here - self.margin)
        yield from places[np.argsort(-self.ends[places], kind="stable")].tolist()

    def next_start(self, at: Fraction, high: Fraction) -> Fraction:
        """Where, after a point that no interval leads on from, the next one starts; the end of the line if none."""
        found = high
        first = int(np.searchsorted(self.starts, float(at) - self.margin))
        for place in range(first, len(self.order)):
            if self.starts[place] > float(found) + self.margin:
                break
            start, end = self.exact(int(self.order[place]))
            if at < start <= end:
                found = min(found, start)
        return found


class ExactLine:
    """All outputs as functions of one number, the weighted sum of the shares, and where they are within ε."""

    def __init__(
        self,
        maps: Sequence[ExactMap],
        groups: list[list[int]],
        weights: Sequence[Fraction],
        epsilon: Fraction = Fraction(0),
    ) -> None:
        self.maps, self.weights, self.epsilon = maps, weights, epsilon
        low, high = ([Fraction(0)] * len(weights) for _ in range(2))
        for group in groups:
            low[min(group, key=lambda place: weights[place])] = Fraction(1)
            high[max(group, key=lambda place: weights[place])] = Fraction(1)
        ends = (shares_of(low), shares_of(high))
        inside = {knot for each in maps for knot in each.knots(ends)}
        self.parts = sorted({Fraction(0), Fraction(1), *inside})
        """Where outputs bend on the way from the lowest shares to the highest."""
        mixed = ((part, zip(low, high, strict=True)) for part in within_time(self.parts))
        self.points = [[(1 - part) * a + part * b for a, b in ends] for part, ends in mixed]
        at = [shares_of(point) for point in self.points]
        self.positions = [self.position(shares) for shares in within_time(at)]
        self.values: list[list[Value]] = [[each(shares) for shares in within_time(at)] for each in maps]

    def position(self, shares: Shares) -> Fraction:
        """The weighted sum."""
        return sum((w * int(p) for w, p in zip(self.weights, shares[0], strict=True)), Fraction(0)) / shares[1]

    @cached_property
    def outputs(self) -> list[Fraction]:
        """The output at each knot, if it is a single number."""
        return [Fraction(int(above[0]), below) for above, below in self.values[0]]

    def gap_in(
        self,
        low: Fraction,
        high: Fraction,
        starts: Floats,
        ends: Floats,
        pieces: Integers,
        exact: Callable[[int], Ends],
    ) -> Gap | None:
        """The first part of the line, between two points, that intervals leave out, each of them on one piece."""
        for piece, (first, last) in enumerate(zip(self.positions, self.positions[1:], strict=False)):
            begin, end = max(first, low), min(last, high)
            if begin <= end:
                numbers = np.flatnonzero(pieces == piece)

                def chosen(number: int, numbers: npt.NDArray[np.intp] = numbers) -> Ends:
                    return exact(int(numbers[number]))

                gap = gap_in(begin, end, starts[numbers], ends[numbers], chosen)
                if gap is not None:
                    return gap
        return None

    def interval(self, shares: Shares, piece: int) -> Ends:
        """Where, on a piece of the line, all outputs are within ε of those at some shares."""
        start, end = Fraction(0), Fraction(1)
        for each, values in zip(self.maps, self.values, strict=True):
            low, high = _within(each, values[piece], values[piece + 1], each(shares), self.epsilon)
            start, end = max(start, low), min(end, high)
        first, last = self.positions[piece], self.positions[piece + 1]
        return first + (last - first) * start, first + (last - first) * end


def _within(each: ExactMap, first: Value, last: Value, value: Value, epsilon: Fraction) -> Ends:
    """From where to where, as parts of a linear piece, the output is within ε of a value, or hardly less than that."""
    begin, end, given = ([Fraction(int(part), below) for part in above] for above, below in (first, last, value))
    along = [b - a for a, b in zip(begin, end, strict=True)]
    apart = [a - v for a, v in zip(begin, given, strict=True)]
    square = sum((step * step for step in along), Fraction(0))
    if not square:
        return (Fraction(0), Fraction(1)) if each.within(first, value, epsilon) else (Fraction(1), Fraction(0))
    mixed = sum((a * b for a, b in zip(apart, along, strict=True)), Fraction(0))
    if each.moved_share:
        # On a line all shares move in proportion, so the distance is a multiple of the part of the piece.
        radius = epsilon / (sum((abs(step) for step in along), Fraction(0)) / 2)
        return -mixed / square - radius, -mixed / square + radius
    rest = mixed * mixed - square * (sum((a * a for a in apart), Fraction(0)) - epsilon * epsilon)
    if rest < 0:
        return Fraction(1), Fraction(0)
    root = root_below(rest)
    return (-mixed - root) / square, (root - mixed) / square
