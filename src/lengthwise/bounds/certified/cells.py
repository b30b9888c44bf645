"""Cells: regions of words, as products of simplices, one for each coordinate of a chart.

One coordinate is special: the size of a single key against a column. It is 1/b in words of b rows, so it takes certain
values only, which come close to 0.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from lengthwise.limit.evaluation.regimes import Floats

Cell = tuple[Floats, ...]
"""A simplex for each coordinate: its corners, one row each.

Corners come from those of a whole region by halving edges, at most some forty times, so their coordinates are multiples
of a power of two that a floating-point number holds without rounding. A size 1/b of a key is not: it stands for that
fraction.
"""


def row_range(sizes: Floats) -> tuple[int, int | None]:
    """The least and the largest number of rows, if bounded, in which a key has one of these sizes, 1/b for b rows."""
    smallest, largest = float(sizes.min()), float(sizes.max())
    # Sizes that are meant to be 1/b may be off by a rounding error.
    least = max(1, math.ceil(1 / largest * (1 - 1e-12)))
    return least, math.floor(1 / smallest * (1 + 1e-12)) if smallest > 0 else None


def snapped_size(sizes: Floats) -> Floats | None:
    """The smallest interval with the same numbers of rows; None if it has none."""
    least, most = row_range(sizes)
    if most is None:
        return np.array([[0.0], [1.0 / least]])
    return np.array([[1.0 / most], [1.0 / least]]) if least <= most else None


def exact_size(size: float) -> Fraction:
    """The fraction that a size of a settled cell stands for: 0, or 1/b for a whole number b."""
    return Fraction(1, round(1 / size)) if size > 0 else Fraction(0)
