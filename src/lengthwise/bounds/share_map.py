"""`ShareMap`: the output of a one-layer model as a function of how its attention is shared out.

In the hardmax limit a head averages over its maximal keys, so what it adds is linear in the shares of the types among
them, and behind it comes an MLP of ReLU units: the output is a piecewise linear function of the shares.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from lengthwise.limit.regimes import Floats

EQUAL = 1e-13
"""Numbers that differ less are equal up to rounding."""


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

    @classmethod
    def moving(cls, places: int, sensitivity: float) -> ShareMap:
        """The shares themselves, times a sensitivity: its distances are what a model of that sensitivity can differ."""
        return cls(np.zeros(places), sensitivity * np.eye(places), moved_share=True)

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
        """A bound on how fast values move with the moved share; `groups` are the places that share one attention.

        Exact along a line of shares, if there is just one group of two places.
        """
        return max((self._slope(one, other) for group in groups for one in group for other in group), default=0.0)

    def _slope(self, one: int, other: int) -> float:
        if one == other:
            return 0.0
        if self.moved_share:
            return float(self.linear[one, one])
        along = self.hidden[:, one] - self.hidden[:, other] if len(self.bends) else np.zeros(0)
        straight = self.linear[:, one] - self.linear[:, other]
        if self.linear.shape[1] == 2 and len(self.bends):
            return max(float(np.linalg.norm(straight + self.outer @ (along * active))) for active in self._patterns())
        # Each unit is on or off; half of it plus or minus half of it covers both.
        centre = straight + (self.outer @ along / 2 if len(along) else 0.0)
        spread = (np.abs(self.outer) @ np.abs(along) / 2) if len(along) else 0.0
        return float(np.linalg.norm(np.abs(centre) + spread))

    def _patterns(self) -> list[Floats]:
        """Which units are on, in each of the linear pieces along the line between two places."""
        parts = self.knots(np.eye(2)[::-1])
        parts = np.unique(np.concatenate([[0.0], parts, [1.0]]))
        middles = (parts[:-1] + parts[1:]) / 2
        before = self.bends + np.stack([middles, 1 - middles], axis=1) @ self.hidden.T
        return list((before > 0).astype(np.float64))

    def knots(self, ends: Floats) -> Floats:
        """Where the map bends on the way from some shares to others, as parts of the way, between 0 and 1."""
        if not len(self.bends):
            return np.zeros(0)
        first, last = self.bends + ends @ self.hidden.T
        crossing = first * last < 0
        return np.asarray(first[crossing] / (first[crossing] - last[crossing]))

    def settled(self, groups: list[list[int]]) -> ShareMap:
        """The same map on the shares of these groups, without units that are always on or always off."""
        if not len(self.bends):
            return self
        low = self.bends + sum(self.hidden[:, group].min(axis=1) for group in groups)
        high = self.bends + sum(self.hidden[:, group].max(axis=1) for group in groups)
        always, bent = low >= 0, (low < 0) & (high > 0)
        return ShareMap(
            self.offset + self.outer[:, always] @ self.bends[always],
            self.linear + self.outer[:, always] @ self.hidden[always],
            self.bends[bent],
            self.hidden[bent],
            self.outer[:, bent],
        )

    def is_constant(self, groups: list[list[int]]) -> bool:
        """Whether moving attention changes nothing."""
        columns = np.concatenate([self.linear, self.hidden]) if len(self.bends) else self.linear
        return all(bool(np.ptp(columns[:, group], axis=1).max(initial=0.0) <= EQUAL) for group in groups)
