"""Comparisons as conditions on one integer combination of counts: which of them always hold, which follow from others.

`C1 ⋈ C2` is a condition on C1 - C2. Divided by the greatest common divisor of its factors and with the sign of its
first term made positive, comparisons that say the same about the same counts become equal.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import gcd
from typing import Literal, TypeAlias

from lengthwise.crasp.running.operations import Kind
from lengthwise.crasp.simplify.graph import Bounds, Graph, Node

Terms: TypeAlias = dict[Node, int]
Bound: TypeAlias = Literal["==", "!=", "<=", ">="]
Names: TypeAlias = Literal["closed", "open", "transparent"]
"""Which named sums are looked into: none, those whose terms can be written elsewhere (`Graph.is_open`), or all."""

_NEGATED: dict[Bound, Bound] = {"==": "!=", "!=": "==", "<=": ">=", ">=": "<="}
_LONGEST_SUM = 8
_MOST_SUMS = 8
"""How many named sums, of how many terms each, are looked into at most; bounds the time spent on one comparison."""


@dataclass(frozen=True, slots=True)
class Condition:
    """Σ factor · count ⋈ value, with factors that have no common divisor and the first of them positive."""

    terms: tuple[tuple[Node, int], ...]
    relation: Bound
    value: int

    def negated(self) -> Condition:
        """What holds exactly where this does not."""
        step = {"<=": 1, ">=": -1}.get(self.relation, 0)
        return Condition(self.terms, _NEGATED[self.relation], self.value + step)

    def holds(self, value: int) -> bool:
        """Whether a value of the sum satisfies it."""
        match self.relation:
            case "==":
                return value == self.value
            case "!=":
                return value != self.value
            case "<=":
                return value <= self.value
            case _:
                return value >= self.value


@dataclass(slots=True)
class Interval:
    """What is known about one integer: bounds, and values it does not have."""

    least: int | None = None
    most: int | None = None
    excluded: set[int] = field(default_factory=set)

    def narrow(self, condition: Condition) -> None:
        """Add a condition to what is known."""
        value = condition.value
        if condition.relation == "!=":
            self.excluded.add(value)
        if condition.relation in ("==", ">="):
            self.least = value if self.least is None else max(self.least, value)
        if condition.relation in ("==", "<="):
            self.most = value if self.most is None else min(self.most, value)

    @property
    def is_empty(self) -> bool:
        """Whether no integer is left."""
        if self.least is None or self.most is None:
            return False
        return self.least > self.most or (self.least == self.most and self.least in self.excluded)

    def weakness(self, condition: Condition) -> int:
        """0 for a condition that fixes the integer, 1 for one that gives a bound of this interval, 2 for others."""
        if condition.relation == "==":
            return 0
        bound = {">=": self.least, "<=": self.most}.get(condition.relation)
        return 1 if bound == condition.value else 2

    def verdict(self, condition: Condition) -> bool | None:
        """Whether a condition holds of every integer left, or of none."""
        if self._implies(condition):
            return True
        return False if self._implies(condition.negated()) else None

    def _implies(self, condition: Condition) -> bool:
        value = condition.value
        above = self.least is not None and self.least >= value
        below = self.most is not None and self.most <= value
        match condition.relation:
            case ">=":
                return above
            case "<=":
                return below
            case "==":
                return above and below
            case _:
                beyond = (self.least is not None and self.least > value) or (
                    self.most is not None and self.most < value
                )
                return beyond or value in self.excluded


def linear(graph: Graph, parts: list[tuple[Node, int]], user: Node, names: Names) -> tuple[Terms, int]:
    """Σ factor · node as a sum of counts that are not sums, looking into named sums if asked to."""
    terms: Terms = {}
    constant = looks = 0
    stack = parts[::-1]
    while stack:
        node, factor = stack.pop()
        node = graph.find(node)
        operation = graph.operations[node]
        into = operation.kind == "sum"
        if into and graph.is_named(node, user):
            into = names == "transparent" or (names == "open" and graph.is_open(node))
            into = into and looks < _MOST_SUMS and len(operation.operands) <= _LONGEST_SUM
            looks += into
        if operation.kind == "number":
            constant += factor * operation.value
        elif into:
            factors = dict(zip(operation.operands, operation.numbers, strict=True))
            constant += factor * operation.value
            stack.extend((part, factor * factors[part]) for part in reversed(graph.shown[node]))
        else:
            terms[node] = terms.get(node, 0) + factor
    return {node: factor for node, factor in terms.items() if factor}, constant


def condition(graph: Graph, relation: Kind, terms: Terms, constant: int) -> Condition | bool:
    """What `Σ factor · node + constant ⋈ 0` says, or the truth value it always has."""
    if relation == "<":
        relation, constant = "<=", constant + 1
    if not terms:
        return {"==": constant == 0, "!=": constant != 0}.get(relation, constant <= 0)
    divisor = gcd(*terms.values())
    ordered = sorted(terms.items())
    if relation in ("==", "!="):
        if constant % divisor:
            return relation == "!="
        divisor = divisor if ordered[0][1] > 0 else -divisor
        bound: Bound = "==" if relation == "==" else "!="
        value = -constant // divisor
    elif ordered[0][1] > 0:
        bound, value = "<=", -constant // divisor
    else:
        bound, value, divisor = ">=", -(-constant // divisor), -divisor
    found = Condition(tuple((node, factor // divisor) for node, factor in ordered), bound, value)
    return _decided(found, graph.bounds(found.terms))


def _decided(found: Condition, bounds: Bounds) -> Condition | bool:
    """A condition given what its sum can be at all: decided, or in the one form it has."""
    verdict = Interval(bounds.least, bounds.most).verdict(found)
    if verdict is not None:
        return verdict
    terms, relation, value = found.terms, found.relation, found.value
    if relation in ("==", "!=") and value == bounds.least:
        return Condition(terms, "<=", value) if relation == "==" else Condition(terms, ">=", value + 1)
    if relation in ("==", "!=") and value == bounds.most:
        return Condition(terms, ">=", value) if relation == "==" else Condition(terms, "<=", value - 1)
    return found


def comparison(graph: Graph, node: Node) -> Condition | bool:
    """What a comparison says, looking through names."""
    operation = graph.operation(node)
    left, right = operation.operands
    terms, constant = linear(graph, [(left, 1), (right, -1)], node, "transparent")
    return condition(graph, operation.kind, terms, constant)
