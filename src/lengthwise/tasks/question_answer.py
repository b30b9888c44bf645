"""`QuestionAnswerTask`: a task of a user's own, from a function that asks and one that answers.

Everything else follows: the format SOS x SEP y EOS (`answer_format`), the symbols, which positions are scored, how long
inputs get. Both functions are plain Python, one word at a time.
"""

from __future__ import annotations

import dataclasses
import os
import sys
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, TypeAlias

import numpy as np

from lengthwise.alphabet import parse_alphabet, split
from lengthwise.errors import LengthwiseError
from lengthwise.regular.algorithmic.task_programs import END
from lengthwise.tasks.answer_format import START, AnswerFormat, Rows
from lengthwise.tasks.claim import read_program
from lengthwise.tasks.request import MEASURED_WORDS, longest_up_to, remembered, require_drawable
from lengthwise.tasks.task import Batch

Symbols: TypeAlias = "str | Sequence[str]"
"""Symbols one after the other: a list, or a string, split at its spaces or else into characters."""

SEARCHED_LENGTHS = 16
"""How many lengths, from the shortest on, are searched for symbols."""
SEARCHED_WORDS = 64
"""How many words of each of them."""


class QuestionAnswerTask(AnswerFormat):
    """A task that asks a question and wants an answer, symbol by symbol.

    A model reads SOS x SEP y and is scored on the answer y and the EOS after it. Subclasses write `question` and
    `answer`. They may also set, as attributes of the class:

    - `name`: what the task is called; else the name of the class;
    - `symbols`: all symbols of questions and answers, such as `"abc"` or `["0", "10"]`; else they are looked for in
      sampled words;
    - `min_length` (1) and `max_length` (none): the lengths of questions; if there are gaps, a method `lengths(up_to)`;
    - `answer_length(length)`: a method that says how long answers get at most; else it is measured on sampled words;
    - `separator` (`SEP`): the symbol at which the answer begins;
    - `program`: a C-RASP program with `next` rules that is claimed to solve the task: a `Program`, its text, or the
      path of its file, from the directory of the Python file. It reads words without SOS, which is its position 0.

    The fields of a dataclass are the task's parameters.

    Example:
        >>> import numpy
        >>> class Last(QuestionAnswerTask):
        ...     "The last symbol."
        ...     def question(self, rng, length):
        ...         return list(rng.choice(["a", "b"], length))
        ...     def answer(self, question):
        ...         return question[-1]
        >>> task = Last()
        >>> batch = task.sample(3, 1, numpy.random.default_rng(0))
        >>> " ".join(task.alphabet.decode(batch.tokens[0]))
        'SOS b b b SEP b'
        >>> " ".join(task.alphabet.decode(batch.targets[0][batch.mask[0]]))
        'b EOS'

    """

    symbols: ClassVar[Symbols | None] = None
    max_length: ClassVar[int | None] = None

    def __init_subclass__(cls, **settings: Any) -> None:
        super().__init_subclass__(**settings)
        named = next((base for base in cls.__mro__ if "name" in vars(base)), None)
        if named is None or (named is not cls and vars(named)["name"] == named.__name__):
            cls.name = cls.__name__
        program = cls.__dict__.get("program")
        if isinstance(program, str | os.PathLike):
            file = getattr(sys.modules.get(cls.__module__), "__file__", None)
            cls.program = read_program(  # type: ignore[assignment,method-assign]
                program, None if file is None else os.path.dirname(file), cls.__name__
            )

    @abstractmethod
    def question(self, rng: np.random.Generator, length: int) -> Symbols:
        """Draw a question.

        Args:
            rng: All random numbers must come from here.
            length: How many symbols the question has.

        Returns:
            The symbols, as a list or a string.

        """

    @abstractmethod
    def answer(self, question: Any) -> Symbols:
        """Answer a question.

        Args:
            question: What `question` returned.

        Returns:
            The symbols, as a list or a string.

        """

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The fields of a dataclass; others have no parameters."""
        if not dataclasses.is_dataclass(self):
            return {}
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    @cached_property
    def own_symbols(self) -> tuple[str, ...]:
        """The symbols of the class, or those of sampled questions and answers, the shortest first."""
        if self.symbols is None:
            return self._found_symbols()
        given: Any = self.symbols
        if not isinstance(given, str) and not (
            isinstance(given, Sequence) and given and all(isinstance(each, str) for each in given)
        ):
            raise LengthwiseError(f'{self._who}.symbols is {_short(given)}; list strings, as in "abc" or ["0", "10"]')
        found = parse_alphabet(given) if isinstance(given, str) else tuple(given)
        for symbol in found:
            self._require_free(symbol)
        return found

    def lengths(self, up_to: int) -> tuple[int, ...]:
        """The lengths of questions up to a longest one."""
        most = up_to if self.max_length is None else min(up_to, self.max_length)
        return tuple(range(self.min_length, most + 1))

    def answer_length(self, length: int) -> int:
        """The length of the longest answer, without EOS, to `MEASURED_WORDS` sampled questions."""
        known = remembered(self, "_answer_lengths")
        if length not in known:
            at = longest_up_to(self, length)
            pairs = [] if at is None else self._pairs(at, MEASURED_WORDS, np.random.default_rng(0))
            known[length] = max((len(answer) for _, answer in pairs), default=0)
        return known[length]

    def sample(self, length: int, batch: int, rng: np.random.Generator) -> Batch:
        """Random questions of a length with their answers."""
        require_drawable(self, length, batch)
        if length not in self.lengths(length):
            known = ", ".join(map(str, self.lengths(2 * length)[-8:])) or "none"
            raise LengthwiseError(f"{self.name} has no questions of length {length}; possible lengths are {known}")
        return self.asked(*self.drawn(length, batch, rng))

    def drawn(self, length: int, batch: int, rng: np.random.Generator) -> tuple[Rows, Rows]:
        """Questions and answers as ids; shorter answers are padded with EOS."""
        pairs = self._pairs(length, batch, rng)
        width, longest = self.answer_length(length), max((len(answer) for _, answer in pairs), default=0)
        if longest > width:
            if type(self).answer_length is not QuestionAnswerTask.answer_length:
                raise LengthwiseError(
                    f"{self._who}.answer() returned {longest} symbols for a question of length {length}; "
                    f"answer_length({length}) says that there are {width} at most"
                )
            width = longest
        questions, answers = np.empty((batch, length), np.int64), np.empty((batch, width), np.int64)
        answers[:] = self.alphabet.index(END)
        for row, (question, answer) in enumerate(pairs):
            questions[row] = self._ids(question, "question")
            answers[row, : len(answer)] = self._ids(answer, "answer")
        return questions, answers

    @property
    def _who(self) -> str:
        return type(self).__name__

    @cached_property
    def _id_of(self) -> dict[str, int]:
        return {symbol: number for number, symbol in enumerate(self.own_symbols)}

    def _ids(self, symbols: list[str], where: str) -> list[int]:
        try:
            return [self._id_of[symbol] for symbol in symbols]
        except KeyError as missing:
            symbol = missing.args[0]
        self._require_free(symbol)
        seen = "is not in `symbols`" if self.symbols is not None else "was not seen in sampled words"
        raise LengthwiseError(
            f"{self._who}.{where}() returned the symbol {symbol!r}, which {seen}; list it in `symbols`"
        )

    def _pairs(self, length: int, words: int, rng: np.random.Generator) -> list[tuple[list[str], list[str]]]:
        """Questions of a length and their answers."""
        found = []
        for _ in range(words):
            asked = self.question(rng, length)
            question = self._symbols_of(asked, f"question(rng, {length})")
            if len(question) != length:
                raise LengthwiseError(
                    f"{self._who}.question(rng, {length}) returned {len(question)} symbols; it must return {length}, "
                    "or say in min_length, max_length or lengths() which lengths there are"
                )
            found.append((question, self._symbols_of(self.answer(asked), f"answer({_short(asked)})")))
        return found

    def _symbols_of(self, given: Any, call: str) -> list[str]:
        if isinstance(given, str):
            return split(given)
        if isinstance(given, Sequence | np.ndarray):
            if all(isinstance(symbol, str) for symbol in given):
                return [str(symbol) for symbol in given]
            given = next(symbol for symbol in given if not isinstance(symbol, str))
            raise LengthwiseError(
                f"{self._who}.{call} has {_short(given)} of type {type(given).__name__} as a symbol; symbols are "
                "strings, as in str(7)"
            )
        raise LengthwiseError(
            f"{self._who}.{call} returned {_short(given)} of type {type(given).__name__}; it must return a list of "
            "symbols or a string"
        )

    def _found_symbols(self) -> tuple[str, ...]:
        rng = np.random.default_rng(0)
        possible = self.lengths(self.min_length + SEARCHED_LENGTHS - 1)
        if not possible:
            raise LengthwiseError(
                f"{self._who} has no questions of up to {self.min_length + SEARCHED_LENGTHS - 1} symbols to find its "
                "symbols in; list them in `symbols`"
            )
        found = {
            symbol
            for length in possible
            for pair in self._pairs(length, SEARCHED_WORDS, rng)
            for word in pair
            for symbol in word
        }
        for symbol in found:
            self._require_free(symbol)
        if not found:
            raise LengthwiseError(f"the questions and answers of {self._who} have no symbols; list some in `symbols`")
        return tuple(sorted(found, key=lambda symbol: (len(symbol), symbol)))

    def _require_free(self, symbol: str) -> None:
        """Refuse the marks as symbols of a word."""
        if symbol in (START, self.separator, END):
            raise LengthwiseError(
                f"{symbol!r} marks a part of the words of {self._who} and cannot be one of its own symbols; write it "
                "in another way"
            )


def _short(value: object) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 40 else text[:40] + "…"
