"""Numbers of a scatter, and how far they could be off."""

from __future__ import annotations

import numpy as np
import pytest

from lengthwise.diagnose import DiagnosisError
from lengthwise.diagnose.influence.dependence import at_random
from lengthwise.diagnose.influence.scatter import by_file, resampled, scatter
from lengthwise.runs.resampling import Resampling

RNG = np.random.default_rng(3)
X, NOISE = RNG.normal(size=60), RNG.normal(size=60)
Y = 0.6 * X + NOISE + 0.3
FILES = RNG.integers(0, 9, 60)


def test_statistics_are_what_their_definitions_say() -> None:
    found = scatter(X, Y, FILES)
    assert found["correlation"].value == pytest.approx(np.corrcoef(X, Y)[0, 1])
    assert found["explained"].value == pytest.approx(1 - np.sum((X - Y) ** 2) / np.sum(Y**2))
    assert found["recovered"].value == pytest.approx(X.sum() / Y.sum())
    assert found["gain"].value == pytest.approx(Y.mean())
    assert {each.files for each in found.values()} == {len(set(FILES.tolist()))}


def test_draws_are_those_of_whole_files() -> None:
    resampling = Resampling(seed=4, times=50)
    drawn = resampled(by_file(np.stack([np.ones_like(Y), Y], axis=1), FILES), resampling)
    numbers = np.unique(FILES)
    counts = resampling.generator().multinomial(len(numbers), np.full(len(numbers), 1 / len(numbers)), size=50)
    for row, many in zip(drawn, counts, strict=True):
        values = [value for number, times in zip(numbers, many, strict=True) for value in [*Y[number == FILES]] * times]
        np.testing.assert_allclose(row, [len(values), sum(values)], atol=1e-9)


def test_points_on_the_line_are_explained_entirely_and_points_at_zero_not_at_all() -> None:
    assert scatter(Y, Y, FILES)["explained"].value == 1
    assert scatter(np.zeros_like(Y), Y, FILES)["explained"].value == 0
    assert np.isnan(scatter(np.zeros_like(Y), Y, FILES)["correlation"].value)


def test_one_file_has_no_interval() -> None:
    found = scatter(X, Y, np.zeros(60, dtype=np.int64))["correlation"]
    assert np.isnan(found.low)
    assert np.isnan(found.high)
    assert np.isfinite(found.value)


def test_windows_of_one_file_do_not_count_as_independent() -> None:
    copies = scatter(np.tile(X, 9), np.tile(Y, 9), np.tile(np.arange(60), 9))["correlation"]
    alone = scatter(X, Y, np.arange(60))["correlation"]
    careless = scatter(np.tile(X, 9), np.tile(Y, 9), np.arange(540))["correlation"]
    assert copies.high - copies.low == pytest.approx(alone.high - alone.low)
    assert careless.high - careless.low < 0.5 * (alone.high - alone.low)


def test_losses_without_any_relation_correlate_as_both_differences_have_the_same_first_term() -> None:
    short, long, sparse = np.random.default_rng(0).exponential(size=(3, 1500))
    found = scatter(short - sparse, short - long, np.arange(1500))
    assert found["correlation"].low > 0.4
    assert found["explained"].low < 0 < found["correlation"].value - found["explained"].high


def test_a_difference_is_taken_draw_by_draw() -> None:
    one, other = scatter(X, Y, FILES)["explained"], scatter(X + 0.01, Y, FILES)["explained"]
    apart = one.minus(other)
    assert apart.value == pytest.approx(one.value - other.value)
    assert apart.high - apart.low < 0.2 * (one.high - one.low)


def test_random_tokens_of_a_window_do_not_depend_on_the_others() -> None:
    all_at_once = at_random(6, 9, seed=2)
    assert np.array_equal(all_at_once[4:], at_random(2, 9, seed=2, first=4))
    assert all(sorted(row) == list(range(1, 10)) for row in all_at_once.tolist())
    assert not np.array_equal(all_at_once, at_random(6, 9, seed=3))


def test_random_tokens_have_no_negative_seed() -> None:
    with pytest.raises(DiagnosisError, match="a whole number from 0 on, not -1"):
        at_random(2, 9, seed=-1)
