"""A random short word that keeps the long one's windows and histograms: the indices of a two-state Markov chain.

Whether a position is kept depends on whether the one before was: runs of kept positions have n^(1/3) members on
average, long enough that nearly every window survives whole, and so many that symbols are sampled evenly. About n
positions are kept, and always the last τ + 1. Izzo et al., proof of Lemma 5.3; correction ERR-E1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lengthwise.errors import LengthwiseError

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
        """The probability that such a run begins behind a position that is not kept: r = pq / (1 - p)."""
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
