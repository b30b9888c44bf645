"""ρ: what a Markov background costs.

Golowich et al. leave Markov chains open. The proof of the repaired theorem survives them: for independent background
the base together with the j-th block has the law of the base with the second one; for a stationary chain the two laws
differ by at most the largest Pⁿ(a, b) / P(a, b), n = (j − 2)L_local + 1, since everything but the way from the base
to the block is the same. Ours.
"""

from __future__ import annotations

import math
from fractions import Fraction

from lengthwise.sparse.bounds.extrapolation import Extrapolation, SparsityBoundError
from lengthwise.sparse.ensembles.background import Background, Independent, Row


def mixing(background: Background, lengths: Extrapolation) -> Fraction | float:
    """ρ ≥ 1: exactly 1 for independent tokens, infinite if the chain gets later to where it cannot go at once."""
    if isinstance(background, Independent):
        return Fraction(1)
    if not background.stationary:
        raise SparsityBoundError("the bound is about stationary Markov chains; leave out the start, or give that law")
    used = [symbol for symbol, share in enumerate(background.start) if share]
    block = _power(background.rows, lengths.locality)
    power, largest = background.rows, Fraction(1)
    for _ in range(lengths.blocks):  # n = L_local + 1, …, m L_local + 1
        power = _times(power, block)
        for symbol in used:
            for other in used:
                late, once = power[symbol][other], background.rows[symbol][other]
                if late and not once:
                    return math.inf
                if once:
                    largest = max(largest, late / once)
    return largest


def _times(first: tuple[Row, ...], second: tuple[Row, ...]) -> tuple[Row, ...]:
    columns = list(zip(*second, strict=True))
    return tuple(
        tuple(sum((a * b for a, b in zip(row, column, strict=True)), Fraction(0)) for column in columns)
        for row in first
    )


def _power(rows: tuple[Row, ...], exponent: int) -> tuple[Row, ...]:
    found = rows
    for _ in range(exponent - 1):
        found = _times(found, rows)
    return found
