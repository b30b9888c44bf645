"""The first counterexample to Theorem 4.3 as printed: nothing keeps planted sets local.

Words over {1, 2, 3}, background 1, planted (2, 2) or (3, 3) with probability ½ each, labels 0 and 1. Up to L the
planted pair is adjacent, beyond L it may also be at distance L; coverage allows that, since sets too wide for a
training word need no cover. Both hypotheses are local, relative and perfect in training. One looks at every near pair
with a 2 or 3 in it and is perfect at every length; the other looks at (2, 2) and (3, 3) only, and sees nothing where
they are far apart. With δ = 0 the printed bound is 0. Correction ERR-I2 (1).
"""

from __future__ import annotations

from lengthwise.alphabet import Alphabet
from lengthwise.sparse.bounds.instance import Instance, adjacent_or_far
from lengthwise.sparse.ensembles.ensemble import Ensemble
from lengthwise.sparse.functional.keys import TokenKey
from lengthwise.sparse.functional.risk import attention_class
from lengthwise.sparse.functional.values import ValueTable

ALPHABET = Alphabet(("1", "2", "3"))
LOCAL = 2


def far_planting(training: int = 8) -> Instance:
    """The instance at training length L; all assumptions of the printed theorem hold with δ = 0."""
    ensemble = Ensemble.of(ALPHABET, {"1": 1}, adjacent_or_far(training), {"22": 0.5, "33": 0.5}, {"22": 0, "33": 1})
    # The label of the token that is not 1; what pairs of different labels say does not matter, they never occur.
    value = ValueTable.of(ALPHABET, 2, dict.fromkeys(("13", "31", "33", "23", "32"), 1))
    keys = {
        "any near 2 or 3": TokenKey.of(
            ALPHABET, dict.fromkeys(("12", "21", "13", "31", "22", "33"), 1), locality=LOCAL
        ),
        "(2,2) or (3,3)": TokenKey.of(ALPHABET, {"22": 1, "33": 1}, locality=LOCAL),
    }
    members = attention_class(ALPHABET, keys, {"label": value})
    return Instance("planted sets too far apart", ensemble, members, "(2,2) or (3,3)", training, LOCAL)
