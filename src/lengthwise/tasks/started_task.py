"""A task whose words stand behind a start symbol, as they do in the theory: `$` is position 0 there.

It is what makes positions and counts absolute. A count over all positions reaches a model as a mean, c/n; with a start
symbol there is also 1/n, the share of an even attention that it gets, beside which a lead of one can be told at every
length. Where positions are learned with random offsets, it marks where a word begins.

The start symbol is not counted in lengths, and nothing is asked there: what is asked is the same with it and without.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from lengthwise.alphabet import Alphabet
from lengthwise.crasp import Program
from lengthwise.regular import Language
from lengthwise.tasks import request
from lengthwise.tasks.prompt import Prompt, prompt
from lengthwise.tasks.task import Batch, Loss, Task

START = "$"
"""How the start symbol is written; where an alphabet has it, it is written more often."""


class StartedTask:
    """Another task with a start symbol, whose id comes behind those of the others; it has the parameter `start`.

    Args:
        task: The task whose words get a start symbol.

    Example:
        >>> from lengthwise import tasks
        >>> StartedTask(tasks.get("simple-task")).alphabet.symbols
        ('0', '1', '2', '$')

    """

    def __init__(self, task: Task) -> None:
        start = START
        while start in task.alphabet:
            start += START
        self.task = task
        self.alphabet = Alphabet((*task.alphabet.symbols, start))
        self.parameters: dict[str, Any] = {**task.parameters, "start": True}

    def __repr__(self) -> str:
        return f"<StartedTask {self.task!r}>"

    @property
    def name(self) -> str:
        """That of the task."""
        return self.task.name

    @property
    def outputs(self) -> int:
        """Those of the task; the start symbol is never what comes next."""
        return self.task.outputs

    @property
    def min_length(self) -> int:
        """That of the task."""
        return self.task.min_length

    @property
    def residues(self) -> int:
        """Those of the task."""
        return request.residues(self.task)

    @property
    def loss(self) -> Loss:
        """That of the task."""
        return self.task.loss

    @property
    def program(self) -> Program | None:
        """That of the task."""
        return self.task.program

    @property
    def language(self) -> Language | None:
        """That of the task."""
        return self.task.language

    def lengths(self, up_to: int) -> tuple[int, ...]:
        """The lengths of the task's words."""
        return request.lengths(self.task, up_to)

    def input_length(self, length: int) -> int:
        """One symbol more than the task's words have."""
        return 1 + request.input_length(self.task, length)

    def prompt(self, word: tuple[str, ...]) -> Prompt:
        """That of the task after the start symbol."""
        return prompt(self.task, word).after(self.alphabet.symbols[-1])

    def sample(self, length: int, batch: int, rng: np.random.Generator) -> Batch:
        """The task's words of a length, with one symbol more in front, where nothing is scored."""
        return behind_start(self.task.sample(length, batch, rng), len(self.task.alphabet))


def behind_start(drawn: Batch, start: int) -> Batch:
    """Words with one symbol more in front, of this id, where nothing is scored."""
    first = np.full((len(drawn.tokens), 1), start)
    return Batch(
        np.concatenate([first, drawn.tokens], axis=1),
        _behind_nothing(drawn.targets),
        _behind_nothing(drawn.mask),
        answers=None if drawn.answers is None else _behind_nothing(drawn.answers),
    )


def _behind_nothing(by_position: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """With zeros, or false, for one position more in front."""
    return np.concatenate([np.zeros_like(by_position[:, :1]), by_position], axis=1)
