"""Zhang's bound and Lemma 4.5: the numbers in fifty digits, no small class above them, printed forms that fail."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.bounds.capacity import CapacityError, linear, matrices, matrices_by_sum
from lengthwise.bounds.capacity.linear import EXACT_CHOICES, _log_choices
from tests.bounds.capacity import oracle

norms = st.floats(0.01, 100)


@settings(deadline=None)
@given(norms, norms, st.floats(1e-3, 10), st.integers(1, 10**9))
def test_the_linear_bound_has_zhangs_constants(weight: float, inputs: float, epsilon: float, points: int) -> None:
    found = linear(weight, inputs).covering(epsilon, points).value
    with mpmath.workdps(50):
        reach = mpmath.mpf(weight) * mpmath.mpf(inputs)
    assert found == pytest.approx(float(oracle.zhang(reach, reach, epsilon, points)), rel=1e-12)


def test_the_linear_bound_of_round_numbers_is_the_formula_to_the_last_digit() -> None:
    # 4 · 2 · 1 / (1/2) + 2 = 18, and 2 · 18 · 1000 + 1 = 36001.
    assert linear(2, 1).covering(0.5, 1000).value == 36 * 16 * math.log(36001)


@settings(deadline=None)
@given(st.integers(1, 40), norms, norms, st.floats(1e-2, 10), st.integers(1, 10**6))
def test_maps_are_covered_column_by_column(
    columns: int, column: float, inputs: float, epsilon: float, points: int
) -> None:
    """d_2 covers of linear functions, each at ε/√d_2."""
    with mpmath.workdps(50):
        reach = mpmath.mpf(column) * mpmath.mpf(inputs)
        one = oracle.zhang(reach, reach, mpmath.mpf(epsilon) / mpmath.sqrt(columns), points)
    assert matrices(columns, column, inputs).covering(epsilon, points).value == pytest.approx(columns * one, rel=1e-12)


def test_the_bound_for_the_sum_of_columns_is_that_of_the_notes() -> None:
    found = matrices_by_sum(3, 2.0, 1.5).covering(0.25, 100).value
    expected = math.log(20) + 144 * (3 / 0.25) ** 2 * math.log(2 * math.ceil(8 * 3 / 0.25 + 2) * 100 + 1)
    assert found == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("columns", [1, 2, 3, 4, 5])
def test_there_are_as_many_column_sizes_as_the_bound_says(columns: int) -> None:
    """Tuples of whole numbers from 0 on with a sum of at most d_2."""
    tuples = sum(sum(k) <= columns for k in itertools.product(range(columns + 1), repeat=columns))
    part = matrices_by_sum(columns, 1.0, 1.0).parts[0]
    assert part.choices == pytest.approx(math.log(tuples))


@settings(deadline=None)
@given(st.lists(st.fractions(0, 5), min_size=1, max_size=6).filter(lambda sizes: sum(sizes) > 0))
def test_covers_of_columns_by_size_add_up_to_epsilon(sizes: list[Fraction]) -> None:
    """k_i = ⌊d_2 ||v_i|| / B_1⌋, radius B_1 (k_i + 1)/d_2, scale ε √((k_i + 1)/(2 d_2)), in exact fractions."""
    count, total = len(sizes), sum(sizes)
    budget = [math.floor(count * size / total) for size in sizes]
    assert sum(budget) <= count
    assert all(size <= total * Fraction(k + 1, count) for size, k in zip(sizes, budget, strict=True))
    squares = [Fraction(k + 1, 2 * count) for k in budget]
    assert sum(squares) <= 1
    # 36 (radius / scale)² adds up to at most 144 B_1², and 4 radius / scale is at most 8 B_1.
    ratios = [(total * Fraction(k + 1, count)) ** 2 / square for k, square in zip(budget, squares, strict=True)]
    assert 36 * sum(ratios) <= 144 * total**2
    assert all(16 * ratio <= 64 * total**2 for ratio in ratios)


@pytest.mark.parametrize(("epsilon", "points"), [(0.05, 3), (0.1, 5), (0.3, 8)])
def test_no_small_class_of_linear_functions_needs_more_than_the_bound(epsilon: float, points: int) -> None:
    rng = np.random.default_rng(points)
    inputs = oracle.tokens_of(rng, points, 2)
    angles = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    radii = np.linspace(0, 1, 16)
    weights = np.array([(r * np.cos(a), r * np.sin(a)) for r in radii for a in angles])
    values = (weights @ inputs.T)[:, :, None]
    bound = linear(1.0, 1.0).covering(epsilon, points).value
    assert bound is not None
    assert 0 < math.log(oracle.packing(values, epsilon)) <= bound
    assert math.log(oracle.greedy_cover(values, epsilon)) <= bound


def test_no_small_class_of_maps_needs_more_than_the_bound() -> None:
    rng = np.random.default_rng(5)
    inputs = oracle.tokens_of(rng, 4, 2)
    maps = rng.normal(size=(1500, 2, 2))
    maps *= rng.uniform(0, 1, (1500, 1, 2)) / np.linalg.norm(maps, axis=1, keepdims=True)
    values = np.einsum("nd,wdk->wnk", inputs, maps)
    for epsilon in (0.2, 0.4):
        found = math.log(oracle.packing(values, epsilon))
        assert found > 0
        assert found <= (matrices(2, 1.0, 1.0).covering(epsilon, 4).value or 0)
        assert found <= (matrices_by_sum(2, 2.0, 1.0).covering(epsilon, 4).value or 0)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: linear(-1, 1), "weight_norm is a number from 0 on, not -1"),
        (lambda: linear(1, math.inf), "input_norm"),
        (lambda: linear(1, 1).covering(0, 10), "epsilon is a positive number"),
        (lambda: linear(1, 1).covering(0.1, 0), "samples is a whole number from 1 on"),
        (lambda: linear(1, 1).covering(0.1, 2.5), "samples"),  # type: ignore[arg-type]
        (lambda: linear(1, 1).covering(math.nan, 10), "epsilon"),
        (lambda: matrices(0, 1, 1), "columns"),
    ],
)
def test_bad_norms_are_refused_in_a_sentence(wrong: object, message: str) -> None:
    with pytest.raises(CapacityError, match=message):
        wrong()  # type: ignore[operator]


def test_functions_that_are_all_zero_need_one_function() -> None:
    assert linear(0, 3).covering(0.1, 100).value == 0
    assert matrices(4, 0, 1).covering(0.1, 100).value == 0


def test_scales_and_samples_beyond_floats_are_answered_by_the_logarithm() -> None:
    found = linear(1.0, 1.0).covering(epsilon=1e-308, samples=10**20)
    points = 328 * math.log(10)  # log(10^20 / 10^-308)
    assert found.printed[1].log10 == pytest.approx(2 * 308 + math.log10(points))
    assert found.printed[0].value == pytest.approx(2 * 308 * math.log(10) + math.log(points))
    assert found.log10 > found.printed[1].log10


@pytest.mark.parametrize("columns", [EXACT_CHOICES + 1, 10**9, 10**20])
def test_the_choices_of_very_many_columns_are_bounded_from_above_and_closely(columns: int) -> None:
    exactly = math.lgamma(2 * columns + 1) - 2 * math.lgamma(columns + 1)
    bounded = _log_choices(columns)
    assert bounded >= exactly * (1 - 1e-12)
    assert bounded == pytest.approx(exactly, rel=1e-8)


def test_the_bound_on_choices_is_never_below_them() -> None:
    # C(2d, d)² πd < 16^d, and 355/113 is a little more than π.
    assert all(math.comb(2 * d, d) ** 2 * 355 * d < 16**d * 113 for d in range(1, 300))
