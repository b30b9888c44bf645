"""Attention heads: formulas, the split, covers that hold, small classes counted, printed forms refuted."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.bounds.capacity import (
    SHARP_SOFTMAX,
    Capacity,
    CapacityError,
    HeadNorms,
    attention_head,
    linear,
    matrices,
    self_attention,
)
from tests.bounds.capacity import oracle

size = st.floats(0.05, 20)


def leading(found: Capacity, epsilon: float = 1.0) -> float:
    return found.covering(epsilon, 10).terms["leading_term"]


@settings(deadline=None)
@given(size, st.floats(0.05, 1), size, size, size, size, st.integers(1, 64))
def test_the_leading_term_of_a_head_is_that_of_the_repaired_corollary(
    value: float, part: float, rows: float, inputs: float, asking: float, slope: float, width: int
) -> None:
    columns = part * value
    found = self_attention(
        HeadNorms(value, columns, rows), width, input_norm=inputs, query_norm=asking, lipschitz=slope
    )
    bracket = columns ** (2 / 3) + (2 * rows * value * inputs * asking) ** (2 / 3)
    assert leading(found, 0.3) == pytest.approx(36 * (width * slope * inputs) ** 2 * bracket**3 / 0.3**2, rel=1e-9)


def test_a_heads_bound_is_the_sum_of_both_covers_at_the_best_split() -> None:
    norms, width, epsilon, samples, length = HeadNorms(1.5, 0.5, 0.75), 4, 0.2, 30, 7
    found = self_attention(norms, width, input_norm=2.0, lipschitz=0.5).covering(epsilon, samples, length)
    with mpmath.workdps(50):
        third = mpmath.mpf(1) / 3
        sizes = [
            (mpmath.mpf(4 * 0.75 * 2 * 2), 2 * 0.5 * 1.5 * 2),
            (mpmath.mpf(4 * 0.5 * 2), 0.5),
        ]
        total = sum((c * mpmath.mpf(b)) ** (2 * third) for c, b in sizes)
        scales = [mpmath.mpf(epsilon) / total * (c**2 / mpmath.mpf(b)) ** third for c, b in sizes]
        expected = sum(oracle.zhang(c, c / 2, x, samples * length) for (c, _), x in zip(sizes, scales, strict=True))
    assert found.value == pytest.approx(float(expected), rel=1e-12)


def test_the_general_head_finds_the_best_split() -> None:
    """Against a fine grid of splits, and for costs without logarithms against Lemma A.8."""

    def score(scale: float) -> float:
        return 7.0 / scale**2

    def value(scale: float) -> float:
        return 0.2 / scale**2

    found = attention_head(score, value, 0.1, output_lipschitz=2.0, value_bound=3.0, input_norm=0.5)
    total = 7.0 ** (1 / 3) * (2 * 2 * 3 * 0.5) ** (2 / 3) + 0.2 ** (1 / 3) * 2 ** (2 / 3)
    assert found.value == pytest.approx(total**3 / 0.1**2, rel=1e-6)
    logged = attention_head(
        lambda x: float(linear(3, 1).covering(x, 500).value or 0),
        lambda x: float(matrices(4, 1, 1).covering(x, 500).value or 0),
        0.3,
    )
    grid = oracle.lowest(
        lambda a: (
            float(linear(3, 1).covering(a * 0.3 / 2, 500).value or 0)
            + float(matrices(4, 1, 1).covering((1 - a) * 0.3, 500).value or 0)
        ),
        [number / 400 for number in range(1, 400)],
    )
    assert (logged.value or 0) <= grid * (1 + 1e-9)
    assert (logged.value or 0) == pytest.approx(grid, rel=1e-3)


def test_the_self_attention_head_is_an_instance_of_the_general_one() -> None:
    norms, width, epsilon, samples, length = HeadNorms(1.0, 0.5, 2.0), 8, 0.2, 100, 10
    instance = self_attention(norms, width, input_norm=1.5, query_norm=0.5)
    scores = matrices(width, 2.0, 1.5 * 0.5)
    values = matrices(width, 0.5, 1.5)
    general = attention_head(
        lambda x: float(scores.covering(x, samples, length).value or 0),
        lambda x: float(values.covering(x, samples, length).value or 0),
        epsilon,
        input_norm=1.5,
    )
    found = instance.covering(epsilon, samples, length).value or 0
    # The split of Lemma A.8 does not know the logarithms, and can only be worse.
    assert (general.value or 0) <= found <= 1.05 * (general.value or 0)


@settings(deadline=None)
@given(st.integers(1, 6), st.floats(0.1, 3), st.floats(0, 3))
def test_heads_add_their_brackets_and_positions_lengthen_inputs(count: int, inputs: float, places: float) -> None:
    norms = HeadNorms(1.0, 0.7, 0.4)
    one = self_attention(norms, 5, input_norm=inputs, position_norm=places)
    several = self_attention([norms] * count, 5, input_norm=inputs, position_norm=places)
    longer = self_attention(norms, 5, input_norm=inputs + places)
    assert leading(several) == pytest.approx(count**3 * leading(one), rel=1e-9)
    assert leading(one) == pytest.approx(leading(longer), rel=1e-9)
    different = self_attention([norms, replace(norms, query_key_rows=0.0)], 5, input_norm=1.0)
    bracket = 2 * 0.7 ** (2 / 3) + (2 * 0.4) ** (2 / 3)
    assert leading(different) == pytest.approx(36 * 25 * bracket**3, rel=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_heads_whose_matrices_move_by_their_scales_move_by_at_most_epsilon(seed: int) -> None:
    """The cover that is claimed: W_QK and W_V replaced by any that are within their scales on all tokens."""
    rng = np.random.default_rng(seed)
    width, length, epsilon = int(rng.integers(1, 5)), int(rng.integers(1, 7)), 0.05
    count, worst = int(rng.integers(1, 4)), 0.0
    inputs = float(rng.uniform(0.5, 2))
    for _ in range(60):
        pairs = [
            (oracle.of_norm(rng, width, width, 10 ** rng.uniform(-1, 1)), oracle.of_norm(rng, width, width, 1.0))
            for _ in range(count)
        ]
        norms = [HeadNorms(float(np.linalg.norm(v, 2)), oracle.longest(v.T), oracle.longest(a)) for a, v in pairs]
        found = self_attention(norms, width, input_norm=inputs, softmax=SHARP_SOFTMAX)
        scales = [cover.scale for cover in found.covers(epsilon, 1, length)]
        tokens = oracle.tokens_of(rng, length, width, inputs)
        change = np.zeros(width)
        for (a, v), score, value in zip(pairs, scales[::2], scales[1::2], strict=True):
            # A score's scale is for x_τ^T ΔW x, and ||x_τ|| is `inputs`.
            moved = a + oracle.of_norm(rng, width, width, score / inputs**2)
            change += oracle.head(tokens, a, v, 0) - oracle.head(
                tokens, moved, v + oracle.of_norm(rng, width, width, value / inputs), 0
            )
        worst = max(worst, float(np.linalg.norm(change)))
    assert 0.01 * epsilon < worst <= epsilon


@pytest.mark.parametrize(("epsilon", "length"), [(0.1, 2), (0.15, 3)])
def test_no_small_class_of_heads_needs_more_than_the_bound(epsilon: float, length: int) -> None:
    rng = np.random.default_rng(length)
    inputs = [oracle.tokens_of(rng, length, 1) * rng.uniform(0.3, 1) for _ in range(6)]
    found = []
    for score, value in itertools.product(np.linspace(-4, 4, 25), np.linspace(-1, 1, 21)):
        found.append([oracle.head(x, np.array([[score]]), np.array([[value]]), 0) for x in inputs])
    bound = self_attention(HeadNorms(1.0, 1.0, 4.0), 1).covering(epsilon, len(inputs), length).value
    counted = oracle.packing(np.array(found), epsilon)
    assert counted > 3
    assert math.log(counted) <= (bound or 0)


@pytest.mark.parametrize(
    ("count", "places", "expected"),
    [
        (1, 0.0, {"Corollary 4.4": (3.0, 1.0), "Corollary 4.4, its proof": (3.0, 3.0)}),
        (1, 0.5, {"Lemma A.11": (3.5, 2 * 3.5)}),
        (3, 0.0, {"Lemma A.12": (3.0, 2.0)}),
    ],
)
def test_printed_forms_are_what_is_printed(count: int, places: float, expected: dict[str, tuple[float, float]]) -> None:
    """(d L_σ B)² [H ((B_V^∞)^⅔ + (factor B_QK^∞ B_V)^⅔)]³/ε² log(mT), each with its B and its factor."""
    found = self_attention([HeadNorms(2.0, 0.7, 0.4)] * count, 5, input_norm=3.0, position_norm=places, lipschitz=1.5)
    printed = found.covering(0.2, 50, 30).printed
    assert [form.theorem.partition(":")[0] for form in printed] == list(expected)
    for form, (size, factor) in zip(printed, expected.values(), strict=True):
        bracket = count * (0.7 ** (2 / 3) + (factor * 0.4 * 2.0) ** (2 / 3))
        assert form.value == pytest.approx((5 * 1.5 * size) ** 2 * bracket**3 / 0.04 * math.log(1500), rel=1e-9)


def test_the_length_enters_through_a_logarithm_alone() -> None:
    found = self_attention(HeadNorms(1, 1, 1), 16)
    values = [float(found.covering(0.1, 1000, 10**power).value or 0) for power in (3, 6, 9)]
    steps = np.diff(values)
    assert steps[0] == pytest.approx(steps[1], rel=1e-6)
    assert values[2] < 2 * values[0]


def test_a_readout_makes_numbers_and_is_covered_itself() -> None:
    vectors = self_attention(HeadNorms(2, 1, 1), 4, input_norm=1.5)
    numbers = self_attention(HeadNorms(2, 1, 1), 4, input_norm=1.5, readout=0.5)
    assert (vectors.scalar, numbers.scalar) == (False, True)
    assert (float(vectors.largest), float(numbers.largest)) == (3.0, 1.5)
    assert [part.name for part in numbers.parts] == ["score", "value", "readout"]
    bare = replace(numbers, parts=numbers.parts[:2])
    assert bare.covering(0.05, 9).value == pytest.approx(vectors.covering(0.1, 9).value, rel=1e-12)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: HeadNorms(1.0, 2.0, 1.0), "no row or column is longer than the spectral norm"),
        (lambda: HeadNorms(1.0, 1.0, 2.0, 1.0), "query_key_rows is 2, but query_key is 1"),
        (lambda: HeadNorms(1.0, 1.0, -2.0), "query_key_rows"),
        (lambda: self_attention([], 4), "at least one head"),
        (lambda: self_attention(HeadNorms(1, 1, 1), 0), "width"),
        (lambda: self_attention(HeadNorms(1, 1, 1), 4).generalization(10), "readout"),
    ],
)
def test_norms_that_no_head_has_are_refused(wrong: Any, message: str) -> None:
    with pytest.raises(CapacityError, match=message):
        wrong()
