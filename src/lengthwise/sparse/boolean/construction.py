"""`Construction`: weights that a lemma writes down, with what they are meant to compute and how far off they may be.

A `Target` is what attention alone can say about the bits in I, and how well that tells them apart. There are four:
functions of the s bits in I (r of them 1), which heads approximate and a network behind them reads. χ = 2b - 1, so that
they increase in r (ERR-H13: as printed, χ decreases). Two patterns (for scalars: two numbers of ones) are at least
`separation` apart in some coordinate, and no coordinate exceeds `bound`. Edelman et al., appendix B.4.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from lengthwise.sparse.boolean.arrays import Bits, BitsLike, BooleanError, Floats, all_bits, as_bits, checked_indices
from lengthwise.sparse.boolean.functions import SparseFunction
from lengthwise.sparse.boolean.transformer import BooleanTransformer

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


Lemma = Literal["B.2", "B.3", "B.4"]
LEAST_GAP = 1e-6
"""Where selected positions are ahead by less than this, as a share of their logit, nothing is built."""
Keys = Literal["dual", "printed"]
"""Which vectors select positions: the dual ones, or the basis itself as the paper has it (ERR-H12)."""


@dataclass(frozen=True, eq=False)
class Construction:
    """Heads within γ/4 of their target on every string, and with a function a network behind them that is exact."""

    lemma: Lemma
    """The lemma the heads are from."""
    model: BooleanTransformer
    indices: tuple[int, ...]
    """I, from 1 on."""
    target: Target
    """What the heads approximate."""
    gamma: float
    sharpness: float
    """R: the logit of the positions that are selected."""
    coherence: float
    """Δ of the vectors of positions."""
    function: SparseFunction | None = None
    """f, if there is a network that computes it."""

    @property
    def length(self) -> int:
        """T."""
        return self.model.inputs.length

    @property
    def sparsity(self) -> int:
        """How many positions are selected: s."""
        return len(self.indices)

    @property
    def allowed_error(self) -> float:
        """γ/4: how far the heads may be from their target."""
        return self.gamma / 4

    def wanted(self, bits: BitsLike) -> Floats:
        """The target's values (…, d_f) for strings (…, T)."""
        return self.target.of_patterns(as_bits(bits, self.length)[..., [index - 1 for index in self.indices]])

    def __repr__(self) -> str:
        what = f"{len(self.function.values)} values" if self.function else f"attention to the {self.target.name}"
        return f"<Construction {self.lemma}: {what} of {self.sparsity} of {self.length} bits, {self.model}>"


def checked_selection(indices: Sequence[int], length: int) -> tuple[int, ...]:
    """I, if there is something in it and all of it is among the positions 1, …, T."""
    found = checked_indices(indices)
    if not found:
        raise BooleanError("a construction selects at least one position; a function of no bits is a constant")
    if max(found) > length:
        raise BooleanError(f"position {max(found)} is beyond the {length} positions there are")
    return found


def checked_gamma(gamma: float | None, target: Target) -> float:
    """γ: at most what the target's values are apart; by default that, or 1 if it is more, as in the lemmas."""
    if gamma is None:
        return min(1.0, target.separation)
    if isinstance(gamma, bool) or not 0 < gamma <= target.separation:
        raise BooleanError(
            f"γ is a positive number up to {target.separation:g}, the distance between values of the {target.name}, "
            f"not {gamma!r}"
        )
    return float(gamma)


def least_sharpness(rows: float, gamma: float, gap: float) -> float:
    """R with 2 · rows · exp(-R · gap) = γ/4: softmax then has given all but that away (lemma B.7).

    `rows` is T times the largest value of a row, `gap` how far the logits of other rows stay behind, R being 1.
    """
    if gap < LEAST_GAP:
        raise BooleanError(
            "other positions answer to the keys as much as the selected ones; take a basis of less coherence"
        )
    return math.log(8 * rows / gamma) / gap
