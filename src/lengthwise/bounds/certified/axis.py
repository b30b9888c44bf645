"""Axes: where one number decides about stand-ins, and a length suffices exactly if intervals cover a line.

Either the output is a single number, and words are within ε of a stand-in if their outputs lie in an interval around
its own. Or all outputs are functions of one number, such as the share of one of two types; then they are piecewise
linear functions of it, and the words within ε of a stand-in have their numbers in intervals that can be written down,
one for each piece.

All of this is in floating point, apart from whether outputs are functions of one number. It says where to look;
`exact_line` decides.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol

import numpy as np
import numpy.typing as npt

from lengthwise.bounds.certified.exact_line import ExactLine
from lengthwise.bounds.certified.share_map import ShareMap
from lengthwise.bounds.certified.situations import Integers, Situation
from lengthwise.limit.evaluation.regimes import Floats


@dataclass(frozen=True, eq=False)
class Intervals:
    """Closed intervals, each allowed from a number of rows on, that are to cover the line from `low` to `high`."""

    starts: Floats
    ends: Floats
    rows: Integers
    low: float = -math.inf
    high: float = math.inf
    sources: Integers | None = None
    """Which of the stand-ins each is of, if that is known."""
    pieces: Integers | None = None
    """Which piece of the axis each is on, if it has several."""

    def between(self, low: float, high: float) -> Intervals:
        """Those that are of use on a part of the line."""
        return replace(self._some((self.starts <= high) & (self.ends >= low)), low=low, high=high)

    def up_to(self, rows: int) -> Intervals:
        """Those that so many rows allow."""
        return self._some(self.rows <= rows)

    def _some(self, kept: npt.NDArray[np.bool_]) -> Intervals:
        sources = None if self.sources is None else self.sources[kept]
        pieces = None if self.pieces is None else self.pieces[kept]
        return replace(
            self,
            starts=self.starts[kept],
            ends=self.ends[kept],
            rows=self.rows[kept],
            sources=sources,
            pieces=pieces,
        )

    def gaps(self) -> tuple[Floats, Floats]:
        """Starts and ends of the parts of the line that no interval covers; a part may be a single end of the line."""
        order = np.argsort(self.starts, kind="stable")
        reach = np.maximum.accumulate(np.concatenate([[self.low], self.ends[order]]))
        nexts = np.minimum(np.concatenate([self.starts[order], [np.inf]]), self.high)
        left_out = reach < nexts
        # Open parts are found like this, but at its ends even a single point of the line has to be covered.
        left_out[0] |= not (self.starts <= self.low).any()
        left_out[-1] |= not (self.ends >= self.high).any()
        return np.minimum(reach[left_out], nexts[left_out]), nexts[left_out]

    @property
    def cover(self) -> bool:
        """Whether nothing is left out."""
        return not len(self.gaps()[0])

    def covering_rows(self) -> int | None:
        """The least number of rows that allows enough intervals; None if all of them are not enough."""
        if not self.cover:
            return None
        tried = np.unique(self.rows).tolist()
        low, high = 0, len(tried) - 1
        while low < high:
            middle = (low + high) // 2
            if self.up_to(tried[middle]).cover:
                high = middle
            else:
                low = middle + 1
        return int(tried[high])


class Axis(Protocol):
    """A number for every way to share out attention."""

    def position(self, shares: Floats) -> Floats:
        """The numbers of shares, one row each."""

    def bending(self, corners: Floats) -> float:
        """How far, on the hull of some shares, numbers may lie outside of those of the corners."""

    def reach(self, shares: Floats, rows: Integers, epsilon: float) -> Intervals:
        """What stand-ins of these shares and rows are within ε of."""


def axis_of(situation: Situation) -> Axis | None:
    """The axis of a situation, if one number decides."""
    if len(situation.maps) == 1 and situation.maps[0].is_scalar:
        return ValueAxis(situation.maps[0])
    weights = exact_coordinate(situation)
    return None if weights is None else CoordinateAxis.of(situation.maps, situation.shares_groups, weights)


def coordinate(situation: Situation) -> Floats | None:
    """Weights for the shares, such that all outputs are functions of the weighted sum; None if there are no such."""
    weights = exact_coordinate(situation)
    return None if weights is None else np.array([float(weight) for weight in weights])


def exact_coordinate(situation: Situation) -> list[Fraction] | None:
    """The same as fractions: outputs are functions of one number exactly, or there are no such weights."""
    if not situation.maps:
        return None
    columns = np.concatenate([part for each in situation.maps for part in (each.exact.linear, each.exact.hidden)])
    firsts = np.zeros(columns.shape[1], dtype=np.int64)
    for group in situation.shares_groups:
        firsts[group] = group[0]
    differences = columns - columns[:, firsts]
    found = np.argwhere(differences != 0)
    if not len(found):
        return [Fraction(0)] * columns.shape[1]
    row, place = found[0].tolist()
    along, step = differences[:, place], differences[row, place]
    for column in differences.T:
        if (column * step != along * column[row]).any():
            return None
    return [Fraction(int(column[row]), int(step)) for column in differences.T]


@dataclass(frozen=True, eq=False)
class ValueAxis:
    """The output itself, a single number."""

    output: ShareMap

    def position(self, shares: Floats) -> Floats:
        """The output."""
        return np.asarray(self.output(shares)[:, 0])

    def bending(self, corners: Floats) -> float:
        """What the ReLU units bend."""
        return self.output.bending(corners)

    def reach(self, shares: Floats, rows: Integers, epsilon: float) -> Intervals:
        """All that is within ε of the output."""
        values = self.position(shares)
        return Intervals(values - epsilon, values + epsilon, rows, sources=np.arange(len(rows)))


@dataclass(frozen=True, eq=False)
class CoordinateAxis:
    """A weighted sum of the shares that all outputs are functions of."""

    weights: Floats
    """For each place."""
    knots: Floats
    """The ends of the axis, and where outputs bend in between."""
    corners: list[Floats]
    """The outputs there."""
    outputs: Sequence[ShareMap]

    @classmethod
    def of(
        cls, maps: Sequence[ShareMap], groups: list[list[int]], weights: Iterable[float | Fraction]
    ) -> CoordinateAxis:
        """The axis for weights such that moving attention changes outputs in proportion to their difference."""
        fractions = [Fraction(weight) for weight in weights]
        exact = ExactLine([each.exact for each in maps], groups, fractions)
        parts = np.array([[float(part) for part in point] for point in exact.points])
        positions = np.array([float(position) for position in exact.positions])
        return cls(np.array([float(weight) for weight in fractions]), positions, [each(parts) for each in maps], maps)

    def position(self, shares: Floats) -> Floats:
        """The weighted sum."""
        return np.asarray(shares @ self.weights)

    def bending(self, corners: Floats) -> float:
        """Nothing: it is linear."""
        return 0.0

    def reach(self, shares: Floats, rows: Integers, epsilon: float) -> Intervals:
        """On each piece where outputs are linear, the interval on which all are within ε of those of the stand-in."""
        values = [each(shares) for each in self.outputs]
        starts, ends, sources, pieces = [], [], [], []
        for piece in range(len(self.knots) - 1):
            kept, start, end = np.arange(len(rows)), np.zeros(len(rows)), np.ones(len(rows))
            for each, corners, found in zip(self.outputs, self.corners, values, strict=True):
                low, high = _within(each, corners[piece : piece + 2], found[kept], epsilon)
                start, end = np.maximum(start, low), np.minimum(end, high)
                inside = start <= end
                kept, start, end = kept[inside], start[inside], end[inside]
            first, last = self.knots[piece], self.knots[piece + 1]
            # The end of one piece is the start of the next, to the last bit, and beyond the ends of the axis there is
            # nothing but rounding errors.
            before = -math.inf if piece == 0 else first
            behind = math.inf if piece == len(self.knots) - 2 else last
            starts.append(np.where(start <= 0, before, first + (last - first) * start))
            ends.append(np.where(end >= 1, behind, first + (last - first) * end))
            sources.append(kept)
            pieces.append(np.full(len(kept), piece))
        members = np.concatenate(sources)
        return Intervals(
            np.concatenate(starts),
            np.concatenate(ends),
            rows[members],
            sources=members,
            pieces=np.concatenate(pieces),
        )


def _within(each: ShareMap, corners: Floats, values: Floats, epsilon: float) -> tuple[Floats, Floats]:
    """From where to where, as parts of a linear piece, the output is within ε of each of some values."""
    # On an axis, half the ℓ1 norm of what is moved is the ℓ2 norm, up to a factor that is the same everywhere.
    direction = corners[1] - corners[0]
    square = float(direction @ direction)
    if square == 0:
        inside = each.distance(values, corners[0]) <= epsilon
        return np.where(inside, 0.0, 2.0), np.ones(len(values))
    radius = epsilon * math.sqrt(square) / float(each.distance(corners[1], corners[0]))
    apart = corners[0] - values
    mixed = apart @ direction
    constant = np.square(apart).sum(axis=1) - radius * radius
    inside = mixed * mixed >= square * constant
    root = np.sqrt(np.maximum(mixed * mixed - square * constant, 0.0))
    return np.where(inside, (-mixed - root) / square, 2.0), (root - mixed) / square
