"""Theorem 5.2 with its constants, and what subsampling really costs: two layers in infinite precision.

Layer 1 is a function of the window and of the histogram up to a position; layer 2 averages such functions.
Lemma 5.3 gives every long word x a subsample z of about n symbols on which those averages hardly change, so models that
agree on short words agree on all. Every step is explicit; the result is astronomic and known by its logarithm. Errors
that are measured (`best_stand_in`, `measured_slope`) say more about a model than the bound does.
Izzo et al., section 5 and appendix B.2; corrections ERR-B5 to ERR-B8 and ERR-E1 to ERR-E4.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lengthwise.alphabet import Word
from lengthwise.bounds.bound import Bound, length_bound, log_bound
from lengthwise.bounds.theorems.pair import checked_epsilon
from lengthwise.bounds.theorems.subsample import (
    EXISTENCE,
    LEAST_SIZE,
    Places,
    kept_range,
    log_size_share,
    log_slope_share,
    log_sum,
    subsample,
)
from lengthwise.bounds.theorems.two_layer_chain import Errors, Sizes, log_softmax_sum, logarithm, subsample_errors
from lengthwise.errors import LengthwiseError
from lengthwise.limit.evaluation.evaluate import last_output
from lengthwise.limit.evaluation.regimes import Floats
from lengthwise.limit.model import LimitTransformer, ModelError
from lengthwise.limit.quantities.complexity import spectral_norm
from lengthwise.limit.quantities.margins import printed_positional_margin

THEOREM = "Theorem 5.2, with explicit constants"
LARGEST_EXACT = math.log(1e15)
"""Logarithms of n up to this one are written out as numbers."""
NOISE = 1e-12
"""Errors up to this are those of floating point."""
LARGEST_LOGARITHM = 1e15
"""Logarithms of n beyond this one are not looked for."""


def two_layer(f: LimitTransformer, g: LimitTransformer, epsilon: float, constant: float = 1.0) -> Bound:
    """The training length that suffices for an extra error of ε on words of every length.

    2n, or n + 2n^(2/3) + τ + 1 if that is more, for the least n at which the errors of f and g add up to at most ε.
    `constant` is the c in the exponent of the printed complexity C(f), which the paper leaves open.

    Args:
        f: A model with two layers.
        g: The model that is trained to agree with it.
        epsilon: The error that may be added.
        constant: The unspecified constant of the printed form.

    Returns:
        The length, with its terms and the printed formulas.

    Example:
        >>> from lengthwise.limit.constructions import k_gram
        >>> model = k_gram(1, "ab", beta=3.0, phi=2.0).model
        >>> two_layer(model, model, epsilon=0.1).shown
        '10^47.9'

    """
    epsilon, sizes, window = checked_epsilon(epsilon), [Sizes.of(model) for model in (f, g)], _common_window(f, g)

    def errors(log_n: float) -> list[Errors]:
        log_short = _log_short(log_n, window)
        sample = 0.5 * math.log(5) + math.log(EXISTENCE)
        sample += log_sum(log_size_share(log_n, window), log_slope_share(log_n, window))
        return [subsample_errors(each, sample, log_short, math.log(2) + log_n, window) for each in sizes]

    def suffices(log_n: float) -> bool:
        if _log_short(log_n, window) == -math.inf:
            return False
        return log_sum(*(each.output for each in errors(log_n))) <= math.log(epsilon)

    log_n = _least(suffices)
    rate = min(1 / 3, *(each.margin for each in sizes))
    terms: dict[str, float] = {"epsilon": epsilon, "window": window, "rate": rate, "log10_n": log_n / math.log(10)}
    for name, each, error in zip("fg", sizes, errors(log_n), strict=True):
        terms |= {
            f"largest_activation_{name}": each.activation,
            f"log10_histogram_sensitivity_{name}": each.log_slope / math.log(10),
            f"log10_length_sensitivity_{name}": each.log_drift / math.log(10),
            f"positional_margin_{name}": each.margin,
            f"log10_largest_weight_{name}": each.log_weight / math.log(10),
            f"log10_error_{name}": error.output / math.log(10),
            f"log10_complexity_{name}": (error.output + rate * log_n) / math.log(10),
        }
    assumptions = [
        "f and g are in Definition 5.1: two layers, infinite precision, p = 0, φ >= 0, none in layer 2, ||E_s|| <= 1",
        "f and g differ by at most ε_train on every word up to this length; then by at most ε_train + ε on every word",
    ]
    printed = printed_two_layer(f, g, epsilon, constant)
    if printed is None:
        assumptions.append("no printed bound: its margin is undefined, as where all φ of a head are 1 (ERR-B6)")
    rest = {"terms": terms, "assumptions": tuple(assumptions), "printed": (printed,) if printed else ()}
    if log_n <= LARGEST_EXACT:
        n = math.ceil(math.exp(log_n) * (1 + 1e-12))  # rounded up, so that floating point cannot make it too short
        return length_bound(THEOREM, max(2 * n, n + math.ceil(kept_range(n, window))), **rest)
    return log_bound(THEOREM, (log_n + math.log(2)) / math.log(10), **rest)


def printed_two_layer(f: LimitTransformer, g: LimitTransformer, epsilon: float, constant: float) -> Bound | None:
    """(max(C(f), C(g))/ε)^max(1/γ, 3) in the paper's form; None where its margin is undefined."""
    margins = [printed_positional_margin(model) for model in (f, g)]
    if None in margins:
        return None
    power = max(3.0, *(1 / each for each in margins if each is not None))
    complexities = [log_printed_complexity(model, constant) / math.log(10) for model in (f, g)]
    return log_bound(
        "Izzo et al., Theorem 5.2: (C/ε)^max(1/γ, 3)",
        power * (max(complexities) - math.log10(epsilon)),
        terms={"log10_C_f": complexities[0], "log10_C_g": complexities[1], "power": power, "c": constant},
        explicit=False,
        assumptions=("the constant c in the exponent of C(f) and the one hidden in ≲ are those of the caller, and 1",),
    )


