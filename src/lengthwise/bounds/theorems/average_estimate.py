"""Both sides of Theorem 4.2 by sampling: the mean difference of two models at a long length and at a short one.

The output of a one-layer model depends on a word only through how often each type (symbol, residue) occurs before the
window, and on the window itself. Both are sampled without writing the word: frequencies from the Dirichlet, counts from
multinomials, one for each residue. So a million symbols cost as much as a hundred. Long and short words are coupled as
in the proof: the short word is the end of the long one, which makes the difference of the two sides precise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from lengthwise.bounds.theorems.average import checked_alpha
from lengthwise.bounds.theorems.pair import Pair
from lengthwise.errors import LengthwiseError
from lengthwise.limit.evaluation.regimes import Floats, IzzoFinite, exponents, weights
from lengthwise.limit.model import LimitTransformer
from lengthwise.limit.quantities.constants import one_layer_constants
from lengthwise.resources import require_memory, within_time

Counts = npt.NDArray[np.int64]

LONGEST = 1 << 62
"""Counts of longer words do not fit into 64 bits."""
PIECE = 4096
"""Words that are sampled at a time."""


@dataclass(frozen=True)
class Estimate:
    """A mean of bounded random numbers, with an interval that contains the true mean at the given confidence.

    The interval is the empirical Bernstein bound of Maurer and Pontil. It holds at every number of samples, not only in
    the limit: differences of models tend to be rare and large, where an interval from the normal distribution may miss.

    Attributes:
        mean: The mean of the samples.
        low: The lower end of the interval.
        high: The upper end of the interval.
        standard_error: The standard error of the mean.
        samples: How many samples there are.
        confidence: The probability with which the interval contains the true mean.

    """

    mean: float
    low: float
    high: float
    standard_error: float
    samples: int
    confidence: float

    @property
    def normal_interval(self) -> tuple[float, float]:
        """The usual interval from the standard error: narrower, and right only for many samples."""
        reach = NormalDist().inv_cdf((1 + self.confidence) / 2) * self.standard_error
        return self.mean - reach, self.mean + reach

    @classmethod
    def of(cls, values: Floats, smallest: float, largest: float, confidence: float = 0.95) -> Estimate:
        """The estimate from independent values that lie between `smallest` and `largest` by necessity."""
        size = len(values)
        if size < 2 or not 0 < confidence < 1:
            raise LengthwiseError(f"an interval takes two samples and a confidence in (0, 1), got {size}, {confidence}")
        mean, variance = float(values.mean()), float(values.var(ddof=1))
        doubt = math.log(4 / (1 - confidence))
        reach = math.sqrt(2 * variance * doubt / size) + 7 * (largest - smallest) * doubt / (3 * (size - 1))
        low, high = max(smallest, mean - reach), min(largest, mean + reach)
        return cls(mean, low, high, math.sqrt(variance / size), size, confidence)


@dataclass(frozen=True)
class AverageEstimate:
    """Both sides of the theorem and what is between them."""

    long: Estimate
    """||f - g||_T."""
    short: Estimate
    """||f - g||_N', over the ends of the same words."""
    growth: Estimate
    """||f - g||_T - ||f - g||_N', which the theorem bounds by κ."""


def estimate_average(
    f: LimitTransformer,
    g: LimitTransformer,
    alpha: Sequence[float],
    length: int,
    short_length: int,
    *,
    samples: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
    bits: int | None = None,
) -> AverageEstimate:
    """||f - g|| at `length` (T) and at `short_length` (N' ≡ T mod Δ, N' <= T), sampled; same seed, same numbers.

    Args:
        f: A model with one layer.
        g: Another one.
        alpha: The Dirichlet parameters of the symbol distribution, one for each symbol.
        length: T: the length of long words.
        short_length: N': the length of short words, congruent to T modulo the period.
        samples: How many words of each length.
        seed: The seed of the samples.
        confidence: The probability with which an interval contains the true mean.
        bits: The precision; None if the models agree on one.

    Returns:
        The mean gap at both lengths and how much it grows, with intervals.

    Raises:
        LengthwiseError: A length or the number of parameters does not fit.

    Example:
        >>> from lengthwise.limit.constructions import simple_task
        >>> f, g = simple_task(2.0).model, simple_task(2.5).model
        >>> found = estimate_average(f, g, [5, 5, 5], length=100_000, short_length=100, samples=500)
        >>> abs(found.growth.mean) < 0.1
        True

    """
    pair = Pair.of(f, g, bits)
    shape = np.array(checked_alpha(alpha))
    if len(shape) != pair.symbols:
        raise LengthwiseError(f"alpha has one entry for each of the {pair.symbols} symbols, got {len(shape)}")
    if not 1 <= short_length <= length or (length - short_length) % pair.period:
        raise LengthwiseError(
            f"the short length is at most {length} and congruent to it modulo {pair.period}, got {short_length}"
        )
    if length >= LONGEST:
        raise LengthwiseError(f"words of fewer than 2^62 symbols can be sampled, got {length}")
    require_memory(100 * samples, f"an estimate from {samples} words", "lower --samples")
    rng = np.random.default_rng(seed)
    long_gaps, short_gaps = np.empty(samples), np.empty(samples)
    for start in within_time(range(0, samples, PIECE)):
        part = slice(start, min(start + PIECE, samples))
        words = sample_ends(rng, shape, part.stop - part.start, short_length, pair.window, pair.period)
        short_gaps[part] = _gaps(pair, words, short_length)
        long_gaps[part] = _gaps(pair, words.lengthened(rng, length - short_length), length)
    largest = sum(one_layer_constants(model).largest_output for model in (f, g))
    return AverageEstimate(
        Estimate.of(long_gaps, 0.0, largest, confidence),
        Estimate.of(short_gaps, 0.0, largest, confidence),
        Estimate.of(long_gaps - short_gaps, -largest, largest, confidence),
    )


