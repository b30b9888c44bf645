"""Does a hypothesis fit an ensemble? It must read the words that the ensemble draws, and answer with its labels."""

from __future__ import annotations

from lengthwise.sparse.ensembles.ensemble import Ensemble
from lengthwise.sparse.functional.attention import SparseAttention
from lengthwise.sparse.functional.lookup import HypothesisError


def require_fit(hypothesis: SparseAttention, ensemble: Ensemble) -> None:
    """Refuse a hypothesis over another alphabet, or with values of another dimension than the labels."""
    if hypothesis.alphabet != ensemble.alphabet:
        raise HypothesisError(
            f"the hypothesis reads {hypothesis.alphabet}, but the ensemble draws from {ensemble.alphabet}; "
            "make both over one alphabet, with its symbols in one order"
        )
    if hypothesis.value.dimension != ensemble.dimension:
        raise HypothesisError(
            f"the values of the hypothesis have dimension {hypothesis.value.dimension}, but the labels of the ensemble "
            f"dimension {ensemble.dimension}; give both the same"
        )
