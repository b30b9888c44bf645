"""`Answerer`: any model, as something that answers the words of a task; all are scored by the same rule.

An answer has the form of the task's targets: the set of next symbols and the end as Booleans, the id of the next
symbol, or numbers. What a model cannot say at all, such as the next symbol where it only accepts, is not scored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from lengthwise.errors import LengthwiseError
from lengthwise.tasks.task import Batch, Task

NONE = -1
"""The id of an answer that is no symbol of the task."""


class ModelError(LengthwiseError):
    """A model that cannot be loaded, does not fit the task, or answers what is no answer."""


@dataclass(frozen=True, eq=False)
class Answer:
    """What a model says to the words of a batch."""

    said: npt.NDArray[Any]
    """next-set: (words, length, outputs) Booleans; next-token: (words, length) ids; regression: (words, outputs)."""
    outputs: npt.NDArray[np.bool_] | None = None
    """(outputs,): of a next-symbol set, those that the model can say; None for all."""
    right: npt.NDArray[np.bool_] | None = None
    """(words, length): whether a prediction is right, if that is more than what is said here."""


class Answerer(Protocol):
    """A model that can be scored on a task."""

    @property
    def title(self) -> str:
        """The model in a few words, such as `GPT-2 in checkpoint`."""
        ...

    def require_fits(self, task: Task) -> None:
        """Refuse a task whose symbols or outputs the model does not have."""
        ...

    def answer(self, task: Task, batch: Batch, rng: np.random.Generator) -> Answer:
        """What the model says to some words; `rng` is for position ids that are drawn."""
        ...
