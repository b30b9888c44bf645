"""The simulation map behind Theorem 4.1: counts of a long word to counts of a short one, for two models at once.

Beyond the hardmax length each model averages uniformly over the types it attends to. A stand-in keeps the last τ + 1
symbols and the residues of all positions, and for both models the proportions of the attended types: few are copied,
many are scaled down. What neither model attends to fills up the columns (case A); where there is too little of that,
whole columns are scaled down (case B). Only types of the word are used, so no new key can capture the attention.
Izzo et al., proof of Theorem 4.1, in integers; corrections ERR-0a and ERR-C1 to ERR-C3.

Counts are rounded by largest remainder, in integers throughout: floor((8 / 49) * 49) is 7 in floating point.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from lengthwise.bounds.theorems.count_evaluation import Counts, Mask, column_sizes


def scaled(counts: Sequence[int], numerator: int, denominator: int) -> list[int]:
    """The counts times numerator / denominator, each rounded up or down, with their sum rounded down.

    Those with the largest remainders are rounded up, earlier ones first among equals. A count whose product is whole is
    never changed, so none that is 0 becomes positive.
    """
    floors = [count * numerator // denominator for count in counts]
    remainders = [count * numerator % denominator for count in counts]
    missing = sum(counts) * numerator // denominator - sum(floors)
    for place in sorted(range(len(counts)), key=lambda place: -remainders[place])[:missing]:
        floors[place] += 1
    return floors


Case = Literal["short", "copy", "A-i", "A-ii", "B1", "B2"]
"""`short`: the word itself. `copy`: all that is attended is kept. `A-i`, `A-ii`: it is scaled down in one or in two
proportions, and the columns are filled up. `B1`: all columns are scaled. `B2`: all but what one model attends to."""


def shorten(
    counts: Counts, first: Mask, second: Mask, resolution: int, ratio: int, hardmax_length: int
) -> tuple[Counts, Case]:
    """The counts of the stand-in and its case, from the types that the two models attend to in the prefix.

    K and R are taken as they are; the promise holds for K >= max(8, 2D), R >= 4 and words of at least the hardmax
    length.
    """
    draft = _Draft(counts, first, second, resolution)
    rows = counts.prefix_length // counts.period  # t0, in the notes
    least = max(0, -(-(hardmax_length - len(counts.suffix)) // counts.period))
    if draft.few + draft.many < rows:
        case = draft.keep_attended(resolution * ratio)
        length = draft.length_of(max(max(draft.column_totals()), least))
        if length < counts.prefix_length:
            draft.fill_up(length)
            return draft.as_counts(), case
        return counts, "short"
    kept_rows = max(resolution * ratio, least)
    length = draft.length_of(kept_rows)
    if length >= counts.prefix_length:
        return counts, "short"
    if kept_rows * draft.few >= resolution * rows:
        draft.fill_in_proportion(length, range(len(draft.given)))
        return draft.as_counts(), "B1"
    draft.keep_fewer()
    draft.fill_in_proportion(length, [*draft.only_many, *draft.neither])
    return draft.as_counts(), "B2"


class _Draft:
    """A prefix in the making: for each type (symbol, residue) how often the word has it, and how often it is kept."""

    def __init__(self, counts: Counts, first: Mask, second: Mask, resolution: int) -> None:
        self.counts, self.period = counts, counts.period
        self.given: list[int] = counts.prefix.ravel().tolist()
        self.kept = [0] * len(self.given)
        masks: list[list[bool]] = [mask.ravel().tolist() for mask in (first, second)]
        # The model that attends to fewer keys of the prefix goes first; it is f in the proof.
        fewer, more = sorted(masks, key=self._mass)
        self.few, self.many = self._mass(fewer), self._mass(more)
        """P_f <= P_g."""
        types = range(len(self.given))
        self.only_few = [place for place in types if fewer[place] and not more[place]]
        self.both = [place for place in types if fewer[place] and more[place]]
        self.only_many = [place for place in types if more[place] and not fewer[place]]
        self.neither = [place for place in types if not more[place] and not fewer[place]]
        self.scale = (1, 1) if self.few <= resolution else (resolution, self.few)
        """1 or K / P_f: what leaves the first model with K keys, if it has more."""

    def _mass(self, mask: list[bool]) -> int:
        return sum(count for count, attended in zip(self.given, mask, strict=True) if attended)

    # --------------------------------------------------------------------------------------------- what is kept

    def keep_attended(self, dominant: int) -> Case:
        """Keep what is attended, with at most KR keys (`dominant`) of the second model."""
        self.keep_fewer()
        numerator, denominator = self.scale
        if self.many * numerator <= dominant * denominator:
            self._keep(self.only_many, numerator, denominator)
            return "copy" if numerator == denominator else "A-i"
        # What both attend to is kept in too high a proportion, but is at most one in R of the second model's keys.
        self._keep(self.only_many, dominant, self.many)
        return "A-ii"

    def keep_fewer(self) -> None:
        """Keep what the first model attends to: K keys of it, or all."""
        self._keep(self.only_few, *self.scale)
        self._keep(self.both, *self.scale)

    def _keep(self, places: list[int], numerator: int, denominator: int) -> None:
        for place, count in zip(places, scaled(self._given(places), numerator, denominator), strict=True):
            self.kept[place] = count

    def _given(self, places: list[int]) -> list[int]:
        return [self.given[place] for place in places]

    # -------------------------------------------------------------------------------------------------- columns

    def length_of(self, rows: int) -> int:
        """The length of a prefix with so many full rows, congruent to the word's modulo Δ."""
        return rows * self.period + self.counts.prefix_length % self.period

    def column_totals(self) -> list[int]:
        """How much is kept at each residue."""
        return [sum(self.kept[residue :: self.period]) for residue in range(self.period)]

    def fill_up(self, length: int) -> None:
        """Fill each column with the most frequent of its types that neither model attends to."""
        for residue, missing in self._missing(length):
            filler = max(self._column(self.neither, residue), key=lambda place: self.given[place])
            self.kept[filler] += missing

    def fill_in_proportion(self, length: int, types: range | list[int]) -> None:
        """Fill each column with these types, in the proportions of the word."""
        for residue, missing in self._missing(length):
            places = self._column(types, residue)
            if missing:
                self._keep(places, missing, sum(self._given(places)))

    def _missing(self, length: int) -> list[tuple[int, int]]:
        sizes = zip(column_sizes(length, self.period), self.column_totals(), strict=True)
        return [(residue, size - total) for residue, (size, total) in enumerate(sizes)]

    def _column(self, types: range | list[int], residue: int) -> list[int]:
        return [place for place in types if place % self.period == residue]

    def as_counts(self) -> Counts:
        """The draft, completed: its columns have to be those of a word."""
        return Counts(np.array(self.kept, dtype=np.int64).reshape(self.counts.prefix.shape), self.counts.suffix)
