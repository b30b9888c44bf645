"""The general cover: any number of attended types, by branch and bound over cells of shares.

The length that a word needs is that of its shortest stand-in within ε, and a situation needs what its worst word does.
A cell of words needs at most what one stand-in needs that is within ε of all of it; since outputs are piecewise linear
it is enough to look at the corners, and to add what bends in between. A point of a cell needs at least what its own
shortest stand-in needs. Cells for which these differ are halved, the worst first, until no cell can need more than some
word does: then the length is exact. If time runs out before, what the worst cell needs is an upper bound still.

Distances are computed in floating point for many stand-ins at once. One that is further from ε than rounding can move
it (`ShareMap.error`) decides; about the others, fractions do. So no cell is dropped, and no word named, for a reason
that rounding could have made up.
"""

from __future__ import annotations

import heapq
import itertools
import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from lengthwise import resources
from lengthwise.bounds.certified.axis import Axis, CoordinateAxis, Intervals, axis_of, exact_coordinate
from lengthwise.bounds.certified.cells import Cell
from lengthwise.bounds.certified.charts import Chart, chart_for
from lengthwise.bounds.certified.exact_line import Ends, ExactLine, gap_in
from lengthwise.bounds.certified.situations import Cover, Integers, Nearness, Situation
from lengthwise.bounds.certified.sure_length import sure_length
from lengthwise.limit.evaluation.regimes import Floats
from lengthwise.resources import Pace, TimeLimitError

GROWTH = 1.5
"""By how much longer stand-ins are tried when the shorter ones do not suffice."""
MOST_STAND_INS = 300_000
"""So many stand-ins are listed at most."""
MOST_ON_AN_AXIS = 2_000_000
"""So many if one number decides: most of them then share it with shorter ones."""
MOST_WORDS = 200
"""Cells with at most so many words are settled word by word."""
SMALLEST = 1e-12
"""Cells are not cut into smaller ones than this."""
MOST_CHECKS = 4
"""So many stand-ins are checked in fractions for one cell, at most."""
SIZES = [10**power for power in range(1, 9)]
"""Sizes in which a limit of longer and longer words is tried as a word."""


def cover_region(
    situation: Situation, epsilon: float | Fraction, at_least: int, longest: int, deadline: float
) -> Cover:
    """The least length, if it is above `at_least`, that gives every word in the situation a stand-in within ε.

    Where stand-ins of length `longest` do not suffice, are too many, or time is up (`resources.clock`), an upper bound.
    """
    epsilon = Fraction(epsilon)
    certain = sure_length(situation, epsilon)
    if certain <= at_least:
        return Cover(at_least, at_least)
    chart = chart_for(situation)
    if chart is None:
        return Cover(certain, at_least)
    search = _Search(chart, epsilon, at_least, certain, deadline)
    rows = max(situation.rows_within(at_least), situation.least_rows)
    most = MOST_STAND_INS if search.axis is None else MOST_ON_AN_AXIS
    pace = Pace(deadline)
    while situation.length(rows) <= longest and situation.how_many(rows) <= most and situation.fits(rows):
        if not pace.allows(situation.how_many(rows)):
            break
        try:
            found = search.with_stand_ins(rows)
        except TimeLimitError:
            break
        if found is not None:
            return search.confirmed(found, at_least)
        rows = max(rows + 1, min(math.ceil(rows * GROWTH), situation.rows_within(longest)))
    return search.confirmed(Cover(certain, search.best, search.witness), at_least)


@dataclass(frozen=True, eq=False)
class _StandIns:
    """Short words by their outputs, the shortest first."""

    values: list[Floats]
    rows: Integers
    counts: Integers

    def some(self, kept: npt.NDArray[np.intp]) -> _StandIns:
        return _StandIns([values[kept] for values in self.values], self.rows[kept], self.counts[kept])


class _TooFew(Exception):  # noqa: N818 - a way out of the search, not an error
    """Some word has no stand-in among those that were listed."""


