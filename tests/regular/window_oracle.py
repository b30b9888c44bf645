"""Second route: programs that see the position modulo s and the last c letters are C-RASP[∅] over richer letters.

The machine is written out: its states are (state, residue of the position being read, last c letters), its letters
(residue, last c letters, letter). Two states that are met with the same residue and letters stay together at a level
iff the Parikh image of a walk between them is a rational combination of Parikh images of closed walks, over the labels
of that level. Closed walks are spanned by one for each edge outside a spanning tree, so no cycles are listed;
potentials do not occur either. Shares nothing with the routes it is compared with.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from heapq import heapify, heappop, heappush
from typing import Literal, NamedTuple, TypeAlias

from lengthwise.regular.languages.automaton import Automaton

BLANK = -1
"""What stands before the first letter."""


class Place(NamedTuple):
    """A state of the written-out machine."""

    state: int
    residue: int
    window: tuple[int, ...]


class Step(NamedTuple):
    """An edge of the written-out machine; its label at a level is the class of the source there and the letter."""

    source: int
    letter: int
    target: int


Rational: TypeAlias = int | Fraction
Vector: TypeAlias = dict[int, Rational]
"""A sparse vector over labels."""


def definable_with(automaton: Automaton, period: int, window: int, acceptance: Literal["last", "eos"] = "last") -> bool:
    """Whether a C-RASP program that sees positions modulo `period` and `window` earlier letters has the language."""
    merged = _indistinguishable(automaton, acceptance)
    places, steps = written_out(automaton, merged, period, window)
    for component in _components(len(places), steps):
        inner = [step for step in steps if step.source in component and step.target in component]
        kinds = {node: (places[node].residue, places[node].window) for node in component}
        numbers = {kind: number for number, kind in enumerate(sorted(set(kinds.values())))}
        classes = _limit(inner, {node: numbers[kind] for node, kind in kinds.items()})
        if len(set(classes.values())) < len(component):
            return False
    return True


def smallest_window(
    automaton: Automaton,
    periods: Sequence[int],
    windows: Sequence[int],
    acceptance: Literal["last", "eos"] = "last",
) -> tuple[int, int] | None:
    """The first (period, window) that suffices, windows varying slowest; None if none does."""
    for window in windows:
        for period in periods:
            if definable_with(automaton, period, window, acceptance):
                return period, window
    return None


def written_out(
    automaton: Automaton, merged: Sequence[int], period: int, window: int
) -> tuple[list[Place], list[Step]]:
    """The reachable part of the machine over enriched letters."""
    first = Place(merged[automaton.start], 1 % period, (BLANK,) * window)
    representative = {block: state for state, block in reversed(list(enumerate(merged)))}
    numbers = {first: 0}
    places = [first]
    steps: list[Step] = []
    for place in places:  # grows while it is read
        for letter, target in enumerate(automaton.table[representative[place.state]]):
            after = (*place.window, letter)[1:] if window else ()
            reached = Place(merged[target], (place.residue + 1) % period, after)
            if reached not in numbers:
                numbers[reached] = len(places)
                places.append(reached)
            steps.append(Step(numbers[place], letter, numbers[reached]))
    return places, steps


def _indistinguishable(automaton: Automaton, acceptance: Literal["last", "eos"]) -> list[int]:
    """For every state the least one that no word (`last`: no non-empty word) tells from it, by marking pairs."""
    count = len(automaton)
    accepting = [state in automaton.accepting for state in range(count)]
    apart = [[False] * count for _ in range(count)]
    for left in range(count):
        for right in range(count):
            if acceptance == "eos":
                apart[left][right] = accepting[left] != accepting[right]
            else:
                pairs = zip(automaton.table[left], automaton.table[right], strict=True)
                apart[left][right] = any(accepting[one] != accepting[other] for one, other in pairs)
    changed = True
    while changed:
        changed = False
        for left in range(count):
            for right in range(count):
                if not apart[left][right]:
                    pairs = zip(automaton.table[left], automaton.table[right], strict=True)
                    if any(apart[one][other] for one, other in pairs):
                        apart[left][right] = changed = True
    return [next(other for other in range(count) if not apart[state][other]) for state in range(count)]


def _components(count: int, steps: Sequence[Step]) -> list[set[int]]:
    """The strongly connected components with more than one node: what a node reaches and is reached from."""
    forward: list[list[int]] = [[] for _ in range(count)]
    backward: list[list[int]] = [[] for _ in range(count)]
    for step in steps:
        forward[step.source].append(step.target)
        backward[step.target].append(step.source)
    left = set(range(count))
    found: list[set[int]] = []
    while left:
        node = min(left)
        component = _reach(node, forward) & _reach(node, backward) | {node}
        left -= component
        if len(component) > 1:
            found.append(component)
    return found


def _reach(node: int, successors: Sequence[Sequence[int]]) -> set[int]:
    reached: set[int] = set()
    waiting = [node]
    while waiting:
        for target in successors[waiting.pop()]:
            if target not in reached:
                reached.add(target)
                waiting.append(target)
    return reached


def _limit(steps: Sequence[Step], classes: dict[int, int]) -> dict[int, int]:
    """Split classes until walks between two members are always combinations of closed walks."""
    while True:
        names: dict[tuple[int, frozenset[tuple[int, Rational]]], int] = {}
        walks = _walks_modulo_closed_walks(steps, classes)
        finer = {
            node: names.setdefault((classes[node], frozenset(walk.items())), len(names)) for node, walk in walks.items()
        }
        if len(names) == len(set(classes.values())):
            return classes
        classes = finer


def _walks_modulo_closed_walks(steps: Sequence[Step], classes: dict[int, int]) -> dict[int, Vector]:
    """For every node the Parikh image of a walk from a fixed root, in normal form modulo closed walks."""
    labels: dict[tuple[int, int], int] = {}
    leaving: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for step in steps:
        label = labels.setdefault((classes[step.source], step.letter), len(labels))
        leaving[step.source].append((label, step.target))
    root = steps[0].source
    walks: dict[int, Vector] = {root: {}}
    order = [root]
    for node in order:  # grows while it is read
        for label, target in leaving[node]:
            if target not in walks:
                walks[target] = dict(walks[node])
                _add(walks[target], {label: 1}, 1)
                order.append(target)
    echelon: dict[int, Vector] = {}  # leading label: vector with 1 there and nothing at smaller labels
    for node in order:
        for label, target in leaving[node]:
            closed = dict(walks[node])
            _add(closed, {label: 1}, 1)
            _add(closed, walks[target], -1)
            _reduce(closed, echelon)
            if closed:
                lead = min(closed)
                scale = closed[lead]
                echelon[lead] = {place: _divided(value, scale) for place, value in closed.items()}
    for walk in walks.values():
        _reduce(walk, echelon)
    return walks


def _add(vector: Vector, other: Vector, factor: Rational) -> None:
    """Add factor · other to a vector; zeros are left out."""
    for place, value in other.items():
        total = vector.get(place, 0) + factor * value
        if total:
            vector[place] = total
        else:
            vector.pop(place, None)


def _reduce(vector: Vector, echelon: dict[int, Vector]) -> None:
    """Subtract members of `echelon` until nothing stands at a leading label."""
    waiting = [place for place in vector if place in echelon]
    heapify(waiting)
    while waiting:
        place = heappop(waiting)
        if place in vector:
            for other in echelon[place]:
                if other not in vector and other in echelon:
                    heappush(waiting, other)
            _add(vector, echelon[place], -vector[place])


def _divided(value: Rational, scale: Rational) -> Rational:
    return value * scale if scale in (1, -1) else Fraction(value) / scale
