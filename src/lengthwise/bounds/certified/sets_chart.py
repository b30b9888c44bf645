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
from fractions import Fraction

import numpy as np

from lengthwise.bounds.certified.cells import Cell, row_range, snapped_size
from lengthwise.bounds.certified.feasibility import nonnegative_solution
from lengthwise.bounds.certified.share_map import Shares, shares_of
from lengthwise.bounds.certified.situations import Integers, Situation, compositions, rounded
from lengthwise.limit.evaluation.regimes import Floats

HITS = -1
"""The component of a set that stands for the last symbols it hits."""
SLACK = 1e-9
"""By this part, bounds on whole numbers are wider than computed: far more than rounding, so no word is left out."""
SCALES = (30, 1_000, 100_000)
"""Sizes of the words that are tried where sizes are not bounded."""


class SetsChart:
    """The parts of each set, the parts of each class, and the size of a key against a row if columns are tied."""

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

    def whole(self, rows: int) -> Cell:
        """All words that are not words of at most so many rows."""
        factors = tuple(np.eye(len(each)) for each in (*self.parts, *self.classes))
        return (*factors, np.array([[0.0], [1.0 / max(1, rows + 1)]])) if self.situation.is_tied else factors

    def corners(self, cell: Cell) -> Floats:
        """Shares are linear in each coordinate; the size of a key does not enter."""
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

    def exact_corners(self, cell: Cell) -> list[Shares]:
        """The same, as fractions."""
        factors = [
            [[Fraction(part) for part in corner] for corner in simplex.tolist()]
            for simplex in cell[: len(self.parts) + len(self.classes)]
        ]
        found = []
        for points in itertools.product(*factors):
            shares = [Fraction(0)] * sum(len(attended.places) for attended in self.situation.sets)
            for number, attended in enumerate(self.situation.sets):
                where = dict(zip(attended.kinds, attended.places, strict=False))
                for weight, part in zip(points[number], self.parts[number], strict=True):
                    if part == HITS:
                        for place, hit in zip(attended.places, attended.hits.tolist(), strict=True):
                            shares[place] += weight * Fraction(hit, int(attended.hits.sum()))
                    else:
                        for kind, inside in zip(self.classes[part], points[len(self.parts) + part], strict=True):
                            shares[where[kind]] += weight * inside
            found.append(shares_of(shares))
        return found

    def centre(self, cell: Cell) -> Floats | None:
        """The middle in every coordinate, if words come close to it."""
        if not self.is_free:
            return None
        return np.asarray(self._shares([simplex.mean(axis=0, keepdims=True) for simplex in cell])[0])

    def ends(self, cell: Cell) -> Floats | None:
        """What is between two corners need not be the shares of words."""
        return None

    # ------------------------------------------------------------------------------------------ cells without words

    def settled(self, cell: Cell) -> Cell | None:
        """The cell, unless sizes of classes do not fit."""
        if self.is_free:
            return cell
        snapped = snapped_size(cell[-1]) if self.situation.is_tied else cell[-1]
        if snapped is None or self._sizes(cell := (*cell[:-1], snapped)) is None:
            return None
        for place, (least, most) in enumerate(self._bounds(cell)):
            if most is not None and least > most:
                return None
            if most is not None and least == most > 0:
                inside = cell[len(self.parts) + place] * least
                slack = SLACK * least
                if (np.ceil(inside.min(axis=0) - slack) > np.floor(inside.max(axis=0) + slack)).any():
                    return None
        return cell

    def most_rows(self, cell: Cell) -> int | None:
        """Bounded for tied columns away from the limit."""
        return row_range(cell[-1])[1] if self.situation.is_tied else None

    def _sizes(self, cell: Cell) -> Floats | None:
        """How many keys of each kind, how large a single key, and how many rows there are, all in some unit.

        None if nothing fits. Unknown are multiples of the corners of all simplices, the size of a key, and the rows.
        """
        sets, classes = cell[: len(self.parts)], cell[len(self.parts) : len(self.parts) + len(self.classes)]
        starts = np.cumsum([0, *(len(simplex) for simplex in (*sets, *classes))])
        unknowns = int(starts[-1]) + 2
        key, rows = unknowns - 2, unknowns - 1
        kinds = np.zeros((len(self.situation.kinds), unknowns))
        for number, (members, simplex) in enumerate(zip(self.classes, classes, strict=True)):
            first = starts[len(sets) + number]
            kinds[members, first : first + len(simplex)] = simplex.T
        equal: list[Floats] = []
        at_most: list[Floats] = []
        for number, (parts, simplex) in enumerate(zip(self.parts, sets, strict=True)):
            for component, part in enumerate(parts):
                row = np.zeros(unknowns)
                row[starts[number] : starts[number + 1]] = simplex[:, component]
                if part == HITS:
                    row[key] = -float(self.situation.sets[number].hits.sum())
                else:
                    row -= kinds[self.classes[part]].sum(axis=0)
                equal.append(row)
        if self.situation.is_tied:
            hits = self.agreed if self.agreed is not None else np.zeros(len(kinds), dtype=np.int64)
            for residue, inside in enumerate(self.situation.columns):
                if inside:
                    over = kinds[inside].sum(axis=0)
                    over[rows] -= 1.0
                    over[key] -= float(self.situation.extra[residue] + hits[inside].sum())
                    (equal if residue in self.situation.tight else at_most).append(over)
            # A key is 1/b of the rows in words of b rows; written so, the numbers are whole.
            least, most = row_range(cell[-1])
            for sign, size in ((1.0, least), *([(-1.0, most)] if most is not None else [])):
                row = np.zeros(unknowns)
                row[key], row[rows] = sign * size, -sign
                at_most.append(row)
        equal.append(np.concatenate([np.ones(starts[len(sets)]), np.zeros(unknowns - starts[len(sets)])]))
        targets = np.zeros(len(equal))
        targets[-1] = 1.0
        conditions = np.array(at_most).reshape(-1, unknowns)
        solution = nonnegative_solution(np.array(equal), targets, conditions, np.zeros(len(conditions)))
        return None if solution is None else np.array([*(kinds @ solution), solution[key], solution[rows]])

    def _bounds(self, cell: Cell) -> list[tuple[int, int | None]]:
        """The least and the largest number of keys of each class in words of the cell; None if it is not bounded."""
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
                    low[part] = max(low[part], _product(least, smallest, 0.0))
                    high[part] = min(high[part], _product(most, largest, math.inf))
        return [
            (math.ceil(least - SLACK * (1 + least)), math.floor(most + SLACK * (1 + most)) if most < math.inf else None)
            for least, most in zip(low, high, strict=True)
        ]

    # -------------------------------------------------------------------------------------------------- words

    def words(self, cell: Cell, most: int) -> Integers | None:
        """All words of the cell, and others, if sizes are bounded and words are few."""
        if self.is_free:
            return None
        if self.situation.is_tied:
            low, high = row_range(cell[-1])
            if low != high or self.situation.how_many_at(low) > most:
                return None
            found = self.situation.counts_at(low)
            return found[self.situation.attends(found)]
        bounds = self._bounds(cell)
        ranges = [
            range(least, most_keys + 1) for least, most_keys in bounds if most_keys is not None and most_keys <= most
        ]
        if len(ranges) < len(bounds):
            return None
        ways = [
            sum(math.comb(size + len(members) - 1, size) for size in sizes)
            for sizes, members in zip(ranges, self.classes, strict=True)
        ]
        if math.prod(ways) > most:
            return None
        hits = self.agreed if self.agreed is not None else np.zeros(len(self.situation.kinds), dtype=np.int64)
        result = np.zeros((1, len(hits)), dtype=np.int64)
        for sizes, members in zip(ranges, self.classes, strict=True):
            some = np.concatenate([compositions(size, len(members)) for size in sizes])
            wider = np.repeat(result, len(some), axis=0)
            wider[:, members] = np.tile(some, (len(result), 1))
            result = wider
        result = result - hits
        result = result[(result >= 0).all(axis=1)]
        return result[self.situation.attends(result)]

    def samples(self, cell: Cell) -> Integers:
        """Some words that are in the cell, or close to it."""
        sizes = None if self.is_free else self._sizes(cell)
        if sizes is None:
            return np.zeros((0, len(self.situation.kinds)), dtype=np.int64)
        key, rows = float(sizes[-2]), float(sizes[-1])
        low, high = row_range(cell[-1]) if self.situation.is_tied else (1, None)
        scales = [1 / key] if key > SLACK else list(SCALES)
        if self.situation.is_tied:
            wanted = [low, *([high] if high is not None else [max(low, scale) for scale in SCALES])]
            scales = [number / rows for number in dict.fromkeys(wanted)] if rows > SLACK else []
        found = [self._sample(cell, sizes, scale) for scale in scales]
        kept = [counts for counts in found if counts is not None]
        return np.array(kept, dtype=np.int64).reshape(-1, len(self.situation.kinds))

    def realised(self, shares: Floats, size: int) -> Integers:
        """What several sets attend to is taken in the proportions of the first of them that attends to it at all."""
        amounts = np.zeros(len(self.situation.kinds))
        for attended in sorted(self.situation.sets, key=lambda each: len(each.kinds)):
            part = dict(zip(attended.kinds, shares[list(attended.places)].tolist(), strict=True))
            known = [kind for kind in part if amounts[kind] > 0]
            common = sum(part[kind] for kind in known)
            # If hardly anything of a set is known, then what is not outweighs that by far.
            unit = sum(amounts[kind] for kind in known) / max(common, 1.0 / size) if known else 1.0
            for kind in part:
                if not amounts[kind]:
                    amounts[kind] = part[kind] * unit
        return np.asarray(np.rint(amounts * size), dtype=np.int64)

    def _sample(self, cell: Cell, sizes: Floats, scale: float) -> Integers | None:
        """A word whose kinds have about these sizes, times a scale."""
        amounts = sizes[:-2] * scale
        for number, (parts, attended) in enumerate(zip(self.parts, self.situation.sets, strict=True)):
            # A set that is small against the others has sizes of its own, large all the same.
            if sizes[list(attended.kinds)].sum() <= SLACK:
                own = cell[number].mean(axis=0)
                hit = own[parts.index(HITS)] if HITS in parts else 0.0
                unit = attended.hits.sum() / hit if hit > SLACK else math.sqrt(scale)
                for component, part in enumerate(parts):
                    if part != HITS:
                        inside = cell[len(self.parts) + part].mean(axis=0)
                        members = self.classes[part]
                        amounts[members] = np.maximum(amounts[members], own[component] * unit * inside)
        counts = np.zeros(len(self.situation.kinds), dtype=np.int64)
        for members in self.classes:
            counts[members] = rounded(amounts[members], round(float(amounts[members].sum())))
        if self.agreed is not None:
            counts = np.maximum(counts - self.agreed, 0)
        if self.situation.is_tied and not self._fitted(counts, round(float(sizes[-1]) * scale)):
            return None
        return counts if self.situation.attends(counts[None])[0] else None

    def _fitted(self, counts: Integers, rows: int) -> bool:
        """Change counts so that they are those of a word with so many rows, if that is easily done."""
        for residue, kinds in enumerate(self.situation.columns):
            if kinds:
                over = int(counts[kinds].sum()) - rows - int(self.situation.extra[residue])
                if over > 0 or residue in self.situation.tight:
                    largest = kinds[int(np.argmax(counts[kinds]))]
                    counts[largest] -= over
                    if counts[largest] < 0:
                        return False
        return True


def _product(size: float, ratio: float, unknown: float) -> float:
    """The product, where nothing times infinity may be anything."""
    return unknown if {size, ratio} == {0.0, math.inf} else size * ratio


def _ratios(numerators: Floats, denominators: Floats) -> tuple[float, float]:
    """The least and the largest quotient on a simplex, from the corners; where both vanish it may be anything."""
    if ((numerators == 0) & (denominators == 0)).any():
        return 0.0, math.inf
    quotients = [
        above / below if below else math.inf
        for above, below in zip(numerators.tolist(), denominators.tolist(), strict=True)
    ]
    return min(quotients), max(quotients)
