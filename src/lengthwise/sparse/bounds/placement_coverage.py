"""The cover that the repaired proof needs: how much likelier a set is at L̄ than its copies in training.

Each local set of a word of length L̄ is compared with at most five placements in words of training length
(`Extrapolation.training_placements`). Assumption 4.2 bounds these ratios by η_L̄, and much else besides; on adjacent
pairs η_L̄ is L̄ − 1, while this is below 1.
"""

from __future__ import annotations

import math
from fractions import Fraction

from lengthwise.sparse.bounds.extrapolation import Extrapolation
from lengthwise.sparse.ensembles.positions import PositionLaw


def placement_coverage(positions: PositionLaw, lengths: Extrapolation) -> Fraction | float:
    """The largest Q_L̄(S) / Q_ℓ(S') over local sets S and their training placements (ℓ, S'); at most η_L̄."""
    largest: Fraction | float = Fraction(0)
    for places, mass in positions.masses(lengths.test).items():
        if not lengths.is_local(places):
            continue
        for length, placed in lengths.training_placements(places):
            cover = positions.masses(length).get(placed, Fraction(0))
            largest = max(largest, mass / cover if cover else math.inf)
    return largest


def far_mass(positions: PositionLaw, lengths: Extrapolation) -> Fraction:
    """Pr(max S* − min S* > L_local) at length L̄: what no local hypothesis can see."""
    masses = positions.masses(lengths.test).items()
    return sum((mass for places, mass in masses if not lengths.is_local(places)), Fraction(0))
