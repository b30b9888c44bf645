"""Two programs of one shape are equal if they are equal where they differ.

A program may compare counts that grow without end, which no search of configurations exhausts, and differ from another
only inside a part that is regular. Expressions of the same kind with equal parts are equal, so only the smallest parts
around a difference have to be proved equal; if that fails, larger ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from lengthwise.crasp import Program
from lengthwise.crasp.syntax import BOOLEANS, Definition, Expression, Name, Next, Statement, children, shape, walk

Prove: TypeAlias = Callable[[Program, Program], bool]
"""Whether two acceptors are proved equal at every length, the empty word included."""


def proved_equal(left: Program, right: Program, prove: Prove) -> bool:
    """Whether acceptance and all predictions of two programs with the same names in the same order are proved equal."""
    if len(left.statements) != len(right.statements) or left.declared_alphabet != right.declared_alphabet:
        return False
    comparison = _Comparison(left, prove)
    deciding = -1
    equal: list[bool] = []
    for place, (ours, other) in enumerate(zip(left.statements, right.statements, strict=True)):
        same_head = _head(ours) == _head(other) and left.sorts[place] is right.sorts[place]
        if not same_head:
            return False
        equal.append(comparison.same(ours.expression, other.expression))
        comparison.define(ours, other, equal[-1])
        if isinstance(ours, Definition) and left.listing.statements[place] == left.listing.accept:
            deciding = place
    outputs = [place for place, statement in enumerate(left.statements) if isinstance(statement, Next)]
    return all(equal[place] for place in (*outputs, *([deciding] if deciding >= 0 else [])))


def _head(statement: Statement) -> tuple[type, str]:
    return type(statement), statement.name if isinstance(statement, Definition) else statement.symbol


class _Comparison:
    """What is known about the names defined so far."""

    def __init__(self, program: Program, prove: Prove) -> None:
        self.alphabet = program.declared_alphabet
        self.prove = prove
        self.fresh = next(f"P{n}" for n in range(len(program.names) + 1) if f"P{n}" not in program.names)
        self.left: list[Statement] = []
        self.right: list[Statement] = []
        self.unequal: set[str] = set()

    def define(self, ours: Statement, other: Statement, equal: bool) -> None:
        if isinstance(ours, Definition):
            self.left.append(ours)
            self.right.append(other)
            (self.unequal.discard if equal else self.unequal.add)(ours.name)

    def same(self, ours: Expression, other: Expression) -> bool:
        """Whether two expressions are proved to have the same value everywhere."""
        if ours == other and not any(isinstance(node, Name) and node.name in self.unequal for node in walk(ours)):
            return True
        if shape(ours) == shape(other) and all(map(self.same, children(ours), children(other))):
            return not isinstance(ours, Name)
        if not (isinstance(ours, BOOLEANS) and isinstance(other, BOOLEANS)):
            return False
        return self.prove(
            Program((*self.left, Definition(self.fresh, ours)), self.alphabet),
            Program((*self.right, Definition(self.fresh, other)), self.alphabet),
        )
