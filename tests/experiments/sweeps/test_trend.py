"""Claims that losses rise or fall with a setting."""

import math

import numpy as np
import pytest

from lengthwise.experiments.sweeps.claims import evaluate
from lengthwise.experiments.sweeps.trend import trend_verdict
from lengthwise.runs.resampling import Resampling
from lengthwise.runs.store.summary import Summary
from tests.experiments.sweeps.made_up import FALLS, FEW, PLATEAU, RISES, measured, sweep


def test_a_plateau_that_falls_with_the_training_length_is_found_falling_and_not_rising() -> None:
    summaries = sweep(lambda n, omega: omega / n)
    falls, rises = evaluate(FALLS, summaries), evaluate(RISES, summaries)
    assert (falls.verdict, rises.verdict) == ("reproduced", "not reproduced")
    assert falls.value == rises.value == -1
    assert falls.low <= falls.value <= falls.high < 0
    assert (falls.cells, falls.seeds) == (12, 8)
    assert "Of 18 pairs of cells that differ in train_length alone, 18 have" in falls.detail


@pytest.mark.parametrize(
    ("low", "high", "rise_by_chance", "fall_by_chance", "rises", "falls"),
    [
        (0.2, 0.8, 0.01, 1.0, "reproduced", "not reproduced"),
        (0.2, 0.8, 0.03, 1.0, "undecided", "undecided"),
        (0.0, 0.8, 0.01, 1.0, "undecided", "not reproduced"),
        (-0.1, 0.8, 0.01, 1.0, "undecided", "undecided"),
        (-0.8, -0.2, 1.0, 0.01, "not reproduced", "reproduced"),
        (-0.8, 0.1, 1.0, 0.01, "undecided", "undecided"),
        (math.nan, math.nan, 0.01, 1.0, "reproduced", "not reproduced"),
        (math.nan, math.nan, 0.2, 0.9, "undecided", "undecided"),
    ],
)
def test_a_verdict_on_a_trend_needs_an_interval_on_one_side_and_more_order_than_chance(
    low: float, high: float, rise_by_chance: float, fall_by_chance: float, rises: str, falls: str
) -> None:
    value = 0.5 if math.isnan(low) else (low + high) / 2
    chances = {1: rise_by_chance, -1: fall_by_chance}
    assert trend_verdict(1, value, low, high, chances) == rises
    assert trend_verdict(-1, value, low, high, chances) == falls


@pytest.mark.parametrize(("seeds", "verdict"), [(2, "undecided"), (3, "not reproduced")])
def test_strata_that_contradict_each_other_speak_against_a_trend_if_there_are_seeds_enough(
    seeds: int, verdict: str
) -> None:
    losses = {(8, 2): 0.1, (16, 2): 0.2, (8, 3): 0.2, (16, 3): 0.1}
    found = evaluate(RISES, [measured([loss] * seeds, n, omega) for (n, omega), loss in losses.items()], resampling=FEW)
    assert (found.low, found.value, found.high, found.verdict) == (0, 0, 0, verdict)


@pytest.mark.parametrize(("seeds", "verdict"), [(5, "undecided"), (6, "reproduced")])
def test_five_seeds_in_all_make_no_interval_that_decides(seeds: int, verdict: str) -> None:
    assert evaluate(PLATEAU, [measured([[0.1] * seeds] * 3)], resampling=FEW).verdict == verdict


def test_two_cells_that_differ_are_told_apart_with_eight_seeds_and_not_with_two() -> None:
    def two_cells(seeds: int) -> list[Summary]:
        return [measured([base + seed / 100 for seed in range(seeds)], n) for n, base in ((8, 0.5), (16, 0.1))]

    few, many = evaluate(FALLS, two_cells(2)), evaluate(FALLS, two_cells(8))
    assert (few.value, few.verdict) == (-1, "undecided")
    assert (many.value, many.verdict) == (-1, "reproduced")


def test_with_one_seed_there_is_no_interval_and_only_a_long_order_is_more_than_chance() -> None:
    short = evaluate(FALLS, sweep(lambda n, omega: omega / n, omegas=(2,), seeds=1))
    long = evaluate(FALLS, sweep(lambda n, omega: omega / n, seeds=1))
    assert (short.value, short.verdict) == (-1, "undecided")
    assert (long.value, long.verdict) == (-1, "reproduced")
    assert math.isnan(long.low)
    assert math.isnan(long.high)
    assert long.as_json()["low"] is None
    assert "one seed only" in long.detail


@pytest.mark.parametrize(("cells", "seeds"), [(2, 3), (2, 8), (5, 1), (5, 3)])
def test_noise_alone_is_seldom_taken_for_a_trend(cells: int, seeds: int) -> None:
    rng = np.random.default_rng(11)
    verdicts = []
    for _ in range(120):
        losses = 1e-3 * np.exp(rng.standard_normal((cells, seeds)))
        losses[rng.random((cells, seeds)) < 0.1] = 0.5
        summaries = [measured(each.tolist(), 2 ** (3 + place)) for place, each in enumerate(losses)]
        verdicts.append(evaluate(RISES, summaries, resampling=Resampling(times=200)).verdict)
    # At most 2.5 % are expected on either side; more than 8 of 120 are so in one case of a hundred.
    assert verdicts.count("reproduced") <= 8
    assert verdicts.count("not reproduced") <= 8


def test_cells_are_compared_only_if_nothing_else_differs() -> None:
    diagonal = [measured([0.1 * n] * 8, n, omega=n) for n in (2, 4, 8)]
    found = evaluate(RISES, diagonal, resampling=FEW)
    assert found.verdict == "undecided"
    assert math.isnan(found.value)
    assert (found.cells, found.seeds) == (0, 0)
    assert found.detail == "No two cells differ in train_length alone."


def test_settings_that_follow_from_others_do_not_keep_cells_apart() -> None:
    rng = np.random.default_rng(0)
    kgram = [
        measured(
            (0.1 * context / n * np.exp(0.1 * rng.standard_normal(8))).tolist(),
            n,
            task="k-gram",
            parameters={"context": context, "alphabet_size": 2},
            model={"heads": context, "layers": 2, "position": "learned"},
        )
        for context in (1, 2, 3)
        for n in (8, 16)
    ]
    assert len({summary.config.settings()["model"]["position_parameters"]["context"] for summary in kgram}) == 2
    rises, falls = evaluate({"kind": "rises", "with": "parameters.context"}, kgram), evaluate(FALLS, kgram)
    assert (rises.value, rises.cells, rises.verdict) == (1, 6, "reproduced")
    assert (falls.value, falls.cells, falls.verdict) == (-1, 6, "reproduced")


def test_a_setting_of_the_model_that_varies_on_its_own_makes_strata() -> None:
    summaries = [
        measured([width / n + seed / 1e4 for seed in range(8)], n, model={"width": width})
        for width in (4, 8)
        for n in (8, 16, 32)
    ]
    assert "Of 6 pairs" in evaluate(FALLS, summaries).detail
    assert "Of 3 pairs" in evaluate({"kind": "rises", "with": "model.width"}, summaries).detail
