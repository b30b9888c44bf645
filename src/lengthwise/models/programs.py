"""C-RASP programs and compiled models as answerers.

They read words as they are: a program's position 0 is the SOS of a task that has one. One that predicts no symbol says
no more than whether a word may end, and only that is scored then. Where one next symbol is asked for, a program is
right if it predicts that one and no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lengthwise.crasp import Program
from lengthwise.limit import LimitTransformer, Transformer
from lengthwise.models.answering import NONE, Answer, ModelError
from lengthwise.tasks.answer_format import START
from lengthwise.tasks.program_task import predictions
from lengthwise.tasks.task import Batch, Task

ACCEPT = "accept"
"""The output of a compiled model that says whether it accepts."""


@dataclass(frozen=True, eq=False)
class ProgramModel:
    """A program, or the Limit Transformer or ordinary transformer that one is compiled to."""

    model: Program | LimitTransformer | Transformer
    title: str

    def require_fits(self, task: Task) -> None:
        """Refuse numbers, and tasks with a symbol that the program does not have."""
        if task.loss == "regression":
            self._columns(task)
        alphabet = self.model.alphabet
        for symbol in self._read(task):
            if symbol not in alphabet.symbols and not alphabet.is_open:
                raise ModelError(
                    f"{self.title} has no symbol {symbol!r}, which {task.name} has; it has {' '.join(alphabet.symbols)}"
                )
        self._columns(task)

    def answer(self, task: Task, batch: Batch, rng: np.random.Generator) -> Answer:
        """What is predicted at every position."""
        columns, outputs = self._columns(task)
        read = self._read(task)
        skipped = START in task.alphabet.symbols
        symbols = batch.tokens[:, 1:] if skipped else batch.tokens
        known = self.model.alphabet
        number = {symbol: known.encode([symbol]).item() for symbol in read}
        ids = np.array([number.get(symbol, 0) for symbol in task.alphabet.symbols])[symbols]
        found = self._found(ids)
        if task.loss == "regression":
            return Answer(found[:, -1])
        said = np.zeros((*symbols.shape, len(outputs)), dtype=bool)
        for place, column in columns.items():
            said[:, :, place] = found[:, :, column] > 0
        if skipped:
            said = np.concatenate([np.zeros_like(said[:, :1]), said], axis=1)
        if task.loss == "next-set":
            return Answer(said, outputs)
        return Answer(np.where(said.sum(axis=2) == 1, said.argmax(axis=2), NONE))

    def _read(self, task: Task) -> tuple[str, ...]:
        """The symbols of a task that a program reads."""
        return tuple(symbol for symbol in task.alphabet.symbols if symbol != START)

    @property
    def _outputs(self) -> tuple[str, ...]:
        """What is said at a position, in the order of its columns."""
        if not isinstance(self.model, Program):
            return self.model.outputs
        accepts = (ACCEPT,) if self.model.listing.accept is not None else ()
        return (*(symbol for symbol, _ in self.model.listing.predictions), *accepts)

    def _columns(self, task: Task) -> tuple[dict[int, int], npt.NDArray[np.bool_]]:
        """The model's column for each output of a task that it has, and which outputs it can say."""
        own = {name: place for place, name in enumerate(self._outputs)}
        if task.loss == "regression":
            if isinstance(self.model, Program) or len(own) != task.outputs:
                raise ModelError(f"{self.title} has the outputs {' '.join(own)}, and {task.name} asks for numbers")
            return {}, np.ones(task.outputs, dtype=bool)
        names: Sequence[str] = task.alphabet.symbols
        if task.loss == "next-set":
            names = [*names[: task.outputs - 1], ACCEPT]
        found = {place: own[name] for place, name in enumerate(names) if name in own}
        says = np.zeros(len(names), dtype=bool)
        if task.loss == "next-set":
            # A program with `next` lines says of every symbol whether it comes next, and without an output never ends.
            predicts = any(name != ACCEPT for name in own)
            says[:] = predicts
            says[-1] = True
            if not predicts:
                found = {place: column for place, column in found.items() if place == len(names) - 1}
        if not found:
            raise ModelError(
                f"{self.title} has the outputs {' '.join(own)}, and {task.name} asks for {' '.join(names)}"
            )
        return found, says

    def _found(self, ids: npt.NDArray[np.integer[Any]]) -> npt.NDArray[Any]:
        """The outputs (words, length, columns)."""
        if isinstance(self.model, Program):
            order = [self.model.alphabet.index(name) for name in self._outputs if name != ACCEPT]
            accept = [len(self.model.alphabet)] if ACCEPT in self._outputs else []
            return predictions(self.model, ids.astype(np.int64))[:, :, [*order, *accept]]
        return np.stack([self.model(row) for row in ids])
