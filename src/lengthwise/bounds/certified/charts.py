"""Charts: coordinates for all that the attention of long words can look like in a situation.

A region of words is a cell, a product of simplices. A chart turns its corners into shares of attention, in such a way
that the shares of every word in the cell lie in the convex hull of those of the corners. Two charts are enough:

- `ColumnChart`: for each column of the prefix the parts of it that are of each kind, and the size of a single key
  against a column, 1/b in words of b rows, which tends to 0. It describes words in which all that is attended grows
  with the length: those whose columns are tied, and those with a single set of attended keys, in which case b counts
  these keys.
- `SetsChart`: for several sets of attended keys, which may be of very different sizes.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np

from lengthwise.bounds.certified.cells import Cell, exact_size, row_range, snapped_size
from lengthwise.bounds.certified.sets_chart import SetsChart
from lengthwise.bounds.certified.share_map import Shares, shares_of
from lengthwise.bounds.certified.situations import Integers, Situation, rounded
from lengthwise.limit.evaluation.regimes import Floats

MOST_CORNERS = 5_000
"""Cells with more corners are not looked at."""


class Chart(Protocol):
    """Coordinates for the words of a situation."""

    @property
    def situation(self) -> Situation:
        """The situation it is a chart of."""

    def whole(self, rows: int) -> Cell:
        """The cell of all words that are not words of at most so many rows."""

    def corners(self, cell: Cell) -> Floats:
        """Shares whose convex hull holds those of all words in the cell."""

    def exact_corners(self, cell: Cell) -> list[Shares]:
        """The same for a settled cell, as fractions."""

    def centre(self, cell: Cell) -> Floats | None:
        """Shares that longer and longer words of the cell come arbitrarily close to; None if its words are bounded."""

    def ends(self, cell: Cell) -> Floats | None:
        """Shares such that words come close to everything in between as well; None if that is not so."""

    def settled(self, cell: Cell) -> Cell | None:
        """The smallest cell with the same words, as far as that is easily seen; None if there are none."""

    def most_rows(self, cell: Cell) -> int | None:
        """How many rows the shortest words with the counts of any word of the cell have at most, if bounded."""

    def words(self, cell: Cell, most: int) -> Integers | None:
        """The counts of words, with all of those in the cell among them; None if there are more than so many."""

    def samples(self, cell: Cell) -> Integers:
        """Counts of some words that are in the cell, or close to it."""

    def realised(self, shares: Floats, size: int) -> Integers:
        """Counts of a word of about this size whose shares are close to a centre's."""


def chart_for(situation: Situation) -> Chart | None:
    """The chart of a situation; None if there is none that describes all of its words."""
    if len(situation.sets) == 1 or all_grow(situation):
        return ColumnChart.of(situation)
    chart = SetsChart(situation)
    corners = math.prod(len(simplex) for simplex in chart.whole(0))
    return chart if corners <= MOST_CORNERS else None


def all_grow(situation: Situation) -> bool:
    """Whether each set attends to all of some column."""
    return situation.is_tied and all(
        any(set(situation.columns[at]) <= set(attended.kinds) for at in situation.tight) for attended in situation.sets
    )


