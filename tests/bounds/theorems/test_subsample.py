"""The subsampler follows the law of its Markov chain, and Lemma 5.3 holds on random and on hostile words."""

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from lengthwise.bounds.theorems.subsample import (
    KeepingChain,
    kept_range,
    log_size_share,
    log_slope_share,
    log_sum,
    mean_error,
    subsample,
)
from lengthwise.errors import LengthwiseError

Ids = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def stepwise(rng: np.random.Generator, chain: KeepingChain, window: int) -> Ids:
    """The definition: start with probability p, then step by step; an oracle."""
    n, length = chain.size, chain.length
    p, q = n / length, n ** (-1 / 3)
    r = p * q / (1 - p)
    kept, places = rng.random() < p, []
    for place in range(length):
        if kept or place >= length - window - 1:
            places.append(place)
        kept = rng.random() >= q if kept else rng.random() < r
    return np.array(places)


def indicators(draw: Callable[[], Ids], length: int, samples: int) -> Floats:
    found = np.zeros((samples, length))
    for row in range(samples):
        found[row, draw()] = 1
    return found


def size_distribution(chain: KeepingChain, window: int) -> Floats:
    """P(|I| = k) for every k, exactly, from the transition probabilities."""
    free = chain.length - window - 1
    state = np.zeros((2, chain.length + 1))
    state[1, 0], state[0, 0] = chain.share, 1 - chain.share
    for _ in range(free):
        kept = np.roll(state[1], 1)  # the present position is counted, then the chain moves on
        state = np.array(
            [
                state[0] * (1 - chain.enter) + kept * chain.leave,
                state[0] * chain.enter + kept * (1 - chain.leave),
            ]
        )
    return np.asarray(np.roll(state.sum(axis=0), window + 1))


# ------------------------------------------------------------------------------------------------ the chain


def test_positions_are_kept_alone_and_in_pairs_as_often_as_the_chain_says() -> None:
    rng = np.random.default_rng(0)
    chain, window, samples = KeepingChain(40, 12), 2, 6_000
    found = indicators(lambda: subsample(40, 12, window, rng), 40, samples)
    free = found[:, : 40 - window - 1]
    assert (found[:, 40 - window - 1 :] == 1).all()
    assert np.abs(free.mean(axis=0) - chain.share).max() < 5 * math.sqrt(chain.share / samples), "stationary"
    distance = np.abs(np.arange(37)[:, None] - np.arange(37))
    wanted = chain.share * (1 - chain.share) * chain.correlation**distance
    assert np.abs(np.cov(free.T) - wanted).max() < 5 * math.sqrt(0.25 / samples)


def test_run_lengths_and_single_steps_give_the_same_law() -> None:
    rng = np.random.default_rng(1)
    chain, samples = KeepingChain(30, 10), 2000
    fast = indicators(lambda: subsample(30, 10, 1, rng), 30, samples)
    slow = indicators(lambda: stepwise(rng, chain, 1), 30, samples)
    # Three neighbours at a time: a Markov chain is known by them.
    for pattern in range(8):
        wanted = [(pattern >> bit) & 1 for bit in range(3)]
        shares = [
            float(np.mean([(each[:, start : start + 3] == wanted).all(axis=1).mean() for start in range(25)]))
            for each in (fast, slow)
        ]
        assert shares[0] == pytest.approx(shares[1], abs=0.015), wanted


