"""A smaller program with the same values: the verdict, every prediction, and every name that is left.

The statements become a graph of operations (`graph`), in which operations are replaced by cheaper ones of the
same value at every position of every word, the empty word included (`booleans`, `counts`); what is
left is written down again (`text`). This is repeated until nothing changes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from lengthwise.crasp.running.operations import Lowering, Operation
from lengthwise.crasp.simplify.booleans import flat_junction, joining, negating, repeating
from lengthwise.crasp.simplify.counts import comparing, counting, extremal, flat_sum, selecting, summing
from lengthwise.crasp.simplify.graph import Graph, Node
from lengthwise.crasp.simplify.text import fits, written
from lengthwise.crasp.syntax import Definition, Expression, Guard, Next, Statement


def simplify(statements: tuple[Statement, ...], keep: Collection[str] = ()) -> tuple[Statement, ...]:
    """Statements with the values of checked ones, and never more operations, depth, window, period or relations.

    What remains is what decides acceptance, every prediction, the names in `keep` and what these need; of a program
    without any of them, its last statement. A name that remains has the value it had at the end of the program.
    """
    budget = len(_Reader(statements).graph.operations)
    while True:
        simpler = _once(statements, keep, budget, bold=True) or _once(statements, keep, budget, bold=False)
        if simpler is None or simpler == statements:
            return statements
        statements = simpler


def _once(
    statements: tuple[Statement, ...], keep: Collection[str], budget: int, bold: bool
) -> tuple[Statement, ...] | None:
    """Every operation rewritten once; None if that did not pay, which only happens to the bold.

    A bold rewriting takes steps that cost at first and pay if others follow, and it may let expressions nest deeper.
    """
    reader = _Reader(statements)
    graph, outputs = reader.graph, reader.outputs(keep)
    for place in outputs:
        graph.retain(reader.nodes[place])
    graph.settle(budget, bold)
    before = graph.measure()
    for node in range(len(graph.operations)):
        if graph.uses[node]:
            _rewrite(graph, node)
    nodes = [graph.find(node) for node in reader.nodes]
    simpler = written(graph, statements, nodes, outputs, reader.symbols)
    pays = graph.measure() < before if graph.improved else graph.measure() <= before
    return simpler if pays and all(fits(statement.expression) for statement in simpler) else None


def _rewrite(graph: Graph, node: Node) -> None:
    """Replace a node, whose operands are done, by ever cheaper ones."""
    node = graph.refreshed(node)
    changed = True
    while changed:
        graph.statement = graph.since[node]
        flat = _flat(graph, node)
        graph.replace(node, flat, whatever=True)
        node = graph.find(flat)
        changed = any(graph.replace(node, proposal) for proposal in _proposals(graph, node))
        node = graph.find(node)


def _flat(graph: Graph, node: Node) -> Node:
    """A node as it is read back from text, where sums in sums and conjunctions in conjunctions dissolve."""
    match graph.kind(node):
        case "and" | "or":
            return flat_junction(graph, node)
        case "sum":
            return flat_sum(graph, node)
        case _:
            return node


def _proposals(graph: Graph, node: Node) -> Iterator[Node]:
    match graph.kind(node):
        case "not":
            yield from negating(graph, node)
        case "and" | "or":
            yield from joining(graph, node)
        case "periodic":
            yield from repeating(graph, node)
        case "==" | "!=" | "<" | "<=":
            yield from comparing(graph, node)
        case "count" | "before" | "window":
            yield from counting(graph, node)
        case "sum":
            yield from summing(graph, node)
        case "min" | "max":
            yield from extremal(graph, node)
        case "select":
            yield from selecting(graph, node)


class _Reader(Lowering):
    """Statements as a graph: names resolved, equal operations shared."""

    def __init__(self, statements: tuple[Statement, ...]) -> None:
        super().__init__()
        self.graph = Graph()
        self.nodes: list[Node] = []
        self.symbols: list[str] = []
        self.statements = statements
        self._ids: dict[str, int] = {}
        for place, statement in enumerate(statements):
            self.graph.statement = place
            node = self.lower(statement.expression)
            self.nodes.append(node)
            if isinstance(statement, Definition):
                self.names[statement.name] = node
                self.graph.named[node] = min(self.graph.named[node], place)

    def outputs(self, keep: Collection[str]) -> list[int]:
        """The places of the statements that must remain."""
        found = {place for place, statement in enumerate(self.statements) if isinstance(statement, Next)}
        last = {s.name: place for place, s in enumerate(self.statements) if isinstance(s, Definition)}
        found.update(last[name] for name in keep if name in last)
        deciding = [
            place
            for place, statement in enumerate(self.statements)
            if isinstance(statement, Definition) and not self.graph.operation(self.nodes[place]).is_count
        ]
        found.update(deciding[-1:])
        return sorted(found or range(len(self.statements))[-1:])

    def add(self, operation: Operation, shown: tuple[Node, ...] | None = None) -> Node:
        return self.graph.add(operation.kind, operation.operands, operation.value, operation.numbers, shown)

    def symbol_id(self, symbol: str) -> int:
        if symbol not in self._ids:
            self._ids[symbol] = len(self.symbols)
            self.symbols.append(symbol)
        return self._ids[symbol]

    def exists(self, guard: Guard, operand: Expression) -> Node:
        count, one = self.counted(guard, operand), self.graph.number(1)
        return self.graph.add("<=", (one, count), shown=(count, one))

    def total(self, terms: Iterable[tuple[Node, int]], constant: int) -> Node:
        return self.graph.total(terms, constant)
