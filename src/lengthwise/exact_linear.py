"""Exact linear algebra: null spaces of sparse integer matrices, and square systems of fractions.

For a null space rows
are eliminated modulo the prime 2⁶¹ - 1 and the null vectors lifted back to rationals. Every lifted vector is then
checked against every row in exact integers. That proves the result: modulo a prime the null space can only grow, so if
all its vectors lift, they are a basis over ℚ. If one does not, elimination is done in fractions instead. (Working
modulo a small prime alone would be wrong: modulo 2, parity looks like a count.)
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, isqrt, lcm
from typing import TypeAlias

from lengthwise.resources import check_time

PRIME = 2**61 - 1
_BOUND = isqrt(PRIME // 2)

Row: TypeAlias = dict[int, int]
Vector: TypeAlias = tuple[int, ...]


def null_space(rows: Sequence[Row], columns: int) -> list[Vector]:
    """A basis of {x ∈ ℚ^columns : row · x = 0 for every row}, scaled to integers without common factor."""
    pivots = _eliminated(rows)
    basis: list[Vector] = []
    for free in range(columns):
        if free in pivots:
            continue
        check_time()
        lifted = _lift({free: 1} | {pivot: -row[free] for pivot, row in pivots.items() if free in row}, columns)
        if lifted is None or any(_times(row, lifted) for row in rows):
            return _exact_null_space(rows, columns)
        basis.append(lifted)
    return basis


def in_span(target: Row, generators: Sequence[Row]) -> list[Fraction] | None:
    """Coefficients with target = Σ coefficient · generator, using independent generators only; None if there are none.

    Earlier generators are preferred, so put the simple ones first.
    """
    # Columns are the coefficients; one exact equation for each coordinate that occurs.
    reduced: list[tuple[int, dict[int, Fraction], dict[int, Fraction]]] = []

    def reduce(vector: dict[int, Fraction], combination: dict[int, Fraction]) -> None:
        for pivot, row, made_of in reduced:
            factor = vector.get(pivot)
            if factor:
                _subtract(vector, row, factor)
                _subtract(combination, made_of, factor)

    goal = {place: Fraction(value) for place, value in target.items() if value}
    coefficients: dict[int, Fraction] = {}
    reduce(goal, coefficients)
    for number, generator in enumerate(generators):
        if not goal:
            break
        check_time()
        vector = {place: Fraction(value) for place, value in generator.items() if value}
        combination = {number: Fraction(1)}
        reduce(vector, combination)
        if not vector:
            continue
        pivot = min(vector)
        scale = vector[pivot]
        vector = {place: value / scale for place, value in vector.items()}
        combination = {place: value / scale for place, value in combination.items()}
        reduced.append((pivot, vector, combination))
        factor = goal.get(pivot)
        if factor:
            _subtract(goal, vector, factor)
            _subtract(coefficients, combination, factor)
    if goal:
        return None
    found = [Fraction(0)] * len(generators)
    for number, value in coefficients.items():
        found[number] = -value
    return found


def solution(equations: Sequence[Sequence[Fraction]]) -> list[Fraction] | None:
    """The solution of as many equations as unknowns, each with its right side last; None if it is not the only one."""
    rows = [list(equation) for equation in equations]
    for column in range(len(rows)):
        pivot = next((row for row in range(column, len(rows)) if rows[row][column]), None)
        if pivot is None:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        clear(rows, column, column)
    return [row[-1] for row in rows]


def clear(rows: list[list[Fraction]], chosen: int, column: int) -> None:
    """Give a row a 1 in a column, and subtract it from the others so that they have a 0 there."""
    scale = rows[chosen][column]
    rows[chosen] = [entry / scale for entry in rows[chosen]]
    for row, entries in enumerate(rows):
        if row != chosen and (times := entries[column]):
            rows[row] = [entry - times * taken for entry, taken in zip(entries, rows[chosen], strict=True)]


def _subtract(vector: dict[int, Fraction], other: dict[int, Fraction], factor: Fraction) -> None:
    for place, value in other.items():
        rest = vector.get(place, Fraction(0)) - factor * value
        if rest:
            vector[place] = rest
        else:
            vector.pop(place, None)


def _times(row: Row, vector: Sequence[int]) -> int:
    return sum(value * vector[column] for column, value in row.items())


def _eliminated(rows: Sequence[Row]) -> dict[int, Row]:
    """The reduced row echelon form modulo the prime: pivot column -> row without its pivot entry 1."""
    pivots: dict[int, Row] = {}
    users: dict[int, set[int]] = {}
    for given in rows:
        check_time()
        row = dict(given)
        for column in list(row):
            known = pivots.get(column)
            if known is not None and (factor := row.pop(column, 0)):
                for place, value in known.items():
                    row[place] = (row.get(place, 0) - factor * value) % PRIME
        row = {column: value for column, value in row.items() if value % PRIME}
        if not row:
            continue
        pivot = min(row)
        inverse = pow(row.pop(pivot), -1, PRIME)
        row = {column: value * inverse % PRIME for column, value in row.items()}
        for user in users.pop(pivot, ()):
            other = pivots[user]
            factor = other.pop(pivot, 0)
            if factor:
                for place, value in row.items():
                    rest = (other.get(place, 0) - factor * value) % PRIME
                    if rest:
                        other[place] = rest
                        users.setdefault(place, set()).add(user)
                    else:
                        other.pop(place, None)
        pivots[pivot] = row
        for place in row:
            users.setdefault(place, set()).add(pivot)
    return pivots


def _lift(residues: Row, columns: int) -> Vector | None:
    """The integer vector proportional to a rational one given modulo the prime, if its fractions are small."""
    fractions = {column: _fraction(value % PRIME) for column, value in residues.items()}
    found = {column: value for column, value in fractions.items() if value is not None}
    if len(found) < len(fractions):
        return None
    return _integral(found, columns)


def _integral(fractions: dict[int, Fraction], columns: int) -> Vector:
    scale = lcm(*(value.denominator for value in fractions.values()))
    vector = [0] * columns
    for column, value in fractions.items():
        vector[column] = int(value * scale)
    common = gcd(*vector)
    return tuple(value // common for value in vector) if common > 1 else tuple(vector)


def _fraction(residue: int) -> Fraction | None:
    """The fraction a/b with small a and b that is congruent to the residue (half of Euclid's algorithm)."""
    if residue <= _BOUND:
        return Fraction(residue)
    if PRIME - residue <= _BOUND:
        return Fraction(residue - PRIME)
    before, now = (PRIME, 0), (residue, 1)
    while now[0] > _BOUND:
        step = before[0] // now[0]
        before, now = now, (before[0] - step * now[0], before[1] - step * now[1])
    if not now[1] or abs(now[1]) > _BOUND:
        return None
    return Fraction(now[0], now[1])


def _exact_null_space(rows: Sequence[Row], columns: int) -> list[Vector]:
    pivots: dict[int, dict[int, Fraction]] = {}
    for given in rows:
        row = {column: Fraction(value) for column, value in given.items() if value}
        for pivot, known in pivots.items():
            if factor := row.get(pivot):
                _subtract(row, known, factor)
        if not row:
            continue
        pivot = min(row)
        scale = row[pivot]
        row = {column: value / scale for column, value in row.items()}
        for known in pivots.values():
            if factor := known.get(pivot):
                _subtract(known, row, factor)
        pivots[pivot] = row
    basis = []
    for free in range(columns):
        if free not in pivots:
            vector = {free: Fraction(1)} | {pivot: -row[free] for pivot, row in pivots.items() if free in row}
            basis.append(_integral(vector, columns))
    return basis
