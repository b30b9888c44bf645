import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lengthwise.experiments.sweeps.trend import comparable_pairs, rank_correlation

UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
LOSSES = st.sampled_from([0.0, 1e-5, 0.1, 0.1000001, 0.5, math.inf])
CELLS = st.lists(st.tuples(LOSSES, st.integers(-2, 3), st.sampled_from("ab")), max_size=9)


def by_definition(cells: list[tuple[float, int, str]]) -> Fraction | None:
    """Concordant minus discordant pairs, over all pairs of a stratum that differ in the setting."""
    score = count = 0
    for first in range(len(cells)):
        for second in range(first):
            (loss, setting, stratum), (other_loss, other_setting, other_stratum) = cells[first], cells[second]
            if stratum != other_stratum or setting == other_setting:
                continue
            count += 1
            if loss != other_loss:
                score += 1 if (loss > other_loss) == (setting > other_setting) else -1
    return Fraction(score, count) if count else None


def correlation(cells: list[tuple[float, int, str]]) -> float:
    losses, settings, strata = zip(*cells, strict=True) if cells else ((), (), ())
    return float(rank_correlation(np.array(losses), settings, strata))


@UNHURRIED
@given(CELLS)
def test_it_is_the_share_of_concordant_pairs_minus_that_of_discordant_ones(cells: list[tuple[float, int, str]]) -> None:
    expected, found = by_definition(cells), correlation(cells)
    assert math.isnan(found) if expected is None else found == pytest.approx(float(expected))


@UNHURRIED
@given(CELLS)
def test_only_the_order_of_losses_and_settings_matters(cells: list[tuple[float, int, str]]) -> None:
    before = correlation(cells)
    after = correlation([(math.atan(loss), setting**3, stratum) for loss, setting, stratum in cells])
    backwards = correlation([(loss, -setting, stratum) for loss, setting, stratum in cells])
    assert after == pytest.approx(before, nan_ok=True)
    assert backwards == pytest.approx(-before, nan_ok=True)


def test_a_loss_that_rises_in_every_stratum_has_correlation_one_whatever_the_strata_differ_by() -> None:
    # Taken together, losses fall with the setting: the stratum with the low ones has the high settings.
    cells = [(0.5, 1, "hard"), (0.6, 2, "hard"), (0.001, 3, "easy"), (0.002, 4, "easy")]
    assert correlation(cells) == 1
    assert correlation([(loss, setting, "all") for loss, setting, _ in cells]) < 0


def test_constant_losses_are_not_correlated() -> None:
    assert correlation([(0.1, setting, "a") for setting in range(5)]) == 0


def test_two_cells_that_diverged_are_equally_bad_and_worse_than_any_other() -> None:
    assert correlation([(math.inf, 1, "a"), (math.inf, 2, "a")]) == 0
    assert correlation([(1e300, 1, "a"), (math.inf, 2, "a")]) == 1


def test_many_rows_of_losses_are_correlated_each_on_its_own() -> None:
    rng = np.random.default_rng(3)
    losses, settings, strata = rng.integers(4, size=(5, 6, 7)) / 4, [1, 1, 2, 3, 3, 4, 5], list("abababa")
    together = rank_correlation(losses, settings, strata)
    assert together.shape == (5, 6)
    assert all(
        together[row, column]
        == pytest.approx(correlation(list(zip(losses[row, column], settings, strata, strict=True))))
        for row in range(5)
        for column in range(6)
    )


def test_pairs_begin_with_the_lower_setting() -> None:
    lower, higher = comparable_pairs([3, 1, 2, 1], ["a", "a", "b", "a"])
    assert sorted(zip(lower.tolist(), higher.tolist(), strict=True)) == [(1, 0), (3, 0)]
