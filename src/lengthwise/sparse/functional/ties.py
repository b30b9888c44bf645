"""Which hypotheses have the least risk, as far as their losses tell.

Exact losses tie if they are equal. Sampled ones are noisy: on other words another hypothesis may be the least one. All
hypotheses of a class see the same words, so two of them are compared by the difference of their losses word by word,
whose standard error is far smaller than theirs where they mostly agree. A hypothesis counts as a minimiser unless its
risk is more than `STANDARD_ERRORS` of these above the least. This errs on the side of more minimisers, and Definition
3.1 is about the worst of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

from lengthwise.sparse.functional.sampled_loss import SampledLoss

Loss: TypeAlias = Fraction | float
Measured: TypeAlias = Loss | SampledLoss
"""A loss as it was computed: a fraction is exact, a float is rounded, a sample is noisy as well."""

STANDARD_ERRORS = 3.0
"""Samples then prefer one of two hypotheses of equal risk about once in 370 cases."""
ROUNDING = 1e-12
"""Floats that differ by no more than this are equal: losses are sums of numbers of size 1, each off by 10⁻¹⁶."""


def mean(losses: Sequence[Measured]) -> Loss:
    """The mean over lengths: the risk."""
    total: Loss = sum((number(loss) for loss in losses), Fraction(0))
    return total / len(losses)


def number(loss: Measured) -> Loss:
    """The loss itself, or its estimate."""
    return loss.mean if isinstance(loss, SampledLoss) else loss


def minimisers(losses: Mapping[str, Sequence[Measured]]) -> tuple[str, ...]:
    """The hypotheses of least risk; `losses` has one for each hypothesis and training length."""
    best = min(losses, key=lambda name: mean(losses[name]))
    return tuple(name for name, found in losses.items() if tied(found, losses[best]))


def tied(losses: Sequence[Measured], least: Sequence[Measured]) -> bool:
    """Whether the risk of the former losses is not above that of the latter, up to noise and rounding."""
    gap = mean(losses) - mean(least)
    if isinstance(gap, Fraction):
        return gap <= 0
    variances = (_variance(one, other) for one, other in zip(losses, least, strict=True))
    error = math.sqrt(math.fsum(variances)) / len(losses)
    return gap <= STANDARD_ERRORS * error + ROUNDING


def _variance(one: Measured, other: Measured) -> float:
    """The squared standard error of the difference of two losses on the same words; 0 if they are no samples."""
    if not isinstance(one, SampledLoss) or not isinstance(other, SampledLoss):
        return 0.0
    return float((one.each - other.each).var(ddof=1)) / len(one.each)
