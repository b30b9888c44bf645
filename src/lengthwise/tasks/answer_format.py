"""A question x and the answer y that a model writes after it: SOS x SEP y EOS (Huang et al., App. E.2.1).

A model reads SOS x SEP y and says at every position what comes next. Only the answer counts, y and the EOS after it:
it is asked for at SEP and at every symbol of y. An answer is right if all of it is, given what should stand before.
EOS is never read, for nothing is asked after it. The length of a word, the paper's LEN, is that of x alone; of inputs,
which have SOS, SEP and the answer as well, it is `input_length`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from lengthwise.alphabet import Alphabet
from lengthwise.crasp import Program
from lengthwise.regular.algorithmic.task_programs import END, SEPARATOR
from lengthwise.tasks.prompt import Prompt
from lengthwise.tasks.request import require_drawable
from lengthwise.tasks.task import Batch, Loss

START = "SOS"

Rows: TypeAlias = npt.NDArray[np.int64]
"""Words as ids, one a row."""


class AnswerFormat(ABC):
    """A task in this format; each says which symbols it has, and draws questions with their answers."""

    name: str
    language = None
    separator = SEPARATOR
    """The symbol at which the answer is asked for."""

    @property
    @abstractmethod
    def own_symbols(self) -> tuple[str, ...]:
        """The symbols of questions and answers, in the order of their ids; SOS, SEP and EOS come after them."""

    @abstractmethod
    def drawn(self, length: int, batch: int, rng: np.random.Generator) -> tuple[Rows, Rows]:
        """Random questions of a length that the task has, without SOS and SEP, and their answers.

        Answers of different lengths are padded with EOS.
        """

    @abstractmethod
    def answer_length(self, length: int) -> int:
        """How many symbols the answer to a question has, without EOS; where that varies, the most."""

    @property
    def min_length(self) -> int:
        """The length of the shortest questions."""
        return 1

    @property
    def program(self) -> Program | None:
        """A C-RASP program that solves the task. It reads words without SOS, which is its position 0."""
        return None

    @property
    def parameters(self) -> Mapping[str, Any]:
        """None, unless the task says otherwise."""
        return {}

    @cached_property
    def alphabet(self) -> Alphabet:
        """The task's own symbols, then SOS, SEP and EOS."""
        marks = (mark for mark in (START, self.separator, END) if mark not in self.own_symbols)
        return Alphabet((*self.own_symbols, *marks))

    @property
    def outputs(self) -> int:
        """One for each symbol."""
        return len(self.alphabet)

    @property
    def loss(self) -> Loss:
        """The cross entropy of the answer and EOS."""
        return "next-token"

    def input_length(self, length: int) -> int:
        """How many symbols a model reads for a question of a length: SOS, the question, SEP and the answer."""
        return 2 + length + self.answer_length(length)

    def question_length(self, symbols: int) -> int:
        """The length that a question of so many symbols has for the task."""
        return symbols

    def prompt(self, word: tuple[str, ...]) -> Prompt:
        """SOS, the question and SEP; then a model writes the answer and EOS."""
        question = word[:-1] if word and word[-1] == self.separator else word
        longest = self.answer_length(self.question_length(len(question)))
        return Prompt((START, *question, self.separator), 1, longest + 1, END)

    def sample(self, length: int, batch: int, rng: np.random.Generator) -> Batch:
        """Random questions of a length with their answers, `input_length` symbols a row."""
        require_drawable(self, length, batch)
        return self.asked(*self.drawn(length, batch, rng))

    def asked(self, questions: Rows, answers: Rows) -> Batch:
        """What a model reads of questions and answers, and what it is to say."""
        batch, length = questions.shape
        start, separator, end = (
            np.full((batch, 1), self.alphabet.index(mark)) for mark in (START, self.separator, END)
        )
        whole = np.concatenate([start, questions, separator, answers, end], axis=1)
        tokens, targets = whole[:, :-1], whole[:, 1:]
        mask = tokens != self.alphabet.index(END)  # an EOS that is read pads a shorter answer
        mask[:, : length + 1] = False
        return Batch(tokens, targets, mask)
