"""Y: the set in which labels and values lie, of diameter at most 1 (Golowich et al., Definitions 3.2 and 3.3).

Outputs are means of values, so that no loss exceeds 1. Theorem 4.3 needs that where planted tokens are too far apart to
be seen together: the loss on such words is at most 1, and that is what the term Pr(far) pays for.
"""

from __future__ import annotations

from itertools import combinations

from lengthwise.sparse.bounds.extrapolation import SparsityBoundError
from lengthwise.sparse.ensembles.ensemble import Ensemble
from lengthwise.sparse.ensembles.labels import Label, distance
from lengthwise.sparse.functional.fit import require_fit
from lengthwise.sparse.functional.risk import Members


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
