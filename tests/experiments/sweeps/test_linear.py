"""Claims that the training length needed is proportional to a setting."""

import numpy as np
import pytest

from lengthwise.experiments.sweeps.claims import evaluate
from lengthwise.experiments.sweeps.needed_length import exponent
from tests.experiments.sweeps.made_up import LINEAR, sweep


@pytest.mark.parametrize(("power", "verdict"), [(1.0, "reproduced"), (2.0, "not reproduced"), (0.0, "not reproduced")])
def test_only_a_needed_length_that_is_proportional_to_the_setting_is_linear(power: float, verdict: str) -> None:
    summaries = sweep(
        lambda n, omega: (1.2 * omega**power / n) ** 2, omegas=(2, 3, 4, 5), train_lengths=(4, 8, 32, 512)
    )
    found = evaluate(LINEAR, summaries)
    assert found.value == pytest.approx(power, abs=0.1)
    assert [found.verdict, found.others[0].verdict] == [verdict, verdict]


def test_an_exponent_with_a_wide_interval_is_undecided() -> None:
    summaries = sweep(
        lambda n, omega: 0.4 * omega / n, omegas=(2, 2.5), noise=1.0, train_lengths=(4, 16, 64, 256, 1024)
    )
    found = evaluate(LINEAR, summaries)
    assert found.low < 0.5 < 1.5 < found.high
    assert found.verdict == "undecided"


def test_needed_lengths_outside_of_what_was_measured_are_named_and_left_out() -> None:
    summaries = sweep(lambda n, omega: (omega / n) ** 2, omegas=(0.5, 2, 4, 8), noise=0.01)
    found = evaluate(LINEAR, summaries)
    assert found.value == pytest.approx(1, abs=0.02)
    assert found.detail.endswith("not bracketed and left out: 0.5: ≤ 8, 8: > 64.")


def test_an_exponent_is_the_common_slope_of_groups_with_factors_of_their_own() -> None:
    settings = np.array([2.0, 3, 5, 2, 4])
    lengths = np.array([7.0, 12, 30, 1.5, 3])
    groups = np.array([0, 0, 0, 1, 1])
    design = np.column_stack([np.log(settings), groups == 0, groups == 1])
    expected = np.linalg.lstsq(design, np.log(lengths), rcond=None)[0][0]
    assert exponent(settings, lengths, groups) == pytest.approx(expected)
    partly = np.where([True, True, True, True, False], lengths, np.inf)
    assert exponent(settings, partly, groups) == pytest.approx(
        np.polyfit(np.log(settings[:3]), np.log(lengths[:3]), 1)[0]
    )
    nothing = np.where([True, False, False, True, False], lengths, -np.inf)
    assert np.isnan(exponent(settings, nothing, groups))
