"""How positions enter a model: which part of the input a head listens to, and the properties PERIODIC and LOCAL.

In infinite precision a key in the window weighs i^φ and the rest of the input together about i, so that the largest φ
of a head decides whether symbols, positions or both determine what it reads in the long run (Izzo et al., section 3.3).
PERIODIC and LOCAL are what makes a Limit Transformer's positions finite data (Huang et al., Definition 3); the checks
are for sequences and matrices that come from elsewhere, such as the products of a trained model.
"""

from __future__ import annotations

from enum import Enum

import numpy as np
import numpy.typing as npt

from lengthwise.errors import LengthwiseError
from lengthwise.limit.evaluation.regimes import Floats, IzzoInfinite
from lengthwise.limit.model import Head, LimitTransformer, ModelError

TIE = 1e-12
"""How close to 1 the largest φ counts as 1."""


class Behaviour(Enum):
    """What a head reads on long inputs in infinite precision."""

    TOKEN_DOMINANT = "token-dominant"  # noqa: S105
    """The largest φ is below 1: the window's share of the attention vanishes."""
    BALANCED = "balanced"
    """The largest φ is 1: both the window and the whole input keep a share."""
    POSITION_DOMINANT = "position-dominant"
    """The largest φ exceeds 1: the keys at the distances with the largest φ get everything."""


def head_behaviour(head: Head) -> Behaviour:
    """The behaviour of one head."""
    largest = float(head.phi.max())
    if abs(largest - 1) <= TIE:
        return Behaviour.BALANCED
    return Behaviour.TOKEN_DOMINANT if largest < 1 else Behaviour.POSITION_DOMINANT


def behaviours(model: LimitTransformer) -> tuple[tuple[Behaviour, ...], ...]:
    """The behaviour of every head, layer by layer, of a model in the regime izzo_infinite."""
    if not isinstance(model.regime, IzzoInfinite):
        raise ModelError(
            f"behaviours are those of the regime izzo_infinite, where only φ is scaled; this model's is {model.regime}"
        )
    return tuple(tuple(head_behaviour(head) for head in layer.heads) for layer in model.layers)


def check_periodic(sequence: npt.ArrayLike, period: int, tolerance: float = 0.0) -> bool:
    """PERIODIC: whether each entry (a number, or a vector) of a sequence equals the one `period` places later."""
    values = np.asarray(sequence, dtype=np.float64)
    if period < 1:
        raise LengthwiseError(f"a period is a positive number of positions, got {period}")
    return bool(np.all(np.abs(values[period:] - values[:-period]) <= tolerance))


def check_translation_invariant(matrix: npt.ArrayLike, tolerance: float = 0.0) -> bool:
    """Whether entries with row >= column depend on row - column only, each within `tolerance` of its diagonal's first.

    Rows are queries and columns keys, as everywhere; a query sees no later key, so the other half is ignored.
    """
    square = _square(matrix)
    return all(
        bool(np.all(np.abs(diagonal - diagonal[0]) <= tolerance))
        for diagonal in (np.diagonal(square, -distance) for distance in range(len(square)))
    )


def check_local(matrix: npt.ArrayLike, window: int, tolerance: float = 0.0) -> bool:
    """Whether entries with row - column > `window` (τ) vanish; LOCAL is this and translation invariance."""
    return bool(np.all(np.abs(np.tril(_square(matrix), -window - 1)) <= tolerance))


def _square(matrix: npt.ArrayLike) -> Floats:
    values = np.asarray(matrix, dtype=np.float64)
    if values.ndim != 2 or values.shape[0] != values.shape[1]:
        raise LengthwiseError(f"expected a square matrix of queries by keys, got shape {values.shape}")
    return values
