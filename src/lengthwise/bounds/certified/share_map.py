"""The output of a one-layer model as a function of the shares of attention, in whole numbers and in floating point.

In the hardmax limit a head averages over its maximal keys, so what it adds is linear in the shares of the types among
them, and behind it comes an MLP of ReLU units: the output is a piecewise linear function of the shares.

`ShareMap` computes it with floating-point numbers, for many shares at once. That guides a search; what it decides is
beyond `error`, or else computed again with the whole numbers of `ExactMap`. Weights are floating-point numbers, and
these are fractions whose denominators are powers of two. Sums and products of them, averages over keys and ReLU units
are fractions as well, so the output on a word can be computed without any rounding.

Shares come as whole numbers with one denominator, `Shares`. Square roots are the only thing that is no fraction: ℓ2
norms are compared by their squares, and where one has to be added it is rounded up.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from lengthwise.limit.evaluation.regimes import Floats
from lengthwise.resources import require_memory, within_time

BLOCK = 1 << 22
"""Values of hidden units that are in memory at a time."""

Whole = npt.NDArray[np.object_]
"""Whole numbers of any size."""
Shares = tuple[Whole, int]
"""Shares of attention: numerators, and the denominator they have in common."""
Value = tuple[Whole, int]
"""Outputs in the same form."""
BYTES_EACH = 300
"""What a weight takes as a whole number, with what it is computed from."""
BITS = 96
"""Square roots are rounded to multiples of 2 to the minus this."""


def whole_numbers(matrix: Floats) -> tuple[Whole, int]:
    """Whole numbers, and a power of two such that the matrix is their quotient, exactly."""
    given = np.asarray(matrix, dtype=np.float64).ravel()
    require_memory(BYTES_EACH * given.size, f"{given.size} weights as whole numbers", "choose a smaller model")
    flat = []
    for start in within_time(range(0, given.size, 4096)):
        flat += [entry.as_integer_ratio() for entry in given[start : start + 4096].tolist()]
    scale = max((below for _, below in flat), default=1)
    found = np.empty(len(flat), dtype=object)
    found[:] = [above * (scale // below) for above, below in flat]
    return found.reshape(np.shape(matrix)), scale


def shares_of(parts: Sequence[Fraction]) -> Shares:
    """Fractions as shares."""
    below = math.lcm(*(part.denominator for part in parts)) if parts else 1
    found = np.empty(len(parts), dtype=object)
    found[:] = [part.numerator * (below // part.denominator) for part in parts]
    return found, below


def root_above(square: Fraction) -> Fraction:
    """The square root, or a number that is hardly larger; itself if it is a fraction."""
    above, below = square.numerator, square.denominator
    if math.isqrt(above) ** 2 == above and math.isqrt(below) ** 2 == below:
        return Fraction(math.isqrt(above), math.isqrt(below))
    return Fraction(math.isqrt((above << 2 * BITS) // below) + 1, 1 << BITS)


def root_below(square: Fraction) -> Fraction:
    """The square root, or a number that is hardly smaller; itself if it is a fraction."""
    above, below = square.numerator, square.denominator
    if math.isqrt(above) ** 2 == above and math.isqrt(below) ** 2 == below:
        return Fraction(math.isqrt(above), math.isqrt(below))
    return Fraction(math.isqrt((above << 2 * BITS) // below), 1 << BITS)


@dataclass(frozen=True, eq=False)
class ExactMap:
    """(offset + linear p + outer ReLU(bends + hidden p) / outer_scale) / scale for shares p."""

    offset: Whole
    linear: Whole
    bends: Whole
    hidden: Whole
    outer: Whole
    scale: int = 1
    outer_scale: int = 1
    moved_share: bool = False
    """Compare by half the ℓ1 norm, else by the ℓ2 norm."""

    @classmethod
    def moving(cls, places: int, sensitivity: Fraction) -> ExactMap:
        """The shares themselves, times a sensitivity."""
        linear = np.zeros((places, places), dtype=object)
        linear[range(places), range(places)] = sensitivity.numerator
        nothing = np.zeros(0, dtype=object)
        units, outer = nothing.reshape(0, places), nothing.reshape(places, 0)
        return cls(np.zeros(places, dtype=object), linear, nothing, units, outer, sensitivity.denominator, 1, True)

    @classmethod
    def of(
        cls, offset: Floats, linear: Floats, bends: Floats, hidden: Floats, outer: Floats, moved_share: bool = False
    ) -> ExactMap:
        """The map with these weights, as they are."""
        parts = [whole_numbers(each) for each in (offset, linear, bends, hidden)]
        scale = max(below for _, below in parts)
        first, second, third, fourth = (found * (scale // below) for found, below in parts)
        after, outer_scale = whole_numbers(outer)
        return cls(first, second, third, fourth, after, scale, outer_scale, moved_share)

    @property
    def has_units(self) -> bool:
        """Whether some unit bends it."""
        return len(self.bends) > 0

    @cached_property
    def unit_norms(self) -> list[Fraction]:
        """For each unit, how long what it adds is, per unit of it; rounded up where that is no fraction."""
        squares = (self.outer * self.outer).sum(axis=0)
        return [root_above(Fraction(int(square), self.outer_scale**2)) for square in squares]

    # ------------------------------------------------------------------------------------------------- values

    def __call__(self, shares: Shares) -> Value:
        """The value at shares."""
        parts, below = shares
        found = (self.offset * below + self.linear.dot(parts)) * self.outer_scale
        if self.has_units:
            found = found + self.outer.dot(np.maximum(self.bends * below + self.hidden.dot(parts), 0))
        return found, self.scale * self.outer_scale * below

    def before_units(self, shares: Shares) -> list[Fraction]:
        """What the units are given at shares."""
        parts, below = shares
        return [Fraction(int(each), self.scale * below) for each in self.bends * below + self.hidden.dot(parts)]

    def within(self, first: Value, second: Value, radius: Fraction) -> bool:
        """Whether values are at most so far apart."""
        if radius < 0:
            return False
        apart, below = first[0] * second[1] - second[0] * first[1], first[1] * second[1]
        above, under = radius.numerator * below, radius.denominator
        if self.moved_share:
            return bool(np.abs(apart).sum() * under <= 2 * above)
        if len(apart) == 1:
            return bool(abs(apart[0]) * under <= above)
        return bool((apart * apart).sum() * under * under <= above * above)

    def bending(self, corners: Sequence[Shares]) -> Fraction:
        """How far the map is at most from linear on the convex hull of some shares."""
        if not self.has_units:
            return Fraction(0)
        before = [self.before_units(corner) for corner in corners]
        found = Fraction(0)
        for unit, norm in enumerate(self.unit_norms):
            low, high = min(each[unit] for each in before), max(each[unit] for each in before)
            if low < 0 < high:
                found += -low * high / (high - low) * norm
        return found

    # ------------------------------------------------------------------------------------------------- slopes

    def steepness(self, groups: list[list[int]]) -> Fraction:
        """A bound on how fast values move with the moved share; `groups` are the places that share one attention.

        It is attained along a line of shares, if there is just one group of two places and values are single numbers.
        """
        found = Fraction(0)
        for group in groups:
            for place, one in enumerate(group):
                for other in group[:place]:
                    found = max(found, self._slope(one, other))
        return found

    def _slope(self, one: int, other: int) -> Fraction:
        if self.moved_share:
            return Fraction(int(self.linear[one, one]), self.scale)
        straight = (self.linear[:, one] - self.linear[:, other]) * self.outer_scale
        below = self.scale * self.outer_scale
        if not self.has_units:
            return _norm(straight, below)
        along = self.hidden[:, one] - self.hidden[:, other]
        if self.linear.shape[1] == 2:
            patterns = within_time(self._patterns())
            return max(_norm(straight + self.outer.dot(along * active), below) for active in patterns)
        # Each unit is on or off; half of it plus or minus half of it covers both.
        centre, spread = 2 * straight + self.outer.dot(along), np.abs(self.outer).dot(np.abs(along))
        return _norm(np.abs(centre) + spread, 2 * below)

    def _patterns(self) -> list[Whole]:
        """Which units are on, in each of the linear pieces along the line between two places."""
        knots = [Fraction(0), *self.knots((_places(1, 0), _places(0, 1))), Fraction(1)]
        found = []
        for low, high in itertools.pairwise(knots):
            middle = (low + high) / 2
            before = self.before_units(shares_of([1 - middle, middle]))
            found.append(np.array([int(each > 0) for each in before], dtype=object))
        return found

    def knots(self, ends: tuple[Shares, Shares]) -> list[Fraction]:
        """Where the map bends on the way from some shares to others, as parts of the way, between 0 and 1."""
        first, last = (self.before_units(end) for end in ends)
        pairs = zip(first, last, strict=True)
        return sorted({low / (low - high) for low, high in within_time(pairs) if low * high < 0})

    # ------------------------------------------------------------------------------------------------ simpler

    def settled(self, groups: list[list[int]]) -> ExactMap:
        """The same map on the shares of these groups, without units that are always on or always off."""
        if not self.has_units:
            return self
        low = self.bends + sum(self.hidden[:, group].min(axis=1) for group in groups)
        high = self.bends + sum(self.hidden[:, group].max(axis=1) for group in groups)
        always = np.array([each >= 0 for each in low], dtype=bool)
        bent = np.array([least < 0 < most for least, most in zip(low, high, strict=True)], dtype=bool)
        # What is always on becomes linear; the common denominator takes in that of the outer weights.
        offset = self.offset * self.outer_scale + self.outer[:, always].dot(self.bends[always])
        linear = self.linear * self.outer_scale + self.outer[:, always].dot(self.hidden[always])
        scale = self.scale * self.outer_scale
        bends, hidden = self.bends[bent] * self.outer_scale, self.hidden[bent] * self.outer_scale
        return ExactMap(offset, linear, bends, hidden, self.outer[:, bent], scale, self.outer_scale, self.moved_share)

    def is_constant(self, groups: list[list[int]]) -> bool:
        """Whether moving attention changes nothing."""
        columns = np.concatenate([self.linear, self.hidden])
        return all((columns[:, group] == columns[:, [group[0]]]).all() for group in groups)

    # ------------------------------------------------------------------------------------------------- floats

    def rounded(self) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """Offset, linear, bends, hidden and outer, each entry rounded to the closest floating-point number."""
        scales = (self.scale,) * 4 + (self.outer_scale,)
        parts = (self.offset, self.linear, self.bends, self.hidden, self.outer)
        first, second, third, fourth, fifth = (_floats(part, below) for part, below in zip(parts, scales, strict=True))
        return first, second, third, fourth, fifth


def _places(*parts: int) -> Shares:
    return np.array(parts, dtype=object), 1


def _norm(vector: Whole, below: int) -> Fraction:
    """The ℓ2 norm, rounded up where it is no fraction."""
    if len(vector) == 1:
        return Fraction(abs(int(vector[0])), below)
    return root_above(Fraction(int((vector * vector).sum()), below**2))


def _floats(numbers: Whole, below: int) -> Floats:
    # The quotient of two whole numbers is rounded correctly, however large they are.
    return np.array([number / below for number in numbers.ravel()], dtype=np.float64).reshape(numbers.shape)


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
        values = np.asarray(self.offset + shares @ self.linear.T)
        if not len(self.bends):
            return values
        if shares.ndim != 2:
            return np.asarray(values + np.maximum(self.bends + shares @ self.hidden.T, 0.0) @ self.outer.T)
        rows = max(1, BLOCK // len(self.bends))
        for start in within_time(range(0, len(shares), rows)):
            some = slice(start, start + rows)
            values[some] += np.maximum(self.bends + shares[some] @ self.hidden.T, 0.0) @ self.outer.T
        return values

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
