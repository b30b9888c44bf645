"""A counterexample to Proposition 4.4 as printed: rank lists that depend on where the planted set ends up.

Planted are a a b b among c; the four get three adjacent IDs in one of two ways, A: the lists {3, 4}, {1}, {2} or B:
{1, 2}, {3}, {4}, each with probability ½ at every length, as item 3 of Definition 4.1 asks. The set ends up at IDs 1,
2, 3 with probability ½, elsewhere uniformly, which is covered. Up to length L way A is taken exactly at 1, 2, 3;
beyond L it is taken exactly elsewhere. One key looks at a a b b only, the other at c c b b as well, with the wrong
value. That takes the list {3, 4} and two background tokens within L_local = 3 of it; at the left end there is room
for just one. So both have training loss 0, and beyond L one of them fails. Independence of rank lists and place
excludes this.
"""

from __future__ import annotations

from fractions import Fraction

from lengthwise.alphabet import Alphabet
from lengthwise.sparse.coupling.coupled_ensemble import couple_class
from lengthwise.sparse.coupling.coupling import Coupling, Renumbering
from lengthwise.sparse.ensembles.ensemble import Ensemble
from lengthwise.sparse.ensembles.laws import Number, Places
from lengthwise.sparse.ensembles.positions import uniform_over
from lengthwise.sparse.functional.keys import Key, TokenKey
from lengthwise.sparse.functional.risk import Members, attention_class
from lengthwise.sparse.functional.values import ValueTable

ALPHABET = Alphabet(("a", "b", "c"))
PLACES = (1, 2, 3, 4)
WAYS = {"A": ((3, 4), (1,), (2,)), "B": ((1, 2), (3,), (4,))}
SIZE = 3
"""k'."""
LOCAL = 3
"""L_local."""


def dependent_ranks_ensemble() -> Ensemble:
    """The ensemble: a a b b on the first four positions, label 1."""
    return Ensemble.of(ALPHABET, {"c": 1}, uniform_over(4, 4, lambda _: [PLACES]), {"aabb": 1}, {"aabb": 1})


def dependent_ranks_coupling(training: int) -> Coupling:
    """The coupling: way A at the left end up to L, elsewhere beyond L."""

    def table(length: int) -> dict[tuple[Places, Renumbering], Number]:
        at_left, elsewhere = ("A", "B") if length <= training else ("B", "A")
        masses = {_renumbering(length, 1, at_left): Fraction(1, 2)}
        for start in range(2, length - SIZE + 2):
            masses[_renumbering(length, start, elsewhere)] = Fraction(1, 2 * (length - SIZE))
        return {(PLACES, renumbering): mass for renumbering, mass in masses.items()}

    return Coupling(4, table)


def dependent_ranks_class() -> Members:
    """The coupled class: one key for a a b b, one that also looks at c c b b."""
    keys: dict[str, Key] = {
        "aabb": TokenKey.of(ALPHABET, {"aabb": 1}),
        "aabb or ccbb": TokenKey.of(ALPHABET, {"aabb": 1, "ccbb": 1}),
    }
    return couple_class(attention_class(ALPHABET, keys, {"g1": ValueTable.of(ALPHABET, 4, {"aabb": 1})}), SIZE, LOCAL)


def _renumbering(length: int, start: int, way: str) -> Renumbering:
    ids = {rank: start + number for number, group in enumerate(WAYS[way]) for rank in group}
    free = iter([*range(1, start), *range(start + SIZE, length + 1)])
    return tuple(ids[place] if place in ids else next(free) for place in range(1, length + 1))