@dataclass(frozen=True, eq=False)
class ColumnChart:
    """The parts of columns, with the size of a single key as the last coordinate if that matters."""

    situation: Situation
    columns: list[list[int]]
    """The kinds in each column; -1 stands for what is not attended."""
    extra: list[int]
    scaled: bool
    """Whether the size of a key matters: if not, words come close to all shares, and none has others."""

    @classmethod
    def of(cls, situation: Situation) -> ColumnChart:
        """The chart of a situation whose sets all grow, or of one with a single set."""
        if situation.is_tied:
            columns = [
                kinds if at in situation.tight else [*kinds, -1] for at, kinds in enumerate(situation.columns) if kinds
            ]
            extra = [int(more) for more, kinds in zip(situation.extra, situation.columns, strict=True) if kinds]
            return cls(situation, columns, extra, True)
        # The attended keys of the prefix are one column of any size.
        return cls(situation, [list(range(len(situation.kinds)))], [0], not situation.sets[0].is_open)

    def whole(self, rows: int) -> Cell:
        """All words with more rows, or all if the size of a key does not matter."""
        parts = tuple(np.eye(len(kinds)) for kinds in self.columns)
        return (*parts, np.array([[0.0], [1.0 / max(1, rows + 1)]])) if self.scaled else parts

    def corners(self, cell: Cell) -> Floats:
        """Shares are quotients of functions that are linear in each coordinate, so corners are enough for each set.

        An output that depends on several sets needs their corners in every combination.
        """
        shares = self._shares(cell, list(itertools.product(*(range(len(simplex)) for simplex in cell))))
        if len(self.situation.sets) == 1:
            return shares
        groups = self.situation.shares_groups
        chosen = np.array(list(itertools.product(range(len(shares)), repeat=len(groups))))
        combined = np.empty((len(chosen), shares.shape[1]))
        for number, group in enumerate(groups):
            combined[:, group] = shares[chosen[:, number]][:, group]
        return combined

    def _shares(self, cell: Cell, choices: Sequence[tuple[int, ...]]) -> Floats:
        chosen = np.array(choices)
        unit = cell[-1][chosen[:, -1], 0] if self.scaled else np.zeros(len(chosen))
        counts = np.zeros((len(chosen), len(self.situation.kinds)))
        for place, (kinds, more) in enumerate(zip(self.columns, self.extra, strict=True)):
            parts = cell[place][chosen[:, place]] * (1 + more * unit)[:, None]
            attended = [column for column, kind in enumerate(kinds) if kind >= 0]
            counts[:, [kinds[column] for column in attended]] = parts[:, attended]
        return self.situation.shares(counts, unit)

    def exact_corners(self, cell: Cell) -> list[Shares]:
        """The same, as fractions."""
        found: list[list[list[Fraction]]] = []
        for chosen in itertools.product(*(range(len(simplex)) for simplex in cell)):
            unit = exact_size(float(cell[-1][chosen[-1], 0])) if self.scaled else Fraction(0)
            counts = [Fraction(0)] * len(self.situation.kinds)
            for place, (kinds, more) in enumerate(zip(self.columns, self.extra, strict=True)):
                for kind, part in zip(kinds, cell[place][chosen[place]].tolist(), strict=True):
                    if kind >= 0:
                        counts[kind] = Fraction(part) * (1 + more * unit)
            sets = []
            for attended in self.situation.sets:
                keys = [hit * unit for hit in attended.hits.tolist()]
                for place, kind in enumerate(attended.kinds):
                    keys[place] += counts[kind]
                total = sum(keys, Fraction(0))
                sets.append([key / total for key in keys])
            found.append(sets)
        groups = self.situation.shares_groups
        combined = []
        for picked in itertools.product(found, repeat=len(groups)):
            parts = [Fraction(0)] * sum(map(len, groups))
            for number, group in enumerate(groups):
                for place, part in zip(group, picked[number][number], strict=True):
                    parts[place] = part
            combined.append(shares_of(parts))
        return combined

    def centre(self, cell: Cell) -> Floats | None:
        """The middle of each column, for infinitely small keys."""
        if self.scaled and cell[-1].min() > 0:
            return None
        middle = tuple(simplex.mean(axis=0, keepdims=True) for simplex in cell)
        if self.scaled:
            middle = (*middle[:-1], np.zeros((1, 1)))
        return np.asarray(self._shares(middle, [(0,) * len(middle)])[0])

    def ends(self, cell: Cell) -> Floats | None:
        """The corners, for infinitely small keys: shares are a projective image of the columns, so it is convex."""
        if len(self.situation.sets) > 1 or (self.scaled and cell[-1].min() > 0):
            return None
        return self.corners((*cell[:-1], np.zeros((1, 1))) if self.scaled else cell)

    def settled(self, cell: Cell) -> Cell | None:
        """A key has size 0 or 1/b for a whole number b."""
        if not self.scaled:
            return cell
        snapped = snapped_size(cell[-1])
        return None if snapped is None else (*cell[:-1], snapped)

    def most_rows(self, cell: Cell) -> int | None:
        """No word with these counts needs more rows than the cell allows."""
        return row_range(cell[-1])[1] if self.scaled else None

    def words(self, cell: Cell, most: int) -> Integers | None:
        """For one number of rows, the counts in the boxes around the parts of each column."""
        if not self.scaled:
            return None
        low, high = row_range(cell[-1])
        if low != high:
            return None
        result = np.zeros((1, len(self.situation.kinds)), dtype=np.int64)
        for place, (kinds, more) in enumerate(zip(self.columns, self.extra, strict=True)):
            size = low + more
            bounds = [
                range(int(np.ceil(least - 1e-9)), int(np.floor(largest + 1e-9)) + 1)
                for least, largest in zip(cell[place].min(axis=0) * size, cell[place].max(axis=0) * size, strict=True)
            ]
            if len(result) * np.prod([float(len(each)) for each in bounds[:-1]]) > most:
                return None
            chosen = list(itertools.product(*bounds[:-1]))
            grid = np.array(chosen, dtype=np.int64).reshape(len(chosen), len(kinds) - 1)
            filled = np.concatenate([grid, size - grid.sum(axis=1, keepdims=True)], axis=1)
            filled = filled[filled[:, -1] >= 0]
            attended = [column for column, kind in enumerate(kinds) if kind >= 0]
            wider = np.repeat(result, len(filled), axis=0)
            wider[:, [kinds[column] for column in attended]] = np.tile(filled[:, attended], (len(result), 1))
            result = wider
        return result[self.situation.attends(result)]

    def samples(self, cell: Cell) -> Integers:
        """None: limits of words, and all words of small cells, are enough."""
        return np.zeros((0, len(self.situation.kinds)), dtype=np.int64)

    def realised(self, shares: Floats, size: int) -> Integers:
        """Each column rounded, the tight ones to their exact size."""
        masses = np.zeros(len(self.situation.kinds))
        for attended in self.situation.sets:
            places, kinds = list(attended.places[: len(attended.kinds)]), list(attended.kinds)
            part = shares[places]
            if self.situation.is_tied:
                full = next(at for at in self.situation.tight if set(self.situation.columns[at]) <= set(kinds))
                part = part / shares[[places[kinds.index(kind)] for kind in self.situation.columns[full]]].sum()
            masses[kinds] = part
        counts = np.zeros(len(masses), dtype=np.int64)
        for column, more in zip(self.columns, self.extra, strict=True):
            own = [kind for kind in column if kind >= 0]
            room, wanted = size + more, masses[own] * size
            counts[own] = rounded(wanted, room if -1 not in column else min(room, round(float(wanted.sum()))))
        return counts
