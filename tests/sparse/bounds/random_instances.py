"""Random ensembles with random classes on them, small enough for exact losses."""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from lengthwise.alphabet import Alphabet
from lengthwise.sparse.bounds import Extrapolation
from lengthwise.sparse.ensembles import Ensemble, independent, markov_chain, placed_shapes
from lengthwise.sparse.ensembles.laws import Number, Places
from lengthwise.sparse.functional import Members, ShapeKey, SparseAttention, ValueTable

ALPHABET = Alphabet(tuple("pqab"))
"""Letters p, q and a are planted, a and b are background."""


@dataclass(frozen=True, eq=False)
class RandomInstance:
    ensemble: Ensemble
    members: Members
    lengths: Extrapolation


def random_instance(seed: int, *, chain: bool, wide: bool = False) -> RandomInstance:
    """Adjacent planted pairs (if wide, at distance 1 or 2), a few keys with weights from 0 to 100 (if wide, to 2)."""
    rng = random.Random(seed)

    def row() -> dict[str, Fraction]:
        weights = [rng.choice([1, 1, 2, 5, 20]) for _ in "ab"]
        return {letter: Fraction(weight, sum(weights)) for letter, weight in zip("ab", weights, strict=True)}

    background = markov_chain(ALPHABET, {letter: row() for letter in "pqab"}) if chain else independent(ALPHABET, row())
    tuples = ["".join(pair) for pair in product("pqa", repeat=2)]
    shares = {word: rng.choice([0, 0, 0, 1] if wide else [0, 1, 3]) for word in tuples} | {"pq": 1}
    total = sum(shares.values())
    planted = {word: Fraction(share, total) for word, share in shares.items() if share}
    labels = {word: rng.choice([0, 1]) for word in planted}
    shapes: dict[Places, Number] = {(0, 1): Fraction(1, 2), (0, 2): Fraction(1, 2)} if wide else {(0, 1): Fraction(1)}
    words = ["".join(pair) for pair in product("pqab", repeat=2)]
    members = {}
    rest = [2] if wide else [Fraction(1, 100), 100]
    for number in range(2 if wide else 3):
        tables: dict[Places, dict[str, Number]] = {}
        for shape in shapes:
            # Few different weights keep the exact sums of the wide instances small.
            table = {word: rng.choice([0, 0, 1, 1, *rest]) for word in words}
            table |= {word: rng.choice([1, rest[-1]]) for word in planted if rng.random() < 0.8}
            tables[shape] = table | {"pp": 1}
        value = ValueTable.of(ALPHABET, 2, {word: labels.get(word, rng.choice([0, 1])) for word in words})
        members[f"h{number}"] = SparseAttention(ALPHABET, ShapeKey.of(ALPHABET, tables), value)
    local = 2 if wide else 1
    lengths = Extrapolation(4 * local, 4 * local + local * rng.choice([1, 2, 4] if not wide else [1]), local)
    ensemble = Ensemble.of(ALPHABET, background, placed_shapes(shapes), planted, labels)
    return RandomInstance(ensemble, members, lengths)
