"""Coverage: how much more likely a planted set can be at one length than at another (Assumption 4.2).

η_ℓ is the largest of Q_ℓ(S) / Q_ℓ'(S − Δ) and Q_ℓ'(S) / Q_ℓ(S) over all lengths ℓ' from L_local to ℓ, all sets S and
all shifts Δ ≥ 0 for which the shifted set lies within ℓ'. What never happens needs no cover; what happens at one
length and never at the other makes η infinite.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from lengthwise.sparse.ensembles.laws import EnsembleError, Places
from lengthwise.sparse.ensembles.positions import PositionLaw, shifted


@dataclass(frozen=True)
class Coverage:
    """η_ℓ, and where it is attained."""

    value: Fraction | float
    """A fraction, or infinity."""
    length: int
    """ℓ."""
    other: int
    """ℓ': the other length of the largest ratio."""
    places: Places
    """The set S of the largest ratio."""
    shift: int
    """Its Δ; 0 for the second ratio."""
    longer: bool
    """Whether the set is more likely at the longer length ℓ (the first ratio) than at ℓ'."""

    def __str__(self) -> str:
        shown = "∞" if math.isinf(self.value) else f"{float(self.value):.4g}"
        where, rare = (self.length, self.other) if self.longer else (self.other, self.length)
        moved = f" shifted by {self.shift}" if self.shift else ""
        return f"η_{self.length} = {shown}: {set(self.places)} at length {where}, against{moved} at length {rare}"


def coverage(positions: PositionLaw, length: int, locality: int) -> Coverage:
    """η_ℓ for words of this length, with L_local = `locality`; lengths too short to plant in are left out."""
    here = positions.masses(length)
    first = next(iter(here))
    best = Coverage(Fraction(1), length, length, first, 0, True)
    for other in _compared(positions, length, locality):
        there = positions.masses(other)
        for places, mass in here.items():
            for shift in range(max(0, places[-1] - other), places[0]):
                ratio = _ratio(mass, there.get(shifted(places, -shift), Fraction(0)))
                if ratio > best.value:
                    best = Coverage(ratio, length, other, places, shift, True)
        for places, mass in there.items():
            ratio = _ratio(mass, here.get(places, Fraction(0)))
            if ratio > best.value:
                best = Coverage(ratio, length, other, places, 0, False)
    return best


def largest_coverage(positions: PositionLaw, length: int, locality: int) -> Coverage:
    """The largest η_j over all lengths j up to this one, where the printed proof needs η to grow with the length."""
    lengths = _compared(positions, length, locality)
    return max((coverage(positions, j, locality) for j in lengths), key=lambda found: found.value)


def _compared(positions: PositionLaw, length: int, locality: int) -> range:
    """The lengths ℓ' from L_local to ℓ, as far as they are long enough to plant in."""
    positions.masses(length)  # refuses lengths that are too short to plant in
    if length < locality:
        raise EnsembleError(f"coverage compares lengths from L_local = {locality} on, and {length} is shorter")
    return range(max(locality, positions.min_length), length + 1)


def _ratio(mass: Fraction, cover: Fraction) -> Fraction | float:
    return mass / cover if cover else math.inf
