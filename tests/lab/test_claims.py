"""Verdicts on claims, from summaries whose losses are made up."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from lengthwise.lab.claims import Finding, evaluate, evaluate_all, table
from lengthwise.lab.collapse import distance
from lengthwise.lab.config import ConfigError, RunConfig
from lengthwise.lab.growth import growth, tail
from lengthwise.lab.linear import exponent
from lengthwise.lab.resampling import Resampling, interval
from lengthwise.lab.run_directory import SeedSummary
from lengthwise.lab.settings import Values
from lengthwise.lab.summary import AtLength, Summary
from lengthwise.lab.trend import trend_verdict

FEW = Resampling(times=300)
TRAIN_LENGTHS = (8, 16, 32, 64)
FALLS = {"kind": "falls", "with": "train_length"}
RISES = {"kind": "rises", "with": "train_length"}
PLATEAU = {"kind": "plateau"}
LINEAR = {"kind": "linear", "with": "parameters.omega", "loss": 1e-2}
COLLAPSE = {"kind": "collapse", "with": "parameters.omega"}


def measured(losses: Sequence[Any], n: int = 8, omega: float = 2, **settings: Any) -> Summary:
    """A config with the losses of its seeds, at one test length or, for a list of lists, at 8N, 16N, …."""
    by_length = [list(at) for at in losses] if losses and isinstance(losses[0], list | np.ndarray) else [list(losses)]
    seeds = len(by_length[0])
    task = {"task": "simple-task", "parameters": {"omega": omega}}
    lengths = [2 ** (3 + place) * n for place in range(len(by_length))]
    config = RunConfig(**{**task, "train_length": n, "test_lengths": lengths, "seeds": max(seeds, 1), **settings})
    return Summary(
        config,
        ("0123456789abcdef",) if seeds else (),
        tuple(SeedSummary(seed, 100, "loss", 1e-5) for seed in range(seeds)),
        tuple(AtLength(at, tuple(found), None, 8) for at, found in zip(config.test_lengths, by_length, strict=True))
        if seeds
        else (),
    )


def sweep(
    loss: Callable[[float, float], float],
    omegas: Sequence[float] = (2, 3, 4),
    seeds: int = 8,
    noise: float = 0.1,
    train_lengths: Sequence[int] = TRAIN_LENGTHS,
) -> list[Summary]:
    """Configs whose losses scatter around a function of N and ω."""
    rng = np.random.default_rng(7)
    return [
        measured((loss(n, omega) * np.exp(noise * rng.standard_normal(seeds))).tolist(), n, omega)
        for n in train_lengths
        for omega in omegas
    ]


def test_a_plateau_that_falls_with_the_training_length_is_found_falling_and_not_rising() -> None:
    summaries = sweep(lambda n, omega: omega / n)
    falls, rises = evaluate(FALLS, summaries), evaluate(RISES, summaries)
    assert (falls.verdict, rises.verdict) == ("reproduced", "not reproduced")
    assert falls.value == rises.value == -1
    assert falls.low <= falls.value <= falls.high < 0
    assert (falls.cells, falls.seeds) == (12, 8)
    assert "Of 18 pairs of cells that differ in train_length alone, 18 have" in falls.detail


def test_the_plateau_is_the_loss_at_the_longest_test_length() -> None:
    summaries = [measured([[1 / n] * 8, [float(n)] * 8], n) for n in TRAIN_LENGTHS]
    assert evaluate(RISES, summaries).value == 1


def test_one_stuck_seed_moves_means_and_not_medians() -> None:
    losses = {n: [(1 + seed / 100) / n**2 for seed in range(8)] for n in TRAIN_LENGTHS}
    losses[64][3] = 0.5
    summaries = [measured(each, n) for n, each in losses.items()]
    falls, rises = evaluate(FALLS, summaries), evaluate(RISES, summaries)
    assert (falls.value, falls.verdict, rises.verdict) == (-1, "reproduced", "not reproduced")
    # The cell with the stuck seed has the highest mean: three pairs of six are the wrong way round.
    for found in (falls, rises):
        assert [(each.statistic, each.low, each.value, each.high) for each in found.others] == [("τ, means", -1, 0, 0)]
    assert (falls.others[0].verdict, rises.others[0].verdict) == ("undecided", "not reproduced")


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


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_seeds_that_diverged_are_infinitely_bad_and_named(bad: float) -> None:
    losses: dict[int, list[float]] = {n: [1.0 / n + seed / 1000 for seed in range(8)] for n in (8, 16, 32)}
    losses[8][:2] = [bad, bad]
    found = evaluate(FALLS, [measured(each, n) for n, each in losses.items()])
    assert (found.value, found.verdict) == (-1, "reproduced")
    assert found.others[0].value == -1
    assert "Of 24 seeds, 2 diverged and count as infinitely bad." in found.detail
    losses[32] = [bad] * 8
    assert evaluate(FALLS, [measured(each, n) for n, each in losses.items()]).value == pytest.approx(1 / 3)


@pytest.mark.parametrize("claim", [PLATEAU, FALLS, LINEAR, COLLAPSE])
def test_no_claim_is_reproduced_by_seeds_that_all_diverged(claim: Mapping[str, Any]) -> None:
    summaries = [measured([[math.nan] * 8] * 3, n, omega) for n in TRAIN_LENGTHS for omega in (2, 4)]
    found = evaluate(claim, summaries, resampling=FEW)
    assert found.verdict == ("undecided" if claim["kind"] in ("linear", "collapse") else "not reproduced")
    assert "64 diverged" in found.detail


@pytest.mark.parametrize("claim", [PLATEAU, FALLS, LINEAR, COLLAPSE])
def test_one_seed_that_diverged_in_one_cell_leaves_verdicts_by_medians_as_they_are(claim: Mapping[str, Any]) -> None:
    rng = np.random.default_rng(5)
    summaries = []
    for n in TRAIN_LENGTHS:
        for omega in (2, 4):
            losses = np.outer(np.ones(3), (omega / n) ** 2 / 4 * np.exp(0.05 * rng.standard_normal(8)))
            losses[:, 0] = math.nan if (n, omega) == (16, 2) else losses[:, 0]
            summaries.append(measured(losses.tolist(), n, omega))
    found = evaluate(claim, summaries)
    assert found.verdict == "reproduced"
    assert "1 diverged" in found.detail


def test_constant_losses_neither_rise_nor_fall_but_are_flat() -> None:
    summaries = [measured([[0.5] * 8] * 3, n, omega) for n in TRAIN_LENGTHS for omega in (2, 4)]
    found = {claim["kind"]: evaluate(claim, summaries, resampling=FEW) for claim in (RISES, FALLS, PLATEAU)}
    assert {kind: (each.value, each.low, each.high, each.verdict) for kind, each in found.items()} == {
        "rises": (0, 0, 0, "not reproduced"),
        "falls": (0, 0, 0, "not reproduced"),
        "plateau": (0, 0, 0, "reproduced"),
    }
    assert evaluate(COLLAPSE, summaries, resampling=FEW).verdict == "undecided"
    linear = evaluate(LINEAR, summaries, resampling=FEW)
    assert linear.verdict == "undecided"
    assert math.isnan(linear.value)
    assert "none is bracketed; not bracketed and left out: 2: > 64, 4: > 64" in linear.detail


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


@pytest.mark.parametrize("claim", [PLATEAU, LINEAR, COLLAPSE])
@pytest.mark.parametrize("seeds", [1, 2])
def test_other_claims_stay_undecided_with_fewer_than_three_seeds(claim: Mapping[str, Any], seeds: int) -> None:
    summaries = [measured([[(omega / n) ** 2] * seeds] * 3, n, omega) for n in TRAIN_LENGTHS for omega in (2, 4)]
    found = evaluate(claim, summaries, resampling=FEW)
    assert math.isfinite(found.value) or found.value == -math.inf
    assert found.verdict == "undecided"
    assert ("one seed only" if seeds == 1 else "too few seeds") in found.detail
    assert math.isnan(found.low) == math.isnan(found.high) == (seeds == 1)


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


def test_of_configs_that_differ_in_seeds_alone_the_one_with_the_most_seeds_counts() -> None:
    summaries = [measured([0.5] * 2, 8), measured([0.2 + seed / 100 for seed in range(8)], 8), measured([0.1] * 8, 16)]
    for given in (summaries, summaries[::-1]):
        found = evaluate(FALLS, given)
        assert (found.cells, found.seeds) == (2, 8)


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


def test_a_claim_may_be_about_a_part_of_the_configs() -> None:
    summaries = sweep(lambda n, omega: omega / n if omega == 2 else n / 100)
    nested = Values({**FALLS, "where": Values({"parameters": {"omega": 2}})})
    dotted = {**RISES, "where": {"parameters.omega": 3.0}}
    assert [evaluate(claim, summaries).verdict for claim in (nested, dotted)] == ["reproduced", "reproduced"]
    nowhere = evaluate({**FALLS, "where": {"parameters.omega": 7}}, summaries)
    assert (nowhere.verdict, nowhere.detail) == ("undecided", "No config has parameters.omega = 7.")


def test_configs_without_results_are_counted_and_passed_over() -> None:
    summaries = [*sweep(lambda n, omega: omega / n), measured([], 128)]
    found = evaluate(FALLS, summaries)
    assert (found.cells, found.verdict) == (12, "reproduced")
    assert found.detail.endswith("Of 13 configs, 1 have no results yet.")
    nothing = evaluate(FALLS, [measured([], 8), measured([], 16)])
    assert (nothing.verdict, nothing.detail) == ("undecided", "None of 2 configs has results yet.")
    assert evaluate(PLATEAU, []).verdict == "undecided"


def test_claims_of_a_figure_are_about_the_first_sweep_or_the_one_they_name() -> None:
    sweeps = {"falling": sweep(lambda n, omega: omega / n), "rising": sweep(lambda n, omega: omega * n)}
    found = evaluate_all([FALLS, {**FALLS, "sweep": "rising"}], sweeps)
    assert [each.verdict for each in found] == ["reproduced", "not reproduced"]


def test_a_kind_that_is_judged_elsewhere_gets_its_claim_and_its_configs() -> None:
    def judge(claim: Mapping[str, Any], summaries: Sequence[Summary]) -> Finding:
        return Finding("", claim["kind"], "share", 1.0, 1.0, 1.0, "reproduced", "", len(summaries), claim["length"])

    summaries = sweep(lambda n, omega: 1.0)
    claim = {"kind": "uniform-attention", "length": 80, "where": {"train_length": 8}}
    found = evaluate(claim, summaries, {"uniform-attention": judge})
    assert (found.cells, found.seeds) == (3, 80)


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ({"text": "?"}, "claim 1: a claim has a 'kind', one of plateau, rises, falls, linear, collapse"),
        ({"kind": "drops"}, "better; got 'drops'"),
        ({"kind": ["rises"]}, "got ['rises']"),
        ({"kind": "rises"}, "a claim of the kind 'rises' needs 'with'"),
        ({**FALLS, "wiht": "x"}, "a claim of the kind 'falls' has no 'wiht'; did you mean with?"),
        ({"kind": "linear", "with": "parameters.omega"}, "a claim of the kind 'linear' needs 'loss'"),
        ({**LINEAR, "loss": 0}, "'loss' of a claim is a positive number, got 0"),
        ({**LINEAR, "loss": "low"}, "'loss' of a claim is a positive number, got 'low'"),
        ({**LINEAR, "with": "train_length"}, "sets the training length against another setting"),
        ({"kind": "rises", "with": 3}, "'with' of a claim is the name of a setting, got 3"),
        ({"kind": "rises", "with": "parameters.omga"}, "no setting 'parameters.omga'; did you mean parameters.omega?"),
        ({"kind": "rises", "with": "seeds"}, "has no setting 'seeds'"),
        ({"kind": "rises", "with": "model.activation"}, "compares numbers, but the setting 'model.activation'"),
        ({"kind": "collapse", "with": "model.layer_norm"}, "N=8 is False"),
        ({**LINEAR, "with": "model.head_width"}, "an exponent needs positive settings, but model.head_width has 0"),
        ({**COLLAPSE, "with": "model.head_width"}, "in units of positive settings, but model.head_width has 0"),
        ({**FALLS, "where": {"parameters.period": 2}}, "N=8 has no setting 'parameters.period'"),
        ({**FALLS, "where": "omega"}, "'where' of a claim gives settings their values, got 'omega'"),
        ({**FALLS, "sweep": "wied"}, "there is no sweep 'wied'; did you mean wide?"),
    ],
)
def test_a_claim_with_a_mistake_is_refused_in_one_sentence(claim: Mapping[str, Any], message: str) -> None:
    summaries = sweep(lambda n, omega: 0.1, omegas=(2,))
    with pytest.raises(ConfigError) as problem:
        evaluate_all([claim], {"wide": summaries}, resampling=FEW)
    assert message in str(problem.value)
    assert str(problem.value).startswith("claim 1: ")
    assert "\n" not in str(problem.value)


def test_findings_are_plain_data_and_a_table_with_straight_columns() -> None:
    summaries = sweep(lambda n, omega: omega / n)
    claims: list[Mapping[str, Any]] = [
        {**FALLS, "text": "It falls."},
        {"kind": "rises", "with": "parameters.omega"},
        LINEAR,
    ]
    findings = evaluate_all(claims, {"": summaries})
    data = json.loads(json.dumps([finding.as_json() for finding in findings], allow_nan=False))
    assert [each["verdict"] for each in data] == [finding.verdict for finding in findings]
    assert data[0]["others"][0]["statistic"] == "τ, means"
    lines = table(findings).splitlines()
    assert [line for line in lines if not line.startswith("  ")] == [
        "It falls.",
        "The plateau rises with parameters.omega.",
        "The training length needed for a loss of 0.01 is proportional to parameters.omega.",
    ]
    rows = [line for line in lines if line.startswith("  ")]
    assert len(rows) == 1 + 2 * len(findings)
    assert "reproduced" in rows[1]
    assert "-1.00  [-1.00, -1.00]" in rows[1]
    assert {row.index("τ") for row in rows if "τ" in row} == {rows[0].index("statistic")}
    assert all(len(row) == len(rows[0]) for row in rows)


def test_an_empty_table_is_its_header() -> None:
    assert table([]) == "  verdict  statistic  value  95 % interval  cells  seeds"
