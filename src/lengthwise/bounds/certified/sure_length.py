"""A length that certainly suffices in a situation, from rounding the counts of a long word to those of a short one.

It is a formula, larger than what is needed by a factor or two, or for two sets of attended keys by a power. The search
for the least length starts from it, and it is what remains where the search is too long.
"""

from __future__ import annotations

import math
from fractions import Fraction

from lengthwise.bounds.certified.charts import all_grow
from lengthwise.bounds.certified.situations import Situation
from lengthwise.bounds.theorems.worst_case import resolution_and_ratio, stand_in_length

UNKNOWN = 10**10_000
"""Stands for a length where none is known."""


def sure_length(situation: Situation, epsilon: float | Fraction) -> int:
    """Every word in the situation has a stand-in of at most this length within ε.

    - One set of k types and q hits: M keys in the proportions of the word's, rounded by largest remainder, move at most
      (k/4 + q)/M of the attention; with fewer keys a word is copied.
    - Columns that are tied to each other, each set holding c of them completely: columns of b rows, rounded, move at
      most (Σ (k + 1)/2 + 1 + q)/(cb), summed over the columns that the set has a part in.
    - Two sets otherwise: Theorem 4.1, repaired, whose proof keeps the shares of both. More sets: `UNKNOWN`.
    """
    groups = situation.shares_groups
    steepest = max((each.exact.steepness(groups) for each in situation.maps), default=Fraction(0))
    if not steepest:
        return situation.length(situation.least_rows)
    scale = steepest / Fraction(epsilon)
    if len(situation.sets) == 1 and not situation.is_tied:
        hits = int(situation.sets[0].hits.sum())
        keys = math.ceil(scale * (Fraction(len(situation.kinds), 4) + hits))
        return situation.length(max(keys - hits, 1, situation.least_rows))
    if all_grow(situation):
        needed = Fraction(0)
        for attended in situation.sets:
            own = set(attended.kinds)
            touched = [len(kinds) for kinds in situation.columns if set(kinds) & own]
            full = [at for at in situation.tight if set(situation.columns[at]) <= own]
            moved = sum((Fraction(size + 1, 2) + 1 for size in touched), start=Fraction(int(attended.hits.sum())))
            needed += moved / len(full)
        return situation.length(max(math.ceil(scale * needed), 1, situation.least_rows))
    if len(situation.sets) > 2:
        return UNKNOWN
    types, window = situation.symbols * situation.period, len(situation.suffix) - 1
    resolution, ratio = resolution_and_ratio(epsilon, steepest, types, window)
    return stand_in_length(resolution, ratio, situation.period, window, situation.length(situation.least_rows))
