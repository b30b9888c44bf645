import math
from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest

from lengthwise.experiments.probes import (
    Critical,
    Curve,
    Outcomes,
    ProbeError,
    Success,
    critical,
    scaling,
    successes,
    transition,
    transitions,
)
from lengthwise.experiments.probes.critical import monotone
from lengthwise.runs.resampling import Resampling
from tests.experiments.probes.pretended import result, shares, synthetic

FEW = Resampling(times=400)


def test_success_is_counted_by_context_and_size_and_seeds_are_put_together() -> None:
    results = [
        result(20, 30, [True, False]),
        result(10, 30, [False] * 4),
        result(20, 10, [False, False]),
        result(20, 30, [True, True], seed=1),
    ]
    found = [(each.context, each.samples, each.successes, each.trials) for each in successes(results)]
    assert found == [(10, 30, 0, 4), (20, 10, 0, 2), (20, 30, 3, 4)]


def test_cells_of_different_functions_are_not_compared() -> None:
    with pytest.raises(ProbeError, match="alone"):
        successes([result(10, 5, [True]), result(10, 5, [True], function="or-3")])


def test_wilsons_interval_solves_its_quadratic_equation() -> None:
    for count in (0, 1, 10, 25, 50):
        found = Success(100, 50, 50, count)
        for end in found.interval:
            # (p̂ - p)² = z² p (1 - p) / n at both ends.
            assert (count / 50 - end) ** 2 == pytest.approx(1.96**2 * end * (1 - end) / 50, rel=1e-3, abs=1e-9)
    assert Success(100, 50, 50, 25).standard_error == pytest.approx(0.5 / math.sqrt(50))


def test_the_smallest_size_is_the_first_with_more_than_half_of_the_trials() -> None:
    (found,) = critical(shares(100, {10: 0.0, 20: 0.5, 30: 0.6, 40: 0.4, 50: 1.0}), resampling=FEW)
    assert found.size == 30
    assert 20 <= found.low <= 30 <= found.high <= 50


def test_the_crossing_is_on_the_line_between_two_sizes() -> None:
    (found,) = critical(shares(100, {10: 0.0, 20: 0.2, 40: 0.7, 60: 1.0}), "crossing", FEW)
    assert found.size == pytest.approx(20 + 20 * 0.3 / 0.5)


def test_sizes_out_of_order_are_averaged_before_they_cross() -> None:
    (found,) = critical(shares(100, {10: 0.0, 20: 0.6, 30: 0.2, 40: 1.0}), "crossing", FEW)
    # The pool of 20 and 30 is at 0.4, and the line from there to 1 at 40 crosses after a sixth of the way.
    assert found.size == pytest.approx(30 + 10 / 6)


def test_the_monotone_fit_is_the_best_there_is() -> None:
    rng = np.random.default_rng(0)
    levels = np.linspace(0, 1, 11)
    for _ in range(20):
        heights, weights = rng.integers(0, 11, 4) / 10, rng.integers(1, 4, 4).astype(float)
        fitted = monotone(heights, weights)
        assert (np.diff(fitted) >= 0).all()
        own = (weights * (fitted - heights) ** 2).sum()
        rising = (np.array(each) for each in product(levels, repeat=4) if list(each) == sorted(each))
        assert own <= min((weights * (each - heights) ** 2).sum() for each in rising) + 1e-12


def test_sizes_beyond_those_tried_are_not_made_up() -> None:
    enough, never = critical(shares(10, {10: 0.9, 20: 1.0}) + shares(20, {10: 0.0, 20: 0.1}), resampling=FEW)
    assert (enough.size, never.size) == (-math.inf, math.inf)
    assert (str(enough), str(never)) == ("≤ 10", "> 20")
    assert not enough.known
    assert math.isnan(never.standard_error)


def test_an_interval_that_goes_beyond_the_sizes_tried_says_so() -> None:
    (found,) = critical(shares(10, {10: 0.4, 20: 0.6}, trials=20), resampling=FEW)
    assert str(found) == "20 [≤ 10, > 20]"


@pytest.mark.parametrize("rule", ["smallest", "crossing"])
def test_intervals_of_critical_sizes_contain_the_truth(rule: str) -> None:
    inside = []
    for seed in range(20):
        (found,) = critical(synthetic(lambda _: 130.0, [100], seed), rule, FEW)  # type: ignore[arg-type]
        # The smallest size tried with a probability above one half is 140.
        truth = 140 if rule == "smallest" else 130
        inside.append(found.low <= truth <= found.high)
    assert sum(inside) >= 17


CONTEXTS = [50, 100, 200, 400, 800]


def test_logarithmic_growth_is_called_sublinear_and_its_slope_is_found() -> None:
    found = scaling(critical(synthetic(lambda t: 40 * math.log(t), CONTEXTS, 0), "crossing", FEW))
    assert found.verdict == "reproduced"
    assert found.exponent.high < 0.5
    assert found.slope.low <= 40 <= found.slope.high
    assert found.slope.verdict == "reproduced"
    assert found.logarithm(100) == pytest.approx(40 * math.log(100), rel=0.05)
    assert found.contexts == tuple(CONTEXTS)


def test_linear_growth_is_not_called_sublinear() -> None:
    verdicts = []
    for seed in range(10):
        found = scaling(critical(synthetic(lambda t: 0.45 * t, [100, 200, 400, 800], seed), "crossing", FEW))
        assert found.exponent.value == pytest.approx(1, abs=0.2)
        verdicts.append(found.verdict)
    assert verdicts.count("reproduced") <= 1


