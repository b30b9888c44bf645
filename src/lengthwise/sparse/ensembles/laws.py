"""Finite laws with exact masses, and labels: what ensembles are made of.

Every probability of an ensemble is a fraction, so that losses, coverage constants and bounds can be compared exactly;
a bound that holds only up to rounding would be no bound. A float is read as the decimal number it prints as: 0.1 is
1/10.

Labels are points of a set Y of diameter at most 1, and a norm measures errors. The loss of Golowich et al. is the norm
of a difference, not its square (section 3), and any norm will do.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from lengthwise.errors import LengthwiseError

Number: TypeAlias = int | float | Fraction
Tokens: TypeAlias = tuple[int, ...]
"""Symbol ids, such as those of a planted tuple."""
Places: TypeAlias = tuple[int, ...]
"""Increasing positions, counted from 1: a set S."""

Outcome = TypeVar("Outcome", bound=Hashable)

ROUNDING = Fraction(1, 10**9)
"""Masses given as floats may miss a sum of 1 by this much; they are then divided by their sum."""


class EnsembleError(LengthwiseError):
    """An ensemble, a law or a length that does not fit it."""


def exact(number: Number) -> Fraction:
    """The number as a fraction; a float as the decimal number it prints as."""
    if isinstance(number, float):
        if not np.isfinite(number):
            raise EnsembleError(f"{number} is not a number that masses, weights or labels can have")
        return Fraction(repr(float(number)))
    return Fraction(number)


def exact_law(masses: Mapping[Outcome, Number], what: str) -> dict[Outcome, Fraction]:
    """The law with these masses, outcomes of mass 0 left out; `what` names it in messages."""
    law = {outcome: exact(mass) for outcome, mass in masses.items()}
    if any(mass < 0 for mass in law.values()):
        raise EnsembleError(f"{what} has a negative mass; masses are probabilities")
    total = sum(law.values(), Fraction(0))
    if abs(total - 1) > ROUNDING:
        raise EnsembleError(f"the masses of {what} sum to {float(total):.6g}; they must sum to 1")
    return {outcome: mass / total for outcome, mass in law.items() if mass}


def require_count(count: int) -> None:
    """Refuse a negative number of samples."""
    if count < 0:
        raise EnsembleError(f"{count} samples cannot be drawn; ask for 0 or more")


def draw(masses: Mapping[Outcome, Fraction], count: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Independent draws, each as the number of its outcome in the order of the mapping."""
    shares = np.array([float(mass) for mass in masses.values()])
    return rng.choice(len(shares), size=count, p=shares / shares.sum()).astype(np.int64)


Label: TypeAlias = tuple[Fraction, ...]
Norm: TypeAlias = Callable[[Sequence[Fraction]], Fraction]


def as_label(value: Number | Sequence[Number]) -> Label:
    """A number or a vector as a label."""
    return tuple(exact(entry) for entry in value) if isinstance(value, Sequence) else (exact(value),)


def largest_entry(vector: Sequence[Fraction]) -> Fraction:
    """The maximum norm: different unit vectors, such as one-hot labels, have distance 1."""
    return max(abs(entry) for entry in vector)


def sum_of_entries(vector: Sequence[Fraction]) -> Fraction:
    """The ℓ1 norm."""
    return sum((abs(entry) for entry in vector), Fraction(0))


def distance(first: Label, second: Label, norm: Norm) -> Fraction:
    """The norm of the difference."""
    return norm([a - b for a, b in zip(first, second, strict=True)])
