"""What is asked of a sampler, checked before anything is drawn, and which lengths there are to ask for."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from lengthwise.errors import LengthwiseError
from lengthwise.tasks.task import Task
from lengthwise.user_code import is_ours

MEASURED_WORDS = 256
"""How many words are drawn to find out how long inputs get."""


def require_drawable(task: Task, length: int, batch: int) -> None:
    """Refuse words that are shorter than any the task has, and a negative number of them."""
    if length < task.min_length:
        raise LengthwiseError(f"{task.name} has words of length {task.min_length} and more, not of length {length}")
    if batch < 0:
        raise LengthwiseError(f"a batch has no negative number of words; {batch} were asked for")


def lengths(task: Task, up_to: int) -> tuple[int, ...]:
    """The lengths up to a longest one that the task has words of.

    A task with gaps, such as the words of (aa)*, says so in a method `lengths(up_to)`; others have none from their
    shortest length on.

    Args:
        task: The task.
        up_to: The longest length.

    Returns:
        The lengths, in order.

    Example:
        >>> import lengthwise as lw
        >>> lengths(lw.Subject.of("(aa)*").as_task(), 7)
        (2, 4, 6)

    """
    own = getattr(task, "lengths", None)
    return tuple(own(up_to)) if own is not None else tuple(range(task.min_length, up_to + 1))


def input_length(task: Task, length: int) -> int:
    """How many symbols a model reads of a word of some length.

    A task whose words have more than their length counts, such as a start symbol or an answer, says so in a method
    `input_length(length)`. Without one, a user's task is measured: the most over `MEASURED_WORDS` words, always the
    same ones.

    Args:
        task: The task.
        length: The length of a word. If the task has no words of it, the longest ones that are shorter count.

    Returns:
        The number of symbols.

    Example:
        >>> from lengthwise.tasks import get
        >>> input_length(get("task:sort"), 8)
        18

    """
    own = getattr(task, "input_length", None)
    if own is not None:
        return int(own(length))
    if is_ours(task):
        return length
    known = remembered(task, "_input_lengths")
    if length not in known:
        known[length] = _measured(task, length)
    return known[length]


def _measured(task: Task, length: int) -> int:
    at = longest_up_to(task, length)
    if at is None:
        return length
    return int(task.sample(at, MEASURED_WORDS, np.random.default_rng(0)).tokens.shape[1])


def longest_up_to(task: Task, length: int) -> int | None:
    """The greatest length up to this one that the task has words of; None if there is none."""
    found = lengths(task, length)
    return found[-1] if found else None


def remembered(task: object, name: str) -> dict[Any, int]:
    """Numbers that are kept with an object; with one that has no place for them, none are kept."""
    try:
        kept: dict[Any, int] = vars(task).setdefault(name, {})
    except TypeError:
        return {}
    return kept


def largest_id(task: Task, length: int) -> int:
    """The largest position id of a word of some length: where its last symbol stands.

    A task with ids of its own says so in a method `largest_id(length)`.
    """
    own = getattr(task, "largest_id", None)
    return input_length(task, length) if own is None else int(own(length))


def residues(task: Task) -> int:
    """Over how many lengths from T on a test at T is spread, as the residue of the length matters; mostly it is 1.

    It is the period of a periodic task; other tasks may say it in an attribute `residues`.
    """
    return int(getattr(task, "residues", getattr(task, "period", 1)))


def only_the_last(tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """The mask of tasks that are read at the last position."""
    mask = np.zeros(tokens.shape, dtype=bool)
    mask[:, -1:] = True
    return mask
