"""Simplifications of counts and of comparisons between them: what a node could be replaced by, best first.

Every proposal has the value of the node at every position, the virtual position 0 of the empty word included. Whether
it is worth its cost is decided by `Graph.replace`.
"""

from __future__ import annotations

from collections.abc import Iterator

from lengthwise.crasp.running.operations import Kind
from lengthwise.crasp.simplify.graph import COUNTING, Graph, Node
from lengthwise.crasp.simplify.linear import Condition, Names, comparison, condition, linear


def counting(graph: Graph, node: Node) -> Iterator[Node]:
    """`#` of what never holds is 0; `#[j == i] b` is `1 if b else 0` for a b that does not hold on the empty word."""
    operation = graph.operation(node)
    operand = graph.operation(operation.operands[0])
    if operand.kind == "truth" and not operand.value:
        yield graph.number(0)
    elif graph.is_here(node):
        yield graph.add("select", (operation.operands[0], graph.number(1), graph.number(0)))


def flat_sum(graph: Graph, node: Node) -> Node:
    """A sum without sums and numbers among its terms, unless they have names."""
    operation = graph.operation(node)
    terms, constant = linear(graph, _terms(graph, node), node, "closed")
    return graph.total(terms.items(), operation.value + constant)


def summing(graph: Graph, node: Node) -> Iterator[Node]:
    """A sum with like terms collected, also those hidden behind names."""
    terms, constant = linear(graph, _terms(graph, node), node, "open")
    yield graph.total(terms.items(), graph.operation(node).value + constant)


def _terms(graph: Graph, node: Node) -> list[tuple[Node, int]]:
    operation = graph.operation(node)
    factors = dict(zip(operation.operands, operation.numbers, strict=True))
    return [(part, factors[part]) for part in graph.shown[graph.find(node)]]


def extremal(graph: Graph, node: Node) -> Iterator[Node]:
    """The smaller or larger of two counts, if it is always the same one."""
    kind = graph.kind(node)
    left, right = graph.operands(node)
    terms, constant = linear(graph, [(left, 1), (right, -1)], node, "transparent")
    smaller = condition(graph, "<=", terms, constant)
    larger = condition(graph, "<=", {part: -factor for part, factor in terms.items()}, -constant)
    if smaller is True:
        yield left if kind == "min" else right
    elif larger is True:
        yield right if kind == "min" else left


def selecting(graph: Graph, node: Node) -> Iterator[Node]:
    """A conditional whose condition is known or does not matter."""
    test, then, otherwise = graph.operands(node)
    operation = graph.operation(test)
    if operation.kind == "truth":
        yield then if operation.value else otherwise
    if then == otherwise:
        yield then
    if operation.kind == "not" and graph.is_open(test):
        yield graph.add("select", (operation.operands[0], otherwise, then))
    for branch, place in ((then, 0), (otherwise, 1)):
        if graph.kind(branch) == "select" and graph.operands(branch)[0] == test and graph.is_open(branch):
            inner = graph.operands(branch)[1 + place]
            yield graph.add("select", (test, inner, otherwise) if place == 0 else (test, then, inner))


def comparing(graph: Graph, node: Node) -> Iterator[Node]:
    """A comparison that is decided, or the ways to write it with what cancels left out."""
    found = comparison(graph, node)
    if isinstance(found, bool):
        yield graph.truth(found)
        return
    if graph.exists(node) is not None:
        yield from _exists_of_exists(graph, node)
        yield from _of_two_values(graph, found)
        return
    left, right = graph.operands(node)
    parts = [(left, 1), (right, -1)] if graph.operation(node).operands == (left, right) else [(right, 1), (left, -1)]
    looks: tuple[Names, ...] = ("open", "closed")
    for names in looks:
        terms, constant = linear(graph, parts, node, names)
        found = condition(graph, graph.kind(node), terms, constant)
        if isinstance(found, bool):
            continue
        if len(found.terms) == 1:
            yield from _of_one_count(graph, found)
        else:
            signs = dict(found.terms)
            sign = 1 if parts[0] == (left, 1) else -1
            ahead = linear(graph, [(left, sign)], node, names)[0]
            staying = [signs[part] for part, factor in ahead.items() if factor * terms.get(part, 0) > 0]
            yield from _of_several_counts(graph, found, list(terms), positive_first=not staying or staying[0] > 0)