def log_printed_complexity(model: LimitTransformer, constant: float) -> float:
    """The logarithm of C(f) as printed.

    C(f) = exp(c (1 + Σv)² β1² k2) (1 + v2) Σ v e^(4k) (1 + ||B2|| ||A2||) ||U|| (τ² + 1) S.
    """
    sizes, first = Sizes.of(model), model.layers[0]
    stretch = 1 + spectral_norm(first.output) * spectral_norm(first.hidden)
    values = 1 + sum(spectral_norm(head.value) for head in first.heads)
    rest = (1 + sizes.value) * sizes.outside * (model.window**2 + 1) * len(model.embedding)
    return constant * (values * stretch) ** 2 * sizes.logits + log_softmax_sum(model) + logarithm(rest)


# -------------------------------------------------------------------------------------------- measured errors


@dataclass(frozen=True)
class Subsampled:
    """A subsample z of a word x, and how far it moves the outputs of two models."""

    places: Places
    """Which places of x (from 0) were kept."""
    tokens: npt.NDArray[np.int64]
    """z, as symbol ids."""
    errors: tuple[float, float]
    """||f(x) - f(z)|| and ||g(x) - g(z)||."""


def best_stand_in(
    f: LimitTransformer, g: LimitTransformer, x: Word, n: int, tries: int, rng: np.random.Generator
) -> Subsampled:
    """The best of some subsamples of about n symbols: the one with the least sum of the errors of f and g.

    Like in the theorem, one subsample serves both models, and only those of n symbols up to τ + 1 + 2n^(2/3) count.

    Args:
        f: A model with two layers.
        g: Another one, or the same.
        x: The long word.
        n: About how many symbols a stand-in has.
        tries: How many subsamples are drawn.
        rng: The random numbers.

    Returns:
        The subsample with the least sum of errors.

    Raises:
        LengthwiseError: There is no try, or the theorem does not apply to the models.

    Example:
        >>> from lengthwise.limit.constructions import k_gram
        >>> model = k_gram(1, "ab", beta=3.0, phi=2.0).model
        >>> found = best_stand_in(model, model, "ab" * 200, n=30, tries=4, rng=np.random.default_rng(0))
        >>> len(found.tokens) < 200
        True

    """
    for model in (f, g):
        Sizes.of(model)
    window, tokens = _common_window(f, g), f.tokens(x)
    if tries < 1:
        raise LengthwiseError(f"the best of some subsamples takes at least one try, got {tries}")
    models = (f,) if f is g else (f, g)
    wanted = [last_output(model, tokens) for model in models]
    best: Subsampled | None = None
    drawn = 0
    while drawn < tries or best is None:
        places, drawn = subsample(len(tokens), n, window, rng), drawn + 1
        if n < len(tokens) and abs(len(places) - n) > kept_range(n, window):
            continue  # at most every second one
        kept = tokens[places]
        errors = [
            float(np.linalg.norm(last_output(model, kept) - output))
            for model, output in zip(models, wanted, strict=True)
        ]
        if best is None or errors[0] + errors[-1] < sum(best.errors):
            best = Subsampled(places, kept, (errors[0], errors[-1]))
    return best


