"""Lemma A.8, and the sum of covers that every class is bounded by.

How fast attention weights move: the paper's constant is 2, and 1 is true and best.
"""

from __future__ import annotations

from decimal import Decimal

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.bounds.capacity import SHARP_SOFTMAX, SOFTMAX
from lengthwise.bounds.capacity.function_class import Capacity
from lengthwise.bounds.capacity.parts import Part, gamma, leading, needed, shares
from tests.bounds.capacity import oracle
from tests.bounds.capacity.oracle import weights_of

positive = st.floats(0.01, 100)
part_numbers = st.lists(st.tuples(positive, positive, positive), min_size=1, max_size=5)


def built(numbers: list[tuple[float, float, float]]) -> list[Part]:
    return [Part(f"p{n}", Decimal(c), Decimal(r), Decimal(b)) for n, (c, r, b) in enumerate(numbers)]


def test_the_best_split_of_lemma_a8_solves_the_lagrange_equations() -> None:
    a, b, c, d, total = sympy.symbols("a b c d total", positive=True)
    third = sympy.Rational(1, 3)
    g = a**third * c ** (2 * third) + b**third * d ** (2 * third)
    x, y = total / g * (a / c) ** third, total / g * (b / d) ** third
    assert sympy.simplify(c * x + d * y - total) == 0
    assert sympy.simplify(a / x**2 + b / y**2 - g**3 / total**2) == 0
    # Where 2α/x³ = λβ with one λ for all, no exchange between parts helps; the problem is convex.
    assert sympy.simplify(2 * a / x**3 / c - 2 * b / y**3 / d) == 0


@settings(deadline=None)
@given(part_numbers, st.floats(0.01, 10))
def test_scales_add_up_to_epsilon_and_their_costs_to_the_leading_term(
    numbers: list[tuple[float, float, float]], epsilon: float
) -> None:
    parts = built(numbers)
    scales = [float(share) * epsilon for share in shares(parts)]
    assert sum(float(part.weight) * x for part, x in zip(parts, scales, strict=True)) == pytest.approx(epsilon)
    cost = sum(36 * (float(part.size) / x) ** 2 for part, x in zip(parts, scales, strict=True))
    assert float(leading(parts, epsilon)) == pytest.approx(cost)


@settings(deadline=None)
@given(part_numbers, st.integers(0, 2**32 - 1))
def test_no_other_split_has_a_smaller_leading_term(numbers: list[tuple[float, float, float]], seed: int) -> None:
    parts, rng = built(numbers), np.random.default_rng(seed)
    best = float(leading(parts, 1.0))
    for portions in rng.dirichlet(np.ones(len(parts)), 40):
        scales = portions / [float(part.weight) for part in parts]
        cost = sum(36 * (float(part.size) / x) ** 2 for part, x in zip(parts, scales, strict=True) if x > 0)
        assert (scales > 0).all() <= (cost >= best * (1 - 1e-9))


@settings(deadline=None)
@given(part_numbers, st.floats(0.01, 10), st.integers(1, 1000), st.integers(1, 1000))
def test_the_bound_is_the_sum_of_the_covers_with_their_logarithms(
    numbers: list[tuple[float, float, float]], epsilon: float, samples: int, length: int
) -> None:
    parts = built(numbers)
    found = Capacity("sum", tuple(parts), Decimal(1)).covering(epsilon, samples, length)
    with mpmath.workdps(50):
        third = mpmath.mpf(1) / 3
        total = sum((mpmath.mpf(c) * b) ** (2 * third) for c, _, b in numbers)
        scales = [mpmath.mpf(epsilon) / total * (mpmath.mpf(c) ** 2 / b) ** third for c, _, b in numbers]
        expected = sum(oracle.zhang(c, r, x, samples * length) for (c, r, _), x in zip(numbers, scales, strict=True))
    assert found.value == pytest.approx(float(expected), rel=1e-9)


def test_parts_that_do_not_move_the_output_cost_nothing() -> None:
    one = Part("one", Decimal(1), Decimal(1))
    idle = [Part("constant", Decimal(0), Decimal(0)), Part("unseen", Decimal(3), Decimal(3), Decimal(0))]
    assert needed([one, *idle]) == (one,)
    assert gamma([one, *idle]) == gamma([one])
    assert gamma(idle) == 0


def test_a_part_that_is_applied_once_a_sample_does_not_see_the_length() -> None:
    once = Capacity("once", (Part("w", Decimal(1), Decimal(1), per_token=False),), Decimal(1))
    often = Capacity("often", (Part("w", Decimal(1), Decimal(1)),), Decimal(1))
    assert once.covering(0.1, 50, 1).value == once.covering(0.1, 50, 1000).value
    assert often.covering(0.1, 50, 1000).value == once.covering(0.1, 50_000).value


def test_products_beyond_floats_are_known_by_their_logarithm() -> None:
    huge = Part("deep", Decimal(10) ** 400, Decimal(10) ** 400)
    found = Capacity("deep", (huge,), Decimal(1)).covering(1.0, 10)
    assert found.value is None
    # 36 · 10^800 · log(8 · 10^401 + …), by hand.
    assert found.log10 == pytest.approx(
        800 + float(mpmath.log10(36 * mpmath.log(mpmath.mpf(80) * mpmath.mpf(10) ** 400)))
    )


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
