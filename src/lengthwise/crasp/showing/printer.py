"""The canonical text of a program: the one way to write each expression, with no more brackets than help the reader.

`Notation` goes through an expression and puts brackets; how a name, a guard or an operator looks is left to those who
write: the text here, LaTeX in `latex.py`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import ClassVar

from lengthwise.crasp.reading.precedence import Level
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
    Next,
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


def quoted(symbol: str) -> str:
    """A symbol as a literal."""
    return f"'{symbol}'" if '"' in symbol else f'"{symbol}"'


def guard_text(guard: Guard) -> str:
    """A guard with its brackets; nothing for the guard that admits every position."""
    if isinstance(guard, Everywhere):
        return ""
    if isinstance(guard, Before):
        return "[j < i]"
    offsets = guard.offsets
    if len(offsets) == 1:
        return f"[j == i-{offsets[0]}]" if offsets[0] else "[j == i]"
    if offsets == tuple(range(len(offsets))):
        return f"[j >= i-{offsets[-1]}]"
    return f"[i-j in {{{', '.join(map(str, offsets))}}}]"


class Notation(ABC):
    """How expressions are written. `depth` counts the operators `#` and `exists` that an expression stands in."""

    signs: ClassVar[Mapping[str, str]]
    """How operators and constants are written that are not written as in the text of a program."""

    @abstractmethod
    def name(self, name: str, depth: int) -> str:
        """A reference to an operation."""

    @abstractmethod
    def symbol(self, symbol: str, depth: int) -> str:
        """Q_σ."""

    @abstractmethod
    def periodic(self, modulus: int, residues: tuple[int, ...], depth: int) -> str:
        """A periodic relation."""

    @abstractmethod
    def counting(self, operator: str, guard: Guard, operand: Expression, depth: int) -> str:
        """A counting operator with its guard and what it applies to."""

    @abstractmethod
    def conditional(self, then: Expression, condition: Expression, otherwise: Expression, depth: int) -> str:
        """P ? C1 : C2."""

    def operand(self, operand: Expression, inside: And | Or, depth: int) -> str:
        """An operand of a conjunction or disjunction."""
        return self.write(operand, Level.NOT if isinstance(inside, And) else Level.AND, depth)

    def write(self, expression: Expression, level: Level = Level.OR, depth: int = 0) -> str:
        """An expression, in brackets if it holds together less tightly than `level` asks."""
        text, own = self._written(expression, depth)
        return text if own >= level else f"({text})"

    def sign(self, operator: str) -> str:
        """An operator or a constant."""
        return self.signs.get(operator, operator)

    def terms(self, terms: tuple[tuple[int, Expression], ...], depth: int = 0) -> list[str]:
        """The terms of a sum, each with the sign before it."""
        pieces = []
        for place, (sign, term) in enumerate(terms):
            operator = ("-" if sign == -1 else "") if place == 0 else ("- " if sign == -1 else "+ ")
            pieces.append(operator + self.write(term, Level.PRODUCT, depth))
        return pieces

    def _infix(self, operator: str, parts: Iterable[str]) -> str:
        return f" {self.sign(operator)} ".join(parts)

    def _written(self, expression: Expression, depth: int) -> tuple[str, Level]:
        match expression:
            case Name(name):
                return self.name(name, depth), Level.ATOM
            case Symbol(symbol):
                return self.symbol(symbol, depth), Level.ATOM
            case Truth(value):
                return self.sign("true" if value else "false"), Level.ATOM
            case Number(value):
                return str(value), (Level.ATOM if value >= 0 else Level.SUM)
            case Periodic(modulus, residues):
                return self.periodic(modulus, residues, depth), Level.COMPARE
            case Not(operand):
                # Brackets around a negated comparison are not needed, but !a == b is easily misread.
                inner = self.write(operand, Level.NOT if isinstance(operand, Not) else Level.COUNT, depth)
                return self.sign("!") + inner, Level.NOT
            case And(operands):
                return self._infix("&&", (self.operand(each, expression, depth) for each in operands)), Level.AND
            case Or(operands):
                return self._infix("||", (self.operand(each, expression, depth) for each in operands)), Level.OR
            case Compare(left, relation, right):
                return self._infix(
                    relation, (self.write(each, Level.SUM, depth) for each in (left, right))
                ), Level.COMPARE
            case Exists(guard, operand):
                return self.counting("exists", guard, operand, depth), Level.COUNT
            case Count(guard, operand):
                return self.counting("#", guard, operand, depth), Level.COUNT
            case Sum(terms):
                return " ".join(self.terms(terms, depth)), Level.SUM
            case Scale(factor, operand):
                return self._infix("*", (str(factor), self.write(operand, Level.PRODUCT, depth))), Level.PRODUCT
            case Extremum(kind, left, right):
                return (
                    f"{self.sign(kind)}({self.write(left, depth=depth)}, {self.write(right, depth=depth)})",
                    Level.ATOM,
                )
            case Conditional(then, condition, otherwise):
                return self.conditional(then, condition, otherwise, depth), Level.CONDITIONAL


class _Text(Notation):
    signs: ClassVar[Mapping[str, str]] = {}

    def name(self, name: str, depth: int) -> str:
        return name

    def symbol(self, symbol: str, depth: int) -> str:
        return quoted(symbol)

    def periodic(self, modulus: int, residues: tuple[int, ...], depth: int) -> str:
        if len(residues) == 1:
            return f"i % {modulus} == {residues[0]}"
        return f"i % {modulus} in {{{', '.join(map(str, residues))}}}"

    def counting(self, operator: str, guard: Guard, operand: Expression, depth: int) -> str:
        negations = ""
        while isinstance(operand, Not):
            negations, operand = negations + "!", operand.operand
        text = negations + self.write(operand, Level.COUNT)
        return f"{operator}{guard_text(guard)}{'' if text.startswith('(') and operator == '#' else ' '}{text}"

    def conditional(self, then: Expression, condition: Expression, otherwise: Expression, depth: int) -> str:
        return f"{self.write(then, Level.SUM)} if {self.write(condition)} else {self.write(otherwise, Level.SUM)}"


_TEXT = _Text()


def expression_text(expression: Expression, level: Level = Level.OR) -> str:
    """An expression, in brackets if it holds together less tightly than `level` asks."""
    return _TEXT.write(expression, level)


def statement_text(statement: Statement) -> str:
    """One statement on one line."""
    match statement:
        case Definition(name, expression):
            return f"{name} = {expression_text(expression)}"
        case Next(symbol, expression):
            return f"next {quoted(symbol)} = {expression_text(expression)}"


def program_text(statements: tuple[Statement, ...], alphabet: tuple[str, ...] | None) -> str:
    """A whole program: the alphabet line if there is one, then a line for every statement."""
    lines = [f"alphabet {' '.join(map(quoted, alphabet))}"] if alphabet is not None else []
    return "\n".join([*lines, *map(statement_text, statements)]) + "\n"
