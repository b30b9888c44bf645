"""A point that satisfies some linear conditions, if there is one: the first phase of the simplex method.

The problems here have a dozen unknowns and as many conditions, and thousands of them are asked. Floating point looks
for the answer. That there is a point need not be certain: the cell in question is then looked at in other ways. That
there is none drops a cell for good, so it is said only with a reason that was checked in fractions: multipliers for the
conditions that make them contradict each other (Farkas). Where those of the last basis do not, the problem is solved
again, in fractions throughout.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from lengthwise.exact_linear import clear, solution
from lengthwise.limit.evaluation.regimes import Floats

TOLERANCE = 1e-9
"""What guides the search is 0 if it is smaller."""

Row = list[Fraction]


def nonnegative_solution(equal: Floats, targets: Floats, at_most: Floats, limits: Floats) -> Floats | None:
    """Finds x >= 0 with equal x = targets and at_most x <= limits.

    Args:
        equal: The left sides of the equations, one row each.
        targets: Their right sides.
        at_most: The left sides of the inequalities.
        limits: Their right sides.

    Returns:
        Some solution, up to `TOLERANCE`; None only if there is certainly none, for the numbers as they are given.

    Example:
        >>> nonnegative_solution(np.array([[1.0]]), np.array([1.0]), np.array([[1.0]]), np.array([0.5])) is None
        True

    """
    unknowns = equal.shape[1]
    matrix = np.block([[equal, np.zeros((len(equal), len(limits)))], [at_most, np.eye(len(limits))]])
    right = np.concatenate([targets, limits])
    basis, solution = _guessed(matrix, right)
    if solution is None:
        exact, wanted = [_fractions(row) for row in matrix], _fractions(right)
        if basis is not None and _contradict(exact, wanted, _multipliers(exact, wanted, basis)):
            return None
        solution = _solved(exact, wanted)
    return None if solution is None else solution[:unknowns]


def _guessed(matrix: Floats, right: Floats) -> tuple[list[int] | None, Floats | None]:
    """The last basis, and a solution if one was found, in floating point."""
    # Rows are of the same size then; by powers of two, so that nothing is rounded.
    largest = np.abs(matrix).max(axis=1, initial=0.0)
    sizes = np.exp2(np.ceil(np.log2(np.where(largest > 0, largest, 1.0))))
    signs = np.where(right < 0, -1.0, 1.0) / sizes
    rows = len(right)
    # One artificial unknown for each condition; they are to become 0.
    tableau = np.concatenate([matrix * signs[:, None], np.eye(rows), (right * signs)[:, None]], axis=1)
    basis = list(range(matrix.shape[1], matrix.shape[1] + rows))
    costs = -tableau[:, : matrix.shape[1]].sum(axis=0)
    left = float(tableau[:, -1].sum())
    while left > TOLERANCE:
        # Bland's rule: the first column that helps, so that no basis comes twice.
        entering = np.flatnonzero(costs < -TOLERANCE)
        if not len(entering):
            return basis, None
        column = int(entering[0])
        usable = np.flatnonzero(tableau[:, column] > TOLERANCE)
        if not len(usable):
            return None, None
        ratios = tableau[usable, -1] / tableau[usable, column]
        ties = usable[ratios <= ratios.min() + 1e-15]
        row = int(min(ties, key=lambda place: basis[place]))
        tableau[row] /= tableau[row, column]
        for other in range(rows):
            if other != row and tableau[other, column]:
                tableau[other] -= tableau[other, column] * tableau[row]
        left += costs[column] * tableau[row, -1]
        costs = costs - costs[column] * tableau[row, : matrix.shape[1]]
        basis[row] = column
    solution = np.zeros(matrix.shape[1] + rows)
    solution[basis] = tableau[:, -1]
    return basis, solution[: matrix.shape[1]]


def _fractions(numbers: Floats) -> Row:
    return [Fraction(number) for number in numbers.tolist()]


# ------------------------------------------------------------------------------------------------ why there is none


def _multipliers(matrix: list[Row], right: Row, basis: list[int]) -> Row | None:
    """The multipliers of the conditions for which the columns of a basis cost what they should; None if it is none."""
    real, rows = len(matrix[0]), len(matrix)
    equations: list[Row] = []
    for column in basis:
        if column < real:
            equations.append([row[column] for row in matrix] + [Fraction(0)])
        else:
            place = column - real
            sign = Fraction(-1 if right[place] < 0 else 1)
            equations.append([sign if other == place else Fraction(0) for other in range(rows)] + [Fraction(1)])
    return solution(equations)


def _contradict(matrix: list[Row], right: Row, multipliers: Row | None) -> bool:
    """Whether the conditions, added up with these multipliers, say that something <= 0 is positive."""
    if multipliers is None:
        return False
    for column in range(len(matrix[0])):
        if sum(times * row[column] for times, row in zip(multipliers, matrix, strict=True)) > 0:
            return False
    return sum(times * entry for times, entry in zip(multipliers, right, strict=True)) > 0


# ------------------------------------------------------------------------------------------------ fractions throughout


def _solved(matrix: list[Row], right: Row) -> Floats | None:
    """Some solution, or None: the same method without rounding."""
    real, rows = len(matrix[0]), len(matrix)
    signs = [-1 if entry < 0 else 1 for entry in right]
    tableau = [
        [sign * entry for entry in row] + [sign * last] for sign, row, last in zip(signs, matrix, right, strict=True)
    ]
    basis = list(range(real, real + rows))
    while any(tableau[row][-1] for row in range(rows) if basis[row] >= real):
        open_rows = [row for row in range(rows) if basis[row] >= real]
        gains = (sum(tableau[row][column] for row in open_rows) for column in range(real))
        helping = next((number for number, gain in enumerate(gains) if gain > 0), None)
        if helping is None:
            return None
        column = helping
        usable = [row for row in range(rows) if tableau[row][column] > 0]
        ratios = {row: (tableau[row][-1] / tableau[row][column], basis[row]) for row in usable}
        chosen = min(usable, key=ratios.__getitem__)
        clear(tableau, chosen, column)
        basis[chosen] = column
    solution = np.zeros(real)
    for row, column in enumerate(basis):
        if column < real:
            solution[column] = float(tableau[row][-1])
    return solution
