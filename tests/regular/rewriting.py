"""Other ways to write the same expression: laws of Boolean algebra and of counting, each true at every position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from lengthwise.crasp.syntax import (
    And,
    Compare,
    Count,
    Exists,
    Expression,
    Not,
    Number,
    Or,
    Relation,
    Scale,
    Sum,
    Symbol,
    Truth,
    total,
)

NEGATED: dict[Relation, Relation] = {">=": "<", "<": ">=", "<=": ">", ">": "<=", "==": "!=", "!=": "=="}
MIRRORED: dict[Relation, Relation] = {">=": "<=", "<=": ">=", "<": ">", ">": "<", "==": "==", "!=": "!="}
STRICT: dict[Relation, tuple[Relation, int]] = {">=": (">", -1), ">": (">=", 1), "<=": ("<", 1), "<": ("<=", -1)}
OFTEN = 0.35
"""How likely a law is used on a subexpression."""


def rewritten(expression: Expression, spare: Sequence[Expression], rng: Random, least: int = 0) -> Expression:
    """An expression with the same value everywhere, by random laws.

    Args:
        expression: What is rewritten.
        spare: Booleans to write in where any will do; they must mean the same wherever the expression stands.
        rng: The source of chance.
        least: How many laws are used at the root at least.
    """
    found = _parts(expression, spare, rng)
    for _ in range(max(least, int(rng.random() < OFTEN))):
        found = _law(found, spare, rng)
    return found


def _parts(expression: Expression, spare: Sequence[Expression], rng: Random) -> Expression:
    """The expression with its parts rewritten."""

    def of(part: Expression) -> Expression:
        return rewritten(part, spare, rng)

    match expression:
        case Not() | Count() | Exists() | Scale():
            return replace(expression, operand=of(expression.operand))
        case And(operands) | Or(operands):
            return type(expression)(tuple(map(of, operands)))
        case Compare(left, relation, right):
            return Compare(of(left), relation, of(right))
        case Sum(terms):
            return total([(sign, of(term)) for sign, term in terms])
        case _:
            return expression


def _law(expression: Expression, spare: Sequence[Expression], rng: Random) -> Expression:
    """One law at the root."""
    other = rng.choice(spare)
    match expression:
        case Compare(left, relation, right):
            choices: list[Expression] = [
                Not(Compare(left, NEGATED[relation], right)),
                Compare(right, MIRRORED[relation], left),
            ]
            if isinstance(right, Number) and relation in STRICT:
                strict, step = STRICT[relation]
                choices.append(Compare(left, strict, Number(right.value + step)))
                choices.append(Compare(Scale(2, left), relation, Number(2 * right.value)))
            return rng.choice(choices)
        case And(operands) | Or(operands):
            dual = Or if isinstance(expression, And) else And
            forms: list[Expression] = [
                Not(dual(tuple(map(Not, operands)))),
                type(expression)(operands[::-1]),
                type(expression)((*operands, dual((operands[0], other)))),
            ]
            return rng.choice(forms)
        case Count(guard, operand):
            if rng.random() < 0.6:
                halves = Count(guard, And((operand, other))), Count(guard, And((operand, Not(other))))
                return total([(1, halves[0]), (1, halves[1])])
            return Count(guard, Not(Not(operand)))
        case Exists(guard, operand):
            return Compare(Count(guard, operand), ">=", Number(1))
        case Sum(terms):
            return total([(sign, term) for sign, term in terms[::-1]])
        case Symbol() | Not() | Truth():
            return Or((expression, And((expression, other)))) if rng.random() < 0.5 else Not(Not(expression))
        case _:
            return expression