class _Search:
    """Branch and bound for the length that a situation needs."""

    def __init__(self, chart: Chart, epsilon: Fraction, at_least: int, certain: int, deadline: float) -> None:
        self.chart, self.situation = chart, chart.situation
        self.exact_epsilon, self.epsilon = epsilon, float(epsilon)
        self.nearness = Nearness(self.situation, epsilon)
        self.errors = self.nearness.errors
        self.best, self.certain, self.deadline = at_least, certain, deadline
        self.witness: tuple[int, ...] | None = None
        self.maps = self.situation.maps
        self.axis = axis_of(self.situation)
        self.line = self._exact_line() if isinstance(self.axis, CoordinateAxis) else None
        self.reach = self.sure_reach = Intervals(np.zeros(0), np.zeros(0), np.zeros(0, dtype=np.int64))
        none = np.zeros((0, len(self.situation.kinds)), dtype=np.int64)
        self.stand_ins = _StandIns([], none[:, 0] if none.shape[1] else np.zeros(0, dtype=np.int64), none)
        self.limit = 0

    def _exact_line(self) -> ExactLine:
        weights = exact_coordinate(self.situation)
        if weights is None:
            raise ValueError("there is no axis")
        maps = [each.exact for each in self.maps]
        return ExactLine(maps, self.situation.shares_groups, weights, self.exact_epsilon)

    def confirmed(self, found: Cover, at_least: int) -> Cover:
        """What was found, without the lower bound if a stand-in that was not listed refutes it."""
        if found.worst is None or not self.nearness.has_stand_in(
            found.worst, self.situation.rows_within(found.at_least - 1)
        ):
            return found
        return Cover(found.length, at_least)

    def with_stand_ins(self, rows: int) -> Cover | None:
        """The cover by stand-ins of at most so many rows; None if they are too few."""
        counts, needed = self.situation.counts_within(rows)
        shares = self.situation.shares(counts)
        alike = shares if self.axis is None else self.axis.position(shares)
        _, first = np.unique(np.round(alike, 12), axis=0, return_index=True)
        first.sort()
        self.stand_ins = _StandIns([each(shares[first]) for each in self.maps], needed[first], counts[first])
        if self.axis is not None:
            error = max(self.errors)
            self.reach = self.axis.reach(shares[first], needed[first], self.epsilon + error)
            # Ends of intervals on a coordinate may be off by more than outputs are, so none of them is sure.
            self.sure_reach = replace(
                self.reach, starts=self.reach.starts + 2 * error, ends=self.reach.ends - 2 * error
            )
        self.limit = rows
        try:
            return self._branch_and_bound()
        except _TooFew:
            return None

    def _branch_and_bound(self) -> Cover:
        ticket = itertools.count()
        heap: list[tuple[int, int, Cell, _StandIns]] = []
        unsettled = 0

        def consider(cell: Cell, near: _StandIns) -> None:
            settled = self.chart.settled(cell)
            if settled is not None:
                bound, nearer = self._examined(settled, near)
                if bound > self.best:
                    heapq.heappush(heap, (-bound, next(ticket), settled, nearer))

        consider(self.chart.whole(self.situation.rows_within(self.best)), self.stand_ins)
        while heap and -heap[0][0] > max(self.best, unsettled):
            if resources.clock() > self.deadline:
                return Cover(-heap[0][0], self.best, self.witness)
            bound, _, cell, near = heapq.heappop(heap)
            halves = self._halves(cell)
            if not halves:
                unsettled = max(unsettled, -bound)
            for half in halves:
                consider(half, near)
        return Cover(max(self.best, unsettled), self.best, self.witness)

    # ----------------------------------------------------------------------------------------------- one cell

    def _examined(self, cell: Cell, near: _StandIns) -> tuple[int, _StandIns]:
        """What the words of a cell need at most, and the stand-ins that can be of use there; updates the best."""
        rows = self.chart.most_rows(cell)
        own = self.certain if rows is None else self.situation.length(max(rows, self.situation.least_rows))
        bound = min(self.certain, own)
        if bound <= self.best:
            return bound, near
        words = self.chart.words(cell, MOST_WORDS)
        if words is not None:
            for counts in words:
                self._try(self.situation.shares(counts[None])[0], self.stand_ins, tuple(counts.tolist()))
            return self.best, near
        corners = self.chart.corners(cell)
        if self.axis is not None:
            needed = self._needed_on_axis(self.axis, cell, corners)
        else:
            values, bends = [each(corners) for each in self.maps], [each.bending(corners) for each in self.maps]
            near = self._within_reach(corners, values, bends, near)
            needed = self._needed_everywhere(cell, values, bends, near)
        if needed > self.best:
            self._try_some(cell, near)
        return min(bound, needed), near

    def _needed_on_axis(self, axis: Axis, cell: Cell, corners: Floats) -> int:
        """What stand-ins of which length together serve all words of the cell."""
        positions, bend, error = axis.position(corners), axis.bending(corners), max(self.errors)
        low, high = float(positions.min()) - bend, float(positions.max()) + bend
        if self.line is None:
            rows = self.sure_reach.between(low - error, high + error).covering_rows()
            needed = self.certain if rows is None else min(self.certain, self.situation.length(rows))
            if needed <= self.best or not self._may_be_covered(low + error, high - error, self.best):
                return needed
            return self.best if self._is_covered(cell, low, high, self.best) else needed
        rows = self.reach.between(low, high).covering_rows()
        needed = self.certain if rows is None else self.situation.length(rows)
        return needed if needed < self.certain and self._is_covered(cell, low, high, needed) else self.certain

    def _may_be_covered(self, low: float, high: float, length: int) -> bool:
        """Whether the intervals of all stand-ins up to a length, taken large, cover a part of the axis."""
        return low >= high or self.reach.up_to(self.situation.rows_within(length)).between(low, high).cover

    def _is_covered(self, cell: Cell, low: float, high: float, length: int) -> bool:
        """Whether stand-ins up to a length serve all words of the cell, in fractions."""
        corners = self.chart.exact_corners(cell)
        if self.line is not None:
            positions = [self.line.position(corner) for corner in corners]
            bend = Fraction(0)
        else:
            exact = self.maps[0].exact
            values = [exact(corner) for corner in corners]
            positions = [Fraction(int(above[0]), below) for above, below in values]
            bend = exact.bending(corners)
        spare = (high - low) * 1e-9 + 2 * max(self.errors)
        reach = self.reach.up_to(self.situation.rows_within(length)).between(low - spare, high + spare)
        sources, pieces = reach.sources, reach.pieces

        def ends(number: int) -> Ends:
            source = number if sources is None else sources[number]
            shares = self.situation.exact_shares(self.stand_ins.counts[source].tolist())
            if self.line is not None and pieces is not None:
                return self.line.interval(shares, int(pieces[number]))
            above, below = self.maps[0].exact(shares)
            value = Fraction(int(above[0]), below)
            return value - self.exact_epsilon, value + self.exact_epsilon

        first, last = min(positions) - bend, max(positions) + bend
        if self.line is not None and pieces is not None:
            return self.line.gap_in(first, last, reach.starts, reach.ends, pieces, ends) is None
        return gap_in(first, last, reach.starts, reach.ends, ends) is None

    def _within_reach(self, corners: Floats, values: list[Floats], bends: list[float], near: _StandIns) -> _StandIns:
        """The stand-ins that are within ε of some word of the cell, and perhaps others."""
        middle = corners.mean(axis=0)
        kept = np.ones(len(near.rows), dtype=bool)
        for each, ends, bend, found in zip(self.maps, values, bends, near.values, strict=True):
            radius = float(each.distance(ends, each(middle)).max()) + bend
            # Those that are left out by rounding are missed, but nothing wrong is said without them.
            kept &= each.distance(found, each(middle)) <= (self.epsilon + radius) * (1 + 1e-9)
        return near.some(np.flatnonzero(kept))

    def _needed_everywhere(self, cell: Cell, values: list[Floats], bends: list[float], near: _StandIns) -> int:
        """The length of one stand-in that serves all words of the cell."""
        kept, sure = np.arange(len(near.rows)), np.ones(len(near.rows), dtype=bool)
        for each, ends, bend, found, error in zip(self.maps, values, bends, near.values, self.errors, strict=True):
            for corner in ends:
                distance = each.distance(found[kept], corner)
                inside = distance <= self.epsilon - bend + error
                sure = sure[inside] & (distance[inside] <= self.epsilon - bend - error)
                kept = kept[inside]
        certain = np.flatnonzero(sure)
        needed = min(self.certain, self._length(near, kept[certain[0]])) if len(certain) else self.certain
        if needed > self.best:
            before = kept[: certain[0]] if len(certain) else kept
            for number in before[:MOST_CHECKS].tolist():
                length = self._length(near, number)
                if length <= self.best and self._serves(cell, near.counts[number].tolist()):
                    return length
        return needed

    def _length(self, near: _StandIns, number: int) -> int:
        return self.situation.length(int(near.rows[number]))

    def _serves(self, cell: Cell, counts: list[int]) -> bool:
        """Whether a stand-in is within ε of all words of a cell, in fractions."""
        corners = self.chart.exact_corners(cell)
        for each, value in zip(self.maps, self.nearness.values(counts), strict=True):
            radius = self.exact_epsilon - each.exact.bending(corners)
            if not all(each.exact.within(each.exact(corner), value, radius) for corner in corners):
                return False
        return True

    def _halves(self, cell: Cell) -> list[Cell]:
        """The cell, cut in the middle of the edge along which most can change; nothing if it is tiny."""
        best: tuple[float, float, int, int, int] | None = None
        for place, simplex in enumerate(cell):
            for one, other in itertools.combinations(range(len(simplex)), 2):
                size = float(np.abs(simplex[one] - simplex[other]).max())
                if size > SMALLEST:
                    ends = [(*cell[:place], simplex[[corner]], *cell[place + 1 :]) for corner in (one, other)]
                    first, second = (self.chart.corners(end) for end in ends)
                    contrast = max(each.contrast(first, second) for each in self.maps)
                    found = (contrast, size, place, one, other)
                    best = found if best is None else max(best, found)
        if best is None:
            return []
        _, _, place, one, other = best
        halves: list[Cell] = []
        for corner in (one, other):
            simplex = cell[place].copy()
            simplex[corner] = (cell[place][one] + cell[place][other]) / 2
            halves.append((*cell[:place], simplex, *cell[place + 1 :]))
        return halves

    # ---------------------------------------------------------------------------------------------- one word

    def _try_some(self, cell: Cell, near: _StandIns) -> None:
        """Try words of a cell, or limits of words, that may need more than the best so far."""
        centre = self.chart.centre(cell)
        if centre is not None:
            self._try(centre, near, None)
        for counts in self.chart.samples(cell):
            self._try(self.situation.shares(counts[None])[0], self.stand_ins, tuple(counts.tolist()))
        ends = self.chart.ends(cell)
        if self.axis is None or ends is None:
            return
        positions = self.axis.position(ends)
        low, high = int(positions.argmin()), int(positions.argmax())
        reach = self.reach.between(float(positions[low]), float(positions[high]))
        starts, stops = reach.up_to(self.situation.rows_within(self.best)).gaps()
        if len(starts):
            widest = int(np.argmax(stops - starts))
            wanted, below, above = (starts[widest] + stops[widest]) / 2, ends[low], ends[high]
            for _ in range(60):
                middle = (below + above) / 2
                below, above = (middle, above) if self.axis.position(middle[None])[0] < wanted else (below, middle)
            self._try(above, near, None)

    def _needed(self, shares: Floats, near: _StandIns, counts: tuple[int, ...] | None) -> int | None:
        """The length of the shortest stand-in within ε: of a word, or about that, of a limit of words."""
        if counts is not None:
            number = self.nearness.first_within(counts, near.values, near.counts)
            return None if number is None else self._length(near, number)
        kept = np.arange(len(near.rows))
        for each, found, error in zip(self.maps, near.values, self.errors, strict=True):
            kept = kept[each.distance(found[kept], each(shares)) <= self.epsilon + error]
        return self._length(near, kept[0]) if len(kept) else None

    def _try(self, shares: Floats, near: _StandIns, counts: tuple[int, ...] | None) -> None:
        """Take a word, or a limit of longer and longer ones, for the worst one if it needs more than the best."""
        needed = self._needed(shares, near, counts)
        length = self.situation.length(self.limit + 1) if needed is None else needed
        if length > self.best:
            counts = self._as_word(shares, length) if counts is None else counts
            if counts is not None:
                self.best, self.witness = length, counts
        if needed is None:
            raise _TooFew

    def _as_word(self, shares: Floats, length: int) -> tuple[int, ...] | None:
        """Counts of a word with about these shares that still needs the length."""
        shorter = self.stand_ins.some(np.flatnonzero(self.stand_ins.rows <= self.situation.rows_within(length - 1)))
        for size in SIZES:
            counts = self.chart.realised(shares, size)
            is_word = (counts >= 0).all() and self.situation.attends(counts[None])[0]
            word = tuple(counts.tolist())
            if is_word and self._needed(shares, shorter, word) is None:
                return word
        return None