@pytest.mark.parametrize(("length", "n", "window"), [(16, 8, 0), (60, 20, 3), (200, 30, 7), (400, 64, 0)])
def test_the_number_of_kept_positions_has_the_stated_mean_and_variance(length: int, n: int, window: int) -> None:
    chain = KeepingChain(length, n)
    sizes = np.arange(length + 1)
    law = size_distribution(chain, window)
    assert law.sum() == pytest.approx(1.0)
    mean = float(law @ sizes)
    variance = float(law @ (sizes - mean) ** 2)
    assert chain.expected_size(window) == pytest.approx(mean, rel=1e-10)
    assert chain.expected_size(window) == pytest.approx(n + (window + 1) * (1 - n / length), rel=1e-10)
    assert chain.size_variance(window) == pytest.approx(variance, rel=1e-8)
    assert variance <= chain.size_variance_bound == pytest.approx(2 * n ** (4 / 3))
    rng = np.random.default_rng(n)
    found = np.array([len(subsample(length, n, window, rng)) for _ in range(2000)])
    assert abs(found.mean() - mean) < 5 * math.sqrt(variance / 2000)
    assert found.var() == pytest.approx(variance, rel=0.2)
    good = np.abs(found - n) <= kept_range(n, window)
    assert good.mean() >= 0.5


def test_the_printed_size_window_contains_few_subsamples_and_ours_most() -> None:
    """ERR-E1: n = 8000. The standard deviation is about 550, and n^(1/3) is 20."""
    rng = np.random.default_rng(2)
    n, length, window = 8000, 500_000, 2
    found = np.array([len(subsample(length, n, window, rng)) for _ in range(1500)])
    assert 500 < found.std() < 600
    assert math.sqrt(KeepingChain(length, n).size_variance(window)) == pytest.approx(549.5, abs=0.1)
    printed = np.abs(found - n) <= window + 1 + n ** (1 / 3)
    assert 0.02 < printed.mean() < 0.06
    assert (np.abs(found - n) <= kept_range(n, window)).mean() > 0.8


def conditional_products(chain: KeepingChain, back: int) -> Floats:
    """E[(1(i ∈ I) - p)(1(j ∈ I) - p) | t - τ ∈ I] for i, j = 1..back places before t - τ, by transition matrices.

    The chain is reversible, so looking back from t - τ it is the same chain.
    """
    p, q, r = chain.share, chain.leave, chain.enter
    step = np.array([[1 - r, r], [q, 1 - q]])
    powers = [np.linalg.matrix_power(step, k) for k in range(back + 1)]
    centred = np.array([-p, 1 - p])
    result = np.empty((back, back))
    for near in range(1, back + 1):
        for far in range(near, back + 1):
            value = powers[near][1] @ (centred * (powers[far - near] @ centred))
            result[near - 1, far - 1] = result[far - 1, near - 1] = value
    return result


def test_beside_the_window_the_indicators_are_far_more_correlated_than_printed() -> None:
    """ERR-E2: n = 1000, T = 20000: 0.81 against p(1 - q)^0 = 0.05. The corrected sum 2pt/q + 2/q² is a bound."""
    chain = KeepingChain(20_000, 1000)
    found = conditional_products(chain, 120)
    p, q = chain.share, chain.leave
    assert found[0, 0] == pytest.approx(0.81, abs=0.005)
    assert p == 0.05
    distance = np.abs(np.arange(120)[:, None] - np.arange(120))
    printed = p * (1 - q) ** distance
    assert found[0, 1] > 10 * printed[0, 1]
    for back in (1, 5, 20, 60, 120):
        total = float(found[:back, :back].sum())
        assert total <= 2 * p * back / q + 2 / q**2
        if back <= 60:
            assert total > float(printed[:back, :back].sum()), "the printed sum is exceeded"


def test_the_corrected_sum_of_correlations_holds_for_every_chain() -> None:
    rng = np.random.default_rng(3)
    worst = 0.0
    for _ in range(30):
        n = int(10.0 ** rng.uniform(0.91, 4))
        chain = KeepingChain(int(n * rng.uniform(2, 100)), n)
        found = conditional_products(chain, 40)
        for back in (1, 2, 10, 40):
            allowed = 2 * chain.share * back / chain.leave + 2 / chain.leave**2
            worst = max(worst, float(found[:back, :back].sum()) / allowed)
    assert 0.3 < worst <= 1


