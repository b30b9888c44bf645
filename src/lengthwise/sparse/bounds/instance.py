"""`Instance`: an ensemble and a class of hypotheses, with the assumptions of Theorem 4.3 that fail on them.

What the papers argue in prose is checked here: locality and relativity are read off the keys, realizability is
computed at given lengths, coverage is compared with a multiple of the length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lengthwise.sparse.bounds.label_set import require_one_label_set
from lengthwise.sparse.ensembles.coverage import coverage
from lengthwise.sparse.ensembles.ensemble import Ensemble
from lengthwise.sparse.functional.exact_loss import exact_loss
from lengthwise.sparse.functional.risk import LengthGeneralization, Members, length_generalization

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
