"""Refinement by balanced potentials: which states of a strongly connected graph counting can tell apart.

Edges carry labels; the level-k label of an edge u –a→ v is ([u] at level k-1, a). A map h from labels to ℚ is
*balanced* if it sums to 0 on every closed walk; then there is a potential π with π(v) = π(u) + h(label), and a program
that counts the labels with weights h knows π of the state it is in. Two states stay equal at level k iff they were
equal before and every balanced h gives them the same potential. `refine` computes the levels until nothing changes.

Potentials are unknowns on nodes, one linear equation for every two edges of one label: the same solutions as with one
equation for every cycle, in polynomial time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import TypeAlias

from lengthwise.exact_linear import Row, Vector, null_space
from lengthwise.resources import check_time

MOST_COMPARED = 12
"""How many potentials are compared at a time when a few of them are chosen."""

Edge: TypeAlias = tuple[int, int, int]
"""Source, letter, target. At most one edge leaves a source under one letter."""


@dataclass(frozen=True)
class Level:
    """One level: the classes its labels are made of, and integer potentials that induce the next classes."""

    classes: tuple[int, ...]
    potentials: tuple[Vector, ...]


@dataclass(frozen=True)
class Refinement:
    """The outcome on one strongly connected graph."""

    levels: tuple[Level, ...]
    classes: tuple[int, ...]
    """The final classes ≡∞, one number for each node."""

    @property
    def separates_all(self) -> bool:
        """Whether every node is alone in its class."""
        return len(set(self.classes)) == len(self.classes)

    def pair(self) -> tuple[int, int] | None:
        """Two nodes of one class, if there are any."""
        seen: dict[int, int] = {}
        for node, name in enumerate(self.classes):
            if name in seen:
                return seen[name], node
            seen[name] = node
        return None


def fold(size: int, edges: Sequence[Edge], classes: Sequence[int]) -> list[int]:
    """The nodes that stay equal at every level for the simplest of reasons, as a representative for each node.

    Nodes of one class with equal images under one letter have equal potentials at every level, and so on along edges in
    both directions (union-find). Folding alone misses about one component in nine that is not separated.
    """
    parent = list(range(size))

    def find(node: int) -> int:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    by_source: dict[tuple[int, int], int] = {}
    by_target: dict[tuple[int, int, int], int] = {}
    pending = list(edges)
    adjacent: list[list[Edge]] = [[] for _ in range(size)]
    for edge in edges:
        adjacent[edge[0]].append(edge)
        if edge[2] != edge[0]:
            adjacent[edge[2]].append(edge)

    def merge(first: int, second: int) -> None:
        first, second = find(first), find(second)
        if first == second:
            return
        if len(adjacent[first]) < len(adjacent[second]):
            first, second = second, first
        parent[second] = first
        pending.extend(adjacent[second])  # their keys changed
        adjacent[first].extend(adjacent[second])

    for step in count(1):
        if not pending:
            break
        if step % 4096 == 0:
            check_time()
        source, letter, target = pending.pop()
        source, target = find(source), find(target)
        other = by_source.setdefault((source, letter), target)
        if find(other) != target:
            merge(other, target)
            target = find(target)
        other = by_target.setdefault((target, letter, classes[source]), source)
        if find(other) != find(source):
            merge(other, source)
    return [find(node) for node in range(size)]


def refine(size: int, edges: Sequence[Edge], classes: Sequence[int] | None = None) -> Refinement:
    """The levels and final classes of a strongly connected graph, from initial classes that labels reveal anyway."""
    current = _numbered(classes if classes is not None else [0] * size)
    if size == 1:
        return Refinement((), (0,))
    merged = fold(size, edges, current)
    names = sorted(set(merged))
    place = {node: number for number, node in enumerate(names)}
    folded = [place[node] for node in merged]
    short = sorted({(folded[source], letter, folded[target]) for source, letter, target in edges})
    small = [current[node] for node in names]
    levels: list[Level] = []
    found = len(set(small))
    while found < len(names):
        check_time()
        basis = _potentials(len(names), short, small)
        finer = _numbered([(small[node], *[vector[node] for vector in basis]) for node in range(len(names))])
        if len(set(finer)) == found:
            break
        kept = _few(basis, small, finer)
        levels.append(
            Level(
                tuple(small[node] for node in folded),
                tuple(tuple(vector[node] for node in folded) for vector in kept),
            )
        )
        small = finer
        found = len(set(finer))
    return Refinement(tuple(levels), tuple(small[node] for node in folded))


def _numbered(names: Sequence[object]) -> list[int]:
    order: dict[object, int] = {}
    return [order.setdefault(name, len(order)) for name in names]


def _potentials(size: int, edges: Sequence[Edge], classes: Sequence[int]) -> list[Vector]:
    """A basis of the potentials with value 0 at node 0 (that unknown is left out of the equations)."""
    first: dict[tuple[int, int], tuple[int, int]] = {}
    rows: list[Row] = []
    for source, letter, target in edges:
        known = first.setdefault((classes[source], letter), (source, target))
        if known != (source, target):
            row: Row = {}
            for node, sign in ((target, 1), (source, -1), (known[1], -1), (known[0], 1)):
                if node:
                    row[node - 1] = row.get(node - 1, 0) + sign
            row = {node: value for node, value in row.items() if value}
            if row:
                rows.append(row)
    return [(0, *vector) for vector in null_space(rows, size - 1)]


def _few(basis: Sequence[Vector], before: Sequence[int], after: Sequence[int]) -> list[Vector]:
    """A few small vectors of the span that already induce the new classes."""
    candidates = _reduced(list(basis))
    candidates.sort(key=lambda vector: (max(map(abs, vector)), len(set(vector)), vector))
    goal = len(set(after))
    classes: list[int] = list(before)
    kept: list[Vector] = []
    found = len(set(classes))
    while found < goal:
        check_time()
        simple = candidates[:MOST_COMPARED]
        best = max(simple, key=lambda vector: len(set(zip(classes, vector, strict=True))))
        finer = _numbered(list(zip(classes, best, strict=True)))
        if len(set(finer)) == found:
            candidates = candidates[MOST_COMPARED:]
            continue
        classes, found = finer, len(set(finer))
        kept.append(best)
    for vector in list(kept):  # one that others make superfluous
        others = [other for other in kept if other != vector]
        if len(set(zip(before, *others, strict=True))) == goal:
            kept = others
    return kept


def _reduced(basis: list[Vector]) -> list[Vector]:
    """Shorter vectors of the same span: each less the nearest multiple of the others, while that makes it smaller."""
    improved = len(basis) <= 24
    while improved:
        improved = False
        for place, vector in enumerate(basis):
            check_time()
            for other in basis:
                if other is vector:
                    continue
                length = sum(value * value for value in other)
                product = sum(a * b for a, b in zip(vector, other, strict=True))
                factor = (2 * product + length) // (2 * length)
                if factor:
                    shorter = tuple(a - factor * b for a, b in zip(vector, other, strict=True))
                    if sum(value * value for value in shorter) < sum(value * value for value in vector):
                        vector = basis[place] = shorter
                        improved = True
    return basis
