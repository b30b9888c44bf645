"""A program as Definition 8 has it: one flat list of operations, each on the values of earlier ones.

Names are resolved, equal operations appear once, integer combinations of counts are single sums. Every evaluator reads
this list; its length is the `size` of the program and the cost of one position.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

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

Kind = Literal[
    "symbol", "truth", "periodic", "not", "and", "or", "==", "!=", "<", "<=",
    "number", "count", "before", "window", "sum", "min", "max", "select",
]  # fmt: skip
COUNTS: frozenset[Kind] = frozenset({"number", "count", "before", "window", "sum", "min", "max", "select"})
"""The kinds whose value is a count; the others are Boolean."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation. `operands` are indices of earlier ones; what `value` and `numbers` hold depends on the kind.

    symbol: value = symbol id (-1: never matches) · truth, number: value · periodic: value = modulus, numbers =
    residues · window: numbers = offsets · sum: numbers = coefficients of the operands, value = constant · select:
    operands = condition, then, else.
    """

    kind: Kind
    operands: tuple[int, ...] = ()
    value: int = 0
    numbers: tuple[int, ...] = ()

    @property
    def is_count(self) -> bool:
        """Whether its values are counts rather than Booleans."""
        return self.kind in COUNTS


@dataclass(frozen=True, slots=True)
class Listing:
    """The operations of a program and which of them its statements are."""

    operations: tuple[Operation, ...]
    statements: tuple[int, ...]
    accept: int | None
    """The last named Boolean, which decides acceptance; None if there is none."""
    predictions: tuple[tuple[str, int], ...]
    """The operation behind each `next` statement."""

    def needed(self, roots: Iterable[int]) -> tuple[int, ...]:
        """The operations that some of `roots` depend on, themselves included, in order."""
        wanted = set(roots)
        for index in range(len(self.operations) - 1, -1, -1):
            if index in wanted:
                wanted.update(self.operations[index].operands)
        return tuple(sorted(wanted))


def runs(offsets: tuple[int, ...]) -> list[tuple[int, int]]:
    """Maximal stretches of consecutive offsets as (nearest, farthest)."""
    found: list[tuple[int, int]] = []
    for offset in offsets:
        if found and offset == found[-1][1] + 1:
            found[-1] = (found[-1][0], offset)
        else:
            found.append((offset, offset))
    return found


def at_start(operation: Operation, parts: Sequence[int]) -> int:
    """The value of an operation on the empty word: no symbol, every count 0, position 0 (theory, section F)."""
    match operation.kind:
        case "truth" | "number":
            return operation.value
        case "periodic":
            return int(0 in operation.numbers)
        case "not":
            return 1 - parts[0]
        case "and" | "min":
            return min(parts)
        case "or" | "max":
            return max(parts)
        case "==":
            return int(parts[0] == parts[1])
        case "!=":
            return int(parts[0] != parts[1])
        case "<":
            return int(parts[0] < parts[1])
        case "<=":
            return int(parts[0] <= parts[1])
        case "sum":
            return operation.value + sum(f * part for f, part in zip(operation.numbers, parts, strict=True))
        case "select":
            return parts[1] if parts[0] else parts[2]
        case _:
            return 0


def lower(statements: tuple[Statement, ...], symbols: tuple[str, ...]) -> Listing:
    """The listing of checked statements, with symbol ids as in `symbols`."""
    return _Lister(symbols).run(statements)


class Lowering(ABC):
    """Expressions as operations: names resolved, sugar written out, sums collected. Where they go is left open."""

    def __init__(self) -> None:
        self.names: dict[str, int] = {}
        """The operations of the names defined so far."""

    @abstractmethod
    def add(self, operation: Operation, shown: tuple[int, ...] | None = None) -> int:
        """The index of an operation; `shown` are its operands in the order in which they were written."""

    @abstractmethod
    def symbol_id(self, symbol: str) -> int:
        """The number of a symbol."""

    def total(self, terms: Iterable[tuple[int, int]], constant: int) -> int:
        """The operation Σ factor · operation + constant."""
        kept = sorted((index, factor) for index, factor in terms if factor)
        if not kept:
            return self.add(Operation("number", value=constant))
        if constant == 0 and len(kept) == 1 and kept[0][1] == 1:
            return kept[0][0]
        indices, factors = zip(*kept, strict=True)
        return self.add(Operation("sum", indices, constant, factors))

    def exists(self, guard: Guard, operand: Expression) -> int:
        """The operation 1 <= #[guard] operand."""
        one = self.add(Operation("number", value=1))
        return self.add(Operation("<=", (one, self.counted(guard, operand))))

    def lower(self, expression: Expression) -> int:
        """The operation of an expression."""
        match expression:
            case Name(name):
                return self.names[name]
            case Symbol(symbol):
                return self.add(Operation("symbol", value=self.symbol_id(symbol)))
            case Truth(value):
                return self.add(Operation("truth", value=int(value)))
            case Periodic(modulus, residues):
                return self.add(Operation("periodic", value=modulus, numbers=residues))
            case Not(operand):
                return self.add(Operation("not", (self.lower(operand),)))
            case And(operands):
                return self.add(Operation("and", tuple(map(self.lower, operands))))
            case Or(operands):
                return self.add(Operation("or", tuple(map(self.lower, operands))))
            case Compare(left, relation, right):
                sides = self.lower(left), self.lower(right)
                if relation == ">":
                    return self.add(Operation("<", sides[::-1]), shown=sides)
                if relation == ">=":
                    return self.add(Operation("<=", sides[::-1]), shown=sides)
                return self.add(Operation(relation, sides), shown=sides)
            case Exists(guard, operand):
                return self.exists(guard, operand)
            case Count(guard, operand):
                return self.counted(guard, operand)
            case Extremum(kind, left, right):
                return self.add(Operation(kind, (self.lower(left), self.lower(right))))
            case Conditional(then, condition, otherwise):
                return self.add(Operation("select", (self.lower(condition), self.lower(then), self.lower(otherwise))))
            case Number() | Sum() | Scale():
                return self._combination(expression)

    def counted(self, guard: Guard, operand: Expression) -> int:
        """The operation #[guard] operand."""
        index = self.lower(operand)
        match guard:
            case Everywhere():
                return self.add(Operation("count", (index,)))
            case Before():
                return self.add(Operation("before", (index,)))
            case _:
                return self.add(Operation("window", (index,), numbers=guard.offsets))

    def _combination(self, expression: Expression) -> int:
        """Σ k·C + constant, collected through sums and scalings (but not through names)."""
        factors: dict[int, int] = {}
        constant = 0
        stack: list[tuple[int, Expression]] = [(1, expression)]
        while stack:
            factor, part = stack.pop()
            match part:
                case Number(value):
                    constant += factor * value
                case Scale(scale, operand):
                    stack.append((factor * scale, operand))
                case Sum(terms):
                    stack.extend((factor * sign, term) for sign, term in reversed(terms))
                case _:
                    index = self.lower(part)
                    factors[index] = factors.get(index, 0) + factor
        return self.total(factors.items(), constant)


class _Lister(Lowering):
    """Operations as a flat list in which equal ones appear once."""

    def __init__(self, symbols: tuple[str, ...]) -> None:
        super().__init__()
        self.ids = {symbol: number for number, symbol in enumerate(symbols)}
        self.operations: list[Operation] = []
        self.known: dict[Operation, int] = {}

    def run(self, statements: tuple[Statement, ...]) -> Listing:
        places: list[int] = []
        predictions: list[tuple[str, int]] = []
        accept: int | None = None
        for statement in statements:
            index = self.lower(statement.expression)
            places.append(index)
            if isinstance(statement, Definition):
                self.names[statement.name] = index
                if not self.operations[index].is_count:
                    accept = index
            else:
                predictions.append((statement.symbol, index))
        return Listing(tuple(self.operations), tuple(places), accept, tuple(predictions))

    def add(self, operation: Operation, shown: tuple[int, ...] | None = None) -> int:
        if operation not in self.known:
            self.known[operation] = len(self.operations)
            self.operations.append(operation)
        return self.known[operation]

    def symbol_id(self, symbol: str) -> int:
        return self.ids.get(symbol, -1)
