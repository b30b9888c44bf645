"""Intervals from seeds that are drawn again, and orders from seeds that are shuffled."""

import math

import numpy as np
import pytest

from lengthwise.experiments.sweeps.claims import evaluate
from lengthwise.runs.resampling import Resampling, interval
from tests.experiments.sweeps.made_up import FALLS, sweep


def test_an_interval_has_no_end_if_the_statistic_did_not_exist_too_often() -> None:
    draws = np.linspace(0.0, 1.0, 1000)
    assert interval(0.5, draws) == pytest.approx((0.025, 0.975), abs=0.001)
    assert interval(1.5, draws)[1] == 1.5
    draws[:10] = np.nan
    assert np.isfinite(interval(0.5, draws)).all()
    draws[:30] = np.nan
    assert interval(0.5, draws) == (-math.inf, math.inf)


def test_each_cell_draws_as_many_seeds_as_it_has_all_alike_and_independently_of_other_cells() -> None:
    one, other = Resampling(times=4000).draws([np.arange(4.0), np.arange(4.0)])
    assert one.shape == other.shape == (4000, 4)
    assert np.bincount(one.astype(int).ravel()) / one.size == pytest.approx([0.25] * 4, abs=0.02)
    assert abs(np.corrcoef(one.mean(axis=1), other.mean(axis=1))[0, 1]) < 0.06


def test_seeds_are_shuffled_within_their_group_alone() -> None:
    losses, groups = np.array([1.0, 20, 2, 10, 3]), [0, 1, 0, 1, 0]
    rows = np.concatenate(list(Resampling(times=250).shuffles(losses, groups)))
    assert rows.shape == (250, 5)
    assert {tuple(sorted(row)) for row in rows[:, [0, 2, 4]].tolist()} == {(1, 2, 3)}
    assert {tuple(row) for row in rows[:, [1, 3]].tolist()} == {(10, 20), (20, 10)}
    assert len({tuple(row) for row in rows.tolist()}) == 12


def test_the_same_seed_gives_the_same_finding_and_another_a_similar_one() -> None:
    summaries = sweep(lambda n, omega: omega / n, noise=1.0)
    first, second, third = (evaluate(FALLS, summaries, resampling=Resampling(seed)) for seed in (0, 0, 1))
    assert first == second
    assert (third.low, third.high) == pytest.approx((first.low, first.high), abs=0.1)
