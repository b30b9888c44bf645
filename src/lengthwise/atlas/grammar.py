"""Which expressions an atlas enumerates: the operations of a fragment of C-RASP over an alphabet, with their costs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from math import gcd

from lengthwise.atlas.complexity import COMPLEXITIES, Complexity
from lengthwise.crasp import Program
from lengthwise.crasp.analysis import fragment_name
from lengthwise.crasp.syntax import (
    And,
    Compare,
    Count,
    Definition,
    Everywhere,
    Exists,
    Expression,
    Not,
    Number,
    Or,
    Periodic,
    Scale,
    Sum,
    Symbol,
    Truth,
    Window,
)
from lengthwise.errors import LengthwiseError

MOST_SYMBOLS = 8
"""Alphabets with more symbols have too many short words."""


class Kind(IntEnum):
    """The operations: what an expression is made of."""

    SYMBOL = 0
    TRUE = 1
    PERIOD = 2
    NOT = 3
    PREVIOUS = 4
    THRESHOLD = 5
    AND = 6
    OR = 7
    COMPARE = 8


BINARY = (Kind.AND, Kind.OR, Kind.COMPARE)
COUNTING = (Kind.THRESHOLD, Kind.COMPARE, Kind.PREVIOUS)
"""The operations that are one deeper than their parts, as `Program.depth` has it."""


@dataclass(frozen=True, order=True)
class Operation:
    """A kind of operation with its numbers: the symbol's place, (m, r), (k,), or the factors and constant (p, q, c)."""

    kind: Kind
    numbers: tuple[int, ...] = ()

    def expression(self, parts: tuple[Expression, ...], symbols: tuple[str, ...]) -> Expression:
        """The operation on expressions."""
        match self.kind:
            case Kind.SYMBOL:
                return Symbol(symbols[self.numbers[0]])
            case Kind.TRUE:
                return Truth(True)
            case Kind.PERIOD:
                return Periodic(self.numbers[0], (self.numbers[1],))
            case Kind.NOT:
                return Not(parts[0])
            case Kind.PREVIOUS:
                inner = parts[0]
                if isinstance(inner, Exists) and isinstance(inner.guard, Window):
                    return Exists(Window((inner.guard.offsets[0] + 1,)), inner.operand)
                return Exists(Window((1,)), inner)
            case Kind.THRESHOLD:
                return Compare(Count(Everywhere(), parts[0]), ">=", Number(self.numbers[0]))
            case Kind.AND:
                return And(parts)
            case Kind.OR:
                return Or(parts)
            case Kind.COMPARE:
                left, right, constant = self.numbers
                more = _scaled(right, Count(Everywhere(), parts[1]))
                if constant:
                    more = Sum(((1, more), (1, Number(constant))))
                return Compare(_scaled(left, Count(Everywhere(), parts[0])), ">=", more)


def _scaled(factor: int, count: Expression) -> Expression:
    return count if factor == 1 else Scale(factor, count)


