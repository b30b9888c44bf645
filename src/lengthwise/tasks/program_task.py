"""A C-RASP program as a task: what it predicts behind every prefix of a word, for programs with `next` statements.

A program's predictions are a function of any word, so the words are a choice. A share of them, `followed`, is written
by the program itself: each symbol is uniform among those that it predicts, and among all where it predicts none. The
others are uniform over the alphabet. Neither kind alone serves all programs: one that generates a language, such as
bracketings, meets its own words only by following; an induction head that is followed soon repeats itself for ever.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from lengthwise.alphabet import Alphabet
from lengthwise.crasp import Program
from lengthwise.crasp.running.vectorized import evaluate
from lengthwise.errors import LengthwiseError
from lengthwise.tasks.following import followed_words
from lengthwise.tasks.request import require_drawable
from lengthwise.tasks.task import Batch, Loss

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