def test_printed_steps_of_the_lemma_that_fail() -> None:
    """ERR-E3: a sum that misses a product, a sign in a square, and a step that needs (1 - q)^τ >= 1/2."""
    n, length, c = 10**5, 10**6, 100.0
    total = float(np.minimum(c / np.arange(1, length + 1), n / length).sum())
    assert total == pytest.approx(c * (1 + math.log(n / c)), rel=0.01)
    assert total > 7 * (c + math.log(n / c))
    # (T + τ - 1)² p² in place of (T - τ - 1)² p² exceeds what the next line claims as soon as τ > n^(1/3).
    chain, window = KeepingChain(20_000, 1000), 30
    p, free = chain.share, 20_000 - window - 1
    spread = 2 * free * (1 - p) * p / (chain.leave + chain.enter)
    claimed = chain.expected_size(window) ** 2 + chain.size_variance_bound
    for square, holds in (((free + 2 * window) ** 2, False), (free**2, True)):
        printed = (window + 1) ** 2 + 2 * (window + 1) * free * p + square * p**2 + spread
        assert (printed <= claimed) is holds
    # |1 - 2u + X| <= X with u = (1 - q)^τ, n = 8, τ = 3, i and j one place apart.
    small = KeepingChain(16, 8)
    u = (1 - small.leave) ** 3
    x = (1 - small.leave) ** 4 / small.share
    assert u < 0.5
    assert abs(1 - 2 * u + x) > x


def test_all_positions_are_kept_if_n_is_the_length_and_a_billion_are_no_problem() -> None:
    rng = np.random.default_rng(4)
    np.testing.assert_array_equal(subsample(10, 10, 3, rng), np.arange(10))
    places = subsample(10**9, 1000, 5, rng)
    assert (np.diff(places) > 0).all()
    np.testing.assert_array_equal(places[-6:], np.arange(10**9 - 6, 10**9))
    assert len(places) < 2500


@pytest.mark.parametrize(("length", "n"), [(100, 7), (100, 51), (15, 8)])
def test_sizes_that_the_lemma_does_not_cover_are_refused(length: int, n: int) -> None:
    with pytest.raises(LengthwiseError, match=r"keeps n >= 8 of at least 2n positions, got n = "):
        subsample(length, n, 0, np.random.default_rng(0))


# ---------------------------------------------------------------------------------------------- lemma 5.3


class Probe:
    """p(w, μ) = G cos(a_w + k_w · μ) u_w: of norm at most G and L-Lipschitz in μ, for windows w of τ + 1 symbols."""

    def __init__(self, rng: np.random.Generator, symbols: int, window: int, size: float, slope: float) -> None:
        codes = (symbols + 1) ** (window + 1)
        self.symbols, self.window, self.size, self.slope = symbols, window, size, slope
        self.phase = rng.choice([0.0, math.pi / 2, math.pi], codes)
        frequency = rng.normal(size=(codes, symbols))
        self.frequency = frequency / np.linalg.norm(frequency, axis=1, keepdims=True) * (slope / size)
        direction = rng.normal(size=(codes, 2))
        self.direction = direction / np.linalg.norm(direction, axis=1, keepdims=True)

    def mean(self, word: Ids) -> Floats:
        """The average over the positions of a word; windows that begin before it are filled with a fresh symbol."""
        padded = np.concatenate([np.full(self.window, self.symbols), word])
        codes = np.zeros(len(word), dtype=np.int64)
        for offset in range(self.window + 1):
            codes = codes * (self.symbols + 1) + padded[offset : offset + len(word)]
        histograms = np.cumsum(np.eye(self.symbols)[word], axis=0) / np.arange(1, len(word) + 1)[:, None]
        angles = self.phase[codes] + (self.frequency[codes] * histograms).sum(axis=1)
        return np.asarray(self.size * (np.cos(angles)[:, None] * self.direction[codes]).mean(axis=0))


