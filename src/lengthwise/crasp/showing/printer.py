"""The canonical text of a program: the one way to write each expression, with no more brackets than help the reader."""

from __future__ import annotations

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


def expression_text(expression: Expression, level: Level = Level.OR) -> str:
    """An expression, in brackets if it holds together less tightly than `level` asks."""
    text, own = _written(expression)
    return text if own >= level else f"({text})"


def _written(expression: Expression) -> tuple[str, Level]:
    match expression:
        case Name(name):
            return name, Level.ATOM
        case Symbol(symbol):
            return quoted(symbol), Level.ATOM
        case Truth(value):
            return ("true" if value else "false"), Level.ATOM
        case Number(value):
            return str(value), (Level.ATOM if value >= 0 else Level.SUM)
        case Periodic(modulus, residues):
            if len(residues) == 1:
                return f"i % {modulus} == {residues[0]}", Level.COMPARE
            return f"i % {modulus} in {{{', '.join(map(str, residues))}}}", Level.COMPARE
        case Not(operand):
            # Brackets around a negated comparison are not needed, but !a == b is easily misread.
            inner = expression_text(operand, Level.NOT if isinstance(operand, Not) else Level.COUNT)
            return f"!{inner}", Level.NOT
        case And(operands):
            return " && ".join(expression_text(operand, Level.NOT) for operand in operands), Level.AND
        case Or(operands):
            return " || ".join(expression_text(operand, Level.AND) for operand in operands), Level.OR
        case Compare(left, relation, right):
            sides = expression_text(left, Level.SUM), expression_text(right, Level.SUM)
            return f"{sides[0]} {relation} {sides[1]}", Level.COMPARE
        case Exists(guard, operand):
            return _counting("exists", guard, operand), Level.COUNT
        case Count(guard, operand):
            return _counting("#", guard, operand), Level.COUNT
        case Sum(terms):
            return _sum(terms), Level.SUM
        case Scale(factor, operand):
            return f"{factor} * {expression_text(operand, Level.PRODUCT)}", Level.PRODUCT
        case Extremum(kind, left, right):
            return f"{kind}({expression_text(left)}, {expression_text(right)})", Level.ATOM
        case Conditional(then, condition, otherwise):
            branches = expression_text(then, Level.SUM), expression_text(otherwise, Level.SUM)
            return f"{branches[0]} if {expression_text(condition)} else {branches[1]}", Level.CONDITIONAL


def _counting(operator: str, guard: Guard, operand: Expression) -> str:
    negations = ""
    while isinstance(operand, Not):
        negations, operand = negations + "!", operand.operand
    text = negations + expression_text(operand, Level.COUNT)
    return f"{operator}{guard_text(guard)}{'' if text.startswith('(') and operator == '#' else ' '}{text}"


def _sum(terms: tuple[tuple[int, Expression], ...]) -> str:
    pieces = []
    for place, (sign, term) in enumerate(terms):
        text = expression_text(term, Level.PRODUCT)
        if place == 0:
            pieces.append(text if sign == 1 else f"-{text}")
        else:
            pieces.append(f"{'+' if sign == 1 else '-'} {text}")
    return " ".join(pieces)


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
