"""Beta tails agree with arbitrary precision, and bound how often a symbol is rare."""

import math

import mpmath
import numpy as np
import pytest

from lengthwise.bounds.theorems.beta import (
    incomplete_beta,
    log_beta,
    log_incomplete_beta,
    log_printed_rare_symbol_probability,
    rare_symbol_probability,
)
from lengthwise.errors import LengthwiseError


def exact(x: float, a: float, b: float) -> mpmath.mpf:
    """The integral's power series x^a (1-x)^b / (a B(a, b)) Σ (a+b)_k x^k / (a+1)_k, in 40 digits."""
    with mpmath.workdps(40):
        point, left, right = mpmath.mpf(x), mpmath.mpf(a), mpmath.mpf(b)
        term = total = mpmath.mpf(1)
        place = 0
        while term > total * mpmath.mpf(10) ** -38:
            term *= (left + right + place) * point / (left + 1 + place)
            total += term
            place += 1
        return point**left * (1 - point) ** right / (left * mpmath.beta(left, right)) * total


def test_incomplete_beta_agrees_with_a_power_series_in_forty_digits() -> None:
    rng = np.random.default_rng(0)
    worst = 0.0
    for turn in range(100):
        a, b = 10.0 ** rng.uniform(-3, 2.5, 2)
        x = float(rng.uniform(0, 0.95) if turn % 2 else 10.0 ** rng.uniform(-30, -0.1))
        wanted = exact(x, a, b)
        if wanted > 1e-290:
            worst = max(worst, float(abs(incomplete_beta(x, a, b) - wanted) / wanted))
    assert worst < 1e-10


@pytest.mark.parametrize(("a", "b"), [(1e4, 2e4), (3e5, 7.5), (0.02, 4e4)])
def test_incomplete_beta_is_precise_for_large_parameters(a: float, b: float) -> None:
    x = a / (a + b) * 0.98
    assert incomplete_beta(x, a, b) == pytest.approx(float(exact(x, a, b)), rel=1e-9)


def test_log_beta_agrees_with_logarithms_of_gamma_in_forty_digits() -> None:
    rng = np.random.default_rng(1)
    for a, b in 10.0 ** rng.uniform(-4, 7, (300, 2)):
        with mpmath.workdps(40):
            wanted = mpmath.loggamma(a) + mpmath.loggamma(b) - mpmath.loggamma(mpmath.mpf(a) + mpmath.mpf(b))
        assert log_beta(a, b) == pytest.approx(float(wanted), rel=1e-13, abs=1e-13)


def test_the_two_tails_add_up_to_one() -> None:
    rng = np.random.default_rng(2)
    for _ in range(500):
        (a, b), x = 10.0 ** rng.uniform(-2, 3, 2), float(rng.uniform())
        assert incomplete_beta(x, a, b) + incomplete_beta(1 - x, b, a) == pytest.approx(1.0, abs=1e-11)


def test_closed_cases_come_out_exactly() -> None:
    assert incomplete_beta(0.3, 1.0, 1.0) == pytest.approx(0.3, rel=1e-14)
    assert incomplete_beta(0.3, 2.5, 1.0) == pytest.approx(0.3**2.5, rel=1e-13)
    assert incomplete_beta(0.5, 7.0, 7.0) == pytest.approx(0.5, rel=1e-13)
    assert [incomplete_beta(x, 2.0, 3.0) for x in (0.0, 1.0)] == [0.0, 1.0]
    assert [incomplete_beta(x, 2.0, 0.0) for x in (0.0, 0.999, 1.0)] == [0.0, 0.0, 1.0]


def test_thresholds_without_a_float_have_tails_by_their_logarithm() -> None:
    with mpmath.workdps(40):
        wanted = mpmath.mpf("0.01") * -2000 - mpmath.log(mpmath.mpf("0.01") * mpmath.beta(0.01, 2))
    assert math.exp(-2000) == 0.0
    assert log_incomplete_beta(-2000.0, 0.01, 2.0) == pytest.approx(float(wanted), rel=1e-13)
    assert log_incomplete_beta(-1.0, 3.0, 2.0) == pytest.approx(math.log(incomplete_beta(math.exp(-1), 3.0, 2.0)))


def test_rare_symbols_are_at_most_as_likely_as_the_tails_say() -> None:
    """Lemma A.9 by sampling: the sum of tails is a bound, and nearly exact where few symbols are rare at once."""
    rng = np.random.default_rng(3)
    for turn in range(40):
        alpha = 10.0 ** rng.uniform(-0.7, 1, int(rng.integers(2, 6)))
        log_share = float(rng.uniform(-6, -1))
        promised = rare_symbol_probability(log_share, alpha.tolist())
        found = float((rng.dirichlet(alpha, 20_000).min(axis=1) < math.exp(log_share)).mean())
        spread = math.sqrt(max(found, 1e-3) / 20_000)
        assert found <= promised + 5 * spread, turn
        if promised < 0.1:
            assert found >= 0.8 * promised - 5 * spread, turn


def test_the_closed_form_of_lemma_a9_is_a_bound_and_a_loose_one() -> None:
    rng = np.random.default_rng(4)
    loosest, tightest = 0.0, math.inf
    for _ in range(2000):
        alpha = (10.0 ** rng.uniform(-2, 1.3, int(rng.integers(2, 7)))).tolist()
        log_share = float(rng.uniform(-40, -math.log(2)))
        exactly = rare_symbol_probability(log_share, alpha)
        if exactly > 1e-250:
            excess = log_printed_rare_symbol_probability(log_share, alpha) - math.log(exactly)
            loosest, tightest = max(loosest, excess), min(tightest, excess)
    assert tightest > 0
    assert loosest > 50, "which is why the exact tails are preferred"


def test_a_single_symbol_is_never_rare() -> None:
    assert rare_symbol_probability(-1.0, [3.0]) == 0.0


@pytest.mark.parametrize(("x", "a", "b"), [(-0.1, 1, 1), (1.1, 1, 1), (0.5, 0, 1), (0.5, 1, -1), (0.5, math.inf, 1)])
def test_arguments_outside_the_definition_are_refused(x: float, a: float, b: float) -> None:
    with pytest.raises(LengthwiseError, match="incomplete Beta function takes"):
        incomplete_beta(x, a, b)
