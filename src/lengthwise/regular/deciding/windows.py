"""What a program with a period and contexts sees: the graph of states, residues and last letters.

A node is (q, i mod s, context) for the position i that is read next. Its edges are labelled with what the program reads
at i: residue, context and letter. With all words of c letters as contexts, a language is definable with (s, c) iff no
strongly connected component keeps two nodes of equal residue and context (refinement with these as initial classes).
Here each component of the machine gets a small view that separates its states: contexts are lengthened where states are
still confused, and plain windows are tried beside them, always the smallest graph first.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from lengthwise.regular.deciding.budget import Budget, BudgetError
from lengthwise.regular.deciding.machine import Machine
from lengthwise.regular.deciding.refine import Edge, Refinement, fold, refine
from lengthwise.regular.languages.automaton import components
from lengthwise.regular.synthesis.contexts import Contexts, Letters
from lengthwise.resources import within_time

Node: TypeAlias = tuple[int, int, Letters]
"""State, residue of the position read next, the letters before it (the nearest last)."""


@dataclass(frozen=True)
class View:
    """A period and contexts."""

    period: int
    contexts: Contexts

    def joined(self, other: View, period: int) -> View:
        """A view that determines both, with a common multiple of their periods."""
        return View(period, self.contexts.joined(other.contexts))


@dataclass(frozen=True)
class Stage:
    """Nodes that a program handles together, in one view, and the refinement that separates them."""

    view: View
    nodes: tuple[Node, ...]
    refinement: Refinement


def projected(node: Node, view: View) -> Node:
    """The same moment seen with a smaller period and shorter contexts."""
    state, residue, letters = node
    return state, residue % view.period, view.contexts.of(letters)


def successor(wanted: Machine, node: Node, symbol: int, view: View) -> Node:
    """The node after reading a symbol. Behind states with constant output nothing needs to be told apart."""
    state, residue, letters = node
    target = wanted.table[state][symbol]
    if target in wanted.constant:
        return target, 0, ()
    return target, (residue + 1) % view.period, view.contexts.of((*letters, symbol))


def reachable(wanted: Machine, view: View, budget: Budget) -> list[Node]:
    """All nodes that words lead to, in breadth-first order."""
    start: Node = (0, 1 % view.period, ()) if 0 not in wanted.constant else (0, 0, ())
    nodes = [start]
    seen = {start}
    for number, node in enumerate(nodes):  # grows while it is read
        for symbol in range(len(wanted.symbols)):
            target = successor(wanted, node, symbol, view)
            if target not in seen:
                seen.add(target)
                nodes.append(target)
        if len(nodes) > budget.nodes:
            raise budget.exceeded("nodes")
        if number % 256 == 0:
            budget.check()
    return nodes


def stages(wanted: Machine, periods: Sequence[int], budget: Budget, local: bool = True) -> list[Stage] | None:
    """Stages for all components of the machine, in the order in which words pass them; None if no view will do."""
    found: list[Stage] = []
    for component in wanted.components:
        if component[0] in wanted.constant:
            found.append(Stage(View(1, Contexts()), tuple((state, 0, ()) for state in component), Refinement((), (0,))))
            continue
        separated = _search(wanted, component, periods, budget, local)
        if separated is None:
            return None
        found.extend(separated)
    return found


def _search(
    wanted: Machine, component: list[int], periods: Sequence[int], budget: Budget, local: bool
) -> list[Stage] | None:
    """Stages for one component in the smallest view that separates its states."""
    states = set(component)
    queue = [(period, number, adaptive, View(period, Contexts()))
             for number, period in enumerate(sorted(set(periods))) for adaptive in (True, False)]  # fmt: skip
    heapq.heapify(queue)
    too_large = False
    confused: dict[View, list[int]] = {}
    while queue:
        _, number, adaptive, view = heapq.heappop(queue)
        budget.check()
        try:
            nodes = reachable(wanted, view, budget)
        except BudgetError:  # of nodes
            too_large = True
            continue
        members = [node for node in nodes if node[0] in states]
        if view not in confused:
            confused[view] = []
            separated = _separated(wanted, view, members, confused[view])
            if separated is not None:
                return separated
        if not local:
            continue
        if adaptive:
            longer = view.contexts.extended({members[place][2] for place in confused[view]} - view.contexts.inner)
        else:
            longer = view.contexts.extended(node[2] for node in nodes)
        if longer != view.contexts:
            size = len(nodes) if adaptive else len(nodes) * len(wanted.symbols)
            heapq.heappush(queue, (size, number, adaptive, View(view.period, longer)))
    if too_large:
        raise budget.exceeded("nodes")
    return None


def _separated(wanted: Machine, view: View, nodes: list[Node], confused: list[int]) -> list[Stage] | None:
    """One stage for all these nodes if refinement separates them together, else one for each component of theirs.

    Nodes that are not separated from all others are added to `confused`.
    """
    place = {node: number for number, node in enumerate(nodes)}
    letters: dict[tuple[int, Letters, int], int] = {}
    edges: list[Edge] = []
    successors: list[list[int]] = []
    for number, node in enumerate(within_time(nodes)):
        row = []
        for symbol in range(len(wanted.symbols)):
            target = place.get(successor(wanted, node, symbol, view))
            if target is not None:
                edges.append((number, letters.setdefault((node[1], node[2], symbol), len(letters)), target))
                row.append(target)
        successors.append(row)
    together = _refined(nodes, edges)
    if together.separates_all:
        return [Stage(view, tuple(nodes), together)]
    found: list[Stage] = []
    for component in within_time(reversed(components(successors))):
        own = {node: number for number, node in enumerate(component)}
        inside = [(own[u], letter, own[v]) for u, letter, v in edges if u in own and v in own]
        members = [nodes[number] for number in component]
        refinement = _refined(members, inside)
        found.append(Stage(view, tuple(members), refinement))
        confused.extend(component[number] for number in _shared(refinement.classes))
    return found if not confused else None


def _shared(classes: Sequence[int]) -> Iterator[int]:
    """The places of nodes that share their class."""
    sizes: dict[int, int] = {}
    for name in classes:
        sizes[name] = sizes.get(name, 0) + 1
    return (place for place, name in enumerate(classes) if sizes[name] > 1)


def _refined(nodes: Sequence[Node], edges: Sequence[Edge]) -> Refinement:
    """The refinement; if folding alone keeps nodes together, only that (no level separates them)."""
    names: dict[tuple[int, Letters], int] = {}
    classes = [names.setdefault((residue, letters), len(names)) for _, residue, letters in nodes]
    folded = fold(len(nodes), edges, classes)
    if len(set(folded)) < len(nodes):
        return Refinement((), tuple(folded))
    return refine(len(nodes), edges, classes)
