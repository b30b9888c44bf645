"""Is it a local position coupling? The conditions of Definition 4.1, each with the item that fails.

Item 3 asks that the law of the rank lists does not depend on the length. That is not enough for Proposition 4.4: the
coupled words are planted correlations in the sense of Definition 3.2 only if the rank lists are also independent of
where the planted set ends up (`tests/errata` has a coupling without that, on which the proposition fails). The
last condition is ours. Golowich et al., Definition 4.1; corrections ERR-I6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from lengthwise.sparse.coupling.coupling import Coupling, CouplingError, RankLists, Renumbering, image, rank_lists
from lengthwise.sparse.ensembles.laws import Places
from lengthwise.sparse.ensembles.positions import PositionLaw

MARGINAL = "marginal"
LOCAL = "item 1"
UNCOUPLED = "item 2"
SAME_SIZE = "item 3, size"
SAME_RANKS = "item 3, ranks"
INDEPENDENT = "independence"


@dataclass(frozen=True)
class Violation:
    """A condition that fails, and where."""

    item: str
    length: int
    message: str
    places: Places | None = None
    """A planted set on which it fails, if it is about single ones."""
    renumbering: Renumbering | None = None

    def __str__(self) -> str:
        return f"{self.item} fails at length {self.length}: {self.message}"


def violations(
    coupling: Coupling, positions: PositionLaw, locality: int, lengths: Sequence[int]
) -> tuple[Violation, ...]:
    """The conditions that fail at these lengths, each at the first length that shows it; none for a good coupling."""
    if not lengths:
        raise CouplingError("give at least one length at which the conditions are to be checked")
    found: dict[str, Violation] = {}
    for length in lengths:
        for violation in _at(coupling, positions, locality, length, lengths[0]):
            found.setdefault(violation.item, violation)
    return tuple(found.values())


def rank_law(coupling: Coupling, length: int) -> dict[RankLists, Fraction]:
    """The law of the rank lists at one length."""
    law: dict[RankLists, Fraction] = {}
    for (places, renumbering), mass in coupling.masses(length).items():
        lists = rank_lists(places, renumbering)
        law[lists] = law.get(lists, Fraction(0)) + mass
    return law


def image_law(coupling: Coupling, length: int) -> dict[Places, Fraction]:
    """The law of ψ(S*) at one length."""
    law: dict[Places, Fraction] = {}
    for (places, renumbering), mass in coupling.masses(length).items():
        moved = image(places, renumbering)
        law[moved] = law.get(moved, Fraction(0)) + mass
    return law


def _at(coupling: Coupling, positions: PositionLaw, locality: int, length: int, first: int) -> list[Violation]:
    found = []
    marginal: dict[Places, Fraction] = {}
    joint: dict[tuple[Places, RankLists], Fraction] = {}
    for (places, renumbering), mass in coupling.masses(length).items():
        marginal[places] = marginal.get(places, Fraction(0)) + mass
        moved, lists = image(places, renumbering), rank_lists(places, renumbering)
        joint[moved, lists] = joint.get((moved, lists), Fraction(0)) + mass
        if moved[-1] - moved[0] > locality:
            message = f"{set(places)} gets the IDs {set(moved)}, more than {locality} apart"
            found.append(Violation(LOCAL, length, message, places, renumbering))
        for place in range(1, length + 1):
            if place not in places and renumbering.count(renumbering[place - 1]) > 1:
                message = f"position {place} is not planted but shares the ID {renumbering[place - 1]}"
                found.append(Violation(UNCOUPLED, length, message, places, renumbering))
                break
    if marginal != dict(positions.masses(length)):
        found.append(Violation(MARGINAL, length, "the planted sets do not have the law of the ensemble"))
    ranks, images = rank_law(coupling, length), image_law(coupling, length)
    known = rank_law(coupling, first)
    sizes = {len(lists) for lists in (*ranks, *known)}
    if len(sizes) > 1:
        message = f"planted sets get {' or '.join(map(str, sorted(sizes)))} IDs"
        found.append(Violation(SAME_SIZE, length, message))
    if ranks != known:
        found.append(Violation(SAME_RANKS, length, f"the law of the rank lists is another one at length {first}"))
    if any(joint.get((moved, lists), 0) != images[moved] * ranks[lists] for moved in images for lists in ranks):
        found.append(Violation(INDEPENDENT, length, "the rank lists depend on where the planted set ends up"))
    return found
