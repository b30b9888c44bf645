"""How complex an expression is: a sum over its tree, one number for each kind of operation.

A complexity is a choice of encoding, and what depends on it (which program is simplest, which lengths identify one) is
reported under its name. None of them is the regularizer of Huang et al. (Definition 5): they order programs by what is
written, not by layers, heads and precision of a transformer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from lengthwise.crasp import Program
from lengthwise.crasp.syntax import (
    And,
    Compare,
    Count,
    Definition,
    Exists,
    Expression,
    Name,
    Not,
    Number,
    Or,
    Periodic,
    Scale,
    Sort,
    Sum,
    Symbol,
    Truth,
    Window,
    children,
)
from lengthwise.errors import UnknownNameError


def _unary(number: int) -> int:
    return number


@dataclass(frozen=True)
class Complexity:
    """What each operation adds to the complexity of its parts; every number is at least 1.

    Attributes:
        name: What it is called.
        meaning: What it counts, in one line.
        leaf: A symbol, or `true`.
        boolean: A negation, a conjunction or disjunction of two.
        count: `#φ`.
        compare: `>=` between two counts, or a count and a number.
        previous: `φ` one symbol earlier.
        number: A number that is written, such as k in `#φ >= k`.
        period: `i % m == r`, by m.

    Example:
        >>> symbols = COMPLEXITIES["symbols"]
        >>> symbols.threshold(1), symbols.comparison(1, 1, 0)
        (2, 3)

    """

    name: str
    meaning: str
    leaf: int = 1
    boolean: int = 1
    count: int = 1
    compare: int = 1
    previous: int = 1
    number: Callable[[int], int] = _unary
    period: Callable[[int], int] = _unary

    def threshold(self, least: int) -> int:
        """What `#φ >= least` adds to φ; the relation comes with the number."""
        return self.count + self.number(least)

    def comparison(self, left: int, right: int, constant: int) -> int:
        """What `left * #φ >= right * #ψ + constant` adds to φ and ψ; a factor 1 and a constant 0 are not written."""
        written = [number for number in (left, right) if number > 1] + ([constant] if constant else [])
        return 2 * self.count + self.compare + sum(map(self.number, written))

    def of(self, program: Program | Expression) -> int:
        """The complexity of a program as it is written, with names written out; other relations as those they mean.

        Args:
            program: A program, whose outputs are added up, or an expression without names.

        Returns:
            The sum over its tree.

        Example:
            >>> from lengthwise import crasp
            >>> COMPLEXITIES["symbols"].of(crasp.load("majority"))
            5

        """
        if not isinstance(program, Program):
            return self._cost(program, {})
        names: dict[str, int] = {}
        outputs = 0
        for statement in program.statements:
            cost = self._cost(statement.expression, names)
            if isinstance(statement, Definition):
                names[statement.name] = cost
            else:
                outputs += cost
        deciding = [
            statement.name
            for statement, sort in zip(program.statements, program.sorts, strict=True)
            if isinstance(statement, Definition) and sort is Sort.BOOL
        ]
        return outputs + (names[deciding[-1]] if deciding else 0)

    def _cost(self, node: Expression, names: Mapping[str, int]) -> int:
        below = sum(self._cost(child, names) for child in children(node))
        match node:
            case Name(name):
                return names[name]
            case Symbol() | Truth():
                return self.leaf
            case Periodic(modulus):
                return self.period(modulus)
            case Not():
                return below + self.boolean
            case And(parts) | Or(parts):
                return below + self.boolean * (len(parts) - 1)
            case Compare(_, relation, _):
                # `>` is a negated `>=`, `==` two comparisons and a conjunction.
                return (
                    below
                    + {"==": 2 * self.compare + self.boolean, "!=": 2 * (self.compare + self.boolean)}.get(
                        relation, self.compare + self.boolean * (relation in ("<", ">"))
                    )
                    - self.compare * any(isinstance(side, Number) and side.value for side in (node.left, node.right))
                )
            case Exists(guard, _):
                return below + (self.threshold(1) if not isinstance(guard, Window) else self._window(guard))
            case Count(guard, _):
                return below + (self.count if not isinstance(guard, Window) else self._window(guard))
            case Number(value):
                return self.number(abs(value)) if value else self.leaf
            case Scale(factor, _):
                return below + self.number(factor)
            case Sum():
                return below
            case _:
                return below + self.boolean

    def _window(self, guard: Window) -> int:
        return sum(max(1, self.previous * offset) for offset in guard.offsets)


COMPLEXITIES: Mapping[str, Complexity] = MappingProxyType(
    {
        each.name: each
        for each in (
            Complexity("symbols", "the operations that are written; a number k counts k"),
            Complexity(
                "bits",
                "the operations that are written; a number counts its binary digits",
                number=int.bit_length,
                period=lambda modulus: 1 + modulus.bit_length(),
            ),
            Complexity(
                "heads",
                "what a transformer needs an attention head for counts 3, all else 1; a number k counts k",
                count=3,
                previous=3,
            ),
        )
    }
)
"""The complexities that can be chosen by name."""


def complexity_named(name: str) -> Complexity:
    """The complexity of a name."""
    if name not in COMPLEXITIES:
        raise UnknownNameError(f"there is no complexity {name!r}; choose {', '.join(COMPLEXITIES)}")
    return COMPLEXITIES[name]
