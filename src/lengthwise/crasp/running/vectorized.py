"""Evaluation with NumPy: every operation as one array over the positions, all words of a batch at once.

Counts are cumulative sums, windows differences of shifted cumulative sums, so the cost is O(n) per operation. Nothing
is compiled: this is what short inputs run on, and what everything runs on where no compiler is available.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from lengthwise.crasp.running import operations
from lengthwise.crasp.running.operations import Kind, Operation, runs
from lengthwise.crasp.running.state import Layout, State

Array = npt.NDArray[Any]


def evaluate(layout: Layout, ids: Array, state: State | None = None) -> dict[int, Array]:
    """Values of the layout's roots at every position of `ids`, of shape (…, length).

    With a `state` (for one word only) evaluation goes on after the prefix it stands for and moves it forward. A result
    may have fewer leading axes than `ids` where it does not depend on the word; it broadcasts.
    """
    reader = Reader(ids, state)
    for index in layout.needed:
        reader.values[index] = reader.compute(layout.listing.operations[index])
    if state is not None:
        reader.leave(state)
    return {index: reader.values[index] for index in layout.roots}


class Reader:
    """Operations over the positions of words of one length, from the values of earlier operations."""

    def __init__(self, ids: Array, state: State | None = None) -> None:
        self.ids, self.state = ids, state
        self.length = ids.shape[-1]
        self.start = state.position if state is not None else 0
        self.values: dict[int, Array] = {}
        """What is known so far, by the numbers that operands have."""
        self.totals: dict[int, Array] = {}

    def compute(self, operation: Operation) -> Array:
        """The values of an operation whose operands have theirs."""
        parts = [self.values[index] for index in operation.operands]
        match operation.kind:
            case "symbol":
                return (
                    np.equal(self.ids, operation.value) if operation.value >= 0 else np.zeros(self.length, dtype=bool)
                )
            case "truth":
                return np.full(self.length, bool(operation.value))
            case "number":
                return np.full(self.length, wrapped(operation.value))
            case "periodic":
                table = np.zeros(operation.value, dtype=bool)
                table[list(operation.numbers)] = True
                return np.take(table, np.arange(self.start + 1, self.start + self.length + 1) % operation.value)
            case "count":
                return self.total(operation.operands[0])
            case "before":
                return self.total(operation.operands[0]) - parts[0]
            case "window":
                return self.window(operation.operands[0], operation.numbers)
            case _:
                return pointwise(operation, parts)

    def total(self, operand: int) -> Array:
        """The running count of a Boolean."""
        if operand not in self.totals:
            total = np.cumsum(self.values[operand], axis=-1, dtype=np.int64)
            if self.state is not None:
                total += self.state.counts[self.state.layout.counted.index(operand)]
            self.totals[operand] = total
        return self.totals[operand]

    def window(self, operand: int, offsets: tuple[int, ...]) -> Array:
        """How often a Boolean held at the given distances back."""
        holds, reach = self.values[operand], offsets[-1]
        past = np.zeros((*holds.shape[:-1], reach), dtype=np.uint8)
        if self.state is not None and reach:
            slot = [kept for kept, _ in self.state.layout.remembered].index(operand)
            past = self.state.tails[slot][-reach:]
        history = np.concatenate([past, holds.view(np.uint8)], axis=-1)
        stretches = runs(offsets)
        result = np.zeros(holds.shape, dtype=np.int64)
        if len(offsets) <= 2 * len(stretches):
            for offset in offsets:
                result += history[..., reach - offset : reach - offset + self.length]
            return result
        sums = np.zeros((*history.shape[:-1], history.shape[-1] + 1), dtype=np.int64)
        np.cumsum(history, axis=-1, out=sums[..., 1:])
        for near, far in stretches:
            newest, oldest = reach - near + 1, reach - far
            result += sums[..., newest : newest + self.length] - sums[..., oldest : oldest + self.length]
        return result

    def leave(self, state: State) -> None:
        """Move the state on to the end of the words."""
        state.position += self.length
        if not self.length:
            return
        for slot, operand in enumerate(state.layout.counted):
            state.counts[slot] = self.total(operand)[..., -1]
        for slot, (operand, _) in enumerate(state.layout.remembered):
            state.remember(slot, self.values[operand].view(np.uint8))


_POINTWISE: dict[Kind, Callable[..., Array]] = {
    "not": np.logical_not,
    "and": lambda *parts: reduce(np.logical_and, parts),
    "or": lambda *parts: reduce(np.logical_or, parts),
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    "min": np.minimum,
    "max": np.maximum,
    "select": np.where,
}


def pointwise(operation: Operation, parts: list[Array]) -> Array:
    """Values of an operation that looks at no other position than that of its operands' values."""
    if operation.kind == "sum":
        return _combination(parts, operation.numbers, operation.value)
    return _POINTWISE[operation.kind](*parts)


def _combination(parts: list[Array], factors: tuple[int, ...], constant: int) -> Array:
    """Σ factor · part + constant modulo 2^64, which is the value itself wherever that fits (see `magnitude`)."""
    total: Array | None = None
    for part, factor in zip(parts, factors, strict=True):
        term = part if abs(factor) == 1 else part * wrapped(abs(factor))
        if total is None:
            total = term if factor > 0 else -term
        else:
            total = total + term if factor > 0 else total - term
    assert total is not None
    return total + wrapped(constant) if constant else total


def wrapped(number: int) -> np.int64:
    """A number modulo 2^64, as sums in which it occurs are computed."""
    return np.int64((number + 2**63) % 2**64 - 2**63)


def at_start(layout: Layout) -> dict[int, int]:
    """Values of the roots on the empty word."""
    values: dict[int, int] = {}
    for index in layout.needed:
        operation = layout.listing.operations[index]
        values[index] = operations.at_start(operation, [values[operand] for operand in operation.operands])
    return {index: values[index] for index in layout.roots}
