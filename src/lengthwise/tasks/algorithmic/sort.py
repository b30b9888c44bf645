"""Sort: different numbers, and behind them the same in increasing order.

Words of different numbers are also those of Copy (unique). No number is repeated, so there must be as many as the
longest input has; the paper has 150, its longest test length. They are written 0, 1, 2, …. All choices of numbers and
all orders are equally likely.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lengthwise.crasp import Program
from lengthwise.crasp.library import generators
from lengthwise.errors import LengthwiseError
from lengthwise.regular.algorithmic.task_programs import END, SEPARATOR
from lengthwise.tasks.algorithmic.answer_task import AnswerTask, Rows, require_between
from lengthwise.tasks.registry import register_task

MOST_SYMBOLS = 1000
"""The most numbers a task may have: its program grows with them."""


@dataclass(frozen=True)
class DistinctNumbersTask(AnswerTask):
    """A task whose questions are different numbers, and whose answers are the same numbers, in some order."""

    symbols: int = 150
    """How many numbers there are; inputs are no longer than that."""

    def __post_init__(self) -> None:
        require_between("the number of symbols", self.symbols, 1, MOST_SYMBOLS)

    @abstractmethod
    def answers(self, questions: Rows) -> Rows:
        """The numbers of each question in the order of the answer."""

    @property
    def own_symbols(self) -> tuple[str, ...]:
        """The numbers from 0 on."""
        return tuple(str(number) for number in range(self.symbols))

    @property
    def parameters(self) -> Mapping[str, Any]:
        """How many numbers there are."""
        return {"symbols": self.symbols}

    def answer_length(self, length: int) -> int:
        """As long as the question."""
        return length

    def lengths(self, up_to: int) -> tuple[int, ...]:
        """Up to the number of symbols."""
        return tuple(range(self.min_length, min(up_to, self.symbols) + 1))

    def drawn(self, length: int, batch: int, rng: np.random.Generator) -> tuple[Rows, Rows]:
        """Different numbers, in any order."""
        if length > self.symbols:
            raise LengthwiseError(
                f"{self.name} has words of up to {self.symbols} symbols, none of which is repeated, not of {length}; "
                f"set symbols={length} or more"
            )
        every = np.broadcast_to(np.arange(self.symbols), (batch, self.symbols))
        questions = rng.permuted(every, axis=1)[:, :length]
        return questions, self.answers(questions)


@register_task("task:sort")
@dataclass(frozen=True)
class Sort(DistinctNumbersTask):
    """SOS x SEP y EOS, where x are different numbers below `symbols` and y the same in increasing order."""

    name = "task:sort"

    @cached_property
    def program(self) -> Program:
        """The next number is the smallest that the output has fewer times than the input."""
        return generators.sort(self.own_symbols, SEPARATOR, END)

    def answers(self, questions: Rows) -> Rows:
        """In increasing order."""
        return np.sort(questions, axis=1)
