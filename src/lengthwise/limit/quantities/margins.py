"""Margins: how far apart two different logits of one query are at least, and what follows for long inputs.

A finite precision forgets every weight that is too small against the largest. Since logits are scaled by the logarithm
of the length, from some length on only the keys with maximal logit are left: attention is a uniform average over them.
That length depends on the smallest positive difference of two logits, the logit margin. In infinite precision only φ is
scaled, and the positional margin says at which rate the heads approach their limit.
Izzo et al., section 3.2 and Definition 5.1; corrections ERR-B1 and ERR-B6.

Logits are computed exactly (float64 weights are binary fractions). Weights such as 0.1 + 0.2 and 0.3, meant to be
equal, then differ by 6e-17; values at most `TIE` apart count as equal.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise

from lengthwise.limit.evaluation.regimes import IzzoFinite
from lengthwise.limit.model import Head, LimitTransformer, ModelError
from lengthwise.limit.quantities.complexity import as_integers, fractional_bits
from lengthwise.resources import within_time

TIE = Fraction(1, 10**12)
"""Logits closer than this count as equal."""
LARGEST_EXPONENT = 10_000
"""Hardmax lengths of more bits are not written out."""


def occurring_types(model: LimitTransformer) -> list[tuple[int, int]]:
    """The types (row of E, residue of the position) that occur; a start symbol stands at position 1 only."""
    plain = [(symbol, residue) for symbol in range(model.alphabet.id_count) for residue in range(model.period)]
    return [*plain, (model.alphabet.id_count, 1 % model.period)] if model.has_start else plain


def logit_margin(model: LimitTransformer) -> float:
    """γ(f) of a one-layer model: the least positive difference of two logits that one query can meet.

    Infinite if all logits of every query agree. With several heads, the least of theirs.

    Args:
        model: The model.

    Returns:
        The margin; infinite if no query meets two different logits.

    Example:
        >>> from lengthwise.limit.constructions import simple_task
        >>> logit_margin(simple_task(2.0).model)
        8.0

    """
    margin = _exact_logit_margin(model)
    return math.inf if margin is None else float(margin)


def printed_logit_margin(model: LimitTransformer) -> float:
    """The margin as printed, without keys further away than τ (ERR-B1): an upper bound, sometimes infinitely off."""
    heads = _only_layer(model)
    margin = min(filter(None, (_head_margin(model, head, prefix=False) for head in heads)), default=None)
    return math.inf if margin is None else float(margin)


def hardmax_exponent(model: LimitTransformer, bits: int | None = None) -> float:
    """The binary logarithm of the length from which on attention is a uniform average: p / γ(f), or 0 if γ is infinite.

    Unlike the length itself it can always be written down.
    """
    return float(_exact_exponent(model, bits))


def hardmax_length(model: LimitTransformer, bits: int | None = None) -> int:
    """The length from which rounding at `bits` turns softmax attention into a uniform average over maximal keys.

    2^(bits / logit_margin), rounded up (Izzo et al., section 3.2); 1 if all logits of every query agree. `bits` may be
    left out if the model's regime is izzo_finite.

    Args:
        model: The model.
        bits: The precision; else that of the model's regime.

    Returns:
        The length; 1 if all logits of every query agree.

    Raises:
        ModelError: The model has no finite precision, or no finite hardmax length.

    Example:
        >>> from lengthwise.limit.constructions import simple_task
        >>> hardmax_length(simple_task(2.0).model)
        2

    """
    exponent = _exact_exponent(model, bits)
    if exponent > LARGEST_EXPONENT:
        raise ModelError(
            f"the hardmax length is 2^{float(exponent):.6g}, too long to write out; use hardmax_exponent instead"
        )
    return _power_of_two_rounded_up(exponent)


def positional_margin(model: LimitTransformer) -> float:
    """γ_pos: the least gap, over the heads of layer 1, between the largest two distinct values of {φ[0..τ], 0, 1}.

    Weights in infinite precision are sums of powers i^φ: those of the window, i for the rest of the input, and i^0 for
    the keys counted in both (ERR-B6). The larger the gap, the faster the largest power wins. Infinite without heads.

    Args:
        model: The model.

    Returns:
        The margin.

    Raises:
        ModelError: It is not defined for this model.

    Example:
        >>> from lengthwise.limit.constructions import k_gram
        >>> positional_margin(k_gram(1, "ab", beta=3.0, phi=2.0).model)
        1.0

    """
    if not model.layers:
        raise ModelError("the positional margin is that of the first layer, and this model has none")
    gaps = [_top_gap([*head.phi.tolist(), 0.0, 1.0]) for head in model.layers[0].heads]
    return min((float(gap) for gap in gaps if gap is not None), default=math.inf)


def printed_positional_margin(model: LimitTransformer) -> float | None:
    """The positional margin as printed, without the value 0; None where it is undefined, if all φ of a head are 1."""
    gaps = [_top_gap([*head.phi[: model.window + 1].tolist(), 1.0]) for head in model.layers[0].heads]
    defined = [gap for gap in gaps if gap is not None]
    return float(min(defined)) if defined and len(defined) == len(gaps) else None


# ------------------------------------------------------------------------------------------- exact values


def _only_layer(model: LimitTransformer) -> tuple[Head, ...]:
    if len(model.layers) != 1:
        raise ModelError(f"the logit margin is that of a one-layer model, and this one has {len(model.layers)} layers")
    return model.layers[0].heads


def _exact_logit_margin(model: LimitTransformer) -> Fraction | None:
    heads = _only_layer(model)
    return min(filter(None, (_head_margin(model, head, prefix=True) for head in heads)), default=None)


def _head_margin(model: LimitTransformer, head: Head, *, prefix: bool) -> Fraction | None:
    """The least positive difference of logits in one head; `prefix`: keys beyond the window count, too."""
    kinds = occurring_types(model)
    bits = fractional_bits(model.embedding, model.positions)
    symbols, encodings = as_integers(model.embedding, bits), as_integers(model.positions, bits)
    inputs = {kind: symbols[kind[0]] + encodings[kind[1]] for kind in within_time(kinds)}
    matrix_bits = fractional_bits(head.key_query)
    matrix = as_integers(head.key_query, matrix_bits)
    scale = 1 << (2 * bits + matrix_bits)
    phi = [Fraction(value) for value in head.phi[: head.window + 1].tolist()]
    smallest = None
    for query in within_time(kinds):
        if query[0] == model.alphabet.id_count:
            continue  # the start symbol is a query with one key, itself
        received = matrix @ inputs[query]
        content = {kind: Fraction(int(inputs[kind] @ received), scale) for kind in within_time(kinds)}
        logits = [
            value + phi[distance]
            for (_, residue), value in content.items()
            for distance in range(len(phi))
            if (query[1] - distance - residue) % model.period == 0
        ]
        gap = _least_gap(logits + (list(content.values()) if prefix else []))
        if gap is not None and (smallest is None or gap < smallest):
            smallest = gap
    return smallest


def _least_gap(values: Iterable[Fraction]) -> Fraction | None:
    """The least difference of neighbours that are not tied."""
    gaps = (larger - smaller for smaller, larger in pairwise(sorted(set(values))))
    return min((gap for gap in gaps if gap > TIE), default=None)


def _top_gap(values: list[float]) -> Fraction | None:
    """The largest value minus the largest one that is not tied with it."""
    largest = Fraction(max(values))
    rest = [Fraction(value) for value in values if largest - Fraction(value) > TIE]
    return largest - max(rest) if rest else None


def _exact_exponent(model: LimitTransformer, bits: int | None) -> Fraction:
    if bits is None:
        if not isinstance(model.regime, IzzoFinite):
            raise ModelError(
                f"say for how many bits: the regime {model.regime} is not izzo_finite, which has a precision"
            )
        bits = model.regime.bits
    margin = _exact_logit_margin(model)
    return Fraction(0) if margin is None else bits / margin


def _power_of_two_rounded_up(exponent: Fraction) -> int:
    whole, rest = divmod(exponent, 1)
    if not rest:
        return 1 << whole
    # 2^rest is irrational, so enough digits decide; if they were too few, the result would be one too large, not small.
    with localcontext() as context:
        context.prec = int(whole) // 3 + 40
        power = Decimal(2) ** (Decimal(rest.numerator) / Decimal(rest.denominator)) * (1 << whole)
        return int((power * (1 + Decimal(10) ** (10 - context.prec))).to_integral_value(rounding="ROUND_CEILING"))
