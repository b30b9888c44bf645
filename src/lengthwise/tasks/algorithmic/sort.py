"""Sort: different numbers, and behind them the same in increasing order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lengthwise.crasp import Program
from lengthwise.crasp.library import generators
from lengthwise.regular.algorithmic.task_programs import END, SEPARATOR
from lengthwise.tasks.algorithmic.answer_task import Rows
from lengthwise.tasks.algorithmic.distinct_numbers import DistinctNumbersTask
from lengthwise.tasks.registry import register_task


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
