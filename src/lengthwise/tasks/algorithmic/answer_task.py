"""The tasks of Huang et al., App. E.2.1, in the format SOS x SEP y EOS (`tasks.answer_format`).

`decide` knows each of them by its name in Table 3.

Several of the tasks draw random bits with a uniform number of ones, and words that fit. Each row is independent of the
others, and all draw many rows at once.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from lengthwise.errors import LengthwiseError
from lengthwise.regular import Verdict, decide_task
from lengthwise.tasks.answer_format import START, AnswerFormat, Rows
from lengthwise.tasks.uniform_rows import uniform_rows

__all__ = ["PREFIX", "START", "AnswerTask", "Rows", "require_between"]

PREFIX = "task:"
"""What stands before the name that a task has in Table 3."""


class AnswerTask(AnswerFormat):
    """A task of Table 3; its name is `task:` and the name there."""

    @property
    def decided_as(self) -> str:
        """The name under which `decide` knows the task."""
        return self.name.removeprefix(PREFIX)

    def verdict(self) -> Verdict:
        """What `decide` says: the row of Table 3 with programs and reasons."""
        return decide_task(self.decided_as)


def require_between(what: str, number: int, least: int, most: int) -> None:
    """Refuse a parameter that is too small or too large."""
    if not least <= number <= most:
        raise LengthwiseError(f"{what} is a number from {least} to {most}, not {number}")


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
