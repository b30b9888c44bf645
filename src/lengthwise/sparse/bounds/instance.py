"""`Instance`: an ensemble and a class of hypotheses, with the assumptions of Theorem 4.3 that fail on them.

What the papers argue in prose is checked here: locality and relativity are read off the keys, realizability is
computed at given lengths, coverage is compared with a multiple of the length.

Labels and values lie in a set Y of diameter at most 1 (Golowich et al., Definitions 3.2 and 3.3). Outputs are means of
values, so that no loss exceeds 1. Theorem 4.3 needs that where planted tokens are too far apart to be seen together:
the loss on such words is at most 1, and that is what the term Pr(far) pays for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from lengthwise.sparse.bounds.extrapolation import SparsityBoundError
from lengthwise.sparse.ensembles.coverage import coverage
from lengthwise.sparse.ensembles.ensemble import Ensemble
from lengthwise.sparse.ensembles.laws import Label, distance
from lengthwise.sparse.functional.attention import require_fit
from lengthwise.sparse.functional.losses import exact_loss
from lengthwise.sparse.functional.risk import LengthGeneralization, Members, length_generalization


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
