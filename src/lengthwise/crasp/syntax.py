"""The expressions of C-RASP[periodic, local]: what a program says, before anything is run.

Two sorts, as in Definition 8 of Huang et al.: Boolean expressions hold or not at a position i, count expressions
have an integer value there. `#[guard] b` counts the positions j <= i where b holds and the guard admits (i, j).
Everything the definition does not list (`||`, `exists`, `min`, other comparisons, integers) is sugar for what it lists.

Nodes are immutable and compare by structure; their place in the source text does not count. Associative operators
hold any number of operands and never contain themselves directly, so a long chain is not a deep tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Literal, TypeAlias

from lengthwise.crasp.reading.diagnostics import Span

MAX_OFFSET = 65_535
"""The widest window and the largest modulus a program may use."""
MAX_NESTING = 50
"""How deeply one expression may nest; use named operations beyond it."""
MAX_INTEGER = 2**63 - 1
"""The largest integer a program may write."""

Relation: TypeAlias = Literal["==", "!=", "<", "<=", ">", ">="]
RELATIONS: tuple[Relation, ...] = ("==", "!=", "<", "<=", ">", ">=")


class Sort(Enum):
    """The two sorts of operations."""

    BOOL = "Boolean"
    COUNT = "count"


# ------------------------------------------------------------------------------------------------- guards


@dataclass(frozen=True, slots=True)
class Everywhere:
    """The guard ⊤: every position j <= i."""


@dataclass(frozen=True, slots=True)
class Before:
    """The guard j < i; sugar, since #[j < i] P = #P - (P ? 1 : 0) (Proposition 39), so it is not a local relation."""


@dataclass(frozen=True, slots=True)
class Window:
    """A local guard ψ: the distances i - j it admits, increasing."""

    offsets: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.offsets or list(self.offsets) != sorted(set(self.offsets)) or self.offsets[0] < 0:
            raise ValueError("a window is a non-empty, increasing tuple of distances i - j >= 0")
        if self.offsets[-1] > MAX_OFFSET:
            raise ValueError(f"a window reaches back at most {MAX_OFFSET} positions")


Guard: TypeAlias = Everywhere | Before | Window

# --------------------------------------------------------------------------------- references, both sorts


@dataclass(frozen=True, slots=True)
class _Node:
    span: Span | None = field(default=None, compare=False, repr=False, kw_only=True)
    """Where the text says it, if it was read."""


@dataclass(frozen=True, slots=True)
class Name(_Node):
    """The operation defined last under this name, of either sort."""

    name: str


# ---------------------------------------------------------------------------------- Boolean expressions


@dataclass(frozen=True, slots=True)
class Symbol(_Node):
    """Q_σ(i): position i holds the symbol σ."""

    symbol: str


@dataclass(frozen=True, slots=True)
class Truth(_Node):
    """The constant ⊤ or ⊥."""

    value: bool


@dataclass(frozen=True, slots=True)
class Periodic(_Node):
    """A periodic relation φ: i mod `modulus` is one of `residues` (positions count from 1)."""

    modulus: int
    residues: tuple[int, ...]

    def __post_init__(self) -> None:
        if not 1 <= self.modulus <= MAX_OFFSET:
            raise ValueError(f"a period lies between 1 and {MAX_OFFSET}")
        if not self.residues or list(self.residues) != sorted({r for r in self.residues if 0 <= r < self.modulus}):
            raise ValueError("residues are a non-empty, increasing tuple of numbers from 0 to the period less 1")


@dataclass(frozen=True, slots=True)
class Not(_Node):
    """¬P."""

    operand: Expression


@dataclass(frozen=True, slots=True)
class And(_Node):
    """P ∧ P' ∧ …, two or more operands, none of them an `And` itself."""

    operands: tuple[Expression, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "operands", _flat(And, self.operands))


@dataclass(frozen=True, slots=True)
class Or(_Node):
    """P ∨ P' ∨ …, two or more operands, none of them an `Or` itself."""

    operands: tuple[Expression, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "operands", _flat(Or, self.operands))


def _flat(kind: type[And] | type[Or], operands: tuple[Expression, ...]) -> tuple[Expression, ...]:
    if len(operands) < 2:
        raise ValueError("a conjunction or disjunction has at least two operands")
    flat: list[Expression] = []
    for operand in operands:
        flat.extend(operand.operands if isinstance(operand, kind) else (operand,))
    return tuple(flat)


@dataclass(frozen=True, slots=True)
class Compare(_Node):
    """C1 ⋈ C2 for one of the six relations."""

    left: Expression
    relation: Relation
    right: Expression


@dataclass(frozen=True, slots=True)
class Exists(_Node):
    """∃[guard] P, sugar for #[guard] P >= 1."""

    guard: Guard
    operand: Expression


# ------------------------------------------------------------------------------------- count expressions


@dataclass(frozen=True, slots=True)
class Number(_Node):
    """An integer constant (Definition 8 has only 1; the others are sums of it)."""

    value: int


@dataclass(frozen=True, slots=True)
class Count(_Node):
    """#[j <= i, guard] P(j)."""

    guard: Guard
    operand: Expression


def _signed(sign: Literal[1, -1], term: Expression) -> tuple[Literal[1, -1], Expression]:
    """A term of a sum: the sign of a number stands in front of it, and zero has none."""
    if not isinstance(term, Number):
        return sign, term
    negative = term.value != 0 and (term.value < 0) != (sign == -1)
    return -1 if negative else 1, Number(abs(term.value), span=term.span)


