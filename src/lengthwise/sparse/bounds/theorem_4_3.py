"""Theorem 4.3: how much larger the loss at length L̄ can be than in training, as printed and repaired.

Printed: η_L η_L̄ L L̄² δ. That is false: nothing keeps planted sets local, and the lemma behind it needs bounded
scores (`tests/errata` has an instance of each). Repaired, with m = (L̄ − L)/L_local and n_L training
lengths:

    loss(L̄) ≤ c · n_L δ · (5m + 11 + 4ρ(1 + κ)(m + 1)(m + 2)) + Pr(max S* − min S* > L_local)

c covers the placements that the proof uses (at most η_L̄), κ is how much more weight one block of background can get
than the base, ρ how far the background is from independent (1 if it is); `quantities.py` computes them. In place of
n_L δ any bound on the training losses at lengths L − 2L_local, L − L_local and L will do: realizability matters through
them alone. Golowich et al., section 4; corrections ERR-I2, ERR-I3. The proof is in the documentation.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from fractions import Fraction
from typing import TypeAlias

from lengthwise.bounds.bound import Bound
from lengthwise.sparse.bounds.extrapolation import Extrapolation, SparsityBoundError
from lengthwise.sparse.ensembles.laws import Number, exact

Quantity: TypeAlias = Fraction | float
"""A fraction, or infinity."""

LARGEST_DOUBLE = sys.float_info.max
LARGEST_EXPONENT = 709.0
"""Up to this, e^x is a double."""


def printed_value(
    lengths: Extrapolation, coverage_training: Quantity, coverage_test: Quantity, delta: Number, constant: int = 1
) -> Quantity:
    """η_L η_L̄ L L̄² δ, times a constant for the O(·) of the proof."""
    _not_negative({"δ": delta, "η_L": coverage_training, "η_L̄": coverage_test})
    size = exact(delta) * constant * lengths.training * lengths.test**2
    return _product(size, coverage_training, coverage_test)


def repaired_value(
    lengths: Extrapolation,
    coverage: Quantity,
    ratio: Quantity,
    training_loss: Number,
    far: Fraction = Fraction(0),
    mixing: Quantity = Fraction(1),
) -> Quantity:
    """The repaired bound; `training_loss` is n_L δ, or a bound on the three training losses that matter."""
    _not_negative({"n_L δ": training_loss, "coverage": coverage, "κ": ratio, "ρ": mixing, "Pr(far)": far})
    m = lengths.blocks
    loss = exact(training_loss)
    near = _product(loss * (5 * m + 11), coverage)
    later = _product(4 * (m + 1) * (m + 2) * loss, coverage, mixing, 1 + ratio)
    return near + later + far


def simple_value(
    lengths: Extrapolation, coverage: Quantity, ratio: Quantity, training_loss: Number, far: Fraction = Fraction(0)
) -> Quantity:
    """7(1 + κ) η (m + 3)² n_L δ + Pr(far): the same with independent background in one product, a little larger."""
    _not_negative({"n_L δ": training_loss, "η": coverage, "κ": ratio, "Pr(far)": far})
    return _product(7 * (lengths.blocks + 3) ** 2 * exact(training_loss), coverage, 1 + ratio) + far


def theorem_4_3(
    lengths: Extrapolation,
    *,
    delta: Number,
    coverage: Quantity,
    ratio: Quantity,
    coverage_training: Quantity,
    coverage_test: Quantity,
    far: Fraction = Fraction(0),
    mixing: Quantity = Fraction(1),
) -> Bound:
    """The repaired bound on the loss at L̄, with the printed one beside it."""
    printed = printed_value(lengths, coverage_training, coverage_test, delta)
    value = repaired_value(lengths, coverage, ratio, exact(delta) * lengths.lengths, far, mixing)
    return _bound(
        "Theorem 4.3, repaired",
        value,
        terms={
            "δ": float(delta),
            "n_L": float(lengths.lengths),
            "m": float(lengths.blocks),
            "coverage": _rounded(coverage),
            "κ": _rounded(ratio),
            "ρ": _rounded(mixing),
            "Pr(far)": float(far),
        },
        assumptions=(
            "labels and values lie in a set Y of diameter at most 1, which Pr(far) rests on",
            "the keys are L_local-local and relative",
            "some hypothesis has loss at most δ at every training length, and ĥ minimises their mean",
            "a block of background never gets more than κ times the weight of the base, which is positive",
            "the background is independent, or a stationary Markov chain",
        ),
        printed=(
            _bound(
                "Theorem 4.3, as printed",
                printed,
                terms={"η_L": _rounded(coverage_training), "η_L̄": _rounded(coverage_test), "δ": float(delta)},
                explicit=False,
            ),
        ),
    )


def score_ratio(locality: int, sparsity: int, largest_score: float) -> float:
    """κ = L_local · C(L_local, k − 1) · e^2Γ if finite scores lie in [−Γ, Γ] and the planted set has one."""
    if locality < 1 or sparsity < 1:
        raise SparsityBoundError(f"L_local = {locality} and k = {sparsity} must both be 1 or more")
    if not largest_score >= 0:
        raise SparsityBoundError(
            f"the largest score Γ is the size of a number, from 0 on, and cannot be {largest_score}"
        )
    sets = locality * math.comb(locality, sparsity - 1)
    if not sets:
        return 0.0
    if math.log(sets) + 2 * largest_score > LARGEST_EXPONENT:
        raise SparsityBoundError(f"with scores up to {largest_score} κ is no double; block_ratio computes it exactly")
    return sets * math.exp(2 * largest_score)


def _not_negative(quantities: Mapping[str, Number]) -> None:
    for name, quantity in quantities.items():
        if quantity < 0:
            raise SparsityBoundError(f"losses, ratios and probabilities cannot be negative, but {name} is {quantity}")


def _rounded(quantity: Quantity) -> float:
    # A term is shown as a float; the bound itself is computed from fractions of any size.
    return math.inf if quantity > LARGEST_DOUBLE else float(quantity)


def _product(*factors: Quantity) -> Quantity:
    # Infinite before zero: where an assumption fails, a training loss of 0 promises nothing.
    if any(isinstance(factor, float) and math.isinf(factor) for factor in factors):
        return math.inf
    product = Fraction(1)
    for factor in factors:
        product *= exact(factor) if isinstance(factor, float) else factor
    return product


def _bound(
    theorem: str,
    value: Quantity,
    *,
    terms: dict[str, float],
    explicit: bool = True,
    assumptions: tuple[str, ...] = (),
    printed: tuple[Bound, ...] = (),
) -> Bound:
    if isinstance(value, float):
        return Bound(theorem, math.log10(value) if value else -math.inf, value, terms, explicit, assumptions, printed)
    log10 = math.log10(value.numerator) - math.log10(value.denominator) if value else -math.inf
    small = float(value) if log10 < 300 else None
    return Bound(theorem, log10, small, terms, explicit, assumptions, printed)