def test_growth_faster_than_linear_is_not_reproduced() -> None:
    found = scaling(critical(synthetic(lambda t: t**2 / 700, [200, 300, 400, 500], 0), "crossing", FEW))
    assert found.exponent.low <= 2 <= found.exponent.high
    assert found.verdict == "not reproduced"


def test_a_power_is_told_from_a_logarithm_by_enough_trials() -> None:
    power = synthetic(lambda t: 8 * t**0.55, CONTEXTS, 0, trials=400)
    logarithm = synthetic(lambda t: 60 * math.log(t / 25), CONTEXTS, 0, trials=400)
    assert scaling(critical(power, "crossing", FEW)).logarithm_fits_better < 0.05
    assert scaling(critical(logarithm, "crossing", FEW)).logarithm_fits_better > 0.95


def test_a_context_whose_size_is_not_known_leaves_the_claim_undecided() -> None:
    known = synthetic(lambda t: 40 * math.log(t), [50, 100, 200, 400], 0)
    never = shares(800, dict.fromkeys(range(20, 420, 20), 0.0))
    found = scaling(critical(known + never, "crossing", FEW))
    assert found.left_out == (800,)
    assert found.verdict == "undecided"
    assert "800" in found.detail
    assert scaling(critical(known, "crossing", FEW)).verdict == "reproduced"


def test_resamples_without_a_size_leave_the_interval_without_an_end() -> None:
    sizes = [100.0, 110.0, 120.0]
    draws = [np.full(400, size) for size in sizes]
    draws[2] = np.where(np.arange(400) < 40, np.inf, draws[2])
    rows = [
        Critical(context, "crossing", size, size, size, (20, 400), each)
        for context, size, each in zip((100, 200, 400), sizes, draws, strict=True)
    ]
    found = scaling(rows)
    assert found.exponent.high == math.inf
    assert found.verdict == "undecided"
    assert found.unknown == pytest.approx(0.1)
    # The others are all alike: the line through (log T, log m), its slope by hand from the ends of three even steps.
    slope = math.log(120 / 100) / math.log(4)
    assert found.among_known == pytest.approx((slope, slope))
    assert f"unknown in 10.0% of resamples; the others give [{slope:.2f}, {slope:.2f}]" in found.detail


def test_one_critical_size_or_none_says_nothing() -> None:
    found = scaling(critical(shares(100, {10: 0.0, 20: 1.0}), resampling=FEW))
    assert found.verdict == "undecided"
    assert math.isnan(found.exponent.value)
    with pytest.raises(ProbeError, match="same rule"):
        scaling(critical(shares(100, {10: 0.0}), resampling=FEW) * 2)


@pytest.mark.parametrize(
    ("results", "told"),
    [
        ([], "No critical size is known"),
        (shares(100, {10: 0.0, 20: 1.0}), "known at T = 100 alone"),
        (shares(100, {10: 0.0, 20: 1.0}) + shares(200, {10: 0.0, 30: 1.0}), "is not known."),
    ],
)
def test_what_is_not_known_is_said_in_words(results: list[Outcomes], told: str) -> None:
    found = scaling(critical(results + shares(50, {10: 0.0, 20: 0.1}), resampling=FEW))
    assert found.verdict == "undecided"
    assert told in found.detail
    assert "nan" not in found.detail


def test_a_growth_is_told_with_its_interval_and_the_better_law() -> None:
    found = scaling(critical(synthetic(lambda t: 40 * math.log(t), CONTEXTS, 0), "crossing", FEW))
    exponent = found.exponent
    assert f"grow as T^{exponent.value:.2f} [{exponent.low:.2f}, {exponent.high:.2f}]" in found.detail
    assert f"in {100 * found.logarithm_fits_better:.0f}% of resamples" in found.detail
    assert (found.unknown, found.among_known) == (0, (exponent.low, exponent.high))
    assert "unknown" not in found.detail


def curve(trial: int, losses: Sequence[float]) -> Curve:
    return Curve(trial, (1, 2), 10, tuple(losses))


def test_a_transition_is_the_first_loss_below_the_threshold() -> None:
    found = transition(curve(0, [0.7, 0.69, 0.70, 0.66, 0.3, 0.05, 0.2, 0.01]))
    assert (found.step, found.last_guess) == (50, 30)
    assert found.width == pytest.approx(20 / 50)


def test_a_sudden_transition_is_narrower_than_a_gradual_one() -> None:
    sudden = [0.69] * 90 + [0.4] + [0.01] * 9
    gradual = [0.69 * (1 - step / 92) for step in range(92)]
    assert transition(curve(0, sudden)).width < 0.05
    assert transition(curve(0, gradual)).width > 0.8


def test_a_curve_that_never_falls_has_no_transition_and_counts_as_late() -> None:
    flat, found = curve(0, [0.69] * 5), curve(1, [0.69, 0.01])
    assert transition(flat).step is None
    both = transitions([flat, flat, found])
    assert both.learned == pytest.approx(1 / 3)
    assert both.median == math.inf
    assert transitions([flat, found, found]).median == 10


def test_the_interval_of_the_median_step_contains_the_median() -> None:
    rng = np.random.default_rng(0)
    inside = 0
    for _ in range(20):
        steps = rng.geometric(0.02, 15)
        found = transitions([curve(n, [0.69] * int(step) + [0.0]) for n, step in enumerate(steps)], resampling=FEW)
        inside += found.low <= 10 * 35 <= found.high
        assert found.low <= found.median <= found.high
    assert inside >= 17
