"""Labels: points of a set Y of diameter at most 1, and the norm that measures errors.

The loss of Golowich et al. is the norm of a difference, not its square (section 3), and any norm will do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TypeAlias

from lengthwise.sparse.ensembles.laws import Number, exact

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
