"""What a program with a period s and a window c sees: the graph of states, residues and last letters.

A node is (q, i mod s, the last c letters) for the position i that is read next; positions before the first are blank.
Its edges are labelled with what the program reads at i: residue, window and letter. A language is definable with (s, c)
iff no strongly connected component keeps two nodes of equal residue and window (refinement with these as initial
classes). Here each component of the machine gets the least (s, c) that separates its states.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from lengthwise.regular.automaton import components
from lengthwise.regular.budget import Budget
from lengthwise.regular.machine import Machine
from lengthwise.regular.refine import Edge, Refinement, fold, refine

Node: TypeAlias = tuple[int, int, tuple[int, ...]]
"""State, residue of the position read next, the letters before it (the nearest last)."""
View: TypeAlias = tuple[int, int]
"""(period, window)."""


@dataclass(frozen=True)
class Stage:
    """Nodes that a program handles together, in one view, and the refinement that separates them."""

    view: View
    nodes: tuple[Node, ...]
    refinement: Refinement


def projected(node: Node, view: View) -> Node:
    """The same moment seen with a smaller period and window."""
    state, residue, letters = node
    period, window = view
    return state, residue % period, letters[len(letters) - window :] if len(letters) > window else letters


def successor(wanted: Machine, node: Node, symbol: int, view: View) -> Node:
    """The node after reading a symbol. Behind states with constant output nothing needs to be told apart."""
    state, residue, letters = node
    period, window = view
    longer = (*letters, symbol)
    target = wanted.table[state][symbol]
    if target in wanted.constant:
        return target, 0, ()
    return (
        target,
        (residue + 1) % period,
        longer[len(longer) - window :] if len(longer) > window else longer,
    )


def reachable(wanted: Machine, view: View, budget: Budget) -> list[Node]:
    """All nodes that words lead to, in breadth-first order."""
    start: Node = (0, 1 % view[0], ())
    nodes = [start]
    seen = {start}
    for node in nodes:  # grows while it is read
        for symbol in range(len(wanted.symbols)):
            target = successor(wanted, node, symbol, view)
            if target not in seen:
                seen.add(target)
                nodes.append(target)
        if len(nodes) > budget.nodes:
            raise budget.exceeded("nodes")
    return nodes


def stages(wanted: Machine, periods: Sequence[int], budget: Budget, local: bool = True) -> list[Stage] | None:
    """Stages for all components of the machine, in the order in which words pass them; None if no view will do."""
    chosen: dict[int, list[Stage]] = {}
    open_components = dict(enumerate(wanted.components))
    for view in _views(wanted, periods, local):
        budget.check()
        nodes = reachable(wanted, view, budget)
        for number, component in list(open_components.items()):
            states = set(component)
            found = _separated(wanted, view, [node for node in nodes if node[0] in states])
            if found is not None:
                chosen[number] = found
                del open_components[number]
        if not open_components:
            return [stage for number in sorted(chosen) for stage in chosen[number]]
    return None


def _views(wanted: Machine, periods: Sequence[int], local: bool) -> Iterator[View]:
    """Periods and windows by the number of things they tell apart."""
    letters = max(2, len(wanted.symbols))
    queue = [(period, 0, period) for period in sorted(set(periods))]
    heapq.heapify(queue)
    while queue:
        size, window, period = heapq.heappop(queue)
        yield period, window
        if local:
            heapq.heappush(queue, (size * letters, window + 1, period))


def _separated(wanted: Machine, view: View, nodes: list[Node]) -> list[Stage] | None:
    """One stage for all these nodes if refinement separates them together, else one for each component of theirs."""
    place = {node: number for number, node in enumerate(nodes)}
    letters: dict[tuple[int, tuple[int, ...], int], int] = {}
    edges: list[Edge] = []
    successors: list[list[int]] = []
    for number, node in enumerate(nodes):
        row = []
        for symbol in range(len(wanted.symbols)):
            target = place.get(successor(wanted, node, symbol, view))
            if target is not None:
                edges.append((number, letters.setdefault((node[1], node[2], symbol), len(letters)), target))
                row.append(target)
        successors.append(row)
    together = _refined(nodes, edges)
    if together is not None:
        return [Stage(view, tuple(nodes), together)]
    found: list[Stage] = []
    for component in reversed(components(successors)):
        own = {node: number for number, node in enumerate(component)}
        inside = [(own[u], letter, own[v]) for u, letter, v in edges if u in own and v in own]
        members = [nodes[number] for number in component]
        refinement = _refined(members, inside)
        if refinement is None:
            return None
        found.append(Stage(view, tuple(members), refinement))
    return found


def _refined(nodes: Sequence[Node], edges: Sequence[Edge]) -> Refinement | None:
    names: dict[tuple[int, tuple[int, ...]], int] = {}
    classes = [names.setdefault((residue, letters), len(names)) for _, residue, letters in nodes]
    if len(names) < len(nodes) and len(set(fold(len(nodes), edges, classes))) < len(nodes):
        return None
    refinement = refine(len(nodes), edges, classes)
    return refinement if refinement.separates_all else None
