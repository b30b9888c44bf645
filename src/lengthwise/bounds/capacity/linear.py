"""Linear functions and linear maps: what every other class is covered with.

- `linear`: x ↦ w·x with ||w|| <= B_1 on points of norm at most B_2 (Zhang 2002, Theorem 4; Lemma A.10):
  log N <= 36 (B_1 B_2 / ε)² log(2 ⌈4 B_1 B_2 / ε + 2⌉ N + 1), any one base of logarithms on both sides;
- `matrices`: x ↦ W^T x, every column of W of norm at most B_∞ (Lemma 4.5), each column covered at ε/√d_2;
- `matrices_by_sum`: the norms of all columns together at most B_1, a bound without d_2 in its leading term.

As printed, Lemma 4.5 has W x with mismatched dimensions (ERR-H1), and its proof puts the tuple of column sizes
k_i = ⌊d_2 ||v_i|| / B_∞⌋ into a family with Σ k_i <= d_2, where it need not be (ERR-H2).
Dividing by B_1 in place of B_∞ repairs it. Section 2 bounds N where log N is meant. `tests/errata` has both.
Edelman et al., section 2, Lemma 4.5 and Lemma A.10.
"""

from __future__ import annotations

import math
from decimal import Decimal

from lengthwise.bounds.bound import Bound
from lengthwise.bounds.capacity.function_class import Capacity, bound_of, printed_bound
from lengthwise.bounds.capacity.parts import Part, linear_map
from lengthwise.bounds.capacity.requirements import norm, whole

POINTS = "every point has a norm of at most input_norm; there are samples · length points"
EXACT_CHOICES = 10_000
"""Columns up to which their choices are counted exactly."""


def linear(weight_norm: float, input_norm: float) -> Capacity:
    """Numbers w·x: Zhang's bound with its constant.

    Args:
        weight_norm: The largest norm of the weights.
        input_norm: The largest norm of an input.

    Returns:
        The class of functions.

    Example:
        >>> linear(1.0, 1.0).covering(epsilon=0.1, samples=1000).shown
        '4.082e+04'

    """
    reach = Decimal(norm("weight_norm", weight_norm)) * Decimal(norm("input_norm", input_norm))

    def printed(epsilon: float, samples: int, length: int) -> tuple[Bound, ...]:
        ratio = reach / Decimal(epsilon)
        claimed = ratio**2 * max(ratio * samples * length, Decimal(1)).ln()
        return (
            # What is printed is a bound on N itself; its logarithm stands beside ours.
            bound_of(
                "section 2, N and not log N: N <= B_X²B_W²/ε² log(B_X B_W m/ε)",
                max(claimed, Decimal(1)).ln(),
                explicit=False,
                assumptions=("the constant hidden in O(·) is taken to be 1",),
            ),
            printed_bound("section 2, read with the logarithm: B_X²B_W²/ε² log(B_X B_W m/ε)", claimed),
        )

    return Capacity(
        "Zhang (2002), Theorem 4",
        (Part("weight", reach, reach),),
        reach,
        scalar=True,
        terms={"weight_norm": weight_norm, "input_norm": input_norm},
        assumptions=(POINTS,),
        printed=printed,
    )


def matrices(columns: int, column_norm: float, input_norm: float) -> Capacity:
    """Vectors W^T x, no column of W larger than `column_norm`: 36 (d_2 B_∞ B_X / ε)² log(…).

    Args:
        columns: How many outputs a map has.
        column_norm: The largest norm of a column.
        input_norm: The largest norm of an input.

    Returns:
        The class of maps.

    Example:
        >>> matrices(16, 1.0, 1.0).covering(epsilon=0.1, samples=1000).shown
        '10^7.1'

    """
    whole("columns", columns)
    part = linear_map("matrix", columns, norm("column_norm", column_norm), norm("input_norm", input_norm))
    largest = Decimal(columns).sqrt() * Decimal(column_norm) * Decimal(input_norm)

    def printed(epsilon: float, samples: int, length: int) -> tuple[Bound, ...]:
        value = (part.size / Decimal(epsilon)) ** 2 * Decimal(math.log(samples * length))
        return (printed_bound("Lemma 4.5: (d_2 B_∞ B_X)²/ε² log N", value),)

    return Capacity(
        "Lemma 4.5, with constants",
        (part,),
        largest,
        terms={"columns": columns, "column_norm": column_norm, "input_norm": input_norm},
        assumptions=(POINTS, "the maps are x ↦ W^T x, so that the columns of W are what is applied to x"),
        printed=printed,
    )


def matrices_by_sum(columns: int, column_sum: float, input_norm: float, column_norm: float | None = None) -> Capacity:
    """Vectors W^T x, the norms of the columns of W at most `column_sum` together.

    log C(2 d_2, d_2) + 144 (B_1 B_X / ε)² log(2 ⌈8 B_1 B_X / ε + 2⌉ N + 1). `column_norm`, B_∞, is used by the printed
    form only.

    Args:
        columns: How many outputs a map has.
        column_sum: The norms of all columns together.
        input_norm: The largest norm of an input.
        column_norm: The largest norm of a column, if that is known.

    Returns:
        The class of maps.

    Example:
        >>> matrices_by_sum(16, 4.0, 1.0).covering(epsilon=0.1, samples=1000).shown
        '3.082e+06'

    """
    whole("columns", columns)
    largest = Decimal(norm("column_sum", column_sum)) * Decimal(norm("input_norm", input_norm))
    widest = norm("column_norm", column_sum if column_norm is None else column_norm)
    choices = _log_choices(columns)

    def printed(epsilon: float, samples: int, length: int) -> tuple[Bound, ...]:
        value = columns * Decimal(column_sum) * Decimal(widest) * (Decimal(input_norm) / Decimal(epsilon)) ** 2
        theorem = "after Lemma 4.5: d_2 B_∞ B_1 B_X²/ε² log N"
        return (printed_bound(theorem, value * Decimal(math.log(samples * length))),)

    return Capacity(
        "Lemma 4.5 for the sum of column norms, repaired",
        (Part("matrix", 2 * largest, 2 * largest, choices=choices),),
        largest,
        terms={"columns": columns, "column_sum": column_sum, "input_norm": input_norm},
        assumptions=(POINTS, "the maps are x ↦ W^T x, so that the columns of W are what is applied to x"),
        printed=printed,
    )


def _log_choices(columns: int) -> float:
    """The logarithm of C(2d, d), or where that has very many digits of 4^d/√(πd), which is a little more."""
    if columns <= EXACT_CHOICES:
        return math.log(math.comb(2 * columns, columns))
    return columns * math.log(4) - math.log(math.pi * columns) / 2
