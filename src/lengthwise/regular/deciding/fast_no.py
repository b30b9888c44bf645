"""A quick no for C-RASP[periodic, local] without the monoid, from the graph of pairs of states.

Two states p ≠ q of one component C and equally long words e : (p, q) → (p, q), a : (p, q) → (p, p), b : (p, q) → (q, q)
are a flip-flop; e with a : (p, q) → (q, p) is parity.

Flip-flops need no search for the length: if (p, q) lies on a closed walk of pairs and some pair (x, x) can be reached
from it inside C, the words exist. A word (p, q) → (p, p) takes p back to p, so its length is a multiple of the period
of C; loops at p make every large multiple of that period, and closed walks at (p, q) have such lengths, too. The same
for q. For parity the walk from (p, q) to (q, p) must have the length of a closed walk modulo the period of the pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd
from typing import TypeAlias

from lengthwise.regular.deciding.budget import Budget
from lengthwise.regular.deciding.machine import Machine
from lengthwise.regular.languages.automaton import components
from lengthwise.regular.witnesses.kinds import FlipFlop, Group, Letters

Pair: TypeAlias = tuple[int, int]

MOST_PAIRS = 100_000
"""Components with more pairs of states are not searched."""
LONGEST = 4_096
"""Words longer than this are not written down as witnesses."""


def fast_no(wanted: Machine, budget: Budget) -> Group | FlipFlop | None:
    """A parity or flip-flop witness, if there is one."""
    for component in wanted.components:
        if len(component) > 1 and len(component) * (len(component) - 1) <= MOST_PAIRS:
            budget.check()
            for pair, goals in _suspects(wanted, component):
                found = _words(wanted, pair, goals, budget)
                if found is not None:
                    return _witness(wanted, pair, found)
    return None


def _suspects(wanted: Machine, component: list[int]) -> Iterator[tuple[Pair, list[Pair]]]:
    """Pairs from which words of one length lead back and to each of the goals."""
    states = set(component)
    pairs = [(p, q) for p in component for q in component if p != q]
    number = {pair: place for place, pair in enumerate(pairs)}
    successors: list[list[int]] = []
    merging: list[bool] = []
    for p, q in pairs:
        targets = list(zip(wanted.table[p], wanted.table[q], strict=True))
        successors.append(sorted({number[target] for target in targets if target in number}))
        merging.append(any(x == y and x in states for x, y in targets))
    merges: list[bool] = list(merging)
    for part in components(successors):  # those that a part leads to come before it
        reaching = any(merges[node] or any(merges[target] for target in successors[node]) for node in part)
        for node in part:
            merges[node] = reaching
        inside = set(part)
        if not any(target in inside for node in part for target in successors[node]):
            continue
        p, q = pairs[part[0]]
        if reaching:
            yield (p, q), [(p, p), (q, q)]
        elif number[q, p] in inside and _meet(successors, inside, part[0], number[q, p]):
            yield (p, q), [(q, p)]


def _meet(successors: list[list[int]], inside: set[int], start: int, goal: int) -> bool:
    """Whether a walk from start to goal has the length of a closed walk, modulo the period of the part."""
    depth = {start: 0}
    queue = [start]
    period = 0
    for node in queue:  # grows while it is read
        for target in successors[node]:
            if target in inside:
                if target not in depth:
                    depth[target] = depth[node] + 1
                    queue.append(target)
                period = gcd(period, depth[node] + 1 - depth[target])
    return depth[goal] % period == 0


def _words(wanted: Machine, pair: Pair, goals: list[Pair], budget: Budget) -> list[Letters] | None:
    """Equally long words from a pair back to it and to each of the goals, the shortest such."""
    layers: list[dict[Pair, tuple[Pair, int]]] = [{pair: (pair, -1)}]
    ends = [pair, *goals]
    while len(layers) <= LONGEST:
        budget.check()
        layer: dict[Pair, tuple[Pair, int]] = {}
        for first, second in layers[-1]:
            for symbol, target in enumerate(zip(wanted.table[first], wanted.table[second], strict=True)):
                layer.setdefault(target, ((first, second), symbol))
        layers.append(layer)
        if all(end in layer for end in ends):
            return [_spelled(wanted, layers, end) for end in ends]
    return None


def _spelled(wanted: Machine, layers: list[dict[Pair, tuple[Pair, int]]], end: Pair) -> Letters:
    word: list[int] = []
    for layer in reversed(layers[1:]):
        end, symbol = layer[end]
        word.append(symbol)
    return wanted.spell(reversed(word))


def _witness(wanted: Machine, pair: Pair, words: list[Letters]) -> Group | FlipFlop:
    suffix = wanted.distinguishing(*pair)
    access, spelled = wanted.spell(wanted.access()[pair[0]]), wanted.spell(suffix)
    is_in = wanted.accepts_from(pair[0], suffix)
    if len(words) == 2:
        return Group("periodic, local", access, words[1], 2, spelled, is_in, words[0])
    return FlipFlop("periodic, local", access, words[1], words[2], spelled, is_in, words[0])
