"""Building balance witnesses: paths between unseparated states whose counts are combinations of counts of loops.

At the fixpoint of refinement every balanced weighting vanishes on a path between two states of a class, so the counts
of the path lie in the span of the counts of closed walks; the coefficients are found exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm

from lengthwise.exact_linear import Row, in_span
from lengthwise.regular.algebra.monoid import Semigroup
from lengthwise.regular.deciding.ape import Unseparated
from lengthwise.regular.deciding.budget import Budget
from lengthwise.regular.deciding.machine import Machine
from lengthwise.regular.deciding.refine import Edge, Refinement, refine
from lengthwise.regular.witnesses.kinds import Balance, Block, Class, Identity, Letters, Place, Walk
from lengthwise.resources import TimeLimitError, within_time


def component_balance(
    wanted: Machine, component: list[int], refinement: Refinement, pair: tuple[int, int] | None = None
) -> Balance:
    """The witness for a component of a machine that C-RASP[∅] does not separate, and a pair (of places in it)."""
    access = wanted.access()
    places = [(access[state], None, refinement.classes[number]) for number, state in enumerate(component)]
    blocks = [Block((symbol,)) for symbol in wanted.symbols]
    pair = pair or refinement.pair() or (0, 0)
    suffix = wanted.distinguishing(component[pair[0]], component[pair[1]])
    is_in = wanted.accepts_from(component[pair[0]], suffix)
    return _balance("∅", wanted, places, blocks, {}, wanted.inside(component), pair, suffix, is_in)


def arrow_balance(
    wanted: Machine, semigroup: Semigroup, failed: Unseparated, fragment: Class, budget: Budget
) -> Balance:
    """The witness for a component of the graph over the stable semigroup, with few arrows."""
    nodes, edges, refinement = _smaller(failed, budget)
    access = wanted.access()
    spell = wanted.spell
    names = {e: f"e{number + 1}" for number, e in enumerate(dict.fromkeys(e for _, e in nodes))}
    used = sorted({label for _, label, _ in edges})
    number_of = {label: number for number, label in enumerate(used)}
    blocks = [
        Block(spell(semigroup.word(x)), names[e], names[f])
        for e, x, f in (failed.graph.arrows[label] for label in used)
    ]
    places = [(access[state], names[e], refinement.classes[number]) for number, (state, e) in enumerate(nodes)]
    contexts = {name: spell(semigroup.word(e)) for e, name in names.items()}
    pair = refinement.pair() or (0, 0)
    suffix = wanted.distinguishing(nodes[pair[0]][0], nodes[pair[1]][0])
    renamed = [(source, number_of[label], target) for source, label, target in edges]
    is_in = wanted.accepts_from(nodes[pair[0]][0], suffix)
    return _balance(fragment, wanted, places, blocks, contexts, renamed, pair, suffix, is_in)


def _smaller(failed: Unseparated, budget: Budget) -> tuple[list[tuple[int, int]], list[Edge], Refinement]:
    """A part of the component that is still strongly connected and not separated, with as few labels as is quick."""
    nodes = [failed.graph.nodes[number] for number in failed.component]
    best = (nodes, failed.edges, failed.refinement)
    for e in sorted({e for _, e in nodes}):
        part = _part(nodes, failed.edges, {number for number, node in enumerate(nodes) if node[1] == e})
        if part is not None and len(part[0]) < len(best[0]):
            best = part
    labels = sorted({label for _, label, _ in best[1]})
    step = max(1, len(labels) // 2)
    while step and len(best[1]) < 100_000:
        for begin in range(0, len(labels), step):
            try:
                budget.check()
            except TimeLimitError:
                return best
            dropped = set(labels[begin : begin + step])
            fewer = [edge for edge in best[1] if edge[1] not in dropped]
            part = _part(best[0], fewer, set(range(len(best[0])))) if len(fewer) < len(best[1]) else None
            if part is not None:
                best = part
        labels = sorted({label for _, label, _ in best[1]})
        step = min(step // 2, len(labels))
    return best


def _part(
    nodes: list[tuple[int, int]], edges: Sequence[Edge], kept: set[int]
) -> tuple[list[tuple[int, int]], list[Edge], Refinement] | None:
    """The graph on these nodes, if it is strongly connected and not separated."""
    order = sorted(kept)
    place = {number: new for new, number in enumerate(order)}
    inside = [(place[source], label, place[target]) for source, label, target in edges if {source, target} <= kept]
    if len(order) < 2 or not _connected(len(order), inside):
        return None
    members = [nodes[number] for number in order]
    refinement = refine(len(order), inside, [e for _, e in members])
    return None if refinement.separates_all else (members, inside, refinement)


def _connected(size: int, edges: Sequence[Edge]) -> bool:
    for forwards in (True, False):
        next_to: list[list[int]] = [[] for _ in range(size)]
        for source, _, target in edges:
            next_to[source if forwards else target].append(target if forwards else source)
        reached, waiting = {0}, [0]
        while waiting:
            for node in next_to[waiting.pop()]:
                if node not in reached:
                    reached.add(node)
                    waiting.append(node)
        if len(reached) < size:
            return False
    return True


def _balance(
    fragment: Class,
    wanted: Machine,
    places: Sequence[tuple[tuple[int, ...], str | None, int]],
    blocks: Sequence[Block],
    contexts: dict[str, Letters],
    edges: Sequence[Edge],
    pair: tuple[int, int],
    suffix: tuple[int, ...],
    first_is_in: bool,
) -> Balance:
    spell = wanted.spell
    walks = _Walks(len(places), edges)
    groups = [group for _, _, group in places]
    labels: dict[tuple[int, int], int] = {}

    def counted(walk: Walk) -> Row:
        row: Row = {}
        place = walk.start
        for block in walk.blocks:
            label = labels.setdefault((groups[place], block), len(labels))
            row[label] = row.get(label, 0) + 1
            place = walks.step[place, block]
        return row

    loops = walks.loops()
    generators = [counted(loop) for loop in loops]
    identities: list[Identity] = []
    first_of: dict[int, int] = {groups[pair[0]]: pair[0]}
    for place, group in enumerate(groups):
        if first_of.setdefault(group, place) == place:
            continue
        path = Walk(first_of[group], walks.path(first_of[group], place))
        coefficients = in_span(counted(path), generators)
        if coefficients is None:
            raise ValueError("refinement kept two states that counting tells apart")
        multiple = lcm(*(value.denominator for value in coefficients))
        made_of = tuple((int(value * multiple), loop) for value, loop in zip(coefficients, loops, strict=True) if value)
        identities.append(Identity(path, place, multiple, made_of))
    return Balance(
        fragment,
        tuple(Place(spell(word), context, group) for word, context, group in places),
        tuple(blocks),
        contexts,
        tuple(sorted(edges)),
        tuple(identities),
        pair,
        spell(suffix),
        first_is_in,
    )


class _Walks:
    """Shortest walks in a strongly connected graph."""

    def __init__(self, size: int, edges: Sequence[Edge]) -> None:
        self.step = {(source, block): target for source, block, target in edges}
        self.edges = sorted(edges)
        self.out: list[list[tuple[int, int]]] = [[] for _ in range(size)]
        for source, block, target in self.edges:
            self.out[source].append((block, target))
        self.size = size
        self._from: dict[int, list[tuple[int, ...]]] = {}

    def path(self, start: int, end: int) -> tuple[int, ...]:
        """The blocks of a shortest walk."""
        if start not in self._from:
            found: list[tuple[int, ...] | None] = [None] * self.size
            found[start] = ()
            queue = [start]
            for place in queue:  # grows while it is read
                for block, target in self.out[place]:
                    if found[target] is None:
                        found[target] = (*(found[place] or ()), block)
                        queue.append(target)
            self._from[start] = [walk or () for walk in found]
        return self._from[start][end]

    def loops(self) -> list[Walk]:
        """Closed walks whose counts span those of all closed walks, short ones first."""
        found: dict[Walk, None] = {}
        for source, block, target in within_time(self.edges):
            found[Walk(source, (block, *self.path(target, source)))] = None
        for place in within_time(range(self.size)):
            found[Walk(0, (*self.path(0, place), *self.path(place, 0)))] = None
        for source, block, target in within_time(self.edges):
            found[Walk(0, (*self.path(0, source), block, *self.path(target, 0)))] = None
        return sorted((walk for walk in found if walk.blocks), key=lambda walk: len(walk.blocks))
