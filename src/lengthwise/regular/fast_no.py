"""A quick no for C-RASP[periodic, local] without the monoid: equal-length words on pairs of states.

Two states p ≠ q of one component and equally long words e : (p, q) → (p, q), a : (p, q) → (p, p), b : (p, q) → (q, q)
are a flip-flop; e with a : (p, q) → (q, p) is parity. Reachability by words of exactly one length in the graph of pairs
finds them; it is used where the transition monoid is too large to be listed.
"""

from __future__ import annotations

from dataclasses import dataclass

from lengthwise.regular.budget import Budget
from lengthwise.regular.machine import Machine
from lengthwise.regular.witnesses import FlipFlop, Group, Letters

LONGEST = 64
"""The longest words that are tried."""
MOST_PAIRS = 5_000
"""Machines with more pairs of states are not searched."""


@dataclass(frozen=True)
class _Layers:
    """For each length the pairs that words of this length lead to, with the last symbol and the pair before."""

    layers: list[dict[tuple[int, int], tuple[tuple[int, int], int]]]

    def word(self, pair: tuple[int, int], symbols: tuple[str, ...]) -> Letters:
        spelled: list[str] = []
        for layer in reversed(self.layers[1:]):
            pair, symbol = layer[pair]
            spelled.append(symbols[symbol])
        return tuple(reversed(spelled))


def fast_no(wanted: Machine, budget: Budget, longest: int = LONGEST) -> Group | FlipFlop | None:
    """A parity or flip-flop witness with words up to a length, if there is one."""
    pairs = [(p, q) for component in wanted.components for p in component for q in component if p < q]
    if len(pairs) > MOST_PAIRS:
        return None
    searches = {pair: _Layers([{pair: (pair, -1)}]) for pair in pairs}
    for _ in range(longest):
        for (p, q), search in searches.items():
            budget.check()
            layer: dict[tuple[int, int], tuple[tuple[int, int], int]] = {}
            for first, second in search.layers[-1]:
                for symbol, pair in enumerate(zip(wanted.table[first], wanted.table[second], strict=True)):
                    layer.setdefault(pair, ((first, second), symbol))
            search.layers.append(layer)
            if (p, q) not in layer:
                continue
            identity = search.word((p, q), wanted.symbols)
            suffix = wanted.distinguishing(p, q)
            spelled = wanted.spell(suffix)
            access = wanted.spell(wanted.access()[p])
            is_in = wanted.accepts_from(p, suffix)
            if (q, p) in layer:
                swap = search.word((q, p), wanted.symbols)
                return Group("periodic, local", access, swap, 2, spelled, is_in, identity)
            if (p, p) in layer and (q, q) in layer:
                resets = (search.word((p, p), wanted.symbols), search.word((q, q), wanted.symbols))
                return FlipFlop("periodic, local", access, *resets, spelled, is_in, identity)
    return None
