"""The semantics, read off Definition 8 one position at a time: an oracle for tests and benchmarks, nothing else.

Evaluates the expressions themselves (not the flat listing the real evaluators share), counts by looping over j, and
uses Python's unbounded integers. Quadratic in the length, exponential in nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

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

Values = list[int]
"""An operation's values at positions 1..n; for the empty word, its one value at the virtual position 0."""


def values(statements: Sequence[Statement], word: Sequence[str]) -> list[Values]:
    """The values of every statement's operation on a word."""
    names: dict[str, Values] = {}
    results: list[Values] = []
    for statement in statements:
        result = _evaluate(statement.expression, word, names)
        results.append(result)
        if isinstance(statement, Definition):
            names[statement.name] = result
    return results


def _positions(word: Sequence[str]) -> list[int]:
    return list(range(1, len(word) + 1)) or [0]


def _admits(guard: Guard, i: int, j: int) -> bool:
    if isinstance(guard, Everywhere):
        return True
    if isinstance(guard, Before):
        return j < i
    return i - j in guard.offsets


def _count(guard: Guard, holds: Values, word: Sequence[str]) -> Values:
    # j runs over real positions 1..i only, so the empty word has every count 0.
    return [sum(1 for j in range(1, i + 1) if _admits(guard, i, j) and holds[j - 1]) for i in _positions(word)]


def _compare(left: int, relation: str, right: int) -> bool:
    match relation:
        case "==":
            return left == right
        case "!=":
            return left != right
        case "<":
            return left < right
        case "<=":
            return left <= right
        case ">":
            return left > right
        case _:
            return left >= right


def _evaluate(expression: Expression, word: Sequence[str], names: dict[str, Values]) -> Values:
    def of(part: Expression) -> Values:
        return _evaluate(part, word, names)

    match expression:
        case Name(name):
            return names[name]
        case Symbol(symbol):
            return [int(i > 0 and word[i - 1] == symbol) for i in _positions(word)]
        case Truth(value):
            return [int(value) for _ in _positions(word)]
        case Periodic(modulus, residues):
            return [int(i % modulus in residues) for i in _positions(word)]
        case Not(operand):
            return [int(not value) for value in of(operand)]
        case And(operands):
            return [int(all(row)) for row in zip(*map(of, operands), strict=True)]
        case Or(operands):
            return [int(any(row)) for row in zip(*map(of, operands), strict=True)]
        case Compare(left, relation, right):
            return [int(_compare(a, relation, b)) for a, b in zip(of(left), of(right), strict=True)]
        case Exists(guard, operand):
            return [int(count >= 1) for count in _count(guard, of(operand), word)]
        case Number(value):
            return [value for _ in _positions(word)]
        case Count(guard, operand):
            return _count(guard, of(operand), word)
        case Sum(terms):
            columns = [[sign * value for value in of(term)] for sign, term in terms]
            return [sum(column) for column in zip(*columns, strict=True)]
        case Scale(factor, operand):
            return [factor * value for value in of(operand)]
        case Extremum("min", left, right):
            return [min(pair) for pair in zip(of(left), of(right), strict=True)]
        case Extremum(_, left, right):
            return [max(pair) for pair in zip(of(left), of(right), strict=True)]
        case Conditional(then, condition, otherwise):
            rows = zip(of(condition), of(then), of(otherwise), strict=True)
            return [a if holds else b for holds, a, b in rows]