def words(rng: np.random.Generator, symbols: int, length: int) -> dict[str, Ids]:
    """Independent symbols, a slow Markov chain, two blocks, many blocks, and one rare symbol at the end."""
    switches = rng.random(length) < 20 / length**0.5
    return {
        "independent": rng.integers(0, symbols, length),
        "Markov": rng.integers(0, symbols, int(switches.sum()) + 1)[np.cumsum(switches)],
        "two blocks": np.arange(length) * 2 // length % symbols,
        "many blocks": np.arange(length) // max(1, round(length**0.5)) % symbols,
        "end": (np.arange(length) >= length - 20).astype(np.int64),
    }


@pytest.mark.parametrize("cases", [4, pytest.param(50, marks=pytest.mark.slow)])
def test_averages_survive_subsampling_as_lemma_5_3_says(cases: int) -> None:
    rng = np.random.default_rng(5)
    worst = 0.0
    for _ in range(cases):
        symbols, window = int(rng.integers(2, 4)), int(rng.integers(0, 4))
        n = int(10.0 ** rng.uniform(1, 3))
        length = n * int(rng.integers(2, 30))
        probe = Probe(rng, symbols, window, 1.0, float(10.0 ** rng.uniform(-1, 1)))
        for word in words(rng, symbols, length).values():
            wanted = probe.mean(word)
            errors = [
                float(np.linalg.norm(probe.mean(word[subsample(length, n, window, rng)]) - wanted)) for _ in range(20)
            ]
            allowed = mean_error(probe.size, probe.slope, n, window)
            found = float(np.mean(errors))
            assert found + 3 * float(np.std(errors)) / math.sqrt(20) <= allowed
            worst = max(worst, found / allowed)
    assert worst > 0.03


def test_two_blocks_come_within_a_factor_of_three_of_the_lemma() -> None:
    """0^(T/2) 1^(T/2) with p(w, μ) = 1[w = 0] - 1[w = 1]: the number of kept positions of a block varies as n^(2/3)."""
    rng = np.random.default_rng(6)
    n, length = 8000, 400_000
    errors = []
    for _ in range(400):
        places = subsample(length, n, 0, rng)
        errors.append(abs(1 - 2 * float((places < length // 2).mean())))
    share = float(np.mean(errors)) / mean_error(1.0, 0.0, n, 0)
    assert 0.33 < share < 0.4


def test_the_lemma_in_logarithms_is_the_lemma_in_numbers() -> None:
    for n, window in ((8.0, 0), (1e3, 2), (1e6, 7), (1e12, 3)):
        third, tau = n ** (-1 / 3), window
        g = (2 * tau + 1) / n + math.sqrt((1 + tau) / n) + tau * third + math.sqrt(2) * third
        g += tau * third + 2 * (tau + 1) / n + math.sqrt(2) * third + (tau + 1) / n
        c = 3 * (tau + 1) + 27 / third
        slope = 8 * third + (c * (1 + max(0.0, math.log(math.sqrt(2) * n / c))) + 3 * (tau + 1)) / n
        assert math.exp(log_size_share(math.log(n), window)) == pytest.approx(g, rel=1e-12)
        assert math.exp(log_slope_share(math.log(n), window)) == pytest.approx(slope, rel=1e-12)
        assert mean_error(2.0, 3.0, n, window) == pytest.approx(2 * g + 3 * slope)
    assert log_sum() == -math.inf
    assert log_sum(-math.inf, 1.0) == 1.0


def test_the_lemma_falls_with_n_and_in_the_end_like_its_cubic_root() -> None:
    for window in (0, 5, 100):
        logs = np.linspace(math.log(8), 300, 2000)
        for share in (log_size_share, log_slope_share):
            values = np.array([share(each, window) for each in logs])
            assert (np.diff(values) < 0).all()
            assert (values[-1] - values[-2]) / (logs[-1] - logs[-2]) == pytest.approx(-1 / 3, abs=1e-3)
