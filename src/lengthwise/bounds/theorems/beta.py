"""Tails of the Beta distribution: how likely is a rare symbol when frequencies are drawn from a Dirichlet?

If P ~ Dir(α), the frequency of symbol s follows Beta(α_s, α* - α_s) with α* = Σ α_s, whose distribution function is the
regularised incomplete Beta function I_x(a, b). Small α make thresholds so small that they have no float64, so that
everything is available from the logarithm of x. Izzo et al., Lemma A.9.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from lengthwise.errors import LengthwiseError

PRECISION = 1e-15
"""A continued fraction is cut off where its next factor differs from 1 by less."""
STIRLING_FROM = 12.0
"""From here on the first five terms of Stirling's series are exact in float64."""
STEPS = 1_000_000
"""Terms of the continued fraction before we give up; some multiple of the root of a + b suffices."""


def incomplete_beta(x: float, a: float, b: float) -> float:
    """I_x(a, b): the probability that a Beta(a, b) variable is at most x; for b = 0 all mass lies at 1."""
    if not 0 <= x <= 1:
        raise LengthwiseError(f"the incomplete Beta function takes x from 0 to 1, got {x}")
    _check_parameters(a, b)
    if x in (0.0, 1.0) or b == 0:
        return float(x == 1)
    # Beyond the mean the fraction converges slowly, and the other tail is the short one.
    if x > (a + 1) / (a + b + 2):
        return -math.expm1(min(0.0, _log_short_tail(math.log1p(-x), 1 - x, b, a)))
    return math.exp(_log_short_tail(math.log(x), x, a, b))


def log_incomplete_beta(log_x: float, a: float, b: float) -> float:
    """The logarithm of I_x(a, b) from log x <= 0; finite where x itself or the tail is too small for a float64."""
    if not log_x <= 0:
        raise LengthwiseError(f"the incomplete Beta function takes x from 0 to 1, got {log_x} as its logarithm")
    _check_parameters(a, b)
    x = math.exp(log_x)
    if b == 0 or log_x == -math.inf:
        return 0.0 if log_x == 0 else -math.inf
    if x <= (a + 1) / (a + b + 2):
        return _log_short_tail(log_x, x, a, b)
    value = incomplete_beta(x, a, b)
    return math.log(value) if value > 0 else -math.inf


def log_beta(a: float, b: float) -> float:
    """The logarithm of B(a, b); three logarithms of Γ would cancel each other when a is small and b large."""
    shift = 0.0
    while a < STIRLING_FROM:
        shift += math.log1p(b / a)
        a += 1
    while b < STIRLING_FROM:
        shift += math.log1p(a / b)
        b += 1
    total = a + b
    main = (a - 0.5) * _log_share(a, b) + (b - 0.5) * _log_share(b, a) - 0.5 * math.log(total / (2 * math.pi))
    return shift + main + _stirling_rest(a) + _stirling_rest(b) - _stirling_rest(total)


def _log_share(part: float, other: float) -> float:
    """log(part / (part + other)), precise when the part is nearly all."""
    return -math.log1p(other / part)


def _stirling_rest(z: float) -> float:
    """What Stirling's (z - 1/2) log z - z + log √2π lacks of log Γ(z), to the last digit from `STIRLING_FROM` on."""
    square = 1 / (z * z)
    return (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square / 1188)))) / z


def rare_symbol_probability(log_share: float, alpha: Sequence[float]) -> float:
    """Σ_s I_γ(α_s, α* - α_s) for γ = exp(log_share): a bound on the probability that some frequency is below γ.

    Each summand is exact; their sum exceeds the probability only by what several rare symbols at once amount to.
    """
    total = math.fsum(alpha)
    return math.fsum(math.exp(log_incomplete_beta(log_share, each, _rest(total, each, alpha))) for each in alpha)


def log_printed_rare_symbol_probability(log_share: float, alpha: Sequence[float]) -> float:
    """The logarithm of (2|Σ|/α0) 4^α* γ^α0, the closed form of Lemma A.9, which holds for γ <= 1/2."""
    least = min(alpha)
    return math.log(2 * len(alpha) / least) + math.fsum(alpha) * math.log(4) + least * log_share


def _rest(total: float, each: float, alpha: Sequence[float]) -> float:
    return total - each if len(alpha) > 1 else 0.0


def _check_parameters(a: float, b: float) -> None:
    if not (a > 0 and b >= 0 and math.isfinite(a + b)):
        raise LengthwiseError(f"the incomplete Beta function takes finite a > 0 and b >= 0, got {a} and {b}")


def _log_short_tail(log_x: float, x: float, a: float, b: float) -> float:
    """The logarithm of x^a (1 - x)^b / (a B(a, b)) times a continued fraction: I_x(a, b) for x up to about the mean."""
    return a * log_x + b * math.log1p(-x) - math.log(a) - log_beta(a, b) + math.log(_fraction(x, a, b))


def _fraction(x: float, a: float, b: float) -> float:
    """1/(1 + d1/(1 + d2/(1 + …))) from the front, by ratios of successive numerators and denominators.

    d_2m = m (b - m) x / ((a + 2m - 1)(a + 2m)), d_2m+1 = -(a + m)(a + b + m) x / ((a + 2m)(a + 2m + 1)).
    """
    tiny = 1e-300
    numerators, denominators, value = 1.0, 0.0, 1.0
    for step in range(STEPS):
        m, odd = divmod(step + 1, 2)
        if odd:
            coefficient = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            coefficient = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        denominators = 1 / ((1 + coefficient * denominators) or tiny)
        numerators = (1 + coefficient / numerators) or tiny
        factor = numerators * denominators
        value *= factor
        if abs(factor - 1) < PRECISION and step > 1:
            return 1 / value
    raise LengthwiseError(f"the incomplete Beta function did not converge for a = {a:g} and b = {b:g}")
