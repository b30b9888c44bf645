"""One-layer constructions that average symbols: SimpleTask and ModPTask (Izzo et al., section 6 and appendix C.1).

Both attend equally to the keys that count and to no others. The papers write "logit ∞" for them; here it is the number
of bits of precision, which is as good: from length 2 on a gap of `bits` makes the other weights vanish, and at length 1
there is only one key. So attention is exact at every length.
"""

from __future__ import annotations

import math

import numpy as np

from lengthwise.alphabet import Alphabet, Word
from lengthwise.errors import LengthwiseError
from lengthwise.limit.constructions.construction import Construction, unit_matrix
from lengthwise.limit.evaluation.regimes import Floats, IzzoFinite
from lengthwise.limit.model import Head, Layer, LimitTransformer
from lengthwise.resources import require_memory


def simple_task(omega: float, units: int = 64, bits: int = 8) -> Construction:
    """SimpleTask(ω): sin(ω (c_0 - c_1) / (c_0 + c_1)), where c_s counts the symbols s of a word over 0, 1, 2.

    Attention yields the quotient z exactly; ReLU units interpolate the sine between equidistant points of [-1, 1], with
    error at most ω² h² / 8 for steps of h = 2 / units. Undefined without any 0 or 1 (the model then says 0).
    The slope of what ReLU units compute varies by at most ||A|| ||B||, and that of sin(ωz) by about 4ω²/π, so the
    model's constant L grows like ω², not like ω as the paper says; this MLP has the variation plus 2ω.

    Args:
        omega: The frequency ω.
        units: ReLU units that interpolate the sine.
        bits: The precision of attention.

    Returns:
        The model with its target and its error bound.

    Raises:
        LengthwiseError: The number of units is odd or below 2.

    Example:
        >>> len(simple_task(2.0).model.layers)
        1

    """
    if units < 2 or units % 2:
        raise LengthwiseError(f"the sine is odd and takes an even number of units, at least 2; got {units}")
    if not math.isfinite(omega):
        raise LengthwiseError(f"omega is a finite number, not {omega}")
    _check_bits(bits)
    require_memory(250 * units, f"SimpleTask with {units} units", "lower --units")
    alphabet = Alphabet(("0", "1", "2"))
    width, quotient, answer = 5, 3, 4
    attends = {(key, query): float(bits) for key in (0, 1) for query in range(3)}
    reads = {(quotient, 0): 1.0, (quotient, 1): -1.0}
    head = Head(unit_matrix(width, attends), unit_matrix(width, reads))
    if not math.isfinite(omega):
        raise LengthwiseError(f"the frequency omega is a finite number, got {omega}")
    knots, bends = _sine_bends(omega, units // 2)
    # Each unit's weight is split evenly between A and B, which makes ||A|| ||B|| the sum of |bends|.
    outer = np.sqrt(np.abs(bends))
    hidden, output = np.zeros((units, width)), np.zeros((width, units))
    hidden[:, quotient] = np.concatenate([outer, -outer])
    output[answer] = np.concatenate([np.sign(bends) * outer, -np.sign(bends) * outer])
    bias = np.concatenate([-outer * knots, -outer * knots])
    layer = Layer((head,), hidden, bias, output, np.zeros(units, dtype=bool))
    model = LimitTransformer(
        alphabet,
        np.eye(3, width),
        np.zeros((1, width)),
        (layer,),
        np.eye(width)[[answer]],
        ("value",),
        regime=IzzoFinite(bits),
        title="SimpleTask",
    )

    def target(word: Word) -> Floats | None:
        zeros, ones, _ = np.bincount(alphabet.encode(word), minlength=3).tolist()
        return np.array([math.sin(omega * (zeros - ones) / (zeros + ones))]) if zeros + ones else None

    def error_bound(word: Word) -> float:
        return math.inf if target(word) is None else omega**2 * (2 / units) ** 2 / 8

    return Construction(
        model,
        target,
        error_bound,
        f"sin({omega:g} (c0 - c1) / (c0 + c1)), interpolated with {units} ReLU units",
    )


def _sine_bends(omega: float, pieces: int) -> tuple[Floats, Floats]:
    """Where the interpolation of sin(ωz) on [0, 1] bends, and by how much its slope changes there."""
    points = np.linspace(0.0, 1.0, pieces + 1)
    slopes = np.diff(np.sin(omega * points)) * pieces
    return points[:-1], np.diff(slopes, prepend=0.0)


def mod_p_task(p: int, k: int, bits: int = 8) -> Construction:
    """ModPTask: the share of 1s among the symbols at positions congruent to k modulo p; exact, without an MLP.

    Undefined for words that end before the first such position.

    Args:
        p: The period.
        k: The residue of the positions that count.
        bits: The precision of attention.

    Returns:
        The model with its target and its error bound.

    Raises:
        LengthwiseError: The period is not positive.

    Example:
        >>> mod_p_task(3, 0).model.period
        3

    """
    if p < 1:
        raise LengthwiseError(f"a period is a positive number of positions, got {p}")
    _check_bits(bits)
    require_memory(40 * p**2, f"ModPTask with the period {p}", "choose a smaller --period")
    alphabet = Alphabet(("0", "1"))
    residue = k % p
    width, answer = 2 + p + 1, 2 + p
    encodings = np.zeros((p, width))
    encodings[:, 2 : 2 + p] = np.eye(p)
    attends = {(2 + residue, 2 + query): float(bits) for query in range(p)}
    head = Head(unit_matrix(width, attends), unit_matrix(width, {(answer, 1): 1.0}))
    model = LimitTransformer(
        alphabet,
        np.eye(2, width),
        encodings,
        (Layer.attention_only([head], width),),
        np.eye(width)[[answer]],
        ("value",),
        regime=IzzoFinite(bits),
        title="ModPTask",
    )

    def target(word: Word) -> Floats | None:
        chosen = alphabet.encode(word)[(residue - 1) % p :: p]
        return np.array([float(np.mean(chosen == 1))]) if len(chosen) else None

    def error_bound(word: Word) -> float:
        return math.inf if target(word) is None else 0.0

    return Construction(model, target, error_bound, f"the share of 1s at positions congruent to {residue} modulo {p}")


def _check_bits(bits: int) -> None:
    if bits < 1:
        raise LengthwiseError(f"these constructions need at least 1 bit of precision, got {bits}")
