"""Copying: a word, and behind it the same word once more, with or without repeated symbols.

Copy (repeat) has two letters, independent and uniform. The text followed lacks the paragraph on Copy (unique): that no
symbol is repeated is said in App. E.2.2, and in the authors' program the words are drawn like those of Sort.

Table 3 calls Copy (unique) inexpressible without positions. That is about an induction head, which answers on all
inputs. On the inputs that are drawn here, C-RASP[∅] has a program, `task.program`; `task.verdict()` says so in a note.
"""

from __future__ import annotations

import string
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lengthwise.crasp import Program
from lengthwise.regular.algorithmic import task_programs
from lengthwise.tasks.algorithmic.answer_task import AnswerTask, Rows, require_between
from lengthwise.tasks.algorithmic.sort import DistinctNumbersTask
from lengthwise.tasks.registry import register_task


@register_task("task:copy-unique")
@dataclass(frozen=True)
class CopyUnique(DistinctNumbersTask):
    """SOS x SEP x EOS, where x are different numbers below `symbols`."""

    name = "task:copy-unique"

    @cached_property
    def program(self) -> Program:
        """The next number is the one before which one number more stood in the question."""
        return task_programs.copy_by_first_occurrence(self.own_symbols)

    def answers(self, questions: Rows) -> Rows:
        """In the order of the question."""
        return questions


@register_task("task:copy-repeat")
@dataclass(frozen=True)
class CopyRepeat(AnswerTask):
    """SOS x SEP x EOS, where x is a word of `symbols` letters that may be repeated."""

    symbols: int = 2
    """How many letters there are; the paper has 2."""

    name = "task:copy-repeat"

    def __post_init__(self) -> None:
        require_between("the number of letters", self.symbols, 1, len(string.ascii_lowercase))

    @property
    def own_symbols(self) -> tuple[str, ...]:
        """The first letters of the alphabet."""
        return tuple(string.ascii_lowercase[: self.symbols])

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The number of letters."""
        return {"symbols": self.symbols}

    def answer_length(self, length: int) -> int:
        """As long as the question."""
        return length

    def drawn(self, length: int, batch: int, rng: np.random.Generator) -> tuple[Rows, Rows]:
        """Letters are independent and uniform."""
        words = rng.integers(self.symbols, size=(batch, length))
        return words, words