def _exists_of_exists(graph: Graph, node: Node) -> Iterator[Node]:
    """∃j ∃k P(k): with one of the two guards unbounded, only the shortest distance i - k matters."""
    outer = graph.exists(node)
    if outer is None:
        return
    middle = graph.operation(outer).operands[0]
    inner = graph.exists(middle)
    if inner is None:
        return
    guards = graph.operation(outer), graph.operation(inner)
    nearest = sum({"count": 0, "before": 1}.get(guard.kind, (*guard.numbers, 0)[0]) for guard in guards)
    if nearest > 1 or all(guard.kind == "window" for guard in guards):
        return
    kind: Kind = "before" if nearest else "count"
    if guards[1].kind == kind:
        yield middle
    elif graph.is_open(middle) and graph.is_open(inner):
        yield existence(graph, kind, guards[1].operands[0])


def existence(graph: Graph, kind: Kind, operand: Node, offsets: tuple[int, ...] = ()) -> Node:
    """`exists` with a guard."""
    one, count = graph.number(1), graph.add(kind, (operand,), 0, offsets)
    return graph.add("<=", (one, count), shown=(count, one))


def _of_one_count(graph: Graph, found: Condition) -> Iterator[Node]:
    """Ways to write a condition on a single count."""
    (count, _), relation, value = found.terms[0], found.relation, found.value
    operation = graph.operation(count)
    yield from _of_two_values(graph, found)
    if operation.kind in COUNTING and (relation, value) == (">=", 1):
        yield existence(graph, operation.kind, operation.operands[0], operation.numbers)
    if operation.kind in COUNTING and (relation, value) == ("<=", 0):
        one = graph.existing("number", (), 1)
        exists = None if one is None else graph.existing("<=", (one, count))
        if exists is not None:
            yield graph.add("not", (exists,))
    bounds = graph.bounds(found.terms)
    if relation in ("==", "!="):
        yield _compared(graph, relation, count, value)
    elif relation == ">=":
        yield _compared(graph, "<=", count, value, turned=True)
        yield _compared(graph, "<", count, value - 1, turned=True)
        if value == bounds.most:
            yield _compared(graph, "==", count, value)
        if value - 1 == bounds.least:
            yield _compared(graph, "!=", count, value - 1)
    else:
        yield _compared(graph, "<=", count, value)
        yield _compared(graph, "<", count, value + 1)
        if value == bounds.least:
            yield _compared(graph, "==", count, value)
        if value + 1 == bounds.most:
            yield _compared(graph, "!=", count, value + 1)


def _compared(graph: Graph, kind: Kind, count: Node, value: int, turned: bool = False) -> Node:
    number = graph.number(value)
    return graph.add(kind, (number, count) if turned else (count, number), shown=(count, number))


def _of_two_values(graph: Graph, found: Condition) -> Iterator[Node]:
    """A condition on `k if b else l` or on `#[j == i] b` is b, !b or constant."""
    count = found.terms[0][0]
    operation = graph.operation(count)
    if len(found.terms) > 1 or not (operation.kind == "select" or graph.is_here(count)) or not graph.is_open(count):
        return
    branches = [graph.operation(branch) for branch in operation.operands[1:]]
    if any(branch.kind != "number" for branch in branches):
        return
    holds = [found.holds(value) for value in ([branch.value for branch in branches] or [1, 0])]
    if holds[0] == holds[1]:
        yield graph.truth(holds[0])
    else:
        yield operation.operands[0] if holds[0] else graph.add("not", (operation.operands[0],))


def _of_several_counts(graph: Graph, found: Condition, order: list[Node], positive_first: bool) -> Iterator[Node]:
    """Ways to write P ⋈ N + value, with positive factors only on both sides."""
    place = {node: place for place, node in enumerate(order)}
    ordered = sorted(found.terms, key=lambda term: place[term[0]])
    positive = [(node, factor) for node, factor in ordered if factor > 0]
    negative = [(node, -factor) for node, factor in ordered if factor < 0]

    def written(kind: Kind, value: int, turned: bool) -> Node:
        # kind applies to (P, N + value), or to (N + value, P) if turned
        left = graph.total(positive, max(0, -value) if negative else 0)
        right = graph.total(negative, max(0, value) if negative else value)
        return graph.add(
            kind, (right, left) if turned else (left, right), shown=(left, right) if positive_first else (right, left)
        )

    if found.relation in ("==", "!="):
        yield written(found.relation, found.value, False)
    elif found.relation == ">=":
        yield written("<=", found.value, True)
        yield written("<", found.value - 1, True)
    else:
        yield written("<=", found.value, False)
        yield written("<", found.value + 1, False)
