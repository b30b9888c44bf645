"""The general cover, against all counts up to a length, evaluated word by word."""

import math
import time

import numpy as np
import numpy.typing as npt
import pytest

from lengthwise.bounds.certified.cells import Cell
from lengthwise.bounds.certified.charts import Chart, ColumnChart, chart_for
from lengthwise.bounds.certified.feasibility import nonnegative_solution
from lengthwise.bounds.certified.sets_chart import SetsChart
from lengthwise.bounds.certified.simplex_cover import cover_region
from lengthwise.bounds.certified.situation_list import enumerate_situations
from lengthwise.bounds.certified.situations import Situation
from lengthwise.bounds.certified.sure_length import UNKNOWN, sure_length
from lengthwise.bounds.theorems.count_evaluation import evaluate_counts
from lengthwise.limit import LimitTransformer
from tests.bounds import stand_in_oracle as oracle


def models(seed: int, count: int, symbols: int = 3) -> list[LimitTransformer]:
    rng = np.random.default_rng(seed)
    period, window, outputs = 1 + seed % 2, seed % 3, 1 + seed // 2 % 2
    return [
        oracle.random_model(rng, symbols=symbols, period=period, window=window, outputs=outputs) for _ in range(count)
    ]


def regions(seeds: range, count: int = 1, symbols: int = 3) -> list[tuple[list[LimitTransformer], Situation]]:
    """Situations with a chart, and the models they are of."""
    found = []
    for seed in seeds:
        owners = models(seed, count, symbols)
        situations = [each for each in enumerate_situations(owners) if each.maps and len(each.kinds) > 1]
        found += [(owners, each) for each in situations if chart_for(each) is not None]
    return found


