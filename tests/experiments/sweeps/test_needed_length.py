import math

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from lengthwise.errors import LengthwiseError
from lengthwise.experiments.sweeps.needed_length import Needed, needed_length, needed_lengths

UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
LENGTHS = [8, 16, 32, 64]
CURVES = st.lists(st.floats(1e-6, 1.0), min_size=4, max_size=4)


def scanned(plateaus: list[float], loss: float, points: int = 4001) -> float:
    """The last of many lengths at which the curve, drawn by NumPy, is above the loss."""
    lengths = np.exp(np.linspace(math.log(8), math.log(64), points))
    curve = np.exp(np.interp(np.log(lengths), np.log(LENGTHS), np.log(plateaus)))
    above = lengths[curve > loss]
    return float(above.max()) if len(above) else -math.inf


@UNHURRIED
@given(CURVES, st.floats(1e-5, 0.5))
def test_from_the_needed_length_on_the_curve_stays_below(plateaus: list[float], loss: float) -> None:
    # Where curve and loss are equal, rounding decides.
    assume(all(abs(plateau / loss - 1) > 1e-9 for plateau in plateaus))
    found, last_above = needed_length(LENGTHS, plateaus, loss), scanned(plateaus, loss)
    if found.side == "at most":
        assert (found.length, last_above) == (8, -math.inf)
    elif found.side == "more than":
        assert (found.length, plateaus[-1] > loss) == (64, True)
    else:
        step = 8 ** (1 / 4000) * 1.0001
        assert last_above / step <= found.length
        assert found.length <= max(last_above, 8) * step


@UNHURRIED
@given(st.floats(0.3, 4.0), st.floats(8.5, 63.5))
def test_a_power_law_is_solved_exactly(steepness: float, length: float) -> None:
    plateaus = [0.01 * (length / each) ** steepness for each in LENGTHS]
    assert needed_length(LENGTHS, plateaus, 0.01).length == pytest.approx(length)


def test_a_curve_that_dips_and_rises_again_has_not_got_there_yet() -> None:
    found = needed_length(LENGTHS, [1e-3, 1e-1, 1e-1, 1e-3], 1e-2)
    assert found.bracketed
    assert found.length == pytest.approx(32 * 2**0.5)


@pytest.mark.parametrize(
    ("plateaus", "expected", "text"),
    [
        ([0.5, 0.4, 0.3, 0.2], Needed(64, "more than"), "> 64"),
        ([0.5, 0.005, 0.3, 0.2], Needed(64, "more than"), "> 64"),
        ([0.005, 0.004, 0.01, 0.001], Needed(8, "at most"), "≤ 8"),
        ([math.nan, math.nan, math.nan, math.nan], Needed(64, "more than"), "> 64"),
        ([math.nan, 0.001, 0.001, 0.001], Needed(16, "between"), "16"),
        ([0.001, math.inf, 0.001, 0.001], Needed(32, "between"), "32"),
        ([0.5, 0.01, 0.001, 0.001], Needed(16, "between"), "16"),
    ],
)
def test_what_was_not_measured_is_not_invented(plateaus: list[float], expected: Needed, text: str) -> None:
    found = needed_length(LENGTHS, plateaus, 0.01)
    assert (found.side, found.bracketed) == (expected.side, expected.side == "between")
    assert found.length == pytest.approx(expected.length)
    assert str(found) == text


def test_a_loss_of_zero_is_low_enough() -> None:
    found = needed_length([8, 16], [0.1, 0.0], 0.01)
    assert found.bracketed
    assert 8 < found.length <= 16


def test_the_order_in_which_lengths_are_given_does_not_matter() -> None:
    shuffled = needed_length([32, 8, 64, 16], [0.02, 0.5, 0.001, 0.1], 0.01)
    assert shuffled == needed_length(LENGTHS, [0.5, 0.1, 0.02, 0.001], 0.01)


@UNHURRIED
@given(
    st.lists(st.lists(st.sampled_from([0.0, 1e-3, 0.01, 0.1, math.inf, math.nan]), min_size=4, max_size=4), min_size=1)
)
def test_many_curves_at_once_are_solved_like_each_alone(curves: list[list[float]]) -> None:
    together = needed_lengths(np.array(LENGTHS, dtype=np.float64), np.array(curves), 0.01)
    for found, curve in zip(together.tolist(), curves, strict=True):
        alone = needed_length(LENGTHS, curve, 0.01)
        assert found == {"at most": -math.inf, "more than": math.inf}.get(alone.side, alone.length)


@pytest.mark.parametrize(
    ("lengths", "plateaus", "loss", "message"),
    [
        ([8, 16], [0.1], 0.01, "got 1 plateaus for 2 lengths"),
        ([], [], 0.01, "got 0 plateaus for 0 lengths"),
        ([0, 16], [0.1, 0.1], 0.01, "are positive"),
        ([8, 16], [0.1, 0.1], 0.0, "are positive"),
        ([8, 16], [0.1, 0.1], math.nan, "are positive"),
    ],
)
def test_a_needed_length_that_makes_no_sense_is_refused(
    lengths: list[float], plateaus: list[float], loss: float, message: str
) -> None:
    with pytest.raises(LengthwiseError, match=message):
        needed_length(lengths, plateaus, loss)
