"""A plain Python function as a model: it is called on the symbols read so far and says what comes next.

For a next-symbol set it returns a set, with `"end"` in it where the word may end; where acceptance alone is asked, True
or False will do. For next symbols it returns the symbol, or a list: the rest of the answer from there on. For a
regression it returns a number, or several.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lengthwise.models.answering import NONE, Answer, ModelError
from lengthwise.regular.algorithmic.task_programs import END as EOS
from lengthwise.tasks.task import Batch, Task
from lengthwise.user_code import blaming

END = "end"
"""What a function returns among the next symbols where the word may end."""


@dataclass(frozen=True, eq=False)
class CalledModel:
    """A function from lists of symbols.

    Attributes:
        function: The function.

    """

    function: Callable[[list[str]], Any]
    title: str
    file: str | None = None
    """The user's file, which is named where the function raises an exception."""

    def require_fits(self, task: Task) -> None:
        """Refuse a task with a symbol that means the end of a word here."""
        if task.loss == "next-set" and END in task.alphabet.symbols:
            raise ModelError(f"{task.name} has a symbol {END!r}, which {self.title} could not tell from the end")

    def answer(self, task: Task, batch: Batch, rng: np.random.Generator) -> Answer:
        """What the function says, one call for each scored position."""
        words = [task.alphabet.decode(row) for row in batch.tokens]
        if task.loss == "regression":
            return Answer(np.array([self._numbers(task, word) for word in words]).reshape(len(words), task.outputs))
        said = np.zeros_like(batch.targets)
        known = task.alphabet.symbols
        if task.loss == "next-set" and task.outputs > 1:
            known = known[: task.outputs - 1]  # a start symbol is never what comes next
        column = {symbol: number for number, symbol in enumerate(known)}
        for row, word in enumerate(words):
            if task.loss == "next-token":
                said[row] = self._symbols(word, batch.mask[row], column)
                continue
            for place in np.flatnonzero(batch.mask[row]):
                said[row, place] = self._set(task, word[: place + 1], column)
        return Answer(said)

    def _call(self, symbols: Sequence[str]) -> Any:
        with blaming(self.file, f"{self.title}({_short(symbols)})"):
            return self.function(list(symbols))

    def _set(self, task: Task, read: Sequence[str], column: dict[str, int]) -> np.ndarray[Any, np.dtype[np.bool_]]:
        given = self._call(read)
        found = np.zeros(task.outputs, dtype=bool)
        if isinstance(given, bool | np.bool_) and task.outputs == 1:
            found[-1] = given
            return found
        if isinstance(given, str) or not isinstance(given, Collection):
            raise ModelError(
                f"{self.title}({_short(read)}) returned {_short(given)}; it must return the set of next symbols, with "
                f'"{END}" in it where the word may end'
            )
        for symbol in given:
            if symbol == END:
                found[-1] = True
            elif symbol not in column:
                raise ModelError(
                    f"{self.title}({_short(read)}) returned {_short(symbol)}, which is no symbol of {task.name}; it "
                    f'has {" ".join(column)}, and "{END}" for the end of a word'
                )
            elif task.outputs > 1:
                found[column[symbol]] = True
        return found

    def _symbols(self, word: list[str], mask: Any, column: dict[str, int]) -> Any:
        """The symbols that are said at scored positions, told one by one or as the rest of the answer."""
        said = np.full(len(word), NONE)
        rest: Sequence[str] = ()
        for place in np.flatnonzero(mask):
            given = rest or self._call(word[: place + 1])
            if isinstance(given, str):
                said[place] = column.get(given, NONE)
                continue
            if not isinstance(given, list | tuple) or not all(isinstance(symbol, str) for symbol in given):
                raise ModelError(
                    f"{self.title}({_short(word[: place + 1])}) returned {_short(given)}; it must return the next "
                    "symbol, or the rest of the answer as a list of symbols"
                )
            symbol, *rest = given if EOS in given else [*given, EOS]
            said[place] = column.get(symbol, NONE)
        return said

    def _numbers(self, task: Task, word: list[str]) -> list[float]:
        given = self._call(word)
        try:
            found = np.asarray(given, dtype=np.float64).reshape(-1)
        except (TypeError, ValueError):
            found = np.zeros(0)
        if len(found) != task.outputs or not np.isfinite(found).all():
            raise ModelError(
                f"{self.title}({_short(word)}) returned {_short(given)}; it must return {task.outputs} finite numbers"
            )
        return [float(number) for number in found]


def _short(value: object) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:60] + "…"