def distances(
    owners: list[LimitTransformer], situation: Situation, rows: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """How far apart words of at most so many rows are, each evaluated from its counts, and how long they are."""
    counts, _ = situation.counts_within(rows)
    words = [situation.word(each) for each in counts]
    apart = np.zeros((len(words), len(words)))
    for model in owners:
        outputs = np.array([evaluate_counts(model, word) for word in words])
        apart = np.maximum(apart, np.linalg.norm(outputs[:, None] - outputs[None], axis=-1))
    return apart, np.array([word.length for word in words])


def check(
    owners: list[LimitTransformer], situation: Situation, epsilon: float, rows: int, seconds: float = 600.0
) -> bool:
    """Compare with all words of at most so many rows; whether the worst word was among them, too."""
    found = cover_region(situation, epsilon, 1, 10**4, time.monotonic() + seconds)
    apart, lengths = distances(owners, situation, rows)
    within = apart <= epsilon * (1 + 1e-8)
    needed = np.where(within, lengths[None], 10**9).min(axis=1)
    assert needed.max() <= found.length
    if found.worst is not None and situation.rows_within(found.at_least) <= rows:
        own = [evaluate_counts(model, situation.word(np.array(found.worst))) for model in owners]
        counts, _ = situation.counts_within(situation.rows_within(found.at_least - 1))
        for each in counts:
            others = [evaluate_counts(model, situation.word(each)) for model in owners]
            assert max(np.linalg.norm(a - b) for a, b in zip(own, others, strict=True)) > epsilon * (1 - 1e-8)
    return found.length == found.at_least and found.worst is not None


def scale(situation: Situation) -> float:
    return max(each.steepness(situation.shares_groups) for each in situation.maps)


def test_one_head_over_three_symbols_is_covered_by_what_is_found_and_by_nothing_shorter() -> None:
    cases = [case for case in regions(range(18)) if len(case[1].kinds) < 6]
    exact = [check(*case, epsilon=scale(case[1]) / 5.3, rows=3) for case in cases[::2]]
    assert len(exact) > 8
    assert all(exact)


@pytest.mark.slow
def test_one_head_over_three_symbols_is_covered_many_times() -> None:
    exact = [check(*case, epsilon=scale(case[1]) / 6.3, rows=4, seconds=5) for case in regions(range(30))]
    assert sum(exact) > len(exact) / 2


def test_two_models_at_once_are_covered_by_what_is_found_and_by_nothing_shorter() -> None:
    cases = [case for case in regions(range(16), count=2, symbols=2) if len(case[1].sets) == 2]
    exact = [check(*case, epsilon=scale(case[1]) / 4.3, rows=4) for case in cases if not case[1].is_tied]
    assert len(exact) > 5
    assert all(exact)


@pytest.mark.slow
def test_two_models_at_once_are_covered_many_times() -> None:
    cases = [case for case in regions(range(30), count=2, symbols=2) if len(case[1].sets) == 2]
    exact = [check(*case, epsilon=scale(case[1]) / 5.3, rows=5, seconds=5) for case in cases]
    assert sum(exact) > len(exact) / 2


def random_cell(chart: Chart, rng: np.random.Generator) -> Cell:
    """The whole region with random edges halved."""
    cell = list(chart.whole(3))
    for _ in range(12):
        place = int(rng.integers(len(cell)))
        if len(cell[place]) > 1:
            one, other = rng.choice(len(cell[place]), 2, replace=False)
            simplex = cell[place].copy()
            simplex[one] = (simplex[one] + simplex[other]) / 2
            cell[place] = simplex
    return tuple(cell)


def test_outputs_in_a_cell_are_no_farther_from_a_stand_in_than_corners_and_bends_allow() -> None:
    rng = np.random.default_rng(0)
    kinds: set[type] = set()
    for _, situation in [*regions(range(12))[::4], *regions(range(12), count=2, symbols=2)[::5]]:
        chart = chart_for(situation)
        assert chart is not None
        kinds.add(type(chart))
        cell = random_cell(chart, rng)
        corners = chart.corners(cell)
        counts, _ = situation.counts_within(1)
        for _ in range(20):
            point = tuple(rng.dirichlet(np.full(len(simplex), 0.5)) @ simplex for simplex in cell)
            shares = chart.corners(tuple(part[None] for part in point))[0]
            for each in situation.maps:
                stand_ins = each(situation.shares(counts))
                allowed = each.distance(each(corners)[:, None], stand_ins[None]).max(axis=0) + each.bending(corners)
                assert (each.distance(each(shares[None]), stand_ins) <= allowed + 1e-12).all()
    assert kinds == {ColumnChart, SetsChart}


def test_every_word_is_in_the_whole_region_of_its_chart_and_its_shares_in_the_hull_of_the_corners() -> None:
    for _, situation in regions(range(12), count=2, symbols=2)[::4]:
        chart = chart_for(situation)
        assert chart is not None
        whole = chart.settled(chart.whole(0))
        assert whole is not None
        low, high = chart.corners(whole).min(axis=0), chart.corners(whole).max(axis=0)
        counts, rows = situation.counts_within(4)
        shares = situation.shares(counts[(rows > 0) & (counts.sum(axis=1) > 0)])
        assert (shares >= low - 1e-12).all()
        assert (shares <= high + 1e-12).all()


def test_the_length_that_surely_suffices_does() -> None:
    checked = 0
    for owners, situation in [*regions(range(12))[::6], *regions(range(8), count=2, symbols=2)[::4]]:
        epsilon = scale(situation)
        certain = sure_length(situation, epsilon)
        rows = situation.rows_within(certain)
        if certain < UNKNOWN and situation.how_many(rows + 2) < 700:
            apart, lengths = distances(owners, situation, rows + 2)
            assert (np.where(apart <= epsilon * (1 + 1e-9), lengths[None], 10**9).min(axis=1) <= certain).all()
            checked += 1
    assert checked > 5


def test_without_time_the_length_is_the_one_that_surely_suffices() -> None:
    for _, situation in [case for case in regions(range(6)) if len(case[1].kinds) < 5]:
        epsilon = scale(situation) / 4.3
        found = cover_region(situation, epsilon, 1, 10**4, deadline=-math.inf)
        assert found.length == max(1, sure_length(situation, epsilon))
        exact = cover_region(situation, epsilon, 1, 10**4, deadline=time.monotonic() + 5)
        assert found.at_least <= exact.at_least <= exact.length <= found.length


def test_linear_conditions_are_solved_if_they_can_be() -> None:
    rng = np.random.default_rng(0)

    def whole(*shape: int) -> npt.NDArray[np.float64]:
        return rng.integers(-2, 3, shape).astype(np.float64)

    for _ in range(200):
        unknowns, equal, at_most = (int(rng.integers(least, least + 5)) for least in (1, 0, 0))
        point, first, second = (
            np.maximum(rng.normal(size=unknowns), 0.0),
            whole(equal, unknowns),
            whole(at_most, unknowns),
        )
        targets, limits = first @ point, second @ point + rng.random(at_most)
        found = nonnegative_solution(first, targets, second, limits)
        assert found is not None
        assert (found >= -1e-9).all()
        np.testing.assert_allclose(first @ found, targets, atol=1e-8)
        assert (second @ found <= limits + 1e-8).all()
        # What no x >= 0 can do: a combination of the equations that is not negative on the left but on the right.
        contradiction = np.abs(whole(1, unknowns))
        together = np.concatenate([first, contradiction - first.sum(axis=0)])
        assert nonnegative_solution(together, np.append(targets, -1.0 - targets.sum()), second, limits) is None
