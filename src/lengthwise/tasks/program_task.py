"""A C-RASP program as a task: what it predicts behind every prefix of a word, for programs with `next` statements.

A program's predictions are a function of any word, so the words are a choice. A share of them, `followed`, is written
by the program itself: each symbol is uniform among those that it predicts, and among all where it predicts none. The
others are uniform over the alphabet. Neither kind alone serves all programs: one that generates a language, such as
bracketings, meets its own words only by following; an induction head that is followed soon repeats itself for ever.

Many words are written at once, so one position of all of them is computed at a time, with the running counts and last
values of the positions before; other evaluators of programs read whole words or one word.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from lengthwise.alphabet import Alphabet
from lengthwise.crasp import Program
from lengthwise.crasp.running.operations import Operation
from lengthwise.crasp.running.vectorized import evaluate, pointwise, wrapped
from lengthwise.errors import LengthwiseError
from lengthwise.tasks.request import require_drawable
from lengthwise.tasks.task import Batch, Loss

Values = npt.NDArray[Any]
"""One value for each word, or a single one for all."""


def followed_words(program: Program, length: int, batch: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Words over the listed symbols, a word a row; where nothing is predicted, any symbol is drawn."""
    program.evaluator.require_exact(length)
    size = len(program.alphabet)
    rows = [program.alphabet.index(symbol) for symbol in program.predicts]
    first = program.first_tokens()
    allowed = np.repeat([[symbol in first] for symbol in program.alphabet], batch, axis=1)
    triangle = np.tri(size, dtype=np.float32)
    symbols = np.empty((length, batch), dtype=np.int64)
    reader = Reader(program, batch)
    for place, drawn in enumerate(rng.random((length, batch))):
        allowed |= ~allowed.any(axis=0)
        order = triangle @ allowed  # running sums; a product is faster than cumsum over few rows
        symbols[place] = (order <= drawn * order[-1]).sum(axis=0, dtype=np.int32)
        if place + 1 < length:
            allowed = np.zeros((size, batch), dtype=bool)
            allowed[rows] = reader.read(symbols[place])
    return symbols.T


class Reader:
    """A program in the middle of many words of equal length."""

    def __init__(self, program: Program, batch: int) -> None:
        self.layout = program.evaluator.layout(tuple(place for _, place in program.listing.predictions))
        self.batch, self.position = batch, 0
        self.counts = {operand: np.zeros(batch, dtype=np.int64) for operand in self.layout.counted}
        self.past = {
            operand: deque([np.zeros(1, dtype=bool)] * (reach + 1), maxlen=reach + 1)
            for operand, reach in self.layout.remembered
        }

    def read(self, ids: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Read one symbol of every word: what is predicted behind it, a prediction a row."""
        self.position += 1
        values: dict[int, Values] = {}
        for index in self.layout.needed:
            value = values[index] = self._value(self.layout.listing.operations[index], values, ids)
            if index in self.counts:
                self.counts[index] += value
            if index in self.past:
                self.past[index].append(value)
        return np.stack([np.broadcast_to(values[root], self.batch) for root in self.layout.roots])

    def _value(self, operation: Operation, values: dict[int, Values], ids: npt.NDArray[np.int64]) -> Values:
        parts = [values[index] for index in operation.operands]
        match operation.kind:
            case "symbol":
                return np.equal(ids, operation.value)
            case "truth":
                return np.array([bool(operation.value)])
            case "number":
                return np.array([wrapped(operation.value)])
            case "periodic":
                return np.array([self.position % operation.value in operation.numbers])
            case "count":
                return self.counts[operation.operands[0]]
            case "before":
                return self.counts[operation.operands[0]] - parts[0]
            case "window":
                # A Boolean that is seen at distance 0 only is not remembered.
                past = self.past.get(operation.operands[0], parts)
                return reduce(np.add, (past[-1 - offset] for offset in operation.numbers), np.zeros(1, dtype=np.int64))
            case _:
                return pointwise(operation, parts)


AT_ONCE = 2**15
"""Symbols whose predictions are computed at a time, so that intermediate arrays stay in the cache."""


class ProgramTask:
    """Next-symbol-set prediction: what a program predicts, and whether it accepts what was read.

    A program that defines no Boolean accepts nothing, so that its words never end. One that declares no alphabet has
    the symbols that it mentions.

    Args:
        program: A program with `next` statements.
        followed: The share of the words that follow its predictions.
        name: What the task is called; else the program's title.
        parameters: What the task is made from again by name, besides `followed`; else the text of the program.

    Raises:
        LengthwiseError: The program predicts nothing, or the share is not between 0 and 1.

    Example:
        >>> from lengthwise import crasp
        >>> ProgramTask(crasp.load("induction-all")).outputs > 1
        True

    """

    min_length = 1
    language = None

    def __init__(
        self,
        program: Program,
        followed: float = 0.5,
        name: str = "",
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        """A program with `next` statements, and the share of the words that follow its predictions.

        Name and parameters (besides `followed`) are what `get` makes the same task from; if not given, the program's
        title and its text.
        """
        if not program.predicts:
            raise LengthwiseError(
                f'the program {program.title or "given"} predicts nothing; add lines such as next "a" = b'
            )
        if not 0 <= followed <= 1:
            raise LengthwiseError(f"the share of words that follow the program is from 0 to 1, got {followed}")
        self.program = program
        self.followed = float(followed)
        self.name = name or program.title or "program"
        given = {"program": str(program)} if parameters is None else parameters
        self.parameters: dict[str, Any] = {**given, "followed": self.followed}
        self.alphabet = Alphabet(program.alphabet.symbols)

    def __repr__(self) -> str:
        return f"<ProgramTask {self.name}, {self.followed:g} followed>"

    @property
    def outputs(self) -> int:
        """One for each symbol, and one for the end of the word."""
        return len(self.alphabet) + 1

    @property
    def loss(self) -> Loss:
        """The set of what may come next, at every position."""
        return "next-set"

    def targets(self, tokens: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.bool_]:
        """For every position of every row of symbol ids the symbols predicted, and last whether the prefix is accepted.

        What a program predicts before the first symbol is not asked.
        """
        return predictions(self.program, self.alphabet.checked(tokens))

    def sample(self, length: int, batch: int, rng: np.random.Generator) -> Batch:
        """Random words, some of which follow the program's predictions."""
        require_drawable(self, length, batch)
        tokens = rng.integers(len(self.alphabet), size=(batch, length))
        follows = rng.random(batch) < self.followed
        if follows.any():
            tokens[follows] = followed_words(self.program, length, int(follows.sum()), rng)
        return Batch(tokens, self.targets(tokens), np.ones(tokens.shape, dtype=bool))


def predictions(program: Program, ids: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.bool_]:
    """What a program predicts at every position of every row of symbol ids, and last whether it accepts the prefix.

    A symbol a column, in the order of the program's alphabet; a program that defines no Boolean accepts nothing.
    """
    batch, length = ids.shape
    checked = program.alphabet.checked(ids)
    program.evaluator.require_exact(length)
    columns = {program.alphabet.index(symbol): place for symbol, place in program.listing.predictions}
    if program.listing.accept is not None:
        columns[len(program.alphabet)] = program.listing.accept
    layout = program.evaluator.layout(tuple(columns.values()))
    found = np.zeros((batch, length, len(program.alphabet) + 1), dtype=bool)
    rows = max(1, AT_ONCE // max(1, length))
    for done in range(0, batch, rows):
        values = evaluate(layout, checked[done : done + rows])
        for column, place in columns.items():
            found[done : done + rows, :, column] = values[place]
    return found
