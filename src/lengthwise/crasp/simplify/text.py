"""From a graph of operations back to statements: which definitions survive, their names, and how they are written."""

from __future__ import annotations

from collections.abc import Collection
from math import inf
from typing import Literal

from lengthwise.crasp.reading.lexer import RESERVED
from lengthwise.crasp.simplify.graph import ATOMIC, COUNTING, Graph, Node
from lengthwise.crasp.syntax import (
    MAX_INTEGER,
    MAX_NESTING,
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
    Next,
    Not,
    Number,
    Or,
    Periodic,
    Relation,
    Scale,
    Statement,
    Symbol,
    Truth,
    Window,
    children,
    total,
)

_TURNED: dict[str, Relation] = {"<": ">", "<=": ">=", "==": "==", "!=": "!="}


def written(
    graph: Graph, statements: tuple[Statement, ...], nodes: list[Node], outputs: Collection[int], symbols: list[str]
) -> tuple[Statement, ...]:
    """The statements that compute the outputs (given by their places), each from the node it has now."""
    fresh = _Fresh({statement.name for statement in statements if isinstance(statement, Definition)})
    writer = _Writer(graph, nodes, symbols, fresh)
    uses = writer.survivors(outputs)
    # A definition that is used only as another name for an output becomes that output.
    for output in outputs:
        first = writer.first.get(nodes[output], output)
        if first < output and first not in outputs and uses[first] == [output]:
            del uses[first]
            writer.moved[output] = first
    if writer.moved:
        places = {first: output for output, first in writer.moved.items()}
        uses = {place: [places.get(user, user) for user in users] for place, users in uses.items()}
    writer.names = _names(statements, nodes, uses, writer.fresh)
    result: list[Statement] = []
    for place in sorted(uses):
        statement = statements[place]
        extracted, expression = writer.fitted(place)
        result.extend(extracted)
        if isinstance(statement, Definition):
            result.append(Definition(writer.names[place], expression, statement.comment, span=statement.span))
        else:
            result.append(Next(statement.symbol, expression, statement.comment, span=statement.span))
    return tuple(result)


class _Fresh:
    """Names that nothing has yet."""

    def __init__(self, taken: set[str]) -> None:
        self.taken = taken | RESERVED
        self._last: dict[str, int] = {}

    def name(self, base: str) -> str:
        number = self._last.get(base, 1)
        while True:
            number += 1
            found = f"{base}_{number}"
            if found not in self.taken:
                self.taken.add(found)
                self._last[base] = number
                return found


def _names(
    statements: tuple[Statement, ...], nodes: list[Node], uses: dict[int, list[int]], fresh: _Fresh
) -> dict[int, str]:
    """Names for the surviving definitions: their own, unless that would mean something else where it is read.

    A name that was defined several times keeps the value of its last definition, or disappears.
    """
    last: dict[str, int] = {}
    survivors: dict[str, list[int]] = {}
    for place, statement in enumerate(statements):
        if isinstance(statement, Definition):
            last[statement.name] = place
            if place in uses:
                survivors.setdefault(statement.name, []).append(place)
    names: dict[int, str] = {}
    for name, places in survivors.items():
        hidden = inf
        visible = False
        for place in reversed(places):
            visible = visible or nodes[place] == nodes[last[name]]
            if visible and max(uses[place], default=place) <= hidden:
                names[place] = name
                hidden = place
            else:
                names[place] = fresh.name(name)
    return names