@dataclass(frozen=True)
class Grammar:
    """The expressions of an atlas.

    Attributes:
        symbols: The alphabet, in order.
        fragment: A subset of {"periodic", "local"}.
        complexity: What each operation costs.
        max_threshold: The largest k of `#φ >= k`.
        max_period: The largest m of `i % m == r`, if the fragment is periodic.
        coefficients: The largest factor of a count in a comparison.
        constant: The largest constant added to a side of a comparison.
        depth: The largest depth of counting, if it is limited. In a local fragment a function may be met deeper than it
            need be, as two steps back are one window.

    Example:
        >>> print(Grammar(("a", "b")).sentence)
        C-RASP[∅] over {a, b}: symbols, true, not, and, or, #φ >= #ψ, #φ >= k for k <= 3; complexity by symbols

    """

    symbols: tuple[str, ...]
    fragment: frozenset[str] = frozenset()
    complexity: Complexity = field(default_factory=lambda: COMPLEXITIES["symbols"])
    max_threshold: int = 3
    max_period: int = 3
    coefficients: int = 1
    constant: int = 0
    depth: int | None = None

    def __post_init__(self) -> None:
        if not self.symbols or len(set(self.symbols)) != len(self.symbols):
            raise LengthwiseError("an atlas needs an alphabet of different symbols, such as ab")
        if len(self.symbols) > MOST_SYMBOLS:
            raise LengthwiseError(
                f"an atlas over {len(self.symbols)} symbols would not fit: words over so many are too many even when "
                f"they are short; take an alphabet of at most {MOST_SYMBOLS} symbols"
            )
        if not self.fragment <= {"periodic", "local"}:
            raise LengthwiseError(
                f"a fragment is a subset of periodic, local, not {', '.join(sorted(self.fragment))}; "
                "write an empty text for C-RASP[∅]"
            )
        for name, value, least, most in (
            ("max_threshold", self.max_threshold, 1, 15),
            ("max_period", self.max_period, 2, 64),
            ("coefficients", self.coefficients, 1, 7),
            ("constant", self.constant, 0, 15),
        ):
            if not least <= value <= most:
                raise LengthwiseError(f"{name} lies between {least} and {most}, not {value}")

    @property
    def leaves(self) -> list[tuple[int, Operation]]:
        """The operations without parts, each with what it costs."""
        cost = self.complexity
        found = [(cost.leaf, Operation(Kind.SYMBOL, (place,))) for place in range(len(self.symbols))]
        found.append((cost.leaf, Operation(Kind.TRUE)))
        if "periodic" in self.fragment:
            found += [
                (cost.period(modulus), Operation(Kind.PERIOD, (modulus, residue)))
                for modulus in range(2, self.max_period + 1)
                for residue in range(modulus)
            ]
        return found

    @property
    def operations(self) -> list[tuple[int, Operation]]:
        """The operations with parts, each with what it adds to their complexity."""
        cost = self.complexity
        found = [(cost.boolean, Operation(Kind.NOT))]
        if "local" in self.fragment:
            found.append((cost.previous, Operation(Kind.PREVIOUS)))
        found += [
            (cost.threshold(least), Operation(Kind.THRESHOLD, (least,))) for least in range(1, self.max_threshold + 1)
        ]
        found += [(cost.boolean, Operation(Kind.AND)), (cost.boolean, Operation(Kind.OR))]
        for left in range(1, self.coefficients + 1):
            for right in range(1, self.coefficients + 1):
                for constant in range(self.constant + 1):
                    if gcd(left, right, constant) == 1:
                        numbers = (left, right, constant)
                        found.append((cost.comparison(*numbers), Operation(Kind.COMPARE, numbers)))
        return found

    @property
    def sentence(self) -> str:
        """What is enumerated, in one line."""
        if self.coefficients == 1 and self.constant == 0:
            comparison = "#φ >= #ψ"
        else:
            comparison = f"p#φ >= q#ψ + c for p, q <= {self.coefficients} and c <= {self.constant}"
        parts = ["symbols", "true", "not", "and", "or", comparison, f"#φ >= k for k <= {self.max_threshold}"]
        if "periodic" in self.fragment:
            parts.append(f"i % m == r for m <= {self.max_period}")
        if "local" in self.fragment:
            parts.append("φ one symbol earlier")
        limit = "" if self.depth is None else f", depth at most {self.depth}"
        return (
            f"{fragment_name(self.fragment)} over {{{', '.join(self.symbols)}}}: {', '.join(parts)}{limit}; "
            f"complexity by {self.complexity.name}"
        )

    def as_json(self) -> dict[str, object]:
        """Plain data that tells grammars apart."""
        return {
            "symbols": list(self.symbols),
            "fragment": sorted(self.fragment),
            "complexity": self.complexity.name,
            "max_threshold": self.max_threshold,
            "max_period": self.max_period,
            "coefficients": self.coefficients,
            "constant": self.constant,
            "depth": self.depth,
        }

    def program(self, expression: Expression) -> Program:
        """The program that accepts where an expression holds."""
        return Program((Definition("Y", expression),), self.symbols)


def fragment_of(names: str | Iterable[str]) -> frozenset[str]:
    """A fragment written as text or as names: an empty text or `none` is C-RASP[∅]."""
    given = names.strip("[] ").replace(",", " ").split() if isinstance(names, str) else list(names)
    return frozenset(given) - {"none", "∅"}
