"""How fast attention weights move: the paper's constant is 2, and 1 is true and best."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.bounds.capacity import SHARP_SOFTMAX, SOFTMAX
from tests.bounds.capacity.oracle import weights_of

scores = st.floats(-30, 30)


@settings(deadline=None)
@given(st.lists(st.tuples(scores, scores), min_size=1, max_size=12))
def test_weights_move_in_l1_at_most_as_far_as_the_largest_score(pairs: list[tuple[float, float]]) -> None:
    first, second = weights_of([a for a, _ in pairs]), weights_of([b for _, b in pairs])
    moved = sum(abs(p - q) for p, q in zip(first, second, strict=True))
    assert moved <= SHARP_SOFTMAX * max(abs(a - b) for a, b in pairs) + 1e-12


def test_no_smaller_constant_holds_for_two_scores() -> None:
    step = 1e-4
    moved = sum(abs(p - q) for p, q in zip(weights_of([step, -step]), weights_of([0, 0]), strict=True))
    assert moved / step == pytest.approx(SHARP_SOFTMAX, rel=1e-6)
    t = sympy.symbols("t", real=True)
    weight = sympy.exp(t) / (sympy.exp(t) + sympy.exp(-t))
    assert sympy.limit(2 * sympy.diff(weight, t), t, 0) == 1


@settings(deadline=None)
@given(st.lists(scores, min_size=2, max_size=10), st.integers(0, 2**32 - 1))
def test_the_jacobian_moves_signs_by_their_mean_absolute_deviation(given: list[float], seed: int) -> None:
    """Σ p_i |h_i - p·h| for all h with |h_i| = 1, against the Jacobian written out; the paper adds up its entries."""
    weights = np.array(weights_of(given))
    jacobian = np.diag(weights) - np.outer(weights, weights)
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], (64, len(given)))
    steepest = np.abs(signs @ jacobian).sum(axis=1).max()
    assert steepest <= 1 + 1e-12
    assert np.abs(jacobian).sum() <= SOFTMAX
