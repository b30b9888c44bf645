"""Words that a program writes itself: each symbol is drawn uniformly from those that it predicts.

Many words are written at once, so one position of all of them is computed at a time, with the running counts and last
values of the positions before; other evaluators of programs read whole words or one word.
"""

from __future__ import annotations

from collections import deque
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from lengthwise.crasp import Program
from lengthwise.crasp.running.operations import Operation
from lengthwise.crasp.running.vectorized import pointwise, wrapped

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
