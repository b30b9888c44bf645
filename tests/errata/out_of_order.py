"""A counterexample to Proposition 4.4 as printed: strong realizability does not survive coupling.

Words over {1, 2, 3, 4}; the last two positions hold (2, 3), label 0, or (2, 4), label 1, and the background is 1, 3
or 4. The key looks at (2, 3) and (2, 4). Since nothing follows the planted pair and 2 occurs nowhere else, only the
planted set is ever looked at: δ = 0. The coupling gives the two planted positions adjacent IDs, uniformly, and meets
every condition. But coupled tokens are read in the order of ranks, and a background 3 or 4 gets the rank 2 half of
the time: beside the planted 2 it is as good as the planted one. The class has one hypothesis, so the promised error
is 0.
"""

from __future__ import annotations

from lengthwise.alphabet import Alphabet
from lengthwise.sparse.coupling.coupling import gathering
from lengthwise.sparse.coupling.examples import CoupledTask
from lengthwise.sparse.ensembles.ensemble import Ensemble
from lengthwise.sparse.ensembles.positions import uniform_over
from lengthwise.sparse.functional.values import ValueTable


def out_of_order() -> CoupledTask:
    """The instance: strongly realizable with δ = 0, and wrong at every length once coupled."""
    alphabet = Alphabet(("1", "2", "3", "4"))
    ensemble = Ensemble.of(
        alphabet,
        {"1": 0.5, "3": 0.25, "4": 0.25},
        uniform_over(2, 2, lambda length: [(length - 1, length)]),
        {"23": 0.5, "24": 0.5},
        {"23": 0, "24": 1},
    )
    value = ValueTable.of(alphabet, 2, {"24": 1})
    coupling = gathering(ensemble.positions, [(1,), (2,)])
    return CoupledTask(ensemble, {"23": 1, "24": 1}, value, coupling, size=2, locality=1)
