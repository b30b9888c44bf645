"""Random words that several of the tasks have: bits with a uniform number of ones, and words that fit.

Each row is independent of the others, and all draw many rows at once.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from lengthwise.tasks.algorithmic.answer_task import Rows
from lengthwise.tasks.uniform_rows import uniform_rows

MOST_AT_ONCE = 2**20
"""About how many symbols are drawn again at a time."""


def bits(length: int, batch: int, rng: np.random.Generator) -> Rows:
    """Words of 0 and 1: the number of ones is uniform from 0 to the length, and then all orders are equally likely.

    That is how independent bits are distributed whose common probability is uniform.
    """
    chances = rng.random((batch, 1))
    words = np.empty((batch, length), dtype=np.int64)
    for rows, drawn in uniform_rows(batch, length, rng):
        words[rows] = drawn < chances[rows]
    return words


def fitting(draw: Callable[[int], Rows], fits: Callable[[Rows], npt.NDArray[np.bool_]], batch: int) -> Rows:
    """As many words as wanted of those that fit, from a source of words.

    Few words may fit, so more and more of them are drawn at a time.
    """
    words = draw(batch)
    found = [words[fits(words)]]
    missing, ahead = batch - len(found[0]), 2
    at_once = max(1, MOST_AT_ONCE // max(1, words.shape[1]))
    while missing:
        words = draw(min(missing * ahead, max(missing, at_once)))
        found.append(words[fits(words)][:missing])
        missing, ahead = missing - len(found[-1]), 2 * ahead
    return np.concatenate(found)
