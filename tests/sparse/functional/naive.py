"""Sparse functional attention as it is defined: one term for each of the C(L, k) sets. The oracle of `attention.py`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

from lengthwise.sparse.functional.keys import Key
from lengthwise.sparse.functional.tables import HypothesisError
from lengthwise.sparse.functional.values import ValueTable


def evaluate_naively(key: Key, value: ValueTable, word: Sequence[int]) -> list[float]:
    """h_{g0, g1} of one word; the plain mean of g1 if every score is −∞."""
    if len(word) < key.sparsity:
        raise HypothesisError(f"a word of {len(word)} symbols has no set of {key.sparsity} positions")
    scored = []
    for places in combinations(range(1, len(word) + 1), key.sparsity):
        tokens = tuple(int(word[place - 1]) for place in places)
        scored.append((key.score(places, tokens), value.value(tokens)))
    largest = max(score for score, _ in scored)
    weights = [1.0 if largest == -math.inf else math.exp(score - largest) for score, _ in scored]
    total = math.fsum(weights)
    return [
        math.fsum(weight * float(vector[entry]) for weight, (_, vector) in zip(weights, scored, strict=True)) / total
        for entry in range(value.dimension)
    ]
