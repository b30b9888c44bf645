"""Simplifications of Booleans: what a node could be replaced by, best first.

An operand of a conjunction matters only where all the others hold, one of a disjunction only where none of them does.
So each operand tells the others what they may assume, and both connectives are simplified alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lengthwise.crasp.running.operations import Kind
from lengthwise.crasp.simplify.counts import existence
from lengthwise.crasp.simplify.graph import COMPARING, Graph, Node
from lengthwise.crasp.simplify.linear import Condition, Interval, comparison

_DUAL: dict[Kind, Kind] = {"and": "or", "or": "and"}
_NEGATED: dict[Kind, Kind] = {"<": "<=", "<=": "<", "==": "!=", "!=": "=="}
_READABLE = 64
"""Residues are written out, so a set is not replaced by one that is both larger and longer than this."""
_SEARCHED = 64
"""Operands of operands, and comparisons of the same counts, are looked at up to this many."""


def negating(graph: Graph, node: Node) -> Iterator[Node]:
    """The negation of an operand written without `!`, or with the `!` further in where that is shorter."""
    operand = graph.operation(node).operands[0]
    found = _negation(graph, operand)
    if found != node:
        yield found
    operation = graph.operation(operand)
    if operation.kind in _NEGATED and graph.exists(operand) is None and graph.is_open(operand):
        yield _opposite(graph, operand)
    if operation.kind in _DUAL and graph.is_open(operand):
        parts = graph.operands(operand)
        yield graph.add(_DUAL[operation.kind], tuple(_negation(graph, part) for part in parts))


def _negation(graph: Graph, node: Node) -> Node:
    operation = graph.operation(node)
    if operation.kind == "truth":
        return graph.truth(not operation.value)
    if operation.kind == "not" and graph.is_open(node):
        return graph.find(operation.operands[0])
    if operation.kind == "periodic":
        missing = set(range(operation.value)) - set(operation.numbers)
        if len(missing) <= max(_READABLE, len(operation.numbers)):
            return residues(graph, operation.value, missing)
    if operation.kind in _NEGATED and graph.exists(node) is None and graph.is_open(node):
        left, right = operation.operands
        turned = (left, right) if operation.kind in ("==", "!=") else (right, left)
        if graph.uses[graph.find(node)] == 1 or graph.existing(_NEGATED[operation.kind], turned) is not None:
            return _opposite(graph, node)
    return graph.add("not", (node,))


def _opposite(graph: Graph, node: Node) -> Node:
    """The comparison that holds exactly where another does not."""
    operation = graph.operation(node)
    left, right = operation.operands
    return graph.add(_NEGATED[operation.kind], (right, left), shown=graph.operands(node))


def residues(graph: Graph, modulus: int, members: set[int]) -> Node:
    """`i % modulus` is one of some residues, with the smallest period that says so."""
    if not members or len(members) == modulus:
        return graph.truth(bool(members))
    for prime in _primes(modulus):
        while modulus % prime == 0 and all((member + modulus // prime) % modulus in members for member in members):
            modulus //= prime
            members = {member % modulus for member in members}
    return graph.add("periodic", value=modulus, numbers=tuple(sorted(members)))


def _primes(number: int) -> list[int]:
    found = []
    divisor = 2
    while divisor * divisor <= number:
        if number % divisor == 0:
            found.append(divisor)
            while number % divisor == 0:
                number //= divisor
        divisor += 1
    return [*found, number] if number > 1 else found


def repeating(graph: Graph, node: Node) -> Iterator[Node]:
    """A periodic predicate with its smallest period."""
    operation = graph.operation(node)
    yield residues(graph, operation.value, set(operation.numbers))


def flat_junction(graph: Graph, node: Node) -> Node:
    """A conjunction without conjunctions among its operands, unless they have names; disjunctions likewise."""
    kind = graph.kind(node)
    operands: list[Node] = []
    for operand in graph.operands(node):
        inner = graph.kind(operand) == kind and not graph.is_named(operand, node)
        operands.extend(graph.operands(operand) if inner else (operand,))
    return graph.add(kind, tuple(operands))


def joining(graph: Graph, node: Node) -> Iterator[Node]:
    """A conjunction or disjunction without the operands that the others make superfluous."""
    junction = _Junction(graph, node)
    for shortened in (True, False):
        yield junction.without_superfluous(shortened)
    operands = graph.operands(node)
    if all(graph.kind(operand) == "not" and graph.is_open(operand) for operand in operands):
        inner = graph.add(_DUAL[graph.kind(node)], tuple(graph.operands(operand)[0] for operand in operands))
        yield graph.add("not", (inner,))
    if graph.kind(node) == "or":
        yield from _exists_either(graph, operands)


def _exists_either(graph: Graph, operands: tuple[Node, ...]) -> Iterator[Node]:
    """`exists[g] a || exists[g] b` is `exists[g] (a || b)`."""
    counts = [graph.exists(operand) for operand in operands]
    found = [count for count in counts if count is not None]
    guards = {(graph.kind(count), graph.operation(count).numbers) for count in found}
    if len(found) < len(counts) or len(guards) != 1 or not all(map(graph.is_open, (*operands, *found))):
        return
    ((kind, offsets),) = guards
    either = graph.add("or", tuple(graph.operation(count).operands[0] for count in found))
    yield existence(graph, kind, either, offsets)


class _Junction:
    """The operands of one conjunction or disjunction, and what each may assume from the others."""

    def __init__(self, graph: Graph, node: Node) -> None:
        self.graph, self.node = graph, node
        self.conjunction = graph.kind(node) == "and"
        self.assumed: dict[Node, bool] = {}
        self.symbol: Node | None = None
        self.intervals: dict[tuple[tuple[Node, int], ...], Interval] = {}
        self.impossible = False
        """Whether no position satisfies all assumptions, so that the operands decide the value everywhere."""
        self.kept = self._first_look()
        if not self.impossible:
            self._symbols()
        if not self.impossible:
            self._conditions()
        if not self.impossible:
            self._residues()

    def without_superfluous(self, shortened: bool) -> Node:
        """The same value from fewer operands; with `shortened`, also from shorter ones."""
        if self.impossible:
            return self.graph.truth(not self.conjunction)
        operands: list[Node] = []
        for operand in self.kept.values():
            operands.extend(self._looked_into(operand, shortened))
            if self.impossible:
                return self.graph.truth(not self.conjunction)
        if not operands:
            return self.graph.truth(self.conjunction)
        return (
            operands[0] if len(operands) == 1 else self.graph.add("and" if self.conjunction else "or", tuple(operands))
        )

    def _literal(self, operand: Node) -> tuple[Node, bool]:
        operation = self.graph.operation(operand)
        if operation.kind == "not":
            return self.graph.find(operation.operands[0]), False
        return self.graph.find(operand), True

    def _first_look(self) -> dict[Node, Node]:
        kept = {}
        for operand in self.graph.operands(self.node):
            operation = self.graph.operation(operand)
            if operation.kind == "truth":
                self.impossible |= bool(operation.value) != self.conjunction
                continue
            base, positive = self._literal(operand)
            value = positive == self.conjunction
            if base not in self.assumed:
                kept[operand] = operand
            self.impossible |= self.assumed.setdefault(base, value) != value
        return kept

    def _bases(self, kinds: Iterable[Kind]) -> Iterator[tuple[Node, Node, bool]]:
        """The operands made of nodes of some kinds: operand, node, assumed value."""
        for operand in list(self.kept):
            base, positive = self._literal(operand)
            if self.graph.kind(base) in kinds:
                yield operand, base, positive == self.conjunction

    def _symbols(self) -> None:
        """A position holds at most one symbol."""
        present = [base for _, base, value in self._bases(("symbol",)) if value]
        self.impossible = len(present) > 1
        if len(present) == 1:
            self.symbol = present[0]
            for operand, _, value in self._bases(("symbol",)):
                if not value:
                    del self.kept[operand]

    def _conditions(self) -> None:
        """Comparisons of the same counts imply or exclude each other."""
        groups: dict[tuple[tuple[Node, int], ...], list[tuple[Node, Condition]]] = {}
        for operand, base, value in self._bases(COMPARING):
            found = comparison(self.graph, base)
            if isinstance(found, Condition):
                found = found if value else found.negated()
                groups.setdefault(found.terms, []).append((operand, found))
        for terms, group in groups.items():
            bounds = self.graph.bounds(terms)
            interval = Interval(bounds.least, bounds.most)
            for _, found in group:
                interval.narrow(found)
            self.intervals[terms] = interval
            self.impossible |= interval.is_empty
            needed = Interval(bounds.least, bounds.most)
            # The strongest conditions first: what they leave to the others is all that the others can add.
            for operand, found in sorted(group, key=lambda pair: interval.weakness(pair[1])):
                if needed.verdict(found):
                    del self.kept[operand]
                else:
                    needed.narrow(found)

    def _residues(self) -> None:
        """Periodic predicates, where one period divides the other, are one periodic predicate."""
        found = [(operand, self.graph.operation(base), value) for operand, base, value in self._bases(("periodic",))]
        for longest in sorted({operation.value for _, operation, _ in found}, reverse=True):
            group = [
                (operand, operation, value)
                for operand, operation, value in found
                if longest % operation.value == 0 and operand in self.kept
            ]
            if len(group) < 2 or max(operation.value for _, operation, _ in group) != longest:
                continue
            members = set(range(longest))
            for _, operation, value in group:
                listed = set(operation.numbers)
                members = {member for member in members if (member % operation.value in listed) == value}
            if not members:
                self.impossible = True
                return
            if not self.conjunction:
                members = set(range(longest)) - members
            if len(members) <= max(_READABLE, *(len(operation.numbers) for _, operation, _ in group)):
                self.kept[group[0][0]] = residues(self.graph, longest, members)
                for operand, _, _ in group[1:]:
                    del self.kept[operand]

    def _value(self, literal: Node) -> bool | None:
        """The value of an operand's operand under the assumptions."""
        base, positive = self._literal(literal)
        value = self.assumed.get(base)
        operation = self.graph.operation(base)
        if value is None and operation.kind == "symbol" and self.symbol is not None:
            value = False
        if value is None and operation.kind in COMPARING and self.intervals:
            found = comparison(self.graph, base)
            if isinstance(found, Condition) and found.terms in self.intervals:
                value = self.intervals[found.terms].verdict(found)
        return None if value is None else value == positive

    def _looked_into(self, operand: Node, shortened: bool) -> tuple[Node, ...]:
        """An operand, nothing if it is superfluous, or what the assumptions leave of it."""
        operation = self.graph.operation(operand)
        if operation.kind != ("or" if self.conjunction else "and") or len(operation.operands) > _SEARCHED:
            return (operand,)
        inner = self.graph.operands(operand)
        values = [self._value(literal) for literal in inner]
        if self.conjunction in values:
            return ()
        rest = tuple(literal for literal, value in zip(inner, values, strict=True) if value is None)
        if not rest:
            self.impossible = True
        if len(rest) in (0, len(inner)) or not shortened or not self.graph.is_open(operand):
            return (operand,)
        return rest if len(rest) == 1 else (self.graph.add(operation.kind, rest),)