# -------------------------------------------------------------------------------------------------- sampled words


@dataclass(frozen=True)
class Words:
    """Random words of one length, as far as a one-layer model can tell them apart."""

    shares: Floats
    """P: for each word the frequencies that its symbols are drawn from."""
    counts: Counts
    """n[word, symbol, residue]: how often each type occurs before the window."""
    window: Counts
    """The last τ + 1 symbols (fewer if the word is shorter), the last one at the end."""

    def lengthened(self, rng: np.random.Generator, more: int) -> Words:
        """The same words with `more` symbols, a multiple of the period, put in front."""
        period = self.counts.shape[2]
        added = np.stack([rng.multinomial(more // period, self.shares) for _ in range(period)], axis=2)
        return Words(self.shares, self.counts + added, self.window)


def sample_ends(rng: np.random.Generator, alpha: Floats, samples: int, length: int, window: int, period: int) -> Words:
    """Words of some length with frequencies from Dir(α); `window` is τ."""
    shares = rng.dirichlet(alpha, samples)
    width = min(window + 1, length)
    columns = column_lengths(length - width, period)
    counts = np.stack([rng.multinomial(column, shares) for column in columns.tolist()], axis=2)
    edges = np.cumsum(shares, axis=1)[:, :-1]
    ends = (rng.random((samples, width))[:, :, None] >= edges[:, None, :]).sum(axis=2)
    return Words(shares, counts.astype(np.int64), ends.astype(np.int64))


def column_lengths(length: int, period: int) -> Counts:
    """c_r: how many of the positions 1..length are congruent to r, for r = 0..Δ-1."""
    residues = np.arange(period)
    return np.asarray((length - residues) // period + (residues > 0), dtype=np.int64)


def _gaps(pair: Pair, words: Words, length: int) -> Floats:
    first, second = (
        outputs_from_counts(
            model if pair.bits is None else model.with_regime(IzzoFinite(pair.bits)), words.counts, words.window, length
        )
        for model in (pair.first, pair.second)
    )
    return np.asarray(np.linalg.norm(first - second, axis=1))


def outputs_from_counts(model: LimitTransformer, counts: Counts, window: Counts, length: int) -> Floats:
    """The output of a one-layer model at the end of words given by counts, one row a word.

    `counts[word, symbol, residue]` counts the positions before the window, residues modulo a multiple of the model's
    period; `window` is at least as wide as the model's, or the whole word.
    """
    samples, symbols, period = counts.shape
    width = window.shape[1]
    inputs = (model.embedding[:, None] + np.tile(model.positions, (period // model.period, 1))).reshape(
        symbols * period, -1
    )
    residues = (length - np.arange(width)[::-1]) % period
    near = window * period + residues
    queries = near[:, -1]
    present = np.concatenate([counts.reshape(samples, -1), np.ones((samples, width), dtype=np.int64)], axis=1)
    layer = model.layers[0]
    middle = inputs[queries]
    for head in layer.heads:
        table = inputs @ head.key_query.T @ inputs.T  # table[query, key]
        phi = np.zeros(width)
        phi[max(0, width - len(head.phi)) :] = head.phi[:width][::-1]
        content = np.concatenate([table[queries], np.take_along_axis(table[queries], near, axis=1)], axis=1)
        shift = np.concatenate([np.zeros(symbols * period), phi])
        exponent = exponents(model.regime, content, shift[None], np.array([[float(length)]]), length)
        exponent = np.where(present > 0, exponent, -np.inf)
        weight = weights(model.regime, exponent, exponent.max(axis=1, keepdims=True)) * present
        attended = weight[:, : symbols * period].copy()
        np.add.at(attended, (np.arange(samples)[:, None], near), weight[:, symbols * period :])
        middle = middle + attended @ (inputs @ head.value.T) / attended.sum(axis=1, keepdims=True)
    hidden = layer.activate(middle @ layer.hidden.T + layer.bias)
    return np.asarray((middle + hidden @ layer.output.T) @ model.unembedding.T)
