"""Small edits of an expression that make it smaller: one part is left out, or replaced by something that exists."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from lengthwise.crasp.syntax import (
    And,
    Conditional,
    Count,
    Definition,
    Everywhere,
    Exists,
    Expression,
    Extremum,
    Name,
    Not,
    Number,
    Or,
    Scale,
    Sort,
    Statement,
    Sum,
    Symbol,
    Truth,
    children,
    rebuilt,
    sort_of,
    total,
    walk,
)

MOST_EXISTING = 24
"""How many expressions that exist before or in a statement are tried in place of its parts."""

Put: TypeAlias = Callable[[Expression], Expression]


def edited(statements: Sequence[Statement], sorts: Sequence[Sort], place: int, bold: bool) -> Iterator[Statement]:
    """The statement at a place with one part changed, the largest parts first.

    A bold edit puts another expression of the program in the place of a part; others leave a part out.
    """
    names: dict[str, Sort] = {}
    for statement, sort in zip(statements[:place], sorts[:place], strict=True):
        if isinstance(statement, Definition):
            names[statement.name] = sort
    existing = _existing(statements[: place + 1], names) if bold else {}
    statement = statements[place]
    for expression in _variants(statement.expression, names, existing, bold):
        yield replace(statement, expression=expression)


def _existing(statements: Sequence[Statement], names: dict[str, Sort]) -> dict[Sort, list[Expression]]:
    """The expressions that may be repeated in the last statement: names, then symbols, then others by size."""
    defined = [statement.name for statement in statements if isinstance(statement, Definition)]
    shadowed = {name for name in defined if defined.count(name) > 1}
    pool: dict[Expression, None] = {Name(name): None for name in reversed(names)}
    parts = [part for statement in statements for part in walk(statement.expression)]
    pool.update(dict.fromkeys(part for part in parts if isinstance(part, Symbol)))
    compound = {part: sum(1 for _ in walk(part)) for part in parts if children(part)}
    pool.update(dict.fromkeys(sorted(compound, key=lambda part: compound[part])))
    usable = [
        part
        for part in pool
        if all(inner.name in names and inner.name not in shadowed for inner in walk(part) if isinstance(inner, Name))
    ]
    return {
        sort: [part for part in usable if sort_of(part, names) is sort][:MOST_EXISTING]
        for sort in (Sort.BOOL, Sort.COUNT)
    }


def _variants(
    expression: Expression, names: dict[str, Sort], existing: dict[Sort, list[Expression]], bold: bool
) -> Iterator[Expression]:
    """Every expression that differs from this one in one part, outer parts first."""
    waiting: list[tuple[Expression, Put]] = [(expression, lambda changed: changed)]
    for part, put in waiting:  # grows while it is read
        if not bold:
            for changed in _smaller(part, names):
                yield put(changed)
        elif children(part):
            for changed in existing[sort_of(part, names)]:
                if changed != part:
                    yield put(changed)
        waiting.extend((inner, _composed(put, back)) for inner, back in _parts(part))


def _composed(outer: Put, inner: Put) -> Put:
    return lambda changed: outer(inner(changed))


def _smaller(part: Expression, names: dict[str, Sort]) -> Iterator[Expression]:
    """What is left of a part when something in it is left out."""
    if sort_of(part, names) is Sort.BOOL and not isinstance(part, Truth):
        yield Truth(False)
        yield Truth(True)
    match part:
        case And(operands) | Or(operands):
            for place in range(len(operands)):
                rest = operands[:place] + operands[place + 1 :]
                yield rest[0] if len(rest) == 1 else type(part)(rest)
        case Sum(terms) if len(terms) > 1:
            for place in range(len(terms)):
                yield total(list(terms[:place] + terms[place + 1 :]))
        case Scale(_, operand) | Not(operand):
            yield operand
        case Extremum(_, left, right):
            yield left
            yield right
        case Conditional(then, _, otherwise):
            yield then
            yield otherwise
        case Exists(guard, _) | Count(guard, _):
            if isinstance(part, Count):
                yield Number(0)
            if not isinstance(guard, Everywhere):
                yield replace(part, guard=Everywhere())
        case _:
            pass


def _parts(part: Expression) -> Iterator[tuple[Expression, Put]]:
    """The operands of an expression, each with a function that puts another one in its place."""
    parts = children(part)
    for place, inner in enumerate(parts):
        yield inner, partial(_with_part, part, parts, place)


def _with_part(node: Expression, parts: tuple[Expression, ...], place: int, changed: Expression) -> Expression:
    return rebuilt(node, (*parts[:place], changed, *parts[place + 1 :]))