@dataclass(frozen=True, slots=True)
class Sum(_Node):
    """Σ ±C. No term is a `Sum` or a negative number itself: signs stand here, and zero is added, not subtracted."""

    terms: tuple[tuple[Literal[1, -1], Expression], ...]

    def __post_init__(self) -> None:
        flat: list[tuple[Literal[1, -1], Expression]] = []
        for sign, term in self.terms:
            parts = term.terms if isinstance(term, Sum) else ((1, term),)
            flat.extend(_signed(1 if sign == inner else -1, part) for inner, part in parts)
        if not flat or (len(flat) == 1 and (flat[0][0] == 1 or isinstance(flat[0][1], Number))):
            raise ValueError("a sum has two or more terms, or one subtracted term that is not a number")
        object.__setattr__(self, "terms", tuple(flat))


@dataclass(frozen=True, slots=True)
class Scale(_Node):
    """k · C for an integer k >= 0."""

    factor: int
    operand: Expression

    def __post_init__(self) -> None:
        if self.factor < 0:
            raise ValueError("a scale factor is not negative: subtract instead")


@dataclass(frozen=True, slots=True)
class Extremum(_Node):
    """min(C1, C2) or max(C1, C2)."""

    kind: Literal["min", "max"]
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Conditional(_Node):
    """P ? C1 : C2, written `C1 if P else C2`."""

    then: Expression
    condition: Expression
    otherwise: Expression


Expression: TypeAlias = (
    Name
    | Symbol
    | Truth
    | Periodic
    | Not
    | And
    | Or
    | Compare
    | Exists
    | Number
    | Count
    | Sum
    | Scale
    | Extremum
    | Conditional
)

# ----------------------------------------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True)
class Definition(_Node):
    """`name = expression`; a later definition of the same name hides an earlier one."""

    name: str
    expression: Expression
    comment: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Next(_Node):
    """`next "σ" = expression`: σ is predicted to come next wherever the expression holds."""

    symbol: str
    expression: Expression
    comment: str = field(default="", compare=False)


Statement: TypeAlias = Definition | Next


# ---------------------------------------------------------------------------------- what holds of every node

BOOLEANS = (Symbol, Truth, Periodic, Not, And, Or, Compare, Exists)
"""The nodes that are Boolean expressions; a `Name` is of either sort, all others are counts."""
POINTWISE = (Truth, Not, And, Or, Compare, Number, Sum, Scale, Extremum, Conditional)
"""The nodes whose value at a position follows from the values of their subexpressions at that position alone."""

_Parts: TypeAlias = tuple[Expression, ...]
_Access: TypeAlias = tuple[Callable[[Any], _Parts], Callable[[Any, _Parts], Expression]]
_operand: _Access = lambda node: (node.operand,), lambda node, parts: replace(node, operand=parts[0])
_operands: _Access = lambda node: node.operands, lambda node, parts: replace(node, operands=parts)
_sides: _Access = (
    lambda node: (node.left, node.right),
    lambda node, parts: replace(node, left=parts[0], right=parts[1]),
)
_terms: _Access = (
    lambda node: tuple(term for _, term in node.terms),
    lambda node, parts: total([(sign, part) for (sign, _), part in zip(node.terms, parts, strict=True)], node.span),
)
_branches: _Access = (
    lambda node: (node.then, node.condition, node.otherwise),
    lambda node, parts: replace(node, then=parts[0], condition=parts[1], otherwise=parts[2]),
)
_ACCESS: dict[type, _Access] = {
    Not: _operand,
    Exists: _operand,
    Count: _operand,
    Scale: _operand,
    And: _operands,
    Or: _operands,
    Compare: _sides,
    Extremum: _sides,
    Sum: _terms,
    Conditional: _branches,
}
"""How the subexpressions of a node are read, and how others are put in their place; leaves have none."""


def children(expression: Expression) -> tuple[Expression, ...]:
    """The direct subexpressions, left to right as they are written."""
    access = _ACCESS.get(type(expression))
    return access[0](expression) if access is not None else ()


def rebuilt(expression: Expression, parts: tuple[Expression, ...]) -> Expression:
    """The expression with other direct subexpressions, as many as `children` gives and in that order."""
    access = _ACCESS.get(type(expression))
    return access[1](expression, parts) if access is not None else expression


def shape(expression: Expression) -> Expression:
    """The expression with the same name for each direct subexpression: equal for two that differ only in these."""
    return rebuilt(expression, (Name(""),) * len(children(expression)))


def sort_of(expression: Expression, names: Mapping[str, Sort]) -> Sort:
    """The sort of an expression, given those of the names in it."""
    if isinstance(expression, Name):
        return names[expression.name]
    return Sort.BOOL if isinstance(expression, BOOLEANS) else Sort.COUNT


def positional_relation(expression: Expression) -> Literal["periodic", "local"] | None:
    """The kind of positional relation that a node itself uses, without its subexpressions."""
    if isinstance(expression, Periodic):
        return "periodic"
    return "local" if isinstance(expression, Count | Exists) and isinstance(expression.guard, Window) else None


def walk(expression: Expression) -> Iterator[Expression]:
    """The expression and all its subexpressions, outermost first."""
    stack = [expression]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(children(node)))


def total(terms: list[tuple[Literal[1, -1], Expression]], span: Span | None = None) -> Expression:
    """The sum of signed terms, in the one form it has: a lone positive term or number is not a `Sum`."""
    if len(terms) == 1:
        sign, term = terms[0]
        if sign == 1:
            return term
        if isinstance(term, Number):
            return Number(-term.value, span=span)
        if isinstance(term, Sum) and len(term.terms) == 1:
            return term.terms[0][1]
    return Sum(tuple(terms), span=span)
