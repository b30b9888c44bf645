"""Scores and weights of attention: e^score = weight, and a weight of 0 is a score of −∞.

Tables can be given as weights, which then are exact fractions, or as scores, whose weights are exact only up to one
rounding.
"""

from __future__ import annotations

import math
from fractions import Fraction

from lengthwise.sparse.ensembles.laws import Number, exact
from lengthwise.sparse.functional.lookup import HypothesisError

LARGEST_SCORE = 700.0
"""Beyond this, e^score is no double; such keys can be evaluated, but not exactly."""


def exact_weight(weight: Number) -> Fraction:
    """A weight as a fraction, not negative."""
    found = exact(weight)
    if found < 0:
        raise HypothesisError(f"a weight is e to the power of a score and cannot be {weight}")
    return found


def score_of(weight: Fraction) -> float:
    """The logarithm of a weight, also where the weight is no double."""
    return math.log(weight.numerator) - math.log(weight.denominator) if weight else -math.inf


def weight_of(score: float) -> Fraction:
    """The weight of a score, rounded once."""
    if score == -math.inf:
        return Fraction(0)
    if not abs(score) <= LARGEST_SCORE:
        raise HypothesisError(f"the score {score} is too large for exact losses; give the table as weights")
    return Fraction(math.exp(score))
