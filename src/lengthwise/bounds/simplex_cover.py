"""The general cover: any number of attended types, by branch and bound over cells of shares.

The length that a word needs is that of its shortest stand-in within ε, and a situation needs what its worst word does.
A cell of words needs at most what one stand-in needs that is within ε of all of it; since outputs are piecewise linear
it is enough to look at the corners, and to add what bends in between. A point of a cell needs at least what its own
shortest stand-in needs. Cells for which these differ are halved, the worst first, until no cell can need more than some
word does: then the length is exact. If time runs out before, what the worst cell needs is an upper bound still.
"""

from __future__ import annotations

import heapq
import itertools
import math
import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lengthwise.bounds.axis import Intervals, axis_of
from lengthwise.bounds.cells import Cell
from lengthwise.bounds.charts import Chart, chart_for
from lengthwise.bounds.situations import Cover, Integers, Situation
from lengthwise.bounds.sure_length import sure_length
from lengthwise.limit.regimes import Floats

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
SIZES = [10**power for power in range(1, 9)]
"""Sizes in which a limit of longer and longer words is tried as a word."""


def cover_region(situation: Situation, epsilon: float, at_least: int, longest: int, deadline: float) -> Cover:
    """The least length, if it is above `at_least`, that gives every word in the situation a stand-in within ε.

    Where stand-ins of length `longest` do not suffice, are too many, or time is up (`time.monotonic`), an upper bound.
    """
    certain = sure_length(situation, epsilon)
    if certain <= at_least:
        return Cover(at_least, at_least)
    chart = chart_for(situation)
    if chart is None:
        return Cover(certain, at_least)
    search = _Search(chart, epsilon, at_least, certain, deadline)
    rows = max(situation.rows_within(at_least), situation.least_rows)
    most = MOST_STAND_INS if search.axis is None else MOST_ON_AN_AXIS
    while situation.length(rows) <= longest and situation.how_many(rows) <= most and time.monotonic() < deadline:
        found = search.with_stand_ins(rows)
        if found is not None:
            return found
        rows = max(rows + 1, min(math.ceil(rows * GROWTH), situation.rows_within(longest)))
    return Cover(certain, search.best, search.witness)


@dataclass(frozen=True, eq=False)
class _StandIns:
    """Short words by their outputs, the shortest first."""

    values: list[Floats]
    rows: Integers

    def some(self, kept: npt.NDArray[np.intp]) -> _StandIns:
        return _StandIns([values[kept] for values in self.values], self.rows[kept])


class _TooFew(Exception):  # noqa: N818 - a way out of the search, not an error
    """Some word has no stand-in among those that were listed."""


class _Search:
    """Branch and bound for the length that a situation needs."""

    def __init__(self, chart: Chart, epsilon: float, at_least: int, certain: int, deadline: float) -> None:
        self.chart, self.situation, self.epsilon = chart, chart.situation, epsilon
        self.best, self.certain, self.deadline = at_least, certain, deadline
        self.witness: tuple[int, ...] | None = None
        self.maps = self.situation.maps
        self.axis = axis_of(self.situation)
        self.reach = Intervals(np.zeros(0), np.zeros(0), np.zeros(0, dtype=np.int64))
        self.stand_ins = _StandIns([], np.zeros(0, dtype=np.int64))
        self.limit = 0

    def with_stand_ins(self, rows: int) -> Cover | None:
        """The cover by stand-ins of at most so many rows; None if they are too few."""
        counts, needed = self.situation.counts_within(rows)
        shares = self.situation.shares(counts)
        alike = shares if self.axis is None else self.axis.position(shares)
        _, first = np.unique(np.round(alike, 12), axis=0, return_index=True)
        first.sort()
        self.stand_ins = _StandIns([each(shares[first]) for each in self.maps], needed[first])
        if self.axis is not None:
            self.reach = self.axis.reach(shares[first], needed[first], self.epsilon)
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
            if time.monotonic() > self.deadline:
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
            positions, bend = self.axis.position(corners), self.axis.bending(corners)
            reach = self.reach.between(float(positions.min()) - bend, float(positions.max()) + bend)
            rows = reach.covering_rows()
            needed = self.certain if rows is None else min(self.certain, self.situation.length(rows))
        else:
            values, bends = [each(corners) for each in self.maps], [each.bending(corners) for each in self.maps]
            near = self._within_reach(corners, values, bends, near)
            needed = self._needed_everywhere(values, bends, near)
        if needed > self.best:
            self._try_some(cell, near)
        return min(bound, needed), near

    def _within_reach(self, corners: Floats, values: list[Floats], bends: list[float], near: _StandIns) -> _StandIns:
        """The stand-ins that are within ε of some word of the cell, and perhaps others."""
        middle = corners.mean(axis=0)
        kept = np.ones(len(near.rows), dtype=bool)
        for each, ends, bend, found in zip(self.maps, values, bends, near.values, strict=True):
            radius = float(each.distance(ends, each(middle)).max()) + bend
            kept &= each.distance(found, each(middle)) <= (self.epsilon + radius) * (1 + 1e-9)
        return near.some(np.flatnonzero(kept))

    def _needed_everywhere(self, values: list[Floats], bends: list[float], near: _StandIns) -> int:
        """The length of one stand-in that serves all words of the cell."""
        kept = np.arange(len(near.rows))
        for each, ends, bend, found in zip(self.maps, values, bends, near.values, strict=True):
            for corner in ends:
                kept = kept[each.distance(found[kept], corner) <= self.epsilon - bend]
        return min(self.certain, self.situation.length(int(near.rows[kept[0]]))) if len(kept) else self.certain

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

    def _needed(self, shares: Floats, near: _StandIns) -> int | None:
        """The length of the shortest stand-in within ε."""
        kept = np.arange(len(near.rows))
        for each, found in zip(self.maps, near.values, strict=True):
            kept = kept[each.distance(found[kept], each(shares)) <= self.epsilon]
        return self.situation.length(int(near.rows[kept[0]])) if len(kept) else None

    def _try(self, shares: Floats, near: _StandIns, counts: tuple[int, ...] | None) -> None:
        """Take a word, or a limit of longer and longer ones, for the worst one if it needs more than the best."""
        needed = self._needed(shares, near)
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
            if is_word and self._needed(self.situation.shares(counts[None])[0], shorter) is None:
                return tuple(counts.tolist())
        return None
