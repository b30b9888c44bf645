"""Without any one of its assumptions Theorem 4.3 fails: the four instances of Proposition C.3.

All have words over {1, 2}, background 1, the planted pair (2, 2) and a value of 1 on it and 0 elsewhere. The instance
that drops realizability is ours: the printed one drops coverage as well (ERR-I4), since sets at distance 2 are planted
only beyond L. Which hypothesis realizes what is corrected, too (ERR-I5). Golowich et al., appendix C.2.
"""

from __future__ import annotations

from collections.abc import Iterator

from lengthwise.alphabet import Alphabet
from lengthwise.sparse.bounds.instance import Instance
from lengthwise.sparse.ensembles.ensemble import Ensemble
from lengthwise.sparse.ensembles.laws import Places, Tokens
from lengthwise.sparse.ensembles.positions import PositionLaw, placed_shapes, uniform_over
from lengthwise.sparse.functional.keys import FunctionKey, Key, ShapeKey, TokenKey
from lengthwise.sparse.functional.risk import attention_class
from lengthwise.sparse.functional.values import ValueTable

ALPHABET = Alphabet(("1", "2"))
PLANTED = (1, 1)
"""The ids of the planted pair (2, 2)."""
LOCAL = 2
"""L_local in all instances."""


def without_locality(training: int) -> Instance:
    """(a) Pairs at distance L are planted beyond L, where one of the keys looks at every pair that far apart."""

    def anything_far(places: Places, tokens: Tokens) -> int:
        return int(tokens == PLANTED or places[-1] - places[0] >= training)

    keys: dict[str, Key] = {
        "(2,2) or far": FunctionKey(2, anything_far, relative=True, denominator=1),
        "(2,2)": TokenKey.of(ALPHABET, {"22": 1}),
    }
    return instance("(a) without locality", adjacent_or_far(training), keys, "(2,2) or far", training)


def without_relative_positions(training: int) -> Instance:
    """(b) One of the keys looks at every pair at distance 2 after position L."""

    def late(places: Places, tokens: Tokens) -> int:
        gap = places[-1] - places[0]
        return int((gap == 1 and tokens == PLANTED) or (gap == 2 and places[-1] > training))

    keys: dict[str, Key] = {
        "adjacent (2,2)": ShapeKey.of(ALPHABET, {(0, 1): {"22": 1}}),
        "adjacent (2,2) or late": FunctionKey(2, late, reach=LOCAL, denominator=1),
    }
    return instance("(b) without relative positions", adjacent(), keys, "adjacent (2,2) or late", training)


def without_realizability(training: int) -> Instance:
    """(c) The only key gives an adjacent (2, 2) the weight L and every adjacent (1, 1) the weight 1; ours (ERR-I4)."""
    keys: dict[str, Key] = {"distracted": ShapeKey.of(ALPHABET, {(0, 1): {"22": training, "11": 1}})}
    return instance("(c) without realizability", adjacent(), keys, "distracted", training)


def without_coverage(training: int) -> Instance:
    """(d) Up to L planted pairs are adjacent, beyond L they are at distance 2."""

    def sets(length: int) -> Iterator[Places]:
        gap = 1 if length <= training else 2
        return ((a, a + gap) for a in range(1, length - gap + 1))

    keys: dict[str, Key] = {
        "adjacent (2,2)": ShapeKey.of(ALPHABET, {(0, 1): {"22": 1}}),
        "(2,2) within 2": TokenKey.of(ALPHABET, {"22": 1}, locality=LOCAL),
    }
    return instance("(d) without coverage", uniform_over(2, 2, sets), keys, "adjacent (2,2)", training)


def proposition_c3(training: int) -> tuple[Instance, ...]:
    """The four instances at one training length."""
    return (
        without_locality(training),
        without_relative_positions(training),
        without_realizability(training),
        without_coverage(training),
    )


def adjacent() -> PositionLaw:
    """Adjacent pairs, uniformly."""
    return placed_shapes({(0, 1): 1})


def adjacent_or_far(training: int) -> PositionLaw:
    """Adjacent pairs, and beyond L also pairs at distance L, uniformly."""

    def sets(length: int) -> Iterator[Places]:
        yield from ((a, a + 1) for a in range(1, length))
        yield from ((a, a + training) for a in range(1, length - training + 1))

    return uniform_over(2, 2, sets)


def instance(name: str, positions: PositionLaw, keys: dict[str, Key], learned: str, training: int) -> Instance:
    """Adjacent pairs of twos to find, with the value 1 on (2, 2), for these positions and this class."""
    ensemble = Ensemble.of(ALPHABET, {"1": 1}, positions, {"22": 1}, {"22": 1})
    members = attention_class(ALPHABET, keys, {"(2,2)": ValueTable.of(ALPHABET, 2, {"22": 1})})
    return Instance(name, ensemble, members, learned, training, LOCAL)
