"""Whether the outputs of two words are within ε, decided in fractions where floating point cannot tell."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from lengthwise.bounds.certified.exact_map import Value
from lengthwise.bounds.certified.situations import Situation
from lengthwise.limit.evaluation.regimes import Floats


class Nearness:
    """Distances of the words of a situation against ε."""

    def __init__(self, situation: Situation, epsilon: Fraction) -> None:
        self.situation, self.epsilon, self.about = situation, epsilon, float(epsilon)
        self.errors = [each.error + self.about * 2**-50 for each in situation.maps]
        """Beyond so far from ε a distance in floating point decides."""

    def values(self, counts: Sequence[int]) -> list[Value]:
        """The outputs on a word."""
        shares = self.situation.exact_shares(counts)
        return [each.exact(shares) for each in self.situation.maps]

    def within(self, first: list[Value], second: list[Value]) -> bool:
        """Whether outputs are within ε."""
        triples = zip(self.situation.maps, first, second, strict=True)
        return all(each.exact.within(one, other, self.epsilon) for each, one, other in triples)

    def first_within(self, counts: Sequence[int], values: list[Floats], stand_ins: np.ndarray) -> int | None:
        """The first stand-in within ε of a word, by its number; `values` are the outputs on stand-ins, rounded."""
        own = self.situation.shares(np.array([counts], dtype=np.int64))
        kept, sure = np.arange(len(stand_ins)), np.ones(len(stand_ins), dtype=bool)
        for each, found, error in zip(self.situation.maps, values, self.errors, strict=True):
            distance = each.distance(found[kept], each(own))
            inside = distance <= self.about + error
            sure = sure[inside] & (distance[inside] <= self.about - error)
            kept = kept[inside]
        mine: list[Value] | None = None
        for number, certain in zip(kept.tolist(), sure.tolist(), strict=True):
            if certain:
                return int(number)
            mine = self.values(counts) if mine is None else mine
            if self.within(mine, self.values(stand_ins[number].tolist())):
                return int(number)
        return None

    def has_stand_in(self, counts: Sequence[int], rows: int) -> bool:
        """Whether some word of at most so many rows is within ε of a word."""
        stand_ins, _ = self.situation.counts_within(rows)
        shares = self.situation.shares(stand_ins)
        return self.first_within(counts, [each(shares) for each in self.situation.maps], stand_ins) is not None
