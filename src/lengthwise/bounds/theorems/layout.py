"""From counts back to a word: positions of one residue form a column, and any order within a column will do.

A one-layer model cannot see the order of the keys beyond its window, only how many there are of each type. So once the
sizes of the columns are those of some length, every count of types is that of a word, and no search is needed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def column_sizes(length: int, period: int) -> list[int]:
    """How many of the positions 1..length have each residue modulo the period."""
    sizes = [0] * period
    for first in range(1, period + 1):
        sizes[first % period] = (length - first) // period + 1 if length >= first else 0
    return sizes


def lay_out(prefix: npt.NDArray[np.integer[Any]], suffix: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int64]:
    """A word, as symbol ids, with these counts of (symbol, residue) before these last symbols."""
    symbols, period = prefix.shape
    length = int(prefix.sum())
    word = np.empty(length + len(suffix), dtype=np.int64)
    word[length:] = suffix
    for first in range(1, period + 1):
        word[first - 1 : length : period] = np.repeat(np.arange(symbols), prefix[:, first % period])
    return word
