"""Claims that losses level off as words grow."""

import math

import numpy as np
import pytest

from lengthwise.experiments.sweeps.claims import evaluate
from lengthwise.experiments.sweeps.growth import growth, tail
from lengthwise.runs.resampling import Resampling
from tests.experiments.sweeps.made_up import PLATEAU, RISES, TRAIN_LENGTHS, measured


def test_the_plateau_is_the_loss_at_the_longest_test_length() -> None:
    summaries = [measured([[1 / n] * 8, [float(n)] * 8], n) for n in TRAIN_LENGTHS]
    assert evaluate(RISES, summaries).value == 1


def test_the_interval_of_a_growth_contains_the_true_one_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(2)
    contained = 0
    for _ in range(100):
        summaries = []
        for n in (8, 16):
            slopes = 0.3 + 0.1 * rng.standard_normal(6)
            summaries.append(measured([(0.01 * 2.0 ** (slopes * octave)).tolist() for octave in range(3)], n))
        found = evaluate(PLATEAU, summaries, resampling=Resampling(times=200))
        contained += found.low <= 0.3 <= found.high
    assert 86 <= contained <= 100


@pytest.mark.parametrize(("slope", "verdict"), [(0.0, "reproduced"), (0.5, "not reproduced"), (-0.5, "not reproduced")])
def test_a_curve_that_goes_on_rising_or_falling_is_no_plateau(slope: float, verdict: str) -> None:
    rng = np.random.default_rng(1)
    summaries = []
    for n in TRAIN_LENGTHS:
        levels = 0.01 * np.exp(rng.standard_normal(8))
        noise = 0.01 * rng.standard_normal((6, 8))
        summaries.append(
            measured([(levels * 2 ** (slope * octave + noise[octave])).tolist() for octave in range(6)], n)
        )
    found = evaluate(PLATEAU, summaries)
    assert found.value == pytest.approx(slope, abs=0.02)
    assert [found.verdict, found.others[0].verdict] == [verdict, verdict]


def test_a_loss_that_rises_at_first_and_then_levels_off_is_a_plateau() -> None:
    curve = [[0.01 * min(2**octave, 16) * (1 + seed / 100) for seed in range(8)] for octave in range(11)]
    found = evaluate(PLATEAU, [measured(curve, 8)])
    assert found.verdict == "reproduced"
    assert found.detail.startswith("From 2048 to 65536 symbols, 1 of 1 cells change by at most 7 % per doubling")
    assert "rank correlation of loss and length is +0.00" in found.detail


@pytest.mark.parametrize(
    ("lengths", "begin"),
    [
        ([8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192], 256),
        ([8, 32, 128, 512], 64),
        ([8, 16, 32, 64], 16),
        ([8, 16, 32], 8),
        ([8, 8192], 8),
        ([8, 16, 8192], 16),
        ([9, 18, 36, 72, 144], 36),
    ],
)
def test_the_tail_is_half_of_the_doublings_but_two_of_them_and_two_lengths_at_least(
    lengths: list[int], begin: int
) -> None:
    chosen = lengths[tail(np.array(lengths, dtype=np.float64))]
    assert chosen == [length for length in lengths if length >= begin]
    assert len(chosen) >= 2


def test_growth_is_the_slope_of_a_fitted_line() -> None:
    lengths, losses = np.array([8.0, 16, 64]), np.array([[0.1, 0.3, 0.2], [0.5, 0.5, 0.5], [0.1, math.inf, 0.1]])
    expected = [np.polyfit(np.log2(lengths), np.log2(row), 1)[0] for row in losses[:2]]
    assert growth(lengths, losses) == pytest.approx([*expected, math.inf], abs=1e-12)
