"""Theorem 4.2, repaired: two models close on average at one length are close on average at every greater length.

Symbol frequencies P are drawn from Dir(α), the symbols of a word independently from P. Then, for every κ > 0,

    ||f - g||_T <= ||f - g||_N' + κ    for all T >= N', where N' ≡ T (mod Δ) and N0 <= N' < N0 + Δ.

The word that stands in for a long one is its own end (`last_tokens`). With high probability no symbol is rare, every
type (symbol, residue) is as frequent as expected in the word and in its end, and both models then attend to nearly the
same mixture of values. Izzo et al., appendix A.3; corrections ERR-D1 to ERR-D6. The two printed versions of N0, which
contradict each other, stand beside ours.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from lengthwise.bounds.bound import Bound, length_bound, log_bound
from lengthwise.bounds.theorems.beta import log_printed_rare_symbol_probability, rare_symbol_probability
from lengthwise.bounds.theorems.pair import Pair
from lengthwise.errors import LengthwiseError
from lengthwise.limit.model import LimitTransformer
from lengthwise.limit.quantities.constants import one_layer_constants
from lengthwise.limit.quantities.margins import printed_logit_margin

THEOREM = "Theorem 4.2, repaired"
HALF = -math.log(2)
LARGEST_ALPHA = 1e15
LARGEST_LOGARITHM = 690.0
"""Lengths up to e^690 are written out."""
ROUNDING = 1 + 1e-12
"""Lengths are enlarged by this factor before they are rounded up, so that floating point cannot make them too short."""

ASSUMPTIONS = (
    "f and g have one layer, one head and ReLU units, and the same precision",
    "symbols are drawn independently from frequencies P, and P from the Dirichlet distribution with parameters alpha",
    "the mean difference at the Δ lengths up to this one is at most ε_train; then it is at most ε_train + κ at every "
    "greater length",
)

WordLike = TypeVar("WordLike", str, npt.NDArray[Any])


def last_tokens(word: WordLike, length: int, period: int = 1) -> WordLike:
    """The simulation map: the last N' symbols, where N' ≡ |word| (mod Δ) is the first such number from `length` on.

    What is cut off is a multiple of the period, so every symbol keeps its residue. A word that is no longer than N'
    stands for itself.

    Args:
        word: A word.
        length: How many symbols are kept at most.
        period: The period of the model, which must not see another residue.

    Returns:
        The last symbols of the word.

    Raises:
        LengthwiseError: The length or the period is too small.

    Example:
        >>> last_tokens("abcabc", 3, period=3)
        'abc'

    """
    if length < 1 or period < 1:
        raise LengthwiseError(f"a length and a period are positive numbers, got {length} and {period}")
    kept = length + (len(word) - length) % period
    return word if kept >= len(word) else word[len(word) - kept :]


def average(
    f: LimitTransformer, g: LimitTransformer, alpha: Sequence[float], kappa: float, bits: int | None = None
) -> Bound:
    """The training length after which the average difference of two models grows by at most κ.

    `alpha` are the Dirichlet's parameters, one for each symbol. The value is the largest N'; it suffices that
    ||f - g|| is small on average at the Δ lengths N0..N0 + Δ - 1. `bits` may be left out if the regimes say it.

    Args:
        f: A model with one layer.
        g: The model that is trained to agree with it.
        alpha: The Dirichlet parameters of the symbol distribution, one for each symbol.
        kappa: The error that may be added on average.
        bits: The precision; None if the models agree on one.

    Returns:
        The length, with its terms and the printed formulas.

    Raises:
        LengthwiseError: The theorem does not apply to the models, or a parameter is out of range.

    Example:
        >>> from lengthwise.limit.constructions import simple_task
        >>> f, g = simple_task(2.0).model, simple_task(2.5).model
        >>> average(f, g, alpha=[5, 5, 5], kappa=0.1).shown
        '56,208,291,938'

    """
    pair = Pair.of(f, g, bits)
    if len(alpha) != pair.symbols:
        raise LengthwiseError(f"alpha has one entry for each of the {pair.symbols} symbols, got {len(alpha)}")
    constants = [one_layer_constants(model) for model in (f, g)]
    margin = min(printed_logit_margin(model) for model in (f, g))
    exponent = 0.0 if pair.bits is None else pair.bits / margin
    printed_outputs = [
        each.mlp_lipschitz * (each.largest_input + each.largest_value + float(np.linalg.norm(model.layers[0].bias)))
        for each, model in zip(constants, (f, g), strict=True)
    ]
    return average_formula(
        alpha,
        kappa,
        sensitivity=pair.sensitivity,
        largest_output=sum(each.largest_output for each in constants),
        period=pair.period,
        window=pair.window,
        hardmax_length=pair.hardmax_length,
        hardmax_exponent=pair.hardmax_exponent,
        printed=printed_formulas(
            alpha,
            kappa,
            sum(each.printed_sensitivity for each in constants),
            sum(printed_outputs),
            pair.period,
            exponent,
        ),
    )


def average_formula(
    alpha: Sequence[float],
    kappa: float,
    *,
    sensitivity: float,
    largest_output: float,
    period: int = 1,
    window: int = 0,
    hardmax_length: int | None = 1,
    hardmax_exponent: float = 0.0,
    printed: tuple[Bound, ...] | None = None,
) -> Bound:
    """The bound from numbers alone: `sensitivity` is Λ = Λ_f + Λ_g, `largest_output` is M = M_f + M_g.

    Its terms are κ, Λ, M, ρ (`bulk_failure`), γ0 (`least_share`), δ (`tolerance`), t0 (`column_length`: how often each
    residue occurs at least before the window), N_hard and N0 (`shortest_training_length`).
    A hardmax length too long to write out is None, and `hardmax_exponent` its binary logarithm. If no `printed` forms
    are given, they are evaluated on the same numbers.
    """
    alpha, kappa = checked_alpha(alpha), _checked_kappa(kappa)
    if not (math.isfinite(sensitivity) and math.isfinite(largest_output)):
        raise LengthwiseError("the weights are too large: the constants Λ and M must be finite numbers")
    if printed is None:
        printed = printed_formulas(alpha, kappa, sensitivity, largest_output, period, hardmax_exponent)
    failure = min(1.0, kappa / (8 * largest_output)) if largest_output else 1.0
    log_share = log_least_share(alpha, kappa, largest_output)
    log_tolerance = log_share + min(HALF, _log(kappa) - _log(16 * sensitivity))
    log_column = max(
        _log(math.log(2 * len(alpha) * period / failure)) + HALF - 2 * log_tolerance,
        _log(32 * sensitivity * (window + 1)) - _log(kappa) - log_share,
        _log(16 * sensitivity) - _log(kappa),
        0.0,
    )
    terms = {
        "kappa": kappa,
        "sensitivity": sensitivity,
        "largest_output": largest_output,
        "bulk_failure": failure,
        "least_share": math.exp(log_share),
        "least_share_closed_form": math.exp(log_least_share_closed_form(alpha, kappa, largest_output)),
        "tolerance": math.exp(log_tolerance),
        "log10_tolerance": log_tolerance / math.log(10),
        "log10_column_length": log_column / math.log(10),
        "hardmax_exponent": hardmax_exponent,
    }
    rest: dict[str, Any] = {"assumptions": ASSUMPTIONS, "printed": printed}
    if hardmax_length is None or log_column > LARGEST_LOGARITHM:
        column = (log_column + math.log(period)) / math.log(10)
        return log_bound(THEOREM, max(column, hardmax_exponent * math.log10(2)), terms=terms, **rest)
    column_length = math.ceil(math.exp(log_column) * ROUNDING)
    shortest = max(hardmax_length, period * (column_length + 1) + window + 1)
    terms |= {
        "column_length": float(column_length),
        "hardmax_length": float(hardmax_length) if hardmax_length.bit_length() < 1000 else math.inf,
        "shortest_training_length": float(shortest) if shortest.bit_length() < 1000 else math.inf,
    }
    return length_bound(THEOREM, shortest + period - 1, terms=terms, **rest)


# ------------------------------------------------------------------------------------------- the rarest symbol


def log_least_share(alpha: Sequence[float], kappa: float, largest_output: float) -> float:
    """The logarithm of γ0: the largest γ0 <= 1/2 such that M times the probability of a rarer symbol is at most κ/4.

    Bisection on the exact Beta tails (rounded down); the closed form is the lower end to start from.
    """
    low, high = log_least_share_closed_form(alpha, kappa, largest_output), HALF

    def affordable(log_share: float) -> bool:
        return largest_output * rare_symbol_probability(log_share, alpha) <= kappa / 4

    if affordable(high):
        return high
    while high - low > 1e-13 * max(1.0, abs(low)):
        middle = (low + high) / 2
        low, high = (middle, high) if affordable(middle) else (low, middle)
    return low


def log_least_share_closed_form(alpha: Sequence[float], kappa: float, largest_output: float) -> float:
    """The logarithm of min{1/2, (κα0 / (8|Σ| 4^α* M))^(1/α0)}, which the exact tails allow, too (Lemma A.9)."""
    if largest_output == 0:
        return HALF
    affordable = math.log(kappa) - math.log(4) - math.log(largest_output)
    return min(HALF, (affordable - log_printed_rare_symbol_probability(0.0, alpha)) / min(alpha))


# ---------------------------------------------------------------------------------------------- printed forms


def printed_formulas(
    alpha: Sequence[float],
    kappa: float,
    sensitivity: float,
    largest_output: float,
    period: int,
    hardmax_exponent: float,
) -> tuple[Bound, ...]:
    """N0 as stated and N0 as the printed proof has it, both for a promised error of O(√ε) with √ε = κ (ERR-D1).

    The statement has ε^(-2 - 2/α0), the proof ε^(-1 - 1/α0), and L_f + L_g in one is M_f + M_g in the other.
    """
    alpha, kappa = checked_alpha(alpha), _checked_kappa(kappa)
    least, symbols = min(alpha), len(alpha)

    def printed(theorem: str, size: float, power: float) -> Bound:
        logarithm = (
            math.fsum(alpha) / least * math.log10(16)
            + (2 + 2 / least) * _log10(size)
            + (4 + 2 / least) * math.log10(symbols)
            + 5 * math.log10(period)
            - 2 / least * math.log10(least)
            - power * 2 * math.log10(kappa)
            + _log10(_log(symbols * period * size) - 2 * math.log(kappa))
        )
        return log_bound(
            theorem,
            max(logarithm, hardmax_exponent * math.log10(2)),
            terms={"epsilon": kappa * kappa, "power of 1/ε": power, "size": size, "log10 of the other part": logarithm},
            explicit=False,
            assumptions=(
                "the constant hidden in O(·) is taken to be 1",
                "the promised error is O(√ε), if the mean difference is at most ε at all lengths up to this one",
            ),
        )

    return (
        printed("Izzo et al., Theorem 4.2 as stated: ε^(-2-2/α0)", sensitivity, 2 + 2 / least),
        printed("Izzo et al., Theorem 4.2 as its proof ends: ε^(-1-1/α0)", largest_output, 1 + 1 / least),
    )


def checked_alpha(alpha: Sequence[float]) -> tuple[float, ...]:
    """The Dirichlet's parameters, refused unless they are positive numbers."""
    values = tuple(float(each) for each in alpha)
    if not values or not all(math.isfinite(each) and each > 0 for each in values):
        raise LengthwiseError(f"alpha lists the Dirichlet's parameters, positive numbers; got {list(values)}")
    if sum(values) > LARGEST_ALPHA:
        raise LengthwiseError(f"alpha adds up to at most {LARGEST_ALPHA:g}; got {sum(values):g}")
    return values


def _checked_kappa(kappa: float) -> float:
    if not (math.isfinite(kappa) and kappa > 0):
        raise LengthwiseError(f"kappa is the error that is accepted on long inputs, a positive number; got {kappa}")
    return float(kappa)


def _log(value: float) -> float:
    return math.log(value) if value > 0 else -math.inf


def _log10(value: float) -> float:
    return math.log10(value) if value > 0 else -math.inf
