"""Programs written in Python, by operator overloading.

    from lengthwise.crasp import Q, build, count

    opened, closed = count(Q("(")), count(Q(")"))
    dyck1 = build((count(opened < closed) == 0) & (opened == closed), opened=opened, closed=closed)

`&`, `|`, `~` join Booleans; `+`, `-`, `k *` and comparisons work on counts and integers. Guards and position predicates
are written with the positions `i` and `j`: `count(b, j == i - 1)`, `(i % 3).among(0, 2)`. An object used in several
places becomes one named operation, so building a program in a loop costs what the loop costs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NoReturn, TypeVar

from lengthwise.crasp.reading.guards import Distances, RefusedGuardError, distance, mirrored
from lengthwise.crasp.syntax import (
    And,
    Before,
    Compare,
    Conditional,
    Count,
    Everywhere,
    Exists,
    Expression,
    Extremum,
    Guard,
    Not,
    Number,
    Or,
    Periodic,
    Relation,
    Scale,
    Symbol,
    Truth,
    Window,
    total,
)
from lengthwise.errors import LengthwiseError

Made = Callable[[list[Expression]], Expression]
Kind = TypeVar("Kind", bound="Value")


class Value:
    """An expression of either sort under construction."""

    __slots__ = ("make", "parts")
    prefix = "x"

    def __init__(self, make: Made, *parts: Value) -> None:
        self.make, self.parts = make, parts

    def __bool__(self) -> NoReturn:
        raise LengthwiseError(
            "an operation has no truth value in Python; write &, | and ~, and one comparison at a time"
        )


class BoolValue(Value):
    """A Boolean operation: holds or not at each position."""

    __slots__ = ()
    prefix = "b"

    def __and__(self, other: BoolValue) -> BoolValue:
        return BoolValue(lambda parts: And(tuple(parts)), self, needed(other, BoolValue, "&"))

    def __or__(self, other: BoolValue) -> BoolValue:
        return BoolValue(lambda parts: Or(tuple(parts)), self, needed(other, BoolValue, "|"))

    def __invert__(self) -> BoolValue:
        return BoolValue(lambda parts: Not(parts[0]), self)


class CountValue(Value):
    """A count operation: an integer at each position."""

    __slots__ = ()
    prefix = "c"
    __hash__ = Value.__hash__

    def __add__(self, other: CountValue | int) -> CountValue:
        return _sum(self, 1, _count(other, "+"))

    def __radd__(self, other: int) -> CountValue:
        return _sum(_count(other, "+"), 1, self)

    def __sub__(self, other: CountValue | int) -> CountValue:
        return _sum(self, -1, _count(other, "-"))

    def __rsub__(self, other: int) -> CountValue:
        return _sum(_count(other, "-"), -1, self)

    def __neg__(self) -> CountValue:
        return CountValue(lambda parts: total([(-1, parts[0])]), self)

    def __mul__(self, factor: int) -> CountValue:
        if not isinstance(factor, int):
            raise LengthwiseError("a count is multiplied by an integer only; products of counts leave C-RASP")
        if factor < 0:
            return -(self * -factor)
        return CountValue(lambda parts: Scale(factor, parts[0]), self)

    __rmul__ = __mul__

    def _compare(self, relation: Relation, other: CountValue | int) -> BoolValue:
        return BoolValue(lambda parts: Compare(parts[0], relation, parts[1]), self, _count(other, relation))

    def __eq__(self, other: CountValue | int) -> BoolValue:  # type: ignore[override]
        return self._compare("==", other)

    def __ne__(self, other: CountValue | int) -> BoolValue:  # type: ignore[override]
        return self._compare("!=", other)

    def __lt__(self, other: CountValue | int) -> BoolValue:
        return self._compare("<", other)

    def __le__(self, other: CountValue | int) -> BoolValue:
        return self._compare("<=", other)

    def __gt__(self, other: CountValue | int) -> BoolValue:
        return self._compare(">", other)

    def __ge__(self, other: CountValue | int) -> BoolValue:
        return self._compare(">=", other)


def needed(value: object, kind: type[Kind], operator: str) -> Kind:
    """The value, if it is of the sort that an operator needs."""
    if isinstance(value, kind):
        return value
    sort = "a Boolean" if kind is BoolValue else "a count or an integer"
    raise LengthwiseError(f"'{operator}' needs {sort}, got {type(value).__name__}")


def _count(value: CountValue | int, operator: str) -> CountValue:
    if isinstance(value, int) and not isinstance(value, bool):
        return CountValue(lambda _: Number(value))
    return needed(value, CountValue, operator)


def _sum(left: CountValue, sign: Literal[1, -1], right: CountValue) -> CountValue:
    return CountValue(lambda parts: total([(1, parts[0]), (sign, parts[1])]), left, right)


# ---------------------------------------------------------------------------------------------- positions


@dataclass(frozen=True, eq=False)
class Position:
    """A combination of the positions i and j: a·i + b·j + c. Comparing two gives a guard."""

    i: int = 0
    j: int = 0
    constant: int = 0

    def __add__(self, other: Position | int) -> Position:
        if isinstance(other, int):
            return Position(self.i, self.j, self.constant + other)
        return Position(self.i + other.i, self.j + other.j, self.constant + other.constant)

    def __sub__(self, other: Position | int) -> Position:
        return self + (-other if isinstance(other, int) else Position(-other.i, -other.j, -other.constant))

    def __mod__(self, modulus: int) -> Residue:
        if (self.i, self.j, self.constant) != (1, 0, 0):
            raise LengthwiseError("only the position i itself is taken modulo a period: i % 2 == 0")
        return Residue(modulus)

    def _compare(self, relation: Relation, other: Position | int) -> Distances:
        difference = self - other
        try:
            sign, constant = distance((difference.i, difference.j, difference.constant))
        except RefusedGuardError as problem:
            raise LengthwiseError(f"{problem.message}; {problem.hint}") from None
        distances = Distances()
        distances.restrict(relation if sign == 1 else mirrored(relation), -sign * constant)
        return distances

    def among(self, *numbers: int) -> Distances:
        """The guard that this combination, which must be ±(i - j) plus a number, is one of `numbers`."""
        distances = Distances()
        sign, constant = distance((self.i, self.j, self.constant))
        distances.choose({sign * (number - constant) for number in numbers})
        return distances

    __hash__ = object.__hash__

    def __eq__(self, other: Position | int) -> Distances:  # type: ignore[override]
        return self._compare("==", other)

    def __lt__(self, other: Position | int) -> Distances:
        return self._compare("<", other)

    def __le__(self, other: Position | int) -> Distances:
        return self._compare("<=", other)

    def __gt__(self, other: Position | int) -> Distances:
        return self._compare(">", other)

    def __ge__(self, other: Position | int) -> Distances:
        return self._compare(">=", other)


@dataclass(frozen=True, eq=False)
class Residue:
    """i modulo a period. Comparing it gives a periodic predicate."""

    modulus: int

    def among(self, *residues: int) -> BoolValue:
        """Whether i leaves one of these residues."""
        try:
            node = Periodic(self.modulus, tuple(sorted(set(residues))))
        except ValueError as problem:
            raise LengthwiseError(str(problem)) from None
        return BoolValue(lambda _: node)

    __hash__ = object.__hash__

    def __eq__(self, residue: int) -> BoolValue:  # type: ignore[override]
        return self.among(residue)

    def __ne__(self, residue: int) -> BoolValue:  # type: ignore[override]
        return self.among(*(set(range(self.modulus)) - {residue}))


i, j = Position(i=1), Position(j=1)
"""The position a count is read at, and the position it looks at."""

# --------------------------------------------------------------------------------------------- operations


def Q(symbol: str) -> BoolValue:  # noqa: N802 - the papers' name
    """Q_σ: the position holds this symbol.

    Args:
        symbol: The symbol.

    Returns:
        The Boolean that holds at the positions with this symbol.

    """
    return BoolValue(lambda _: Symbol(symbol))


def truth(value: bool = True) -> BoolValue:
    """The constant ⊤ or ⊥.

    Args:
        value: True or false.

    Returns:
        The Boolean that has this value at every position.

    """
    return BoolValue(lambda _: Truth(value))


def number(value: int) -> CountValue:
    """An integer constant.

    Args:
        value: A whole number.

    Returns:
        The count that has this value at every position.

    """
    return _count(value, "number")


def count(what: BoolValue, guard: Distances | Guard | None = None) -> CountValue:
    """#[guard] what: the number of positions j <= i where it holds and the guard admits j.

    Args:
        what: What is counted.
        guard: Which positions j are counted, seen from position i: a condition on i and j; None for all up to i.

    Returns:
        The number of positions where it holds.

    """
    where = _guard(guard)
    return CountValue(lambda parts: Count(where, parts[0]), needed(what, BoolValue, "count"))


def exists(what: BoolValue, guard: Distances | Guard | None = None) -> BoolValue:
    """∃[guard] what: whether it holds at some position j <= i that the guard admits.

    Args:
        what: What is looked for.
        guard: Which positions j are looked at, seen from position i: a condition on i and j; None for all up to i.

    Returns:
        The Boolean that holds if there is such a position.

    """
    where = _guard(guard)
    return BoolValue(lambda parts: Exists(where, parts[0]), needed(what, BoolValue, "exists"))


def _guard(guard: Distances | Guard | None) -> Guard:
    if guard is None:
        return Everywhere()
    if isinstance(guard, Everywhere | Before | Window):
        return guard
    if not isinstance(guard, Distances):
        raise LengthwiseError("a guard compares the positions i and j, such as j == i - 1 or j < i")
    try:
        return guard.guard()
    except RefusedGuardError as problem:
        raise LengthwiseError(f"{problem.message}; {problem.hint}") from None


def minimum(left: CountValue | int, right: CountValue | int) -> CountValue:
    """The smaller of two counts.

    Args:
        left: A count.
        right: A count.

    Returns:
        The smaller one.

    """
    return CountValue(lambda parts: Extremum("min", *parts), _count(left, "minimum"), _count(right, "minimum"))


def maximum(left: CountValue | int, right: CountValue | int) -> CountValue:
    """The larger of two counts.

    Args:
        left: A count.
        right: A count.

    Returns:
        The larger one.

    """
    return CountValue(lambda parts: Extremum("max", *parts), _count(left, "maximum"), _count(right, "maximum"))


def where(condition: BoolValue, then: CountValue | int, otherwise: CountValue | int) -> CountValue:
    """The count `then` where the condition holds, else `otherwise`.

    Args:
        condition: A Boolean.
        then: The count where it holds.
        otherwise: The count elsewhere.

    Returns:
        The one or the other count.

    """
    branches = _count(then, "where"), _count(otherwise, "where")
    condition = needed(condition, BoolValue, "where")
    return CountValue(lambda parts: Conditional(parts[1], parts[0], parts[2]), condition, *branches)


def all_of(values: Iterable[BoolValue]) -> BoolValue:
    """The conjunction of any number of Booleans; ⊤ of none.

    Args:
        values: Booleans.

    Returns:
        The Boolean that holds where all of them hold.

    """
    return _many(list(values), True)


def any_of(values: Iterable[BoolValue]) -> BoolValue:
    """The disjunction of any number of Booleans; ⊥ of none.

    Args:
        values: Booleans.

    Returns:
        The Boolean that holds where at least one of them holds.

    """
    return _many(list(values), False)


def _many(values: Sequence[BoolValue], conjunction: bool) -> BoolValue:
    if len(values) < 2:
        return values[0] if values else truth(conjunction)
    parts = [needed(value, BoolValue, "all_of" if conjunction else "any_of") for value in values]
    return BoolValue(lambda made: And(tuple(made)) if conjunction else Or(tuple(made)), *parts)