class _Writer:
    def __init__(self, graph: Graph, nodes: list[Node], symbols: list[str], fresh: _Fresh) -> None:
        self.graph, self.nodes, self.symbols, self.fresh = graph, nodes, symbols, fresh
        self.names: dict[int, str] = {}
        self.extracted: dict[Node, str] = {}
        self.origin: dict[int, Node] = {}
        self.first: dict[Node, int] = {}
        self.moved: dict[int, int] = {}
        for node in set(nodes):
            if graph.kind(node) not in ATOMIC and graph.named[node] < inf:
                self.first[node] = int(graph.named[node])

    def survivors(self, outputs: Collection[int]) -> dict[int, list[int]]:
        """The statements that outputs need, each with the statements that refer to it."""
        uses: dict[int, list[int]] = {place: [] for place in outputs}
        for place in range(len(self.nodes) - 1, -1, -1):
            if place not in uses:
                continue
            node = self.nodes[place]
            stack = [node] if self.first.get(node, place) < place else list(self.graph.operands(node))
            seen: set[Node] = set()
            while stack:
                part = stack.pop()
                if part in seen:
                    continue
                seen.add(part)
                first = self.first.get(part, place)
                if first < place:
                    uses.setdefault(first, []).append(place)
                else:
                    stack.extend(self.graph.operands(part))
        return uses

    def fitted(self, place: int) -> tuple[list[Definition], Expression]:
        """What a statement says, and the definitions that keep it from nesting deeper than an expression may.

        Collecting like terms can put a factor where there was none, which is one level more. What is taken out is a
        count, so that no new Boolean comes after the one that decides.
        """
        return self._fitted(self.nodes[place], place, whole=True)

    def _fitted(self, node: Node, place: int, whole: bool) -> tuple[list[Definition], Expression]:
        definitions: list[Definition] = []
        while True:
            self.origin = {}
            expression = self.statement(place) if whole else self.expression(node, place)
            way = _deepest(expression)
            nodes = {at: self.origin[id(part)] for at, part in enumerate(way) if id(part) in self.origin}
            counts = {at: part for at, part in nodes.items() if self.graph.operation(part).is_count}
            if len(way) <= MAX_NESTING or not counts:
                return definitions, expression
            at = min(counts, key=lambda at: max(at + 1, len(way) - at))
            inner, meaning = self._fitted(counts[at], place, whole=False)
            self.extracted[counts[at]] = self.fresh.name("part")
            definitions += [*inner, Definition(self.extracted[counts[at]], meaning)]

    def statement(self, place: int) -> Expression:
        """What a statement says, in one expression."""
        node = self.nodes[place]
        if place in self.moved:
            return self.expression(node, self.moved[place])
        return self.reference(node, place) if self.first.get(node, place) < place else self.expression(node, place)

    def reference(self, node: Node, place: int) -> Expression:
        """A node as an operand in the statement at some place: its name if it has one above."""
        first = self.first.get(node, place)
        if first < place:
            return Name(self.names[first])
        if node in self.extracted:
            return Name(self.extracted[node])
        expression = self.expression(node, place)
        self.origin[id(expression)] = node
        return expression

    def expression(self, node: Node, place: int) -> Expression:
        """A node written out."""
        operation = self.graph.operation(node)
        operands = self.graph.operands(node)
        match operation.kind:
            case "symbol":
                return Symbol(self.symbols[operation.value])
            case "truth":
                return Truth(bool(operation.value))
            case "number":
                return total(_multiple(operation.value, None))
            case "periodic":
                return Periodic(operation.value, operation.numbers)
            case "sum":
                return self.sum(node, place)
            case "==" | "!=" | "<" | "<=":
                return self.comparison(node, place)
        parts = [self.reference(operand, place) for operand in operands]
        match operation.kind:
            case "not":
                return Not(parts[0])
            case "and":
                return And(tuple(parts))
            case "or":
                return Or(tuple(parts))
            case "min" | "max":
                return Extremum("min" if operation.kind == "min" else "max", parts[0], parts[1])
            case "select":
                return Conditional(parts[1], parts[0], parts[2])
            case _:
                return Count(self.guard(node), parts[0])

    def guard(self, node: Node) -> Guard:
        operation = self.graph.operation(node)
        match operation.kind:
            case "count":
                return Everywhere()
            case "before":
                return Before()
            case _:
                return Window(operation.numbers)

    def sum(self, node: Node, place: int) -> Expression:
        operation = self.graph.operation(node)
        factors = dict(zip(operation.operands, operation.numbers, strict=True))
        terms: list[tuple[Literal[1, -1], Expression]] = []
        for part in self.graph.shown[self.graph.find(node)]:
            terms += _multiple(factors[part], self.reference(self.graph.find(part), place))
        constant = _multiple(operation.value, None) if operation.value else []
        return total(constant + terms if operation.value > 0 > terms[0][0] else terms + constant)

    def comparison(self, node: Node, place: int) -> Expression:
        operation = self.graph.operation(node)
        left, right = self.graph.operands(node)
        straight = operation.kind in ("==", "!=") or tuple(map(self.graph.find, operation.operands)) == (left, right)
        if self.graph.kind(left) == "number":
            left, right, straight = right, left, operation.kind in ("==", "!=") or not straight
        relation: Relation = _TURNED[operation.kind]
        if straight:
            relation = "<" if operation.kind == "<" else "<=" if operation.kind == "<=" else relation
        counted = relation == ">=" and self.graph.is_number(right, 1) and self.graph.kind(left) in COUNTING
        if counted and self.first.get(left, place) >= place and left not in self.extracted:
            return Exists(self.guard(left), self.reference(self.graph.operands(left)[0], place))
        return Compare(self.reference(left, place), relation, self.reference(right, place))


def _multiple(factor: int, part: Expression | None) -> list[tuple[Literal[1, -1], Expression]]:
    """A multiple of a part as terms of a sum (the factor itself without a part), with no integer beyond 64 bits."""
    sign: Literal[1, -1] = 1 if factor >= 0 else -1
    terms: list[tuple[Literal[1, -1], Expression]] = []
    rest, power = abs(factor), 0
    while rest or not terms:
        rest, digit = divmod(rest, MAX_INTEGER) if rest > MAX_INTEGER else (0, rest)
        if digit or not rest:
            term: Expression = Number(digit) if part is None else part if digit == 1 else Scale(digit, part)
            for _ in range(power):
                term = Scale(MAX_INTEGER, term)
            terms.append((sign, term))
        power += 1
    return terms


def fits(expression: Expression) -> bool:
    """Whether an expression nests no deeper than it may."""
    return len(_deepest(expression)) <= MAX_NESTING


def _deepest(expression: Expression) -> list[Expression]:
    """The subexpressions on a longest way from an expression to the end of a branch."""
    layers = [[(expression, 0)]]
    while below := [(child, at) for at, (node, _) in enumerate(layers[-1]) for child in children(node)]:
        layers.append(below)
    way: list[Expression] = []
    place = 0
    for layer in reversed(layers):
        node, place = layer[place]
        way.append(node)
    return way[::-1]
