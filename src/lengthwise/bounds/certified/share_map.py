"""`ShareMap`: the output of a one-layer model as a function of how its attention is shared out.

In the hardmax limit a head averages over its maximal keys, so what it adds is linear in the shares of the types among
them, and behind it comes an MLP of ReLU units: the output is a piecewise linear function of the shares.

Here it is computed with floating-point numbers, for many shares at once. That guides a search; what it decides is
beyond `error`, or else computed again with the whole numbers of `exact`.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np

from lengthwise.bounds.certified.exact_map import ExactMap
from lengthwise.limit.evaluation.regimes import Floats


@dataclass(frozen=True, eq=False)
class ShareMap:
    """offset + linear p + outer ReLU(bends + hidden p) for shares p, with the norm in which its values are compared."""

    offset: Floats
    linear: Floats
    bends: Floats = field(default_factory=lambda: np.zeros(0))
    hidden: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    outer: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    moved_share: bool = False
    """Compare by half the ℓ1 norm, which for shares is the part of the attention that is moved; else by the ℓ2 norm."""

    whole: ExactMap | None = field(default=None, repr=False)
    """The same in whole numbers, if the weights here were rounded."""

    @classmethod
    def rounded(cls, exact: ExactMap) -> ShareMap:
        """A map with every weight rounded to the closest floating-point number."""
        return cls(*exact.rounded(), moved_share=exact.moved_share, whole=exact)

    @classmethod
    def moving(cls, places: int, sensitivity: float | Fraction) -> ShareMap:
        """The shares themselves, times a sensitivity: its distances are what a model of that sensitivity can differ."""
        return cls.rounded(ExactMap.moving(places, Fraction(sensitivity)))

    @cached_property
    def exact(self) -> ExactMap:
        """The same in whole numbers: what is meant, where the weights here were rounded."""
        if self.whole is not None:
            return self.whole
        units, outputs, places = len(self.bends), len(self.offset), self.linear.shape[1]
        hidden, outer = self.hidden.reshape(units, places), self.outer.reshape(outputs, units)
        return ExactMap.of(self.offset, self.linear, self.bends, hidden, outer, self.moved_share)

    @cached_property
    def error(self) -> float:
        """How far a distance of two values is at most from that of the exact values, bends included.

        Each sum has fewer terms than there are weights, each weight, share, product and sum is off by at most 2⁻⁵³ of
        what is added up without signs, and shares come from a handful of roundings.
        """
        largest = np.abs(self.offset) + np.abs(self.linear).sum(axis=1)
        if len(self.bends):
            largest = largest + np.abs(self.outer) @ (np.abs(self.bends) + np.abs(self.hidden).sum(axis=1))
        operations = 64 + 8 * (self.linear.size + self.hidden.size + self.outer.size + len(self.offset))
        return float(operations * sys.float_info.epsilon * largest.sum() * (1 + 2**-20)) + sys.float_info.min

    @property
    def is_scalar(self) -> bool:
        """Whether the values are single numbers, so that a region of shares has an interval of values."""
        return len(self.offset) == 1

    def __call__(self, shares: Floats) -> Floats:
        """The values at shares given along the last axis."""
        values = self.offset + shares @ self.linear.T
        if len(self.bends):
            values = values + np.maximum(self.bends + shares @ self.hidden.T, 0.0) @ self.outer.T
        return np.asarray(values)

    def distance(self, first: Floats, second: Floats) -> Floats:
        """How far values are apart; arrays broadcast, values are along the last axis."""
        difference = first - second
        if self.moved_share:
            return np.asarray(0.5 * np.abs(difference).sum(axis=-1))
        if difference.shape[-1] == 1:
            return np.asarray(np.abs(difference[..., 0]))
        return np.asarray(np.sqrt(np.square(difference).sum(axis=-1)))

    def bending(self, corners: Floats) -> float:
        """How far the map is at most from linear on the convex hull of some shares, one row each.

        A unit that takes values from -a to b there lies at most ab / (a + b) below the linear interpolation.
        """
        if not len(self.bends):
            return 0.0
        before = self.bends + corners @ self.hidden.T
        low, high = before.min(axis=0), before.max(axis=0)
        bent = (low < 0) & (high > 0)
        if not bent.any():
            return 0.0
        below = -low[bent] * high[bent] / (high[bent] - low[bent])
        return float(below @ np.linalg.norm(self.outer[:, bent], axis=0))

    def contrast(self, first: Floats, second: Floats) -> float:
        """How much could change from some shares to others: values, and what units that bend contribute to them."""
        contrast = self.distance(self(first), self(second))
        if len(self.bends):
            contrast = contrast + np.abs((first - second) @ self.hidden.T) @ np.linalg.norm(self.outer, axis=0)
        return float(contrast.max())

    def steepness(self, groups: list[list[int]]) -> float:
        """A bound on how fast values move with the moved share; `groups` are the places that share one attention."""
        return rounded_up(self.exact.steepness(groups))

    def knots(self, ends: Floats) -> Floats:
        """Where the map bends on the way from some shares to others, as parts of the way, between 0 and 1."""
        if not len(self.bends):
            return np.zeros(0)
        first, last = self.bends + ends @ self.hidden.T
        crossing = first * last < 0
        return np.asarray(first[crossing] / (first[crossing] - last[crossing]))


def rounded_up(number: Fraction) -> float:
    """The least floating-point number that is not smaller."""
    found = float(number)
    return found if Fraction(found) >= number else float(np.nextafter(found, np.inf))
