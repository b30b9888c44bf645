"""Whole numbers in given proportions: rounding by largest remainder, in integers throughout.

Floating point would be wrong here: floor((8 / 49) * 49) is 7.
"""

from __future__ import annotations

from collections.abc import Sequence


def scaled(counts: Sequence[int], numerator: int, denominator: int) -> list[int]:
    """The counts times numerator / denominator, each rounded up or down, with their sum rounded down.

    Those with the largest remainders are rounded up, earlier ones first among equals. A count whose product is whole is
    never changed, so none that is 0 becomes positive.
    """
    floors = [count * numerator // denominator for count in counts]
    remainders = [count * numerator % denominator for count in counts]
    missing = sum(counts) * numerator // denominator - sum(floors)
    for place in sorted(range(len(counts)), key=lambda place: -remainders[place])[:missing]:
        floors[place] += 1
    return floors
