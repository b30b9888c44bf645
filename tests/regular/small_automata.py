"""Every small minimal automaton once, and random ones."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random

from lengthwise.regular.languages.automaton import Automaton

KNOWN_COUNTS = {1: 2, 2: 24, 3: 1028}
"""How many languages over two letters have a minimal automaton with so many states (Domaratzki et al. 2002)."""


def minimal_automata(states: int, symbols: tuple[str, ...] = ("a", "b")) -> Iterator[Automaton]:
    """All minimal automata with exactly this many states, numbered in breadth-first order: each language once."""
    for targets in product(range(states), repeat=states * len(symbols)):
        table = tuple(targets[first : first + len(symbols)] for first in range(0, len(targets), len(symbols)))
        if not _in_breadth_first_order(table):
            continue
        for outputs in product((False, True), repeat=states):
            if _all_distinguished(table, outputs):
                yield Automaton(symbols, table, 0, frozenset(state for state in range(states) if outputs[state]))


def minimal_automata_up_to(states: int, symbols: tuple[str, ...] = ("a", "b")) -> list[Automaton]:
    """All minimal automata with at most this many states."""
    return [found for count in range(1, states + 1) for found in minimal_automata(count, symbols)]


def random_automaton(rng: Random, symbols: tuple[str, ...], most_states: int) -> Automaton:
    """A random minimal automaton with 2 to `most_states` states, uniform tables, rejected until minimal."""
    while True:
        states = rng.randint(2, most_states)
        table = tuple(tuple(rng.randrange(states) for _ in symbols) for _ in range(states))
        outputs = tuple(rng.random() < 0.5 for _ in range(states))
        if _in_breadth_first_order(table) and _all_distinguished(table, outputs):
            return Automaton(symbols, table, 0, frozenset(state for state in range(states) if outputs[state]))


def _in_breadth_first_order(table: tuple[tuple[int, ...], ...]) -> bool:
    """Whether reading the rows in order meets all states, in the order 0, 1, 2, …"""
    met = 1
    for place, row in enumerate(table):
        if place >= met:
            return False
        for target in row:
            if target > met:
                return False
            met = max(met, target + 1)
    return met == len(table)


def _all_distinguished(table: tuple[tuple[int, ...], ...], outputs: tuple[bool, ...]) -> bool:
    """Whether any two states differ on some word: Moore's partition with as many rounds as there are states."""
    views = [int(output) for output in outputs]
    for _ in table:
        found = [(views[state], *(views[target] for target in row)) for state, row in enumerate(table)]
        order = {view: number for number, view in enumerate(dict.fromkeys(found))}
        views = [order[view] for view in found]
    return len(set(views)) == len(table)