@dataclass(frozen=True)
class MeasuredSlope:
    """How the mean error of subsamples falls with n: like n^slope, between `low` and `high` at some confidence."""

    slope: float
    low: float
    high: float
    lengths: tuple[int, ...]
    """The values of n."""
    errors: tuple[float, ...]
    """The mean of ||f(x) - f(z)|| at each of them."""


def measured_slope(
    model: LimitTransformer,
    inputs: Sequence[Word],
    lengths: Sequence[int],
    *,
    samples: int = 20,
    seed: int = 0,
    resamples: int = 1000,
    confidence: float = 0.95,
) -> MeasuredSlope:
    """The slope of log mean error against log n, by least squares, with a bootstrap interval over the subsamples.

    The interval is about these inputs: it resamples what was drawn at random, which the inputs are not. Each input has
    at least twice as many symbols as the largest n.

    Args:
        model: A model with two layers.
        inputs: Long words.
        lengths: The numbers n of symbols that subsamples have.
        samples: How many subsamples of each word and length.
        seed: The seed of the subsamples.
        resamples: How many bootstrap samples the interval is from.
        confidence: The probability with which the interval contains the slope.

    Returns:
        The slope with its interval.

    Raises:
        LengthwiseError: There are too few words, lengths or samples.

    Example:
        >>> from lengthwise.limit.constructions import k_gram
        >>> model = k_gram(1, "ab", beta=1.0, phi=2.0).model
        >>> found = measured_slope(model, [np.arange(4_000) // 2_000], [30, 120, 480], samples=20, seed=1)
        >>> found.slope < 0
        True

    """
    Sizes.of(model)
    if len(set(lengths)) < 2 or not inputs or samples < 2:
        raise LengthwiseError("a slope takes at least one input, two different lengths and two samples of each")
    rng = np.random.default_rng(seed)
    words = [model.tokens(word) for word in inputs]
    found = np.empty((len(lengths), len(words), samples))
    for place, word in enumerate(words):
        wanted = last_output(model, word)
        for row, n in enumerate(lengths):
            for turn in range(samples):
                kept = word[subsample(len(word), n, model.window, rng)]
                found[row, place, turn] = np.linalg.norm(last_output(model, kept) - wanted)
    errors = found.mean(axis=(1, 2))
    if errors.min() <= NOISE:
        raise LengthwiseError("some subsamples make no error at all, and zeros have no slope; take harder inputs")
    slopes = []
    for _ in range(resamples):
        chosen = np.take_along_axis(found, rng.integers(0, samples, found.shape), axis=2).mean(axis=(1, 2))
        slopes.append(_fit(lengths, np.maximum(chosen, NOISE)))
    low, high = np.quantile(slopes, [(1 - confidence) / 2, (1 + confidence) / 2]).tolist()
    return MeasuredSlope(_fit(lengths, errors), low, high, tuple(lengths), tuple(errors.tolist()))


def _fit(lengths: Sequence[int], errors: Floats) -> float:
    across, up = np.log(np.asarray(lengths, dtype=np.float64)), np.log(errors)
    across = across - across.mean()
    return float(across @ up / (across @ across))


# ----------------------------------------------------------------------------------------------------- numbers


def _common_window(f: LimitTransformer, g: LimitTransformer) -> int:
    if f.alphabet != g.alphabet or len(f.outputs) != len(g.outputs):
        raise ModelError(
            "f and g are compared on the same words and outputs: they need one alphabet and as many outputs"
        )
    return max(f.window, g.window)


def _log_short(log_n: float, window: int) -> float:
    """log(n - 2n^(2/3) - τ - 1): no good subsample is shorter; -inf if that is not positive."""
    lost = 2 * math.exp(-log_n / 3) + (window + 1) * math.exp(-log_n)
    return log_n + math.log1p(-lost) if lost < 1 else -math.inf


def _least(suffices: Callable[[float], bool]) -> float:
    """The least logarithm from log 8 on that suffices, where every greater one does; from above."""
    low = math.log(LEAST_SIZE)
    if suffices(low):
        return low
    high = 2 * low
    while not suffices(high):
        low, high = high, 2 * high
        if high > LARGEST_LOGARITHM:
            raise LengthwiseError("the weights are too large: not even the logarithm of the bound can be written down")
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if suffices(middle) else (middle, high)
    return high
