"""Strong realizability (Assumption D.1), computed: how often is the planted set not the only one that is looked at?

The proof of Proposition 4.4 takes it over to coupled words. That is wrong in general: coupled tokens are read in the
order of their ranks, and background tokens get random ranks, so tuples that never occur in order in the word can
occur in coupled words (`tests/errata`). What the guarantee needs is that PC[H] realizes PC[P], which
`coupled_loss` computes; for k' = 1 < k strong realizability does imply it, since no list of a single background token
is complete.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

from lengthwise.sparse.ensembles.ensemble import Ensemble
from lengthwise.sparse.functional.attention import SparseAttention
from lengthwise.sparse.functional.fit import require_fit


def strong_failure(hypothesis: SparseAttention, ensemble: Ensemble, length: int) -> Fraction:
    """δ: the probability that another set than S* is looked at, or S* is not, or its value is not the label."""
    require_fit(hypothesis, ensemble)
    failed = Fraction(0)
    for outcome in ensemble.outcomes(length):
        looked_at = [
            places
            for places in combinations(range(1, length + 1), ensemble.sparsity)
            if hypothesis.key.weight(places, tuple(outcome.tokens[place - 1] for place in places))
        ]
        right = hypothesis.value.value(outcome.planted) == outcome.label
        if looked_at != [outcome.places] or not right:
            failed += outcome.mass
    return failed
