"""What attention alone can say about the bits in I, and how well that tells them apart.

Four functions of the s bits in I (r of them 1), which heads approximate and a network behind them reads. χ = 2b - 1, so
that they increase in r (ERR-H13: as printed, χ decreases). Two patterns (for scalars: two numbers of ones) are at least
`separation` apart in some coordinate, and no coordinate exceeds `bound`. Edelman et al., appendix B.4.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lengthwise.sparse.boolean.arrays import Bits, BitsLike, BooleanError, Floats, all_bits, as_bits

LARGEST_VECTOR = 12
"""Patterns of more bits than this are not listed."""


@dataclass(frozen=True)
class Target:
    """A function of the bits in I."""

    name: str
    sparsity: int
    """s."""
    outputs: int
    """d_f: 1 or s."""
    separation: float
    """It is γ-strictly monotone, or γ-injective, for this γ."""
    bound: float
    """B."""
    counts_only: bool
    """Whether it tells numbers of ones apart, and not patterns."""
    formula: Callable[[Floats], Floats]

    def of_patterns(self, patterns: BitsLike) -> Floats:
        """The values (…, d_f) of patterns (…, s) on I."""
        return self.formula(as_bits(patterns, self.sparsity).astype(np.float64))

    @property
    def patterns(self) -> Bits:
        """The patterns that are told apart, one row each: all, or one for each number of ones."""
        if self.counts_only:
            return np.tri(self.sparsity + 1, self.sparsity, -1, dtype=np.bool_)
        if self.sparsity > LARGEST_VECTOR:
            raise BooleanError(
                f"the 2^{self.sparsity} patterns of {self.sparsity} bits are too many to tell apart; "
                f"functions that are not symmetric may depend on at most {LARGEST_VECTOR} bits"
            )
        return all_bits(self.sparsity)


def mean_sign(sparsity: int) -> Target:
    """(1/s) Σ χ_i: lemmas B.2 and B.3 with one head."""

    def mean(bits: Floats) -> Floats:
        return np.asarray(2 * bits.sum(-1, keepdims=True) / sparsity - 1)

    return Target("mean sign", sparsity, 1, 2 / sparsity, 1.0, True, mean)


def signs(sparsity: int) -> Target:
    """(χ_i): lemmas B.2 and B.3 with s heads."""

    def all_signs(bits: Floats) -> Floats:
        return np.asarray(2 * bits - 1)

    return Target("signs", sparsity, sparsity, 2.0, 1.0, False, all_signs)


def bag_count(sparsity: int) -> Target:
    """(r - s)/(r + 1): lemma B.4."""

    def ratio(bits: Floats) -> Floats:
        ones = bits.sum(-1, keepdims=True)
        return np.asarray((ones - sparsity) / (ones + 1))

    return Target("bag count", sparsity, 1, 1 / sparsity, float(sparsity), True, ratio)


def bag_pattern(sparsity: int) -> Target:
    """((b_i - 1)/(r + 1)): lemma B.4, a vector."""

    def ratios(bits: Floats) -> Floats:
        return np.asarray((bits - 1) / (bits.sum(-1, keepdims=True) + 1))

    return Target("bag pattern", sparsity, sparsity, 1 / sparsity, 1.0, False, ratios)
