"""Claims that curves are functions of a ratio."""

from collections.abc import Callable

import numpy as np
import pytest

from lengthwise.experiments.sweeps.claims import evaluate
from lengthwise.experiments.sweeps.collapse import distance
from tests.experiments.sweeps.made_up import COLLAPSE, FEW, sweep


@pytest.mark.parametrize(
    ("loss", "verdict"),
    [
        (lambda n, omega: (omega / n) ** 2, "reproduced"),
        (lambda n, omega: (1 / n) ** 2, "not reproduced"),
        (lambda n, omega: (omega**0.5 / n) ** 2, "undecided"),
        (lambda n, omega: 0.1, "undecided"),
    ],
)
def test_curves_collapse_if_they_are_functions_of_the_ratio(
    loss: Callable[[float, float], float], verdict: str
) -> None:
    found = evaluate(COLLAPSE, sweep(loss))
    assert [found.verdict, found.others[0].verdict] == [verdict, verdict]


def test_the_distance_of_two_curves_is_the_mean_square_of_their_difference_where_both_are() -> None:
    one = np.array([0.0, 1, 2.5]), np.array([3.0, -1, 0])
    other = np.array([0.5, 0.7, 2, 4]), np.array([1.0, 1, 2, 5])
    places = np.linspace(0.5, 2.5, 200_001)
    expected = ((np.interp(places, *one) - np.interp(places, *other)) ** 2).mean()
    assert distance(one, other) == pytest.approx(expected, rel=1e-4)
    assert distance(one, one) == 0


def test_curves_without_a_common_range_cannot_be_compared() -> None:
    found = evaluate(COLLAPSE, sweep(lambda n, omega: omega / n, omegas=(1, 100)), resampling=FEW)
    assert found.verdict == "undecided"
    assert "No two curves" in found.detail
