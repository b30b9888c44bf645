"""Linear forms over the dimensions of a residual stream: how a compiled program's values are written down.

Negations, constants, sums and differences need no hidden unit and no dimension of their own: they are linear in what is
stored already, and whoever reads them reads the stored dimensions with the right coefficients. Coefficients are exact
rationals, so what cancels cancels.

Three dimensions are there in every compiled model, whatever the program:

    START    1 at the start symbol, else 0
    ONE      1 everywhere
    INVERSE  1/(i + 1) at the word's position i, which is 1 at the start symbol
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from lengthwise.limit.evaluation.regimes import Floats

Rational: TypeAlias = int | Fraction


@dataclass(frozen=True, slots=True)
class Form:
    """Σ coefficient · dimension: the dimensions increase and no coefficient is zero, so equal forms are equal."""

    terms: tuple[tuple[int, Rational], ...] = ()

    @classmethod
    def dimension(cls, number: int) -> Form:
        """One dimension by itself."""
        return cls(((number, 1),))

    def __add__(self, other: Form) -> Form:
        return total([(1, self), (1, other)])

    def __sub__(self, other: Form) -> Form:
        return total([(1, self), (-1, other)])

    def __neg__(self) -> Form:
        return self * -1

    def __mul__(self, factor: Rational) -> Form:
        return total([(factor, self)])

    __rmul__ = __mul__

    @property
    def dimensions(self) -> tuple[int, ...]:
        """The dimensions it reads."""
        return tuple(number for number, _ in self.terms)

    def ratio(self, other: Form) -> Rational | None:
        """The number k with self = k · other, if there is one; `other` is not zero."""
        number, coefficient = other.terms[0]
        factor = Fraction(dict(self.terms).get(number, 0)) / coefficient
        return factor if self == factor * other else None

    def row(self, width: int) -> Floats:
        """The form as a row of a weight matrix."""
        row = np.zeros(width)
        for number, coefficient in self.terms:
            row[number] = float(coefficient)
        return row


def total(parts: Iterable[tuple[Rational, Form]]) -> Form:
    """Σ factor · form."""
    gathered: dict[int, Rational] = {}
    for factor, form in parts:
        for number, coefficient in form.terms:
            gathered[number] = gathered.get(number, 0) + factor * coefficient
    return Form(tuple(sorted((number, coefficient) for number, coefficient in gathered.items() if coefficient)))


ZERO = Form()
START, ONE, INVERSE = Form.dimension(0), Form.dimension(1), Form.dimension(2)
ALWAYS = ONE - START
"""⊤: 1 at every position of the word, 0 at the start symbol."""
UNIT = INVERSE - START
"""The count 1, stored as 1/(i + 1), and 0 at the start symbol."""
