"""A point that satisfies some linear conditions, if there is one: the first phase of the simplex method.

The problems here have a dozen unknowns and as many conditions, and thousands of them are asked; nothing more is needed.
"""

from __future__ import annotations

import numpy as np

from lengthwise.limit.regimes import Floats

TOLERANCE = 1e-9
"""Conditions that are violated by less count as satisfied."""


def nonnegative_solution(equal: Floats, targets: Floats, at_most: Floats, limits: Floats) -> Floats | None:
    """Some x >= 0 with equal x = targets and at_most x <= limits; None if there is none, even with some tolerance."""
    unknowns = equal.shape[1]
    slack = np.eye(len(limits))
    matrix = np.block([[equal, np.zeros((len(equal), len(limits)))], [at_most, slack]])
    right = np.concatenate([targets, limits])
    signs = np.where(right < 0, -1.0, 1.0)
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
            return None
        column = int(entering[0])
        usable = np.flatnonzero(tableau[:, column] > TOLERANCE)
        if not len(usable):
            return None
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
    return solution[:unknowns]
