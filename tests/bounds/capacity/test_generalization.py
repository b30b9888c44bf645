"""Lemma 2.2: the scale that is used, Dudley's integral, exact Rademacher averages, and the smallest sample sizes."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.bounds.capacity import (
    Capacity,
    CapacityError,
    HeadNorms,
    LayerNorms,
    linear,
    matrices_by_sum,
    network,
    samples_needed,
    self_attention,
)
from lengthwise.bounds.capacity.generalization import (
    balanced_scale,
    empirical_confidence,
    generalization,
    rademacher,
    uniform_confidence,
)

CLASSES = [
    linear(1.0, 1.0),
    linear(30.0, 0.5),
    self_attention(HeadNorms(1.0, 0.5, 2.0), 4, readout=1.0),
    network([LayerNorms(0.1, 0.1, 1, 1, 1, 1)] * 2, 3, readout=2.0),
]


@pytest.mark.parametrize("found", CLASSES, ids=lambda found: found.theorem)
@pytest.mark.parametrize("samples", [10, 10**6, 10**12])
def test_the_scale_is_where_the_log_covering_number_is_the_number_of_samples(found: Capacity, samples: int) -> None:
    scale = float(balanced_scale(found, samples, 20))
    assert (found.covering(scale, samples, 20).value or 0) <= samples
    assert (found.covering(scale * (1 - 1e-6), samples, 20).value or 0) > samples


@settings(deadline=None)
@given(st.sampled_from(CLASSES), st.floats(1e-6, 1e3), st.floats(1.01, 100))
def test_the_capacity_falls_with_the_scale(found: Capacity, scale: float, factor: float) -> None:
    """ε² log N(ε): with this, C at the smallest scale holds for all that are used."""
    fine, coarse = (x * x * float(found.covering(x, 100, 10).value or 0) for x in (scale, scale * factor))
    assert coarse <= fine * (1 + 1e-12)


@pytest.mark.parametrize("found", CLASSES, ids=lambda found: found.theorem)
@pytest.mark.parametrize("samples", [10**9, 10**13])
def test_the_rademacher_bound_is_no_less_than_dudleys_integral(found: Capacity, samples: int) -> None:
    """4s + 12 ∫ √(log N(ε)/m) dε over s..A, by sums that are below the integral."""
    scale, largest = balanced_scale(found, samples, 20), found.largest
    claimed = float(rademacher(scale, largest))
    if claimed == float(largest):
        assert 12 * float(scale) * (1 + math.log(largest / scale)) >= float(largest)
        return
    grid = np.geomspace(float(scale), float(largest), 400)
    heights = [math.sqrt(float(found.covering(float(x), samples, 20).value or 0) / samples) for x in grid]
    below = sum(height * step for height, step in zip(heights[1:], np.diff(grid), strict=True))
    assert 4 * float(scale) + 12 * below <= claimed
    # Not by much more than what is lost in 4 s <= 12 s and in the logarithms.
    assert claimed <= 3 * (4 * float(scale) + 12 * below)


def test_dudleys_constants_hold_for_classes_whose_averages_are_known() -> None:
    """4δ + 12 ∫_δ^A √(log N/m) against all 2^m signs, for finite classes with their own covering numbers."""
    rng = np.random.default_rng(1)
    for size, samples in ((2, 6), (16, 8), (60, 9)):
        functions = rng.uniform(-1, 1, (size, samples)) * rng.choice([0.05, 1.0], (size, 1))
        signs = np.array(list(itertools.product((-1, 1), repeat=samples)))
        exact = (signs @ functions.T).max(axis=1).mean() / samples

        def covering(scale: float, functions: Any = functions) -> int:
            left, count = functions, 0
            while len(left):
                left, count = left[np.abs(left - left[0]).max(axis=1) > scale], count + 1
            return count

        for start in (0.01, 0.1, 0.5):
            grid = np.linspace(start, 1, 200)
            heights = [math.sqrt(math.log(covering(float(x))) / samples) for x in grid[:-1]]
            integral = sum(height * step for height, step in zip(heights, np.diff(grid), strict=True))
            assert exact <= 4 * start + 12 * integral


@pytest.mark.parametrize("samples", [2, 5, 9])
def test_exact_rademacher_averages_of_linear_functions_are_below_the_bound(samples: int) -> None:
    rng = np.random.default_rng(samples)
    inputs = rng.normal(size=(samples, 3))
    inputs /= np.linalg.norm(inputs, axis=1, keepdims=True)
    signs = np.array(list(itertools.product((-1, 1), repeat=samples)))
    exact = np.linalg.norm(signs @ inputs, axis=1).mean() / samples
    assert 0 < exact <= float(rademacher(balanced_scale(linear(1, 1), samples), Decimal(1)))


def test_the_bound_is_what_lemma_2_2_says_with_our_constants() -> None:
    found = generalization(linear(1, 1), 10**9, lipschitz=0.5, loss_bound=2.0, failure=0.01)
    scale = found.terms["scale"]
    with mpmath.workdps(30):
        complexity = 2 * 0.5 * 12 * scale * (1 + mpmath.log(1 / mpmath.mpf(scale)))
        confidence = 3 * 2 * mpmath.sqrt(mpmath.log(400) / (2 * mpmath.mpf(10) ** 9))
    assert found.value == pytest.approx(float(complexity + confidence), rel=1e-9)
    assert found.terms["capacity"] == pytest.approx(10**9 * scale**2)
    assert found.explicit
    assert found.printed[0].value == pytest.approx(
        4 * 0.5 * scale * (1 - math.log(scale)) + 2 * 2 * math.sqrt(math.log(100) / 2e9)
    )


def test_few_samples_make_the_printed_bound_negative_and_ours_trivial() -> None:
    """ERR-H7."""
    found = CLASSES[3].generalization(100, 20)
    printed = found.printed[0].value
    assert printed is not None
    assert printed < 0
    assert found.terms["rademacher"] == found.terms["largest"] == 2.0
    assert (found.value or 0) > 2.0


def test_covers_for_all_samples_need_less_for_confidence_than_the_notes_allow() -> None:
    """b √(log(2/δ)/(2m)) with exact Rademacher averages: met in all but a share δ of many draws, with room to spare."""
    rng = np.random.default_rng(7)
    functions = rng.integers(0, 2, (12, 40)).astype(float)
    samples, failure, draws = 25, 0.1, 4000
    drawn = rng.integers(0, 40, (draws, samples))
    gaps = np.abs(functions[:, drawn].mean(axis=2) - functions.mean(axis=1)[:, None]).max(axis=0)
    signs = rng.choice([-1.0, 1.0], (draws, samples))
    average = np.einsum("fds,ds->fd", functions[:, drawn], signs).max(axis=0).mean() / samples
    assert (gaps > 2 * average + uniform_confidence(samples, 1.0, failure)).mean() <= failure
    assert uniform_confidence(samples, 1.0, failure) < empirical_confidence(samples, 1.0, failure) / 3
    # The printed 2b √(log(1/δ)/(2m)) is no smaller for δ <= 2^(-1/3), so that it is not what is wrong with the lemma.
    for small in (0.79, 0.1, 1e-6):
        assert 2 * math.sqrt(math.log(1 / small) / (2 * samples)) >= uniform_confidence(samples, 1.0, small)


@pytest.mark.parametrize("found", CLASSES[:3], ids=lambda found: found.theorem)
def test_one_sample_less_than_needed_is_not_enough(found: Capacity) -> None:
    gap = 0.25
    needed = samples_needed(found, gap, 10)
    assert needed is not None
    enough, short = (found.generalization(m, 10).value for m in (needed, needed - 1))
    assert enough is not None
    assert short is not None
    assert enough <= gap < short


def test_needed_samples_grow_with_the_logarithm_of_the_length() -> None:
    found = self_attention(HeadNorms(1.0, 0.5, 0.5), 4, readout=1.0)
    needed = [samples_needed(found, 0.5, 2**power) or 0 for power in (4, 10, 16)]
    first, second = needed[1] - needed[0], needed[2] - needed[1]
    assert first > 0
    assert second == pytest.approx(first, rel=0.1)


def test_a_single_function_needs_no_samples_but_for_confidence() -> None:
    found = linear(0.0, 1.0).generalization(100)
    assert found.value == pytest.approx(empirical_confidence(100, 1.0, 0.05))
    assert samples_needed(linear(0.0, 1.0), 0.1) == math.ceil(9 * math.log(80) / 0.02)


def test_hopeless_classes_have_no_number_of_samples() -> None:
    deep = network([LayerNorms(10, 10, 10, 10, 10, 10)] * 30, 64)
    assert samples_needed(deep, 0.1, 100) is None


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: linear(1, 1).generalization(10, failure=1.5), "failure"),
        (lambda: linear(1, 1).generalization(10, lipschitz=-1), "lipschitz"),
        (lambda: linear(1, 1).generalization(0), "samples"),
        (lambda: samples_needed(linear(1, 1), 0), "gap"),
        (lambda: balanced_scale(matrices_by_sum(2, 1, 1), 10), "does not fall"),
    ],
)
def test_losses_that_the_lemma_is_not_about_are_refused(wrong: Any, message: str) -> None:
    with pytest.raises(CapacityError, match=message):
        wrong()
