"""Theorem 4.1, repaired: agreement on all short words is agreement, up to ε, on all words.

Two one-layer models that differ by at most ε_train on every word up to the length given here differ by at most
ε_train + ε on every word of any length, because every long word has a short stand-in for both (`simulation`).
Izzo et al., section 4 and appendix A.2; corrections ERR-C1 to ERR-C5. The printed forms, whose constants are hidden in
O(·), stand beside ours, evaluated with constant 1.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from lengthwise.bounds.bound import Bound, length_bound, log_bound
from lengthwise.bounds.theorems.pair import Pair, checked_epsilon
from lengthwise.errors import LengthwiseError
from lengthwise.limit.model import LimitTransformer
from lengthwise.limit.quantities.constants import one_layer_constants
from lengthwise.limit.quantities.margins import printed_logit_margin

THEOREM = "Theorem 4.1, repaired"
LEAST_RATIO = 4
"""R is at least this."""


def worst_case(f: LimitTransformer, g: LimitTransformer, epsilon: float, bits: int | None = None) -> Bound:
    """The training length that suffices for an extra error of ε on words of every length.

    `bits` is the common precision p; it may be left out if the models' regimes say it.

    Args:
        f: A model with one layer.
        g: The model that is trained to agree with it.
        epsilon: The error that may be added.
        bits: The precision; None if the models agree on one.

    Returns:
        The length, with its terms and the printed formulas.

    Example:
        >>> from lengthwise.limit.constructions import mod_p_task
        >>> model = mod_p_task(5, 2).model
        >>> worst_case(model, model, epsilon=0.1).value
        2085226

    """
    pair = Pair.of(f, g, bits)
    # Without a precision attention is a hardmax at every length, whatever the margin.
    margin = min(printed_logit_margin(model) for model in (f, g))
    exponent = 0.0 if pair.bits is None else pair.bits / margin
    printed_sensitivity = sum(one_layer_constants(model).printed_sensitivity for model in (f, g))
    workshop = max(workshop_sensitivity(model) for model in (f, g))
    return worst_case_formula(
        epsilon,
        pair.sensitivity,
        pair.symbols,
        pair.period,
        pair.window,
        hardmax_length=pair.hardmax_length,
        hardmax_exponent=pair.hardmax_exponent,
        printed=printed_forms(epsilon, printed_sensitivity, workshop, pair.symbols, pair.period, pair.window, exponent),
    )


def worst_case_formula(
    epsilon: float,
    sensitivity: float,
    symbols: int,
    period: int = 1,
    window: int = 0,
    *,
    hardmax_length: int | None = 1,
    hardmax_exponent: float | None = None,
    printed: tuple[Bound, ...] | None = None,
) -> Bound:
    """The bound from numbers alone: max{N_hard + 2Δ, Δ(KR + K + 5) + τ + 1}.

    `sensitivity` is Λ_f + Λ_g. A hardmax length too long to write out is None, and `hardmax_exponent` its binary
    logarithm. If no `printed` forms are given, they are evaluated on the same numbers (`printed_forms`).
    """
    epsilon = checked_epsilon(epsilon)
    if symbols < 1 or period < 1 or window < 0 or not 0 <= sensitivity < math.inf:
        raise LengthwiseError(
            "the bound is about at least one symbol, a period of at least 1, a window of at least 0 and a finite "
            f"sensitivity >= 0; got {symbols}, {period}, {window} and {sensitivity}"
        )
    if hardmax_exponent is None:
        hardmax_exponent = math.log2(hardmax_length) if hardmax_length else math.inf
    types = symbols * period
    resolution, ratio = resolution_and_ratio(epsilon, sensitivity, types, window)
    if printed is None:
        printed = printed_forms(epsilon, sensitivity, sensitivity, symbols, period, window, hardmax_exponent)
    terms = {
        "epsilon": epsilon,
        "sensitivity": sensitivity,
        "symbols": symbols,
        "period": period,
        "window": window,
        "types": types,
        "resolution": _as_float(resolution),
        "dominance_ratio": _as_float(ratio),
        "hardmax_length": math.inf if hardmax_length is None else _as_float(hardmax_length),
        "hardmax_exponent": hardmax_exponent,
    }
    assumptions = (
        "f and g have one layer, one head and ReLU units, and the same precision",
        "f and g differ by at most ε_train on every word up to this length; then by at most ε_train + ε on every word",
    )
    if hardmax_length is None:
        # 2^10000 and more exceeds the other term for every ε that a float can be.
        return log_bound(
            THEOREM, hardmax_exponent * math.log10(2), terms=terms, assumptions=assumptions, printed=printed
        )
    length = stand_in_length(resolution, ratio, period, window, hardmax_length)
    return length_bound(THEOREM, length, terms=terms, assumptions=assumptions, printed=printed)


# ---------------------------------------------------------------------------------------- resolution and ratio


def resolution_and_ratio(
    epsilon: float | Fraction, sensitivity: float | Fraction, types: int, window: int
) -> tuple[int, int]:
    """K = ⌈2Λ(2D + 4τ + 6)/ε⌉ and R = ⌈20Λ/ε⌉, raised to what the proof needs: both parts of the error get ε/2.

    Halving ε evenly makes KR, and with it the length, as small as the promise allows.
    """
    scale = Fraction(sensitivity) / Fraction(epsilon)
    resolution = math.ceil(2 * scale * (2 * types + 4 * window + 6))
    return max(resolution, least_resolution(types)), max(math.ceil(20 * scale), LEAST_RATIO)


def least_resolution(types: int) -> int:
    """K is at least 8 and at least 2D: with fewer, rounding can wipe out all that one of the models attends to."""
    return max(8, 2 * types)


def promised_distance(resolution: int, ratio: int, types: int, window: int) -> float:
    """(2D + 4(τ + 1) + 2)/K + 10/R: how far, in ℓ1, attention to a stand-in is at most from attention to the word."""
    return float(Fraction(2 * types + 4 * (window + 1) + 2, resolution) + Fraction(10, ratio))


def stand_in_length(resolution: int, ratio: int, period: int, window: int, hardmax_length: int) -> int:
    """max{N_hard + 2Δ, Δ(KR + K + 5) + τ + 1}: no stand-in is longer."""
    return max(hardmax_length + 2 * period, period * (resolution * ratio + resolution + 5) + window + 1)


# ---------------------------------------------------------------------------------------------- printed forms


def printed_forms(
    epsilon: float,
    sensitivity: float,
    workshop: float,
    symbols: int,
    period: int,
    window: int,
    hardmax_exponent: float,
) -> tuple[Bound, ...]:
    """Theorem 4.1 as printed in the paper and in the workshop version, then both read with τ + 1 for τ (ERR-0a).

    `sensitivity` is the paper's L = L_f + L_g, `workshop` that of the workshop version, `hardmax_exponent` p/γ.
    """
    numbers = (checked_epsilon(epsilon), period, hardmax_exponent)
    return (
        _paper(sensitivity, symbols, window, *numbers, "as printed"),
        _workshop(workshop, window, *numbers, "as printed"),
        _paper(sensitivity, symbols, window + 1, *numbers, "τ + 1 for τ"),
        _workshop(workshop, window + 1, *numbers, "τ + 1 for τ"),
    )


def _paper(
    sensitivity: float, symbols: int, window: int, epsilon: float, period: int, exponent: float, reading: str
) -> Bound:
    """max{2^(p/γ), L² Δ⁷ |Σ|⁶ τ² / ε²}; without a window only 2^(p/γ) is left (ERR-C4)."""
    logarithm = 2 * _log10(sensitivity) + 7 * _log10(period) + 6 * _log10(symbols) + 2 * _log10(window)
    theorem = f"Izzo et al., Theorem 4.1, {reading}: max{{2^(p/γ), L²Δ⁷|Σ|⁶τ²/ε²}}"
    return _printed(theorem, logarithm - 2 * _log10(epsilon), exponent, sensitivity, window)


def _workshop(sensitivity: float, window: int, epsilon: float, period: int, exponent: float, reading: str) -> Bound:
    """max{2^(p/γ), τ Δ L² / ε²}, whose L is `workshop_sensitivity` (ERR-C5)."""
    logarithm = _log10(window) + _log10(period) + 2 * _log10(sensitivity)
    theorem = f"Izzo et al., workshop version, {reading}: max{{2^(p/γ), τΔL²/ε²}}"
    return _printed(theorem, logarithm - 2 * _log10(epsilon), exponent, sensitivity, window)


def workshop_sensitivity(model: LimitTransformer) -> float:
    """||A||_F ||B||_F max ||V E_s||: the L of the workshop version, which is 0 without an MLP (ERR-C5)."""
    layer = model.layers[0]
    values = model.embedding @ layer.heads[0].value.T
    size = float(np.linalg.norm(layer.hidden) * np.linalg.norm(layer.output))
    return size * float(np.linalg.norm(values, axis=1).max())


def _printed(theorem: str, logarithm: float, exponent: float, sensitivity: float, window: int) -> Bound:
    hardmax = exponent * math.log10(2)
    return log_bound(
        theorem,
        max(logarithm, hardmax),
        terms={
            "sensitivity": sensitivity,
            "window": window,
            "log10_hardmax_length": hardmax,
            "log10_other_part": logarithm,
        },
        explicit=False,
        assumptions=("the constant hidden in O(·) is taken to be 1",),
    )


def _log10(value: float) -> float:
    return math.log10(value) if value > 0 else -math.inf


def _as_float(value: int) -> float:
    return float(value) if value.bit_length() < 1000 else math.inf
