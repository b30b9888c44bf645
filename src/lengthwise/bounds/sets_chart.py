"""`SetsChart`: coordinates for words in which several heads attend to different keys, in numbers of any proportion.

Kinds that are attended by the same sets form a class. Each set's attention goes to its classes, and to the last symbols
that it hits, in certain parts; within a class, the kinds have certain parts. Those are the coordinates, and shares are
products of them. But not everything goes together: a class is one size, whichever set one looks from, the same hits
are hit in short and in long words, and columns may be tied to each other. So cells are dropped that no sizes of classes
fit (a linear problem), or no whole numbers.
"""

from __future__ import annotations

import itertools
import math
from functools import cached_property

import numpy as np

from lengthwise.bounds.feasibility import nonnegative_solution
from lengthwise.bounds.situations import Integers, Situation, compositions
from lengthwise.limit.regimes import Floats

Cell = tuple[Floats, ...]
HITS = -1
"""The component of a set that stands for the last symbols it hits."""
SLACK = 1e-9
SCALES = (30, 1_000, 100_000)
"""Sizes of the words that are tried where sizes are not bounded."""


class SetsChart:
    """The parts of each set, the parts of each class, and the size of a row if columns are tied."""

    def __init__(self, situation: Situation) -> None:
        self.situation = situation
        members = {
            kind: tuple(number for number, attended in enumerate(situation.sets) if kind in attended.kinds)
            for kind in range(len(situation.kinds))
        }
        patterns = sorted(set(members.values()))
        self.classes = [[kind for kind in members if members[kind] == pattern] for pattern in patterns]
        self.agreed = self._agreed_hits()
        """The hits of each kind, if all sets agree on them; then they are counted like keys of the prefix."""
        self.parts: list[list[int]] = []
        """For each set its components: classes, and hits unless they are counted with the classes."""
        for number, attended in enumerate(situation.sets):
            hit = [HITS] if self.agreed is None and attended.hits.any() else []
            self.parts.append([place for place, pattern in enumerate(patterns) if number in pattern] + hit)
        self.is_free = self.agreed is not None and not situation.is_tied and len(situation.sets) <= 2
        """Whether long words come close to every combination of coordinates."""

    def _agreed_hits(self) -> Integers | None:
        hits = np.full(len(self.situation.kinds), -1)
        for attended in self.situation.sets:
            if not attended.is_open:
                return None
            own = hits[list(attended.kinds)]
            if ((own >= 0) & (own != attended.hits)).any():
                return None
            hits[list(attended.kinds)] = attended.hits
        return hits

    # --------------------------------------------------------------------------------------- coordinates to shares

    def _set(self, cell: Cell, number: int) -> Floats:
        return cell[number]

    def _class(self, cell: Cell, number: int) -> Floats:
        return cell[len(self.parts) + number]

    def whole(self, rows: int) -> Cell:
        """All words that are not words of at most so many rows."""
        factors = [np.eye(len(each)) for each in (*self.parts, *self.classes)]
        return (*factors, np.array([[0.0], [1.0 / max(1, rows + 1)]])) if self.situation.is_tied else tuple(factors)

    def corners(self, cell: Cell) -> Floats:
        """Shares are linear in each coordinate; the size of a row does not enter."""
        factors = cell[: len(self.parts) + len(self.classes)]
        chosen = np.array(list(itertools.product(*(range(len(simplex)) for simplex in factors))))
        return self._shares([simplex[chosen[:, place]] for place, simplex in enumerate(factors)])

    def _shares(self, points: list[Floats]) -> Floats:
        shares = np.zeros((len(points[0]), sum(len(attended.places) for attended in self.situation.sets)))
        for number, attended in enumerate(self.situation.sets):
            where = dict(zip(attended.kinds, attended.places, strict=False))
            for component, part in enumerate(self.parts[number]):
                weight = points[number][:, [component]]
                if part == HITS:
                    shares[:, attended.places] += weight * attended.hits / attended.hits.sum()
                else:
                    places = [where[kind] for kind in self.classes[part]]
                    shares[:, places] += weight * points[len(self.parts) + part]
        return shares

    def centre(self, cell: Cell) -> Floats | None:
        """The middle in every coordinate, if words come close to it."""
        if not self.is_free:
            return None
        return np.asarray(self._shares([simplex.mean(axis=0, keepdims=True) for simplex in cell])[0])

    def ends(self, cell: Cell) -> Floats | None:  # noqa: ARG002
        """What is between two corners need not be the shares of words."""
        return None

    # ------------------------------------------------------------------------------------------ cells without words

    def settled(self, cell: Cell) -> Cell | None:
        """The cell, unless sizes of classes do not fit."""
        if self.is_free:
            return cell
        if self.situation.is_tied:
            low, high = self._rows(cell)
            if high is not None and low > high:
                return None
            cell = (*cell[:-1], np.array([[0.0 if high is None else 1.0 / high], [1.0 / low]]))
        if self._sizes(cell) is None:
            return None
        for low, high, place in zip(*self._bounds(cell), range(len(self.classes)), strict=True):
            if low > high:
                return None
            simplex = self._class(cell, place)
            if low == high and low > 0:
                least, most = simplex.min(axis=0) * low, simplex.max(axis=0) * low
                if (np.ceil(least - SLACK * low) > np.floor(most + SLACK * low)).any():
                    return None
        return cell

    def _rows(self, cell: Cell) -> tuple[int, int | None]:
        smallest, largest = float(cell[-1].min()), float(cell[-1].max())
        low = int(np.ceil(1 / largest * (1 - 1e-12)))
        return max(low, 1), int(np.floor(1 / smallest * (1 + 1e-12))) if smallest > 0 else None

    def most_rows(self, cell: Cell) -> int | None:
        """Bounded for tied columns away from the limit."""
        return self._rows(cell)[1] if self.situation.is_tied else None

    @cached_property
    def _column_parts(self) -> list[tuple[int, list[tuple[int, list[int]]]]]:
        """For each residue with kinds: the classes that have kinds there, with their places in the class."""
        result = []
        for residue, kinds in enumerate(self.situation.columns):
            inside = [
                (place, [at for at, kind in enumerate(members) if kind in kinds])
                for place, members in enumerate(self.classes)
                if set(members) & set(kinds)
            ]
            if inside:
                result.append((residue, inside))
        return result

    def _sizes(self, cell: Cell) -> Floats | None:
        """Sizes of the classes, of one key and of the rows, in some unit, that go with the cell; None if there are none.

        Unknown are the multiples of the corners of each set's simplex, the size of a key and the rows.
        """
        corners = [(number, corner) for number in range(len(self.parts)) for corner in range(len(cell[number]))]
        unknowns = len(corners) + 2
        key, rows = unknowns - 2, unknowns - 1
        size: list[list[Floats]] = [[] for _ in self.classes]
        equal, at_most = [], []
        for number, parts in enumerate(self.parts):
            for component, part in enumerate(parts):
                row = np.zeros(unknowns)
                for place, (owner, corner) in enumerate(corners):
                    if owner == number:
                        row[place] = cell[number][corner, component]
                if part == HITS:
                    row[key] = -float(self.situation.sets[number].hits.sum())
                    equal.append(row)
                else:
                    equal += [row - other for other in size[part]]
                    size[part].append(row)
        if self.situation.is_tied:
            for residue, inside in self._column_parts:
                room = np.zeros(unknowns)
                room[rows], room[key] = 1.0, float(self.situation.extra[residue])
                if self.agreed is not None:
                    room[key] += float(self.agreed[self.situation.columns[residue]].sum())
                parts_of = [(place, self._class(cell, place)[:, at].sum(axis=1)) for place, at in inside]
                at_most.append(sum(size[place][0] * part.min() for place, part in parts_of) - room)
                if residue in self.situation.tight:
                    at_most.append(room - sum(size[place][0] * part.max() for place, part in parts_of))
            smallest, largest = float(cell[-1].min()), float(cell[-1].max())
            at_most += [_unit(unknowns, key, rows, -1.0, smallest), _unit(unknowns, key, rows, 1.0, -largest)]
        total = np.ones(unknowns)
        total[[key, rows]] = 0.0
        equal.append(total)
        targets = np.zeros(len(equal))
        targets[-1] = 1.0
        conditions = np.array(at_most).reshape(-1, unknowns)
        solution = nonnegative_solution(np.array(equal), targets, conditions, np.zeros(len(conditions)))
        if solution is None:
            return None
        return np.array([*(float(rows_of[0] @ solution) for rows_of in size), solution[key], solution[rows]])

    def _bounds(self, cell: Cell) -> tuple[list[float], list[float]]:
        """Least and largest numbers of keys of each class in words of the cell; whole numbers, or infinite."""
        low, high = [0.0] * len(self.classes), [math.inf] * len(self.classes)
        for number, parts in list(enumerate(self.parts)) * 2:
            simplex = cell[number]
            for component, part in enumerate(parts):
                for other, known in enumerate(parts):
                    if part == HITS or other == component:
                        continue
                    if known == HITS:
                        least = most = float(self.situation.sets[number].hits.sum())
                    else:
                        least, most = low[known], high[known]
                    smallest, largest = _ratios(simplex[:, component], simplex[:, other])
                    low[part] = max(low[part], least * smallest if least and smallest else 0.0)
                    high[part] = min(high[part], most * largest if most and largest else (0.0 if largest == 0 or most == 0 else math.inf))
        slack = [SLACK * (1 + value) for value in low]
        return (
            [math.ceil(value - more) for value, more in zip(low, slack, strict=True)],
            [math.floor(value + SLACK * (1 + value)) if math.isfinite(value) else math.inf for value in high],
        )

    # -------------------------------------------------------------------------------------------------- words

    def words(self, cell: Cell, most: int) -> Integers | None:
        """All words of the cell, and others, if sizes are bounded and words are few."""
        raise NotImplementedError
