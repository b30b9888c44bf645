"""Values of expressions on sample words, computed once for equal expressions and kept once if equal.

Many programs that differ little are evaluated on the same words: what they share costs one look-up. All positions of
all words count, since every prefix of a word is a word.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from lengthwise.crasp.syntax import (
    And,
    Before,
    Compare,
    Conditional,
    Count,
    Definition,
    Everywhere,
    Exists,
    Expression,
    Extremum,
    Guard,
    Name,
    Not,
    Number,
    Or,
    Periodic,
    Scale,
    Statement,
    Sum,
    Symbol,
    Truth,
)

Array = npt.NDArray[Any]
_COMPARE = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}


class Columns:
    """The values of expressions at all positions of some words; equal columns have equal numbers."""

    def __init__(self, symbols: Sequence[str], words: npt.NDArray[np.int64]) -> None:
        """`words` is an array of shape (words, length) of places in `symbols`."""
        self.symbols = {symbol: place for place, symbol in enumerate(symbols)}
        self.words = words
        self.positions = np.broadcast_to(np.arange(1, words.shape[1] + 1), words.shape)
        self.columns: list[Array] = []
        self._known: dict[Hashable, int] = {}
        self._by_content: dict[bytes, int] = {}

    def number(self, column: Array) -> int:
        """The number of a column. Values beyond 32 bits wrap around: these are samples, not proofs."""
        values = np.ascontiguousarray(column, dtype=np.int32)
        digest = blake2b(values.tobytes(), digest_size=16).digest()
        if digest not in self._by_content:
            self._by_content[digest] = len(self.columns)
            self.columns.append(values)
        return self._by_content[digest]

    def run(self, statements: Sequence[Statement]) -> dict[str, int]:
        """The columns of all names, in their last meaning."""
        names: dict[str, int] = {}
        for statement in statements:
            if isinstance(statement, Definition):
                names[statement.name] = self.of(statement.expression, names)
        return names

    def of(self, expression: Expression, names: Mapping[str, int]) -> int:
        """The number of an expression's column."""

        def part(operand: Expression) -> int:
            return self.of(operand, names)

        match expression:
            case Name(name):
                return names[name]
            case Not(operand):
                return self._made(("not", part(operand)))
            case And(operands):
                return self._made(("and", *sorted(set(map(part, operands)))))
            case Or(operands):
                return self._made(("or", *sorted(set(map(part, operands)))))
            case Compare(left, relation, right):
                return self._made((relation, part(left), part(right)))
            case Exists(guard, operand):
                count = self._made(("count", part(operand), guard))
                return self._made((">=", count, self._made(("number", 1))))
            case Count(guard, operand):
                return self._made(("count", part(operand), guard))
            case Sum(terms):
                return self._made(("sum", *((sign, part(term)) for sign, term in terms)))
            case Scale(factor, operand):
                return self._made(("scale", factor, part(operand)))
            case Extremum(kind, left, right):
                return self._made((kind, part(left), part(right)))
            case Conditional(then, condition, otherwise):
                return self._made(("select", part(condition), part(then), part(otherwise)))
            case Symbol(symbol):
                return self._made(("symbol", symbol))
            case Truth(value):
                return self._made(("number", int(value)))
            case Number(value):
                return self._made(("number", value))
            case Periodic(modulus, residues):
                return self._made(("periodic", modulus, residues))

    def _made(self, key: tuple[Any, ...]) -> int:
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self.number(np.asarray(self._computed(*key)))
        return found

    def _computed(self, kind: str, *parts: Any) -> Any:
        columns = self.columns
        match kind:
            case "symbol":
                return self.words == self.symbols.get(parts[0], -1)
            case "number":
                return np.full(self.words.shape, parts[0] % 2**31, dtype=np.int64)
            case "periodic":
                return np.isin(self.positions % parts[0], parts[1])
            case "not":
                return columns[parts[0]] == 0
            case "and":
                return np.minimum.reduce([columns[part] for part in parts])
            case "or":
                return np.maximum.reduce([columns[part] for part in parts])
            case "count":
                return _counted(columns[parts[0]], parts[1])
            case "sum":
                return np.add.reduce([sign * columns[part] for sign, part in parts])
            case "scale":
                return parts[0] * columns[parts[1]]
            case "min":
                return np.minimum(columns[parts[0]], columns[parts[1]])
            case "max":
                return np.maximum(columns[parts[0]], columns[parts[1]])
            case "select":
                return np.where(columns[parts[0]] != 0, columns[parts[1]], columns[parts[2]])
            case _:
                return _COMPARE[kind](columns[parts[0]], columns[parts[1]])


def _counted(holds: Array, guard: Guard) -> Array:
    if isinstance(guard, Everywhere):
        return np.cumsum(holds, axis=1)
    if isinstance(guard, Before):
        return np.cumsum(holds, axis=1) - holds
    total = np.zeros_like(holds)
    for offset in guard.offsets:
        if offset < holds.shape[1]:
            total[:, offset:] += holds[:, : holds.shape[1] - offset]
    return total
