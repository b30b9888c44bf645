"""Membership in C-RASP[∅] read off its definition, by listing every simple cycle: the rival of the fast decision.

On each strongly connected component the labels of the edges are (class of the source, letter). A weighting of the
labels is balanced if it sums to zero on every simple cycle, hence on every closed walk; the potentials of all balanced
weightings split the classes, and so on until nothing splits. The language is in C-RASP[∅] iff all classes are single
states. Exact rationals throughout; exponential in the worst case, since a component may have exponentially many cycles.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

from lengthwise.regular.languages.automaton import Automaton

Node: TypeAlias = Hashable
Edge: TypeAlias = tuple[Node, Hashable, Node]
"""Source, letter, target; two edges with the same source and letter are the same edge."""
Classes: TypeAlias = dict[Node, Hashable]
Acceptance = Literal["last", "eos"]

MOST_CYCLES = 200_000


class TooManyCyclesError(RuntimeError):
    """A component has more simple cycles than allowed."""


def decide_by_cycles(automaton: Automaton, acceptance: Acceptance = "last", most_cycles: int = MOST_CYCLES) -> bool:
    """Whether the language of an automaton is in C-RASP[∅], read at the last symbol or at an end marker."""
    for nodes, edges in strong_components(machine(automaton, acceptance)):
        final = refine_by_cycles(nodes, edges, dict.fromkeys(nodes, 0), most_cycles)
        if len(set(final.values())) < len(nodes):
            return False
    return True


# ------------------------------------------------------------------------------------------------ machines


def machine(automaton: Automaton, acceptance: Acceptance) -> list[Edge]:
    """The edges of the smallest machine: states are merged if every word (`last`: non-empty) treats them alike."""
    reached = [automaton.start]
    for state in reached:  # grows while it is read
        reached.extend(target for target in dict.fromkeys(automaton.table[state]) if target not in reached)
    rows = {state: automaton.table[state] for state in reached}
    colour = {state: int(state in automaton.accepting) for state in reached}
    if acceptance == "last":  # not whether the state accepts, only which of its successors do
        outputs = {state: tuple(colour[target] for target in row) for state, row in rows.items()}
        kinds = sorted(set(outputs.values()))
        colour = {state: kinds.index(output) for state, output in outputs.items()}
    while True:
        views = {state: (colour[state], tuple(colour[target] for target in row)) for state, row in rows.items()}
        order = {view: number for number, view in enumerate(sorted(set(views.values())))}
        if len(order) == len(set(colour.values())):
            break
        colour = {state: order[view] for state, view in views.items()}
    edges = {
        (colour[state], symbol): (colour[state], symbol, colour[target])
        for state, row in rows.items()
        for symbol, target in enumerate(row)
    }
    return list(edges.values())


def strong_components(edges: Iterable[Edge]) -> list[tuple[list[Node], list[Edge]]]:
    """The nodes and inner edges of every strongly connected component that has an edge inside."""
    edges = list(edges)
    forward: dict[Node, list[Node]] = defaultdict(list)
    backward: dict[Node, list[Node]] = defaultdict(list)
    for source, _, target in edges:
        forward[source].append(target)
        backward[target].append(source)
    home: dict[Node, int] = {}
    for node in reversed(_finished(forward)):  # Kosaraju: backwards from the node that finished last
        if node in home:
            continue
        number = len(set(home.values()))
        home[node] = number
        waiting = [node]
        while waiting:
            for source in backward[waiting.pop()]:
                if source not in home:
                    home[source] = number
                    waiting.append(source)
    inner: dict[int, list[Edge]] = defaultdict(list)
    for edge in edges:
        if home[edge[0]] == home[edge[2]]:
            inner[home[edge[0]]].append(edge)
    members: dict[int, list[Node]] = defaultdict(list)
    for node, number in home.items():
        members[number].append(node)
    return [(members[number], found) for number, found in inner.items()]


def _finished(forward: Mapping[Node, list[Node]]) -> list[Node]:
    """All nodes in the order in which a depth-first search leaves them."""
    order: list[Node] = []
    met: set[Node] = set()
    for root in list(forward):
        if root in met:
            continue
        met.add(root)
        work = [(root, iter(forward.get(root, ())))]
        while work:
            node, targets = work[-1]
            for target in targets:
                if target not in met:
                    met.add(target)
                    work.append((target, iter(forward.get(target, ()))))
                    break
            else:
                order.append(node)
                work.pop()
    return order


# ---------------------------------------------------------------------------------------------- refinement


def refine_by_cycles(nodes: Sequence[Node], edges: Sequence[Edge], classes: Classes, most_cycles: int) -> Classes:
    """The limit of the refinement of `classes` on one strongly connected component."""
    cycles = simple_cycles(edges, most_cycles)
    while True:
        used = list(dict.fromkeys((classes[source], letter) for source, letter, _ in edges))
        column = {label: place for place, label in enumerate(used)}
        labels = [column[classes[source], letter] for source, letter, _ in edges]
        images = {frozenset(Counter(labels[edge] for edge in cycle).items()) for cycle in cycles}
        rows = [[counted.get(place, 0) for place in range(len(used))] for counted in map(dict, images)]
        balanced = null_space(rows, len(used))
        potentials = [_potential(nodes[0], edges, labels, weights) for weights in balanced]
        finer: Classes = {node: (classes[node], *(values[node] for values in potentials)) for node in nodes}
        names = {view: number for number, view in enumerate(dict.fromkeys(finer.values()))}
        if len(names) == len(set(classes.values())):
            return classes
        classes = {node: names[view] for node, view in finer.items()}


def simple_cycles(edges: Sequence[Edge], most: int) -> list[tuple[int, ...]]:
    """All closed walks that meet no node twice, each once, as indices of edges (Johnson 1975; parallel edges count)."""
    numbers = {node: number for number, node in enumerate(dict.fromkeys(end for edge in edges for end in edge[::2]))}
    leaving: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for index, (source, _, target) in enumerate(edges):
        leaving[numbers[source]].append((index, numbers[target]))
    cycles: list[tuple[int, ...]] = []
    for root in numbers.values():
        blocked = {root}
        waiting: dict[int, set[int]] = defaultdict(set)
        path: list[int] = []
        found = [False]
        work = [(root, iter(leaving[root]))]
        while work:
            node, steps = work[-1]
            for index, target in steps:
                if target == root:
                    if len(cycles) == most:
                        raise TooManyCyclesError(f"more than {most} simple cycles")
                    cycles.append((*path, index))
                    found[-1] = True
                elif target > root and target not in blocked:
                    blocked.add(target)
                    path.append(index)
                    found.append(False)
                    work.append((target, iter(leaving[target])))
                    break
            else:
                work.pop()
                if path:
                    path.pop()
                closed = found.pop()
                if closed:
                    _unblock(node, blocked, waiting)
                    if found:
                        found[-1] = True
                else:
                    for _, target in leaving[node]:
                        if target > root:
                            waiting[target].add(node)
    return cycles


def _unblock(node: int, blocked: set[int], waiting: dict[int, set[int]]) -> None:
    work = [node]
    while work:
        current = work.pop()
        if current in blocked:
            blocked.discard(current)
            work.extend(waiting.pop(current, ()))


def null_space(rows: Iterable[Sequence[int]], width: int) -> list[list[Fraction]]:
    """A basis of the vectors that every row sends to zero."""
    reduced: dict[int, list[Fraction]] = {}  # pivot column: row with 1 there and 0 in the other pivot columns
    for row in rows:
        current = [Fraction(value) for value in row]
        for pivot, other in reduced.items():
            if factor := current[pivot]:
                current = [a - factor * b for a, b in zip(current, other, strict=True)]
        pivot = next((place for place, value in enumerate(current) if value), -1)
        if pivot < 0:
            continue
        scale = current[pivot]
        current = [value / scale for value in current]
        for place, other in reduced.items():
            if factor := other[pivot]:
                reduced[place] = [a - factor * b for a, b in zip(other, current, strict=True)]
        reduced[pivot] = current
    basis = []
    for free in range(width):
        if free not in reduced:
            vector = [Fraction(int(place == free)) for place in range(width)]
            for pivot, other in reduced.items():
                vector[pivot] = -other[free]
            basis.append(vector)
    return basis


def _potential(
    root: Node, edges: Sequence[Edge], labels: Sequence[int], weights: Sequence[Fraction]
) -> dict[Node, Fraction]:
    """The sum of a balanced weighting along any walk from the root; that it is the same for all walks is checked."""
    leaving: dict[Node, list[tuple[int, Node]]] = defaultdict(list)
    for index, (source, _, target) in enumerate(edges):
        leaving[source].append((index, target))
    values = {root: Fraction(0)}
    order = [root]
    for node in order:  # grows while it is read
        for index, target in leaving[node]:
            value = values[node] + weights[labels[index]]
            if target not in values:
                values[target] = value
                order.append(target)
            assert values[target] == value, "a weighting that sums to zero on every cycle has a potential"
    return values
