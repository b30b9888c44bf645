"""Checking that two programs of one shape are equal because they are equal where they differ.

Expressions of the same kind with equal parts have equal values. So only the parts where two programs differ have to be
proved equal: each such pair of Booleans, as programs of their own, comes with its own argument.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lengthwise.crasp import Program
from lengthwise.crasp.syntax import BOOLEANS, Definition, Expression, Name, Next, Sort, Statement, children, shape, walk
from lengthwise.regular.proofs.sides import ProofError

CheckEqual = Callable[[Program, Program, Mapping[str, Any]], None]


def check_congruence(left: Program, right: Program, argument: Mapping[str, Any], check_equal: CheckEqual) -> int:
    """Raise a `ProofError` unless two programs have equal outputs because the parts where they differ are equal.

    Args:
        left: One program.
        right: The other, with the same names in the same order.
        argument: `parts`: for each pair of parts the texts `left` and `right` of two programs and their `argument`.
        check_equal: Checks that two programs accept the same words, the empty one included.

    Returns:
        The number of parts.

    Raises:
        ProofError: If the programs have different shapes, or a part is not proved.

    """
    parts = {(part["left"], part["right"]): part["argument"] for part in argument["parts"]}
    if len(left.statements) != len(right.statements) or left.declared_alphabet != right.declared_alphabet:
        raise ProofError("the two programs do not have the same names and alphabet")
    checker = _Checker(left, parts, check_equal)
    deciding = max(
        (
            place
            for place, (statement, sort) in enumerate(zip(left.statements, left.sorts, strict=True))
            if isinstance(statement, Definition) and sort is Sort.BOOL
        ),
        default=-1,
    )
    for place, (ours, other) in enumerate(zip(left.statements, right.statements, strict=True)):
        if type(ours) is not type(other) or left.sorts[place] is not right.sorts[place] or _name(ours) != _name(other):
            raise ProofError("the two programs do not define the same names in the same order")
        equal = checker.same(ours.expression, other.expression)
        if not equal and (isinstance(ours, Next) or place == deciding):
            raise ProofError(f"it is not shown that {_name(ours)} is the same in both programs")
        checker.define(ours, other, equal)
    return len(parts)


def _name(statement: Statement) -> str:
    return statement.name if isinstance(statement, Definition) else statement.symbol


class _Checker:
    def __init__(self, program: Program, parts: Mapping[tuple[str, str], Any], check_equal: CheckEqual) -> None:
        self.alphabet = program.declared_alphabet
        self.fresh = next(f"P{n}" for n in range(len(program.names) + 1) if f"P{n}" not in program.names)
        self.parts, self.check_equal = parts, check_equal
        self.left: list[Statement] = []
        self.right: list[Statement] = []
        self.unequal: set[str] = set()
        self.proved: set[tuple[str, str]] = set()

    def define(self, ours: Statement, other: Statement, equal: bool) -> None:
        """From here on a name stands for this."""
        if isinstance(ours, Definition):
            self.left.append(ours)
            self.right.append(other)
            self.unequal.discard(ours.name)
            if not equal:
                self.unequal.add(ours.name)

    def same(self, ours: Expression, other: Expression) -> bool:
        """Whether two expressions have the same value everywhere."""
        if ours == other and not any(isinstance(node, Name) and node.name in self.unequal for node in walk(ours)):
            return True
        alike = not isinstance(ours, Name) and shape(ours) == shape(other)
        if alike and all(map(self.same, children(ours), children(other))):
            return True
        return self._proved(ours, other)

    def _proved(self, ours: Expression, other: Expression) -> bool:
        pair = [
            Program((*before, Definition(self.fresh, part)), self.alphabet)
            for before, part in ((self.left, ours), (self.right, other))
        ] if self.parts and isinstance(ours, BOOLEANS) and isinstance(other, BOOLEANS) else []  # fmt: skip
        key = (str(pair[0]), str(pair[1])) if pair else ("", "")
        if key not in self.parts:
            return False
        if key not in self.proved:
            self.check_equal(pair[0], pair[1], self.parts[key])
            self.proved.add(key)
        return True
