"""A random short word that keeps the long one's windows and histograms: the indices of a two-state Markov chain.

Whether a position is kept depends on whether the one before was: runs of kept positions have n^(1/3) members on
average, long enough that nearly every window survives whole, and so many that symbols are sampled evenly. About n
positions are kept, and always the last τ + 1. Izzo et al., proof of Lemma 5.3; correction ERR-E1.

Lemma 5.3, here with its constants, says that averages over a word survive this up to about n^(-1/3). Let p(w, μ) be a
function of a window of τ + 1 symbols and a histogram, of norm at most G and L-Lipschitz in μ. Averaged over the
positions t of a word, with w the window that ends there and μ the histogram up to there, it differs from its average
over a random subsample by at most G g(n) + L l(n) on average. Izzo et al., appendix B.1; corrections ERR-E1 to ERR-E3.
Since n may be astronomic, everything takes the natural logarithm of n and gives logarithms.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lengthwise.errors import LengthwiseError

EXISTENCE = 3.0
"""Some subsample is at most this factor worse than the mean and has about n symbols (Markov 1/3, Chebyshev 1/2)."""


def log_sum(*logarithms: float) -> float:
    """The logarithm of a sum, from the logarithms of its terms."""
    largest = max(logarithms, default=-math.inf)
    if math.isinf(largest):
        return largest
    return largest + math.log(math.fsum(math.exp(each - largest) for each in logarithms))


def log_size_share(log_n: float, window: int) -> float:
    """The logarithm of g(n): what a bound of 1 on ||p|| contributes.

    (2τ+1)/n + √((1+τ)/n) + τn^(-1/3) + √2 n^(-1/3) from covering the sum by whole windows, τn^(-1/3) + 2(τ+1)/n from
    windows that are torn, √2 n^(-1/3) + (τ+1)/n from the number of kept positions.
    """
    third = -log_n / 3
    return log_sum(
        math.log(2 * window + 1 + 3 * (window + 1)) - log_n,
        (math.log(1 + window) - log_n) / 2,
        math.log(2 * window + 2 * math.sqrt(2)) + third,
    )


def log_slope_share(log_n: float, window: int) -> float:
    """The logarithm of l(n): what a Lipschitz constant of 1 contributes.

    8n^(-1/3) + (c (1 + log⁺(√2 n/c)) + 3(τ+1))/n with c = 3(τ+1) + 27n^(1/3).
    The logarithm multiplies c, where the print adds it (ERR-E3).
    """
    third = log_n / 3
    log_c = log_sum(math.log(3 * (window + 1)), math.log(27) + third)
    growth = 1 + max(0.0, math.log(2) / 2 + log_n - log_c)
    return log_sum(math.log(8) - third, log_c + math.log(growth) - log_n, math.log(3 * (window + 1)) - log_n)


def mean_error(size: float, slope: float, n: float, window: int) -> float:
    """G g(n) + L l(n): the mean error of the average of a function with ||p|| <= G (`size`) and slope L."""
    log_n = math.log(n)
    return size * math.exp(log_size_share(log_n, window)) + slope * math.exp(log_slope_share(log_n, window))


def kept_range(n: float, window: int) -> float:
    """τ + 1 + 2n^(2/3): some good subsample has n symbols up to this. The printed n^(1/3) is too narrow (ERR-E1)."""
    return window + 1 + 2 * float(n ** (2 / 3))


Places = npt.NDArray[np.int64]

LEAST_SIZE = 8
"""n is at least this: then q <= 1/2 and, with T >= 2n, the chain's correlation is not negative."""


@dataclass(frozen=True)
class KeepingChain:
    """The chain that decides which of `length` (T) positions are kept; about `size` (n) of them."""

    length: int
    size: int

    def __post_init__(self) -> None:
        if self.size < LEAST_SIZE or self.length < 2 * self.size:
            raise LengthwiseError(
                f"subsampling keeps n >= {LEAST_SIZE} of at least 2n positions, got n = {self.size} of {self.length}"
            )

    @property
    def share(self) -> float:
        """The stationary probability that a position is kept: p = n/T."""
        return self.size / self.length

    @property
    def leave(self) -> float:
        """The probability that a run of kept positions ends after each of them: q = n^(-1/3)."""
        return float(self.size ** (-1 / 3))

    @property
    def enter(self) -> float:
        """The probability that such a run begins after a position that is not kept: r = pq / (1 - p)."""
        return self.size * self.leave / (self.length - self.size)

    @property
    def correlation(self) -> float:
        """λ = 1 - q - r: the chain forgets by this factor at every step."""
        return 1 - self.leave - self.enter

    def expected_size(self, window: int) -> float:
        """E|I| = n + (τ + 1)(1 - p); `window` is τ, and the last τ + 1 positions are always kept."""
        free = self._free(window)
        return free * self.share + (self.length - free)

    def size_variance(self, window: int) -> float:
        """Var|I|, exactly: p(1 - p) Σ λ^|i - j| over the positions i, j before the last τ + 1."""
        free, rate = self._free(window), self.correlation
        pairs = rate / (1 - rate) * (free - -math.expm1(free * _log(rate)) / (1 - rate))
        return self.share * (1 - self.share) * (free + 2 * pairs)

    @property
    def size_variance_bound(self) -> float:
        """2n/q = 2n^(4/3) >= Var|I|. The standard deviation is about √2 n^(2/3), not n^(1/3) (ERR-E1)."""
        return 2 * self.size / self.leave

    def _free(self, window: int) -> int:
        return max(0, self.length - window - 1)

    def runs(self, rng: np.random.Generator) -> tuple[Places, Places]:
        """First places and lengths of the runs of kept positions, from geometric run lengths; places count from 0."""
        kept = bool(rng.random() < self.share)
        lengths = np.zeros(0, dtype=np.int64)
        covered = 0
        while covered < self.length:
            pairs = int(1.1 * (self.length - covered) * self.share * self.leave) + 8
            drawn = np.empty(2 * pairs, dtype=np.int64)
            drawn[int(not kept) :: 2] = rng.geometric(self.leave, pairs)
            drawn[int(kept) :: 2] = rng.geometric(self.enter, pairs)
            # An even number of runs leads back to the state it began with.
            lengths = np.concatenate([lengths, drawn])
            covered += int(drawn.sum())
        ends = np.cumsum(lengths)
        starts = ends - lengths
        chosen = np.flatnonzero(starts < self.length)
        chosen = chosen[chosen % 2 == int(not kept)]
        return starts[chosen], np.minimum(ends[chosen], self.length) - starts[chosen]


def subsample(length: int, size: int, window: int, rng: np.random.Generator) -> Places:
    """The kept places (from 0, ascending) of a word of some length; `window` is τ. If n >= T, all of them.

    The time is that of writing the result down: proportional to n, whatever T.
    """
    if length < 1 or window < 0:
        raise LengthwiseError(f"a word has at least one symbol and a window is not negative, got {length} and {window}")
    if size >= length:
        return np.arange(length)
    starts, lengths = KeepingChain(length, size).runs(rng)
    offsets = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    places = np.repeat(starts, lengths) + offsets
    first = max(0, length - window - 1)
    return np.concatenate([places[: np.searchsorted(places, first)], np.arange(first, length)])


def _log(value: float) -> float:
    return math.log(value) if value > 0 else -math.inf
