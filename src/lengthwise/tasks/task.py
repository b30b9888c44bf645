"""`Task`: what a model is trained on, and `Batch`: some inputs with what is expected there.

A task draws words of a given length and says what the right outputs are. Three losses cover all tasks of the papers:
*regression* of numbers at the last position, the *next token* at scored positions, and the *set of next symbols* at
every position (with one more class for "the word may end here").
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeGuard, runtime_checkable

import numpy as np
import numpy.typing as npt

from lengthwise.alphabet import Alphabet
from lengthwise.crasp import Program
from lengthwise.regular import Language

Loss = Literal["regression", "next-token", "next-set"]


@dataclass(frozen=True)
class Batch:
    """Words of one length and their targets."""

    tokens: npt.NDArray[np.int64]
    """(batch, length): symbol ids."""
    targets: npt.NDArray[Any]
    """regression: (batch, outputs) floats; next-token: (batch, length) ids; next-set: (batch, length, outputs)
    Booleans, the last of which is "the word may end here"."""
    mask: npt.NDArray[np.bool_]
    """(batch, length): which positions are scored; the last one only for regression."""
    positions: npt.NDArray[np.int64] | None = None
    """(batch, length): position ids, for tasks that couple positions; None for 1, 2, 3, …."""
    answers: npt.NDArray[np.bool_] | None = None
    """(batch, length): the positions that decide whether a word is right, if these are not all that are scored."""
    next_positions: npt.NDArray[np.int64] | None = None
    """(batch, length): the position id of the symbol that comes next, for models that have to predict it; where nothing
    is scored, any id that the word has."""


@dataclass(frozen=True)
class CountBatch:
    """Words as far as a one-layer model without windows can tell them apart: the sufficient statistic.

    The counts include the last symbol.
    """

    counts: npt.NDArray[np.int64]
    """(batch, symbols, period): how often each symbol stands at each residue of the position (from 1 on)."""
    last: npt.NDArray[np.int64]
    """(batch,): the last symbol."""
    lengths: npt.NDArray[np.int64]
    """(batch,): how many symbols the words have."""
    targets: npt.NDArray[np.float64]
    """(batch, outputs)."""


@runtime_checkable
class Task(Protocol):
    """What every task offers."""

    @property
    def name(self) -> str:
        """The name it is registered under."""
        ...

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Its parameters, such as ω, by name: plain data."""
        ...

    @property
    def alphabet(self) -> Alphabet:
        """The symbols of its words."""
        ...

    @property
    def outputs(self) -> int:
        """How many numbers a model gives for a position."""
        ...

    @property
    def min_length(self) -> int:
        """The shortest words it has."""
        ...

    @property
    def loss(self) -> Loss:
        """How a model is scored."""
        ...

    @property
    def program(self) -> Program | None:
        """A C-RASP program for it, where there is one."""
        ...

    @property
    def language(self) -> Language | None:
        """The regular language behind it, where there is one."""
        ...

    def sample(self, length: int, batch: int, rng: np.random.Generator) -> Batch:
        """Random words of this length with their targets."""
        ...


@runtime_checkable
class CountedTask(Task, Protocol):
    """A task whose targets depend on symbol counts alone, so that models can be trained on counts."""

    @property
    def period(self) -> int:
        """The period of the residues that counts are kept for."""
        ...

    def sample_counts(self, length: int, batch: int, rng: np.random.Generator) -> CountBatch:
        """The same distribution as `sample`, drawn as counts."""
        ...


def is_counted(task: Task) -> TypeGuard[CountedTask]:
    """Whether a task can be drawn as counts; unlike `isinstance`, this does not make its program.

    Args:
        task: A task.

    Returns:
        True if it has what `CountedTask` adds to a task.

    Example:
        >>> from lengthwise import tasks
        >>> is_counted(tasks.get("simple-task")), is_counted(tasks.get("task:sort"))
        (True, False)

    """
    return hasattr(task, "sample_counts") and hasattr(task, "period")
