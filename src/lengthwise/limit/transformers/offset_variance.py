"""Offset variance: how far a head's positional logits are from depending on the distance alone.

A head that a training at many offsets has made translation invariant has positional logits that are constant along
diagonals; this is the mean squared deviation from that, over the pairs that causal attention sees (Huang et al.,
appendix G). It is 0 exactly if the causal half is Toeplitz. Membership in Θ_n asks for more: there all products count.
"""

from __future__ import annotations

import numpy as np

from lengthwise.limit.evaluation.regimes import Floats
from lengthwise.limit.model import ModelError


def positional_logits(key_query: Floats, positions: Floats) -> Floats:
    """p_j^T KQ p_i for query i (row) and key j (column)."""
    return np.asarray(positions @ np.asarray(key_query).T @ np.asarray(positions).T)


def offset_variance(logits: Floats) -> float:
    """The mean of (M_ij - mean of its diagonal)² over queries i (rows) and keys j <= i (columns)."""
    logits = np.asarray(logits, dtype=np.float64)
    size = len(logits)
    if not size or logits.shape != (size, size):
        raise ModelError(f"positional logits are a square matrix with at least one row, got shape {logits.shape}")
    total = 0.0
    for distance in range(size):
        # Relative to the first entry, so that equal entries give exactly 0 whatever their size.
        diagonal = np.diagonal(logits, -distance) - logits[distance, 0]
        total += float(np.square(diagonal - diagonal.mean()).sum())
    return 2.0 * total / (size * (size + 1))
