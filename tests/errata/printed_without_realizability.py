"""Proposition C.3 (c) of Golowich et al. as printed: without realizability, and without coverage, too (ERR-I4)."""

from __future__ import annotations

from fractions import Fraction

from lengthwise.sparse.bounds.instance import ALPHABET, Instance, instance
from lengthwise.sparse.ensembles.laws import Number, Places
from lengthwise.sparse.ensembles.positions import PositionLaw
from lengthwise.sparse.functional.keys import Key, ShapeKey


def printed_without_realizability(training: int) -> Instance:
    """(c) as printed, with the value that it omits: beyond L, distance 2 has probability 9/10. Coverage fails, too."""

    def table(length: int) -> dict[Places, Number]:
        near = Fraction(1, length - 1) if length <= training else Fraction(1, 10 * (length - 1))
        masses: dict[Places, Number] = {(a, a + 1): near for a in range(1, length)}
        if length > training:
            masses |= {(a, a + 2): Fraction(9, 10 * (length - 2)) for a in range(1, length - 1)}
        return masses

    keys: dict[str, Key] = {
        "adjacent (2,2)": ShapeKey.of(ALPHABET, {(0, 1): {"22": 1}}),
        "(2,2) at distance 2": ShapeKey.of(ALPHABET, {(0, 2): {"22": 1}}),
    }
    law = PositionLaw(2, 2, table)
    return instance("(c) without realizability, as printed", law, keys, "adjacent (2,2)", training)
