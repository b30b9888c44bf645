"""Precision regimes: how logits become attention weights.

A logit has a content part c = y_j^T KQ y_i and a positional part φ[i - j]. The papers differ in what precision does to
them, and everything else about a Limit Transformer is the same in all of them:

- `Huang(bits)` (Huang et al., section 2): logits and exponentials are rounded to multiples of 2^-bits; scaled by log N.
- `IzzoFinite(bits)` (Izzo et al., section 3.2): weights at most 2^-bits of the largest vanish; scaled by log N.
- `IzzoInfinite()` (Izzo et al., section 3.3): no rounding; only φ is scaled, by log i.
- `Hardmax()`: the limit of `IzzoFinite` as N grows: the uniform average over the keys with maximal logit.

N is the length of the whole input, so in the first two regimes the output at a position is not the output of the prefix
that ends there (ERR-A2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from lengthwise.errors import LengthwiseError

Floats: TypeAlias = npt.NDArray[np.float64]

MOST_BITS = 1000
"""The largest precision, in bits."""
TIE = 1e-9
"""Logits closer than this count as equal in the hardmax limit."""
UNROUNDED_FROM = 52.0
"""Binary exponents from which on a weight is an integer in float64."""
FLUSH_SLACK = 1e-12
"""How far above the flushing threshold, in log space, a weight still counts as at most 2^-bits."""


def rounded(values: Floats, bits: int) -> Floats:
    """The nearest multiples of 2^-bits, ties to even."""
    scale = 2.0**bits
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = values * scale
        # A float64 of at least 2^52 multiples is a multiple itself; its scaled value may even have overflowed.
        return np.where(np.abs(scaled) >= 2.0**52, values, np.rint(scaled) / scale)


@dataclass(frozen=True)
class Huang:
    """Rounding to `bits` fractional bits. `shift` subtracts the largest rounded logit of a query first.

    Attributes:
        bits: How many fractional bits are kept.
        shift: Whether the largest rounded logit of a query is subtracted first.

    """

    bits: int
    shift: bool = False

    def __post_init__(self) -> None:
        _check_bits(self.bits)

    def __str__(self) -> str:
        return f"huang({self.bits}{', shift' if self.shift else ''})"


@dataclass(frozen=True)
class IzzoFinite:
    """Weights of at most 2^-bits relative to the largest are zero.

    Attributes:
        bits: p: weights below 2^-p of the largest are zero.

    """

    bits: int

    def __post_init__(self) -> None:
        _check_bits(self.bits)

    def __str__(self) -> str:
        return f"izzo_finite({self.bits})"


@dataclass(frozen=True)
class IzzoInfinite:
    """No rounding; φ is multiplied by the logarithm of the query's position."""

    def __str__(self) -> str:
        return "izzo_infinite"


@dataclass(frozen=True)
class Hardmax:
    """Equal weights for the keys with maximal logit, none for the others."""

    def __str__(self) -> str:
        return "hardmax"


Regime: TypeAlias = Huang | IzzoFinite | IzzoInfinite | Hardmax


def _check_bits(bits: int) -> None:
    if not 0 <= bits <= MOST_BITS:
        raise LengthwiseError(f"a precision is a whole number of bits from 0 to {MOST_BITS}, got {bits!r}")


def parse(text: str) -> Regime:
    """The regime that a text such as `huang(8)`, `izzo_finite(10)`, `izzo_infinite` or `hardmax` names."""
    name, _, rest = text.strip().partition("(")
    argument, comma, option = (part.strip() for part in rest.removesuffix(")").partition(","))
    if name == "huang" and comma and option == "shift" and argument.isdecimal():
        return Huang(int(argument), shift=True)
    argument += comma
    match name:
        case "huang" | "izzo_finite" if argument.isdecimal():
            return Huang(int(argument)) if name == "huang" else IzzoFinite(int(argument))
        case "izzo_infinite" if not rest:
            return IzzoInfinite()
        case "hardmax" if not rest:
            return Hardmax()
    raise LengthwiseError(f"unknown regime {text!r}: write huang(8), izzo_finite(8), izzo_infinite or hardmax")


def exponents(regime: Regime, content: Floats, phi: Floats, positions: Floats, length: int) -> Floats:
    """Logarithms of unrounded weights, one for each (query, key) pair; arrays broadcast.

    They are natural logarithms, but binary ones for `Huang`: there exact powers of two decide how ties are rounded.
    `positions` are the queries' positions (1-based) in the shape of the pairs' rows, `length` is that of the input.
    """
    match regime:
        case Huang(bits):
            return np.asarray(np.log2(length) * rounded(content + phi, bits))
        case IzzoFinite():
            return np.asarray(np.log(length) * (content + phi))
        case IzzoInfinite():
            return content + np.log(positions) * phi
        case Hardmax():
            return content + phi


def weights(regime: Regime, exponent: Floats, largest: Floats) -> Floats:
    """Attention weights from exponents; `largest` is each query's largest exponent over all its keys.

    Weights are given up to a common factor of each query. `Huang` without `shift` rounds their absolute size, and all
    of a query's weights may then round to zero.
    """
    match regime:
        case Huang(bits, shift):
            if shift:
                return rounded(np.exp2(exponent - largest), bits)
            # Weights of at least 2^52 are integers in float64 already, so only smaller ones are rounded; dividing by
            # the largest weight, if that exceeds 1, keeps the others from overflowing.
            scale = np.maximum(largest, 0.0)
            small = rounded(np.exp2(np.minimum(exponent, UNROUNDED_FROM)), bits) * np.exp2(-scale)
            return np.where(exponent > UNROUNDED_FROM, np.exp2(np.minimum(exponent - scale, 0.0)), small)
        case IzzoFinite(bits):
            relative = exponent - largest
            # The largest weight itself stays, even with no bits at all.
            kept = (relative > -bits * np.log(2.0) + FLUSH_SLACK) | (relative == 0)
            return np.where(kept, np.exp(relative), 0.0)
        case IzzoInfinite():
            return np.exp(exponent - largest)
        case Hardmax():
            return np.where(exponent >= largest - TIE, 1.0, 0.0)


def average(numerator: npt.NDArray[Any], denominator: npt.NDArray[Any]) -> Floats:
    """Numerator over denominator, and 0 where all weights vanished (Huang et al. leave 0/0 undefined)."""
    safe = np.where(denominator == 0, 1.0, denominator)
    return np.where(denominator == 0, 0.0, numerator / safe)
