"""`Instance`: an ensemble and a class of hypotheses, with the assumptions of Theorem 4.3 that fail on them.

What the papers argue in prose is checked here: locality and relativity are read off the keys, realizability is
computed at given lengths, coverage is compared with a multiple of the length.

Labels and values lie in a set Y of diameter at most 1 (Golowich et al., Definitions 3.2 and 3.3). Outputs are means of
values, so that no loss exceeds 1. Theorem 4.3 needs that where planted tokens are too far apart to be seen together:
the loss on such words is at most 1, and that is what the term Pr(far) pays for.

Without any one of its assumptions Theorem 4.3 fails: the four instances of Proposition C.3. All have words over {1, 2},
background 1, the planted pair (2, 2) and a value of 1 on it and 0 elsewhere. The instance that drops realizability is
ours: the printed one drops coverage as well (ERR-I4), since sets at distance 2 are planted only beyond L. Which
hypothesis realizes what is corrected, too (ERR-I5). Golowich et al., appendix C.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from lengthwise.alphabet import Alphabet
from lengthwise.sparse.bounds.extrapolation import SparsityBoundError
from lengthwise.sparse.ensembles.coverage import coverage
from lengthwise.sparse.ensembles.ensemble import Ensemble
from lengthwise.sparse.ensembles.laws import Label, Places, Tokens, distance
from lengthwise.sparse.ensembles.positions import PositionLaw, placed_shapes, uniform_over
from lengthwise.sparse.functional.attention import require_fit
from lengthwise.sparse.functional.keys import FunctionKey, Key, ShapeKey, TokenKey
from lengthwise.sparse.functional.losses import exact_loss
from lengthwise.sparse.functional.risk import LengthGeneralization, Members, attention_class, length_generalization
from lengthwise.sparse.functional.values import ValueTable


def require_one_label_set(members: Members, ensemble: Ensemble) -> None:
    """Refuse a class whose values, together with the labels, do not fit into a set of diameter 1."""
    for member in members.values():
        require_fit(member, ensemble)
    labels = {ensemble.labels[planted] for planted in ensemble.planted}
    points = sorted(labels.union(*(member.value.image for member in members.values())))
    for one, other in combinations(points, 2):
        if distance(one, other, ensemble.norm) > 1:
            raise SparsityBoundError(
                "Theorem 4.3 is about labels and values that are at most 1 apart in the norm of the ensemble, "
                f"unlike {_shown(one)} and {_shown(other)}; divide them by their diameter"
            )


def _shown(point: Label) -> str:
    return f"({', '.join(f'{float(entry):g}' for entry in point)})"


LOCALITY = "locality"
RELATIVITY = "relative positions"
REALIZABILITY = "realizability"
COVERAGE = "coverage"

COVERAGE_FACTOR = 2
"""Coverage counts as bounded if η_ℓ is at most this times ℓ: Proposition C.3 asks for O(ℓ)."""


@dataclass(frozen=True, eq=False)
class Instance:
    """An ensemble with a class on it, at one training length."""

    name: str
    ensemble: Ensemble
    members: Members
    learned: str
    """The hypothesis that risk minimisation may return and that the argument is about."""
    training: int
    """L."""
    locality: int
    """L_local."""

    def __post_init__(self) -> None:
        require_one_label_set(self.members, self.ensemble)

    def report(self, test_length: int) -> LengthGeneralization:
        """Risk minimisation up to L, tested at L̄."""
        return length_generalization(self.members, self.ensemble, self.training, test_length)

    def violated(self, lengths: Sequence[int]) -> tuple[str, ...]:
        """The assumptions that fail, the latter two as far as these lengths show; δ = 0 is asked of realizability."""
        keys = [member.key for member in self.members.values()]
        failed = []
        if any(key.reach is None or key.reach > self.locality for key in keys):
            failed.append(LOCALITY)
        if not all(key.relative for key in keys):
            failed.append(RELATIVITY)
        if not any(
            all(exact_loss(member, self.ensemble, length) == 0 for length in lengths)
            for member in self.members.values()
        ):
            failed.append(REALIZABILITY)
        if any(
            coverage(self.ensemble.positions, length, self.locality).value > COVERAGE_FACTOR * length
            for length in lengths
        ):
            failed.append(COVERAGE)
        return tuple(failed)


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
