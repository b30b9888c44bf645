"""Lemma B.8: exact around each point, in exact fractions of the weights as they are."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.sparse.boolean import BooleanError, memory
from tests.sparse.boolean.oracle import remembered


@settings(deadline=None, max_examples=25)
@given(st.lists(st.tuples(st.integers(-6, 6), st.integers(-6, 6)), min_size=1, max_size=5, unique=True), st.data())
def test_the_value_is_exact_on_the_whole_ball_around_each_point(
    points: list[tuple[int, int]], data: st.DataObject
) -> None:
    # Points are no binary fractions, and biases lie on both sides of 8 and of 16, where floats get coarser.
    values = data.draw(st.lists(st.integers(-9, 9), min_size=len(points), max_size=len(points)))
    network = memory(np.array(points) / 3, values, 0.045)
    radius = network.radius
    assert 1 - Fraction(1, 10**8) < radius / Fraction(0.045) < 1 + Fraction(1, 10**12)
    for point, value in zip(network.centres, values, strict=True):
        for signs in itertools.product((-1, 0, 1), repeat=2):
            near = [Fraction(each) + sign * radius for each, sign in zip(point, signs, strict=True)]
            assert remembered(network, near) == value
            assert network([float(each) for each in near]) == pytest.approx(value, abs=1e-9)


def test_the_plateau_ends_at_its_radius_and_the_value_is_0_from_twice_that_on() -> None:
    network = memory([[0.0], [1.0]], [5.0, 7.0], 0.125)
    at = [remembered(network, [Fraction(eighths, 8)]) for eighths in range(-3, 12)]
    assert at == [0, 0, 5, 5, 5, 0, 0, 0, 0, 0, 7, 7, 7, 0, 0]
    assert remembered(network, [Fraction(3, 16)]) == Fraction(5, 2)


def test_sizes_and_entries_are_those_of_the_repaired_lemma() -> None:
    centres = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
    network = memory(centres, np.arange(8.0), 0.5)
    assert network.units == (4 * 8 * 3, 8)
    assert np.abs(network.first).max() == max(1 / 0.5, 1 / 0.5 + 2)
    assert np.abs(network.second).max() == 3 - 1
    assert np.abs(network.last).max() == 7


@pytest.mark.parametrize(
    ("centres", "values", "delta", "message"),
    [
        ([[0.0], [0.3]], [0, 1], 0.1, "two points are 0.3 apart, less than 4δ = 0.4"),
        ([[0.0], [1.0]], [0], 0.1, "2 points have 2 finite values"),
        ([[0.0]], [0], 0.0, "too small, or not positive"),
        ([[1.0]], [0], 1e-9, "too small, or not positive"),
        (np.eye(2100), np.zeros(2100), 0.1, "a matrix of 17640000 × 2100 numbers"),
    ],
)
def test_points_that_cannot_be_told_apart_are_refused(
    centres: object, values: object, delta: float, message: str
) -> None:
    with pytest.raises(BooleanError, match=message):
        memory(np.array(centres), np.array(values), delta)
