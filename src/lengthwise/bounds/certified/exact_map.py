"""`ExactMap`: the output of a one-layer model as a function of the shares of attention, in whole numbers.

Weights are floating-point numbers, and these are fractions whose denominators are powers of two. Sums and products of
them, averages over keys and ReLU units are fractions as well, so in the hardmax limit the output on a word is one that
can be computed without any rounding. What the search for a certified length finds in floating point is decided here.

Shares come as whole numbers with one denominator, `Shares`. Square roots are the only thing that is no fraction: ℓ2
norms are compared by their squares, and where one has to be added it is rounded up.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from lengthwise.limit.evaluation.regimes import Floats

Whole = npt.NDArray[np.object_]
"""Whole numbers of any size."""
Shares = tuple[Whole, int]
"""Shares of attention: numerators, and the denominator they have in common."""
Value = tuple[Whole, int]
"""Outputs in the same form."""
BITS = 96
"""Square roots are rounded to multiples of 2 to the minus this."""


def whole_numbers(matrix: Floats) -> tuple[Whole, int]:
    """Whole numbers, and a power of two such that the matrix is their quotient, exactly."""
    flat = [float(entry).as_integer_ratio() for entry in np.asarray(matrix, dtype=np.float64).ravel()]
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
            return max(_norm(straight + self.outer.dot(along * active), below) for active in self._patterns())
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
        return sorted({low / (low - high) for low, high in pairs if low * high < 0})

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
