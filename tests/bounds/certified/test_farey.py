"""The one-dimensional cover, against fractions listed one by one."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.bounds.certified import simplex_cover
from lengthwise.bounds.certified.axis import CoordinateAxis, Intervals, ValueAxis, axis_of, coordinate
from lengthwise.bounds.certified.farey import cover_line, is_one_dimensional, lowest_terms, simplest_between
from lengthwise.bounds.certified.situation_list import enumerate_situations
from lengthwise.bounds.certified.situations import Situation
from lengthwise.limit.constructions import mod_p_task, simple_task
from tests.bounds import stand_in_oracle as oracle


def of_simple_task(omega: float, suffix: int, sensitivity: float | None = None) -> Situation:
    situations = enumerate_situations([simple_task(omega).model], sensitivity)
    (found,) = (each for each in situations if each.suffix == (suffix,) and len(each.kinds) == 2)
    return found


def farey(order: int) -> set[Fraction]:
    return {Fraction(above, below) for below in range(1, order + 1) for above in range(below + 1)}


@pytest.mark.parametrize("order", [1, 2, 5, 12])
def test_words_with_n_attended_keys_have_the_farey_fractions_of_order_n_for_shares(order: int) -> None:
    situation = of_simple_task(2.0, suffix=2)
    counts, rows = lowest_terms(situation, *situation.counts_within(order))
    found = {Fraction(zeros, zeros + ones) for zeros, ones in counts.tolist()}
    assert found == farey(order)
    assert len(counts) == len(found)
    assert [Fraction(zeros, zeros + ones).denominator for zeros, ones in counts.tolist()] == rows.tolist()


def test_a_word_that_ends_in_0_cannot_have_share_0() -> None:
    situation = of_simple_task(2.0, suffix=0)
    counts, rows = lowest_terms(situation, *situation.counts_within(6))
    shares = [Fraction(zeros + 1, zeros + 1 + ones) for zeros, ones in counts.tolist()]
    assert set(shares) == farey(7) - {Fraction(0)}
    assert all(situation.length(row) == share.denominator for share, row in zip(shares, rows.tolist(), strict=True))


@settings(max_examples=50)
@given(st.fractions(0, 3, max_denominator=60), st.fractions(0, 1, max_denominator=60))
def test_the_simplest_fraction_in_an_interval_is_found(low: Fraction, width: Fraction) -> None:
    found = simplest_between(low, low + width)
    assert low <= found <= low + width
    denominators = range(1, found.denominator)
    assert not any(math.ceil(low * below) <= (low + width) * below for below in denominators)


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(-3, 23), st.integers(0, 9), st.integers(1, 6)), max_size=25))
def test_the_least_number_of_rows_whose_intervals_cover_a_line_is_found(drawn: list[tuple[int, int, int]]) -> None:
    starts, widths, rows = (
        (np.array(column) for column in zip(*drawn, strict=True)) if drawn else (np.zeros(0, int),) * 3
    )
    found = Intervals(starts.astype(float), (starts + widths).astype(float), rows, 0.0, 20.0).covering_rows()
    points = [half / 2 for half in range(41)]  # ends of intervals are whole numbers
    enough = [
        limit
        for limit in range(1, 7)
        if all(any(row <= limit and start <= at <= start + width for start, width, row in drawn) for at in points)
    ]
    assert found == min(enough, default=None)


@pytest.mark.parametrize(("omega", "epsilon"), [(1.0, 0.1), (2.0, 0.2), (3.0, 0.1), (4.0, 0.1), (5.5, 0.25)])
def test_simple_task_needs_what_a_grid_of_shares_needs(omega: float, epsilon: float) -> None:
    """Values of the interpolated sine at all shares of words up to a length, and at a fine grid of shares."""
    knots = np.linspace(-1, 1, 65)

    def value(share: Fraction) -> float:
        return float(np.interp(float(2 * share - 1), knots, np.sin(omega * knots)))

    grid = np.array([value(Fraction(above, 4001)) for above in range(1, 4001)])

    def suffices(fractions: set[Fraction]) -> bool:
        found = np.sort([value(share) for share in fractions])
        right = np.clip(np.searchsorted(found, grid), 0, len(found) - 1)
        left = np.clip(right - 1, 0, None)
        return bool((np.minimum(np.abs(found[left] - grid), np.abs(found[right] - grid)) <= epsilon).all())

    # The last symbol is attended, and keeps shares from one end of the line, or it is not.
    for suffix, keys, excluded in ((0, 0, 0), (1, 0, 1), (2, 1, -1)):
        fractions = ((length, farey(length - keys) - {Fraction(excluded)}) for length in itertools.count(2))
        expected = next(length for length, allowed in fractions if suffices(allowed))
        found = cover_line(of_simple_task(omega, suffix), Fraction(str(epsilon)), at_least=1)
        assert (found.length, found.at_least) == (expected, expected)


@pytest.mark.parametrize("suffix", [0, 1, 2])
@pytest.mark.parametrize("steps", [3, 7, 20])
def test_keeping_a_share_within_one_nth_takes_n_keys_where_a_hit_excludes_an_end_and_half_of_that_else(
    suffix: int, steps: int
) -> None:
    situation = of_simple_task(2.0, suffix, sensitivity=10.0)
    found = cover_line(situation, Fraction(10, steps), at_least=1)
    # From 0 to 1/n, or half-way to it from both ends; the last 2 is no key.
    assert found.length == (steps if suffix < 2 else math.ceil(steps / 2) + 1)


def test_each_word_that_is_named_as_the_worst_needs_the_length() -> None:
    for sensitivity in (None, 6.0):
        for suffix in (0, 1, 2):
            situation = of_simple_task(3.0, suffix, sensitivity)
            found = cover_line(situation, 0.07, at_least=1)
            assert found.worst is not None
            shorter, _ = situation.counts_within(situation.rows_within(found.length - 1))
            own = situation.shares(np.array([found.worst]))
            for each in situation.maps:
                assert each.distance(each(situation.shares(shorter)), each(own)).min() > 0.07


def test_a_search_that_is_cut_short_gives_bounds_on_both_sides() -> None:
    situation = of_simple_task(3.0, 2)
    exact = cover_line(situation, 0.03, at_least=1)
    cut = cover_line(situation, 0.03, at_least=1, longest=20)
    assert cut.at_least == 21 <= exact.length < cut.length


def situations_on_a_line() -> list[Situation]:
    found = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        model = oracle.random_model(rng, symbols=2, period=1 + seed % 3, window=seed % 2, outputs=1 + seed % 2)
        for sensitivity in (None, 0.5):
            found += [
                each for each in enumerate_situations([model], sensitivity) if each.maps and is_one_dimensional(each)
            ]
    return found


@pytest.mark.parametrize("by_corners", [False, True])
def test_on_a_line_the_general_search_finds_the_same_length(by_corners: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if by_corners:
        monkeypatch.setattr(simplex_cover, "axis_of", lambda situation: None)
    compared = 0
    for situation in situations_on_a_line()[::7]:
        epsilon = max(each.steepness(situation.shares_groups) for each in situation.maps) / 9.3
        line = cover_line(situation, epsilon, at_least=1)
        region = simplex_cover.cover_region(situation, epsilon, 1, 10**6, math.inf)
        assert (region.length, region.at_least) == (line.length, line.length)
        compared += line.length > situation.length(1)
    assert compared > 5


def test_an_axis_decides_which_words_are_within_reach() -> None:
    rng = np.random.default_rng(0)
    for situation in situations_on_a_line()[::11]:
        axis, weights = axis_of(situation), coordinate(situation)
        assert axis is not None
        assert weights is not None
        parts = rng.dirichlet(np.ones(len(situation.kinds)), size=30)
        for each in (axis, CoordinateAxis.of(situation.maps, situation.shares_groups, weights)):
            reach = each.reach(parts[:10], np.arange(10), 0.3)
            for place, at in zip(parts, each.position(parts), strict=True):
                inside = set(reach.rows[(reach.starts <= at) & (at <= reach.ends)].tolist())
                apart = np.max([m.distance(m(parts[:10]), m(place)) for m in situation.maps], axis=0)
                assert inside == set(np.flatnonzero(apart <= 0.3).tolist())


def test_a_single_output_is_its_own_axis() -> None:
    (situation, *_) = (each for each in enumerate_situations([mod_p_task(3, 0).model]) if each.maps)
    assert isinstance(axis_of(situation), ValueAxis)
