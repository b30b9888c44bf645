"""What can be read off a program without running it: its fragment, depth, window and period.

These are properties of the program as written, not of the function it computes: `simplify` may find a smaller fragment.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import lcm

from lengthwise.crasp.syntax import (
    Count,
    Definition,
    Exists,
    Expression,
    Name,
    Next,
    Periodic,
    Statement,
    Symbol,
    Window,
    children,
    positional_relation,
    walk,
)


def _nodes(statements: tuple[Statement, ...]) -> Iterator[Expression]:
    for statement in statements:
        yield from walk(statement.expression)


def fragment(statements: tuple[Statement, ...]) -> frozenset[str]:
    """Which positional relations occur: a subset of {"periodic", "local"}; empty means C-RASP[∅]."""
    return frozenset(kind for node in _nodes(statements) if (kind := positional_relation(node)) is not None)


def window(statements: tuple[Statement, ...]) -> int:
    """τ: the largest distance i - j that a local guard admits; 0 without local guards."""
    reaches = [
        node.guard.offsets[-1]
        for node in _nodes(statements)
        if isinstance(node, Count | Exists) and isinstance(node.guard, Window)
    ]
    return max(reaches, default=0)


def period(statements: tuple[Statement, ...]) -> int:
    """Δ: the least common multiple of the moduli; 1 without periodic predicates."""
    return lcm(*(node.modulus for node in _nodes(statements) if isinstance(node, Periodic)))


def depth(statements: tuple[Statement, ...]) -> int:
    """How deeply counting operations nest, through names (App. C.3.3 of Huang et al.)."""
    named: dict[str, int] = {}
    deepest = 0

    def of(expression: Expression) -> int:
        if isinstance(expression, Name):
            return named[expression.name]
        below = max((of(child) for child in children(expression)), default=0)
        return below + isinstance(expression, Count | Exists)

    for statement in statements:
        found = of(statement.expression)
        deepest = max(deepest, found)
        if isinstance(statement, Definition):
            named[statement.name] = found
    return deepest


def symbols(statements: tuple[Statement, ...]) -> tuple[str, ...]:
    """The symbols a program mentions, sorted."""
    mentioned = {node.symbol for node in _nodes(statements) if isinstance(node, Symbol)}
    mentioned.update(statement.symbol for statement in statements if isinstance(statement, Next))
    return tuple(sorted(mentioned))


def fragment_name(found: frozenset[str]) -> str:
    """The fragment as the papers write it, such as C-RASP[periodic, local]."""
    inside = ", ".join(name for name in ("periodic", "local") if name in found)
    return f"C-RASP[{inside or '∅'}]"
