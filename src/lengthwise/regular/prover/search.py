"""Exploring a transition system breadth-first: its configurations, and where it leaves an automaton's language.

A configuration is a mode, the residue of the next position, the memories and the values of the forms that still
matter. Two words with the same configuration are followed by the same outputs whatever is read next. If there are
finitely many, they are the states of an automaton; comparing outputs on all of them compares all words.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import add

from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.prover.formulas import Literal
from lengthwise.regular.prover.modes import Mode, Projection, Settled, complete, derived, whole
from lengthwise.regular.prover.normal_form import System
from lengthwise.regular.prover.plan import Masks, Values
from lengthwise.resources import Deadline

Configuration = tuple[Mode, int, Masks, Values]


class Explorer:
    """The configurations of a system, numbered in the order in which they are met; 0 is the one before any symbol."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.configurations: list[Configuration] = []
        self._numbers: dict[tuple[int, int, Masks, Values], int] = {}
        self._modes: dict[tuple[object, ...], Mode] = {}
        self._successors: list[list[tuple[bool, int, Settled]] | None] = []
        mode = self._interned(whole(system).mode)
        _, self.settled = self.reach(mode, 1 % mode.modulus, (0,) * len(mode.memories), (0,) * len(mode.forms))

    @property
    def modes(self) -> int:
        """How many modes were met."""
        return len(self._modes)

    def successors(self, number: int) -> list[tuple[bool, int, Settled]]:
        """For each symbol the output on it, the configuration after it, and what was settled by reading it."""
        known = self._successors[number]
        if known is not None:
            return known
        mode, residue, masks, values = self.configurations[number]
        following = (residue + 1) % mode.modulus
        found = [
            (output, *self.reach(mode, following, new_masks, tuple(map(add, values, increments))))
            for output, increments, new_masks in mode.moves(residue, masks, values)
        ]
        self._successors[number] = found
        return found

    def reach(self, mode: Mode, residue: int, masks: Masks, values: Values) -> tuple[int, Settled]:
        """The number of a configuration, once everything that is settled in it was taken out, and what that was."""
        key = (masks, mode.regions(values))
        if key not in mode.exits:
            mode.exits[key] = self._settle(mode, masks, values)
        projection = mode.exits[key]
        settled: Settled = frozenset()
        if projection is not None:
            settled = projection.settled
            mode, slots, memories = projection.mode, projection.slots, projection.memories
            values = tuple([values[slot] for slot in slots])
            masks = tuple([masks[place] & bits for place, bits in memories])
            residue %= mode.modulus
        name = (mode.number, residue, masks, values)
        number = self._numbers.get(name)
        if number is None:
            number = self._numbers[name] = len(self.configurations)
            self.configurations.append((mode, residue, masks, values))
            self._successors.append(None)
        return number, settled

    def _settle(self, mode: Mode, masks: Masks, values: Values) -> Projection | None:
        """Where to go on from here; None if nothing new is settled.

        Thresholds of a derived mode are thresholds of the one it comes from, so the answer depends only on the regions
        of the values and on the memories.
        """
        slots = tuple(range(len(values)))
        places = tuple((place, (1 << depth) - 1) for place, depth in enumerate(mode.depths))
        current = mode
        everything: dict[int, Literal] = {}
        while settled := current.settled(masks, values):
            everything |= settled
            leaves = tuple(sorted(settled.items()))
            if leaves not in current.derivations:
                step = derived(current, settled)
                current.derivations[leaves] = replace(step, mode=self._interned(step.mode))
            step = current.derivations[leaves]
            current = step.mode
            values = tuple(values[slot] for slot in step.slots)
            masks = tuple(masks[place] & bits for place, bits in step.memories)
            slots = tuple(slots[slot] for slot in step.slots)
            places = tuple((places[place][0], bits) for place, bits in step.memories)
        return None if current is mode else Projection(current, slots, places, frozenset(everything.items()))

    def _interned(self, mode: Mode) -> Mode:
        found = self._modes.setdefault(mode.key(), mode)
        if found is mode:
            complete(mode, len(self._modes))
        return found


@dataclass(frozen=True)
class Outcome:
    """What a search found."""

    finished: bool
    """Whether every pair of configuration and state was compared."""
    difference: tuple[int, ...] | None
    """The first word, by length and then by symbols, on which the outputs differ."""
    checked_to: int
    """The length up to which every word was compared."""
    states: int


def search(explorer: Explorer, automaton: Automaton, states: int, deadline: Deadline) -> Outcome:
    """Compare the outputs of a system with acceptance by an automaton over the same symbols, at every position."""
    table, accepting = automaton.table, automaton.accepting
    first = (automaton.start, 0)
    order: dict[tuple[int, int], int] = {first: 0}
    pairs = [first]
    origins = [(-1, -1)]
    depth = 0
    level_end = 1
    for place, (state, number) in enumerate(pairs):  # grows while it is read
        if place == level_end:
            depth += 1
            level_end = len(pairs)
        if len(pairs) > states or deadline.passed():
            return Outcome(False, None, depth, len(pairs))
        row = table[state]
        for symbol, (output, following, _) in enumerate(explorer.successors(number)):
            target = row[symbol]
            if output != (target in accepting):
                return Outcome(True, (*_word(origins, place), symbol), depth, len(pairs))
            pair = (target, following)
            if pair not in order:
                order[pair] = len(pairs)
                pairs.append(pair)
                origins.append((place, symbol))
    return Outcome(True, None, depth, len(pairs))


def _word(origins: list[tuple[int, int]], place: int) -> tuple[int, ...]:
    symbols: list[int] = []
    while place:
        place, symbol = origins[place]
        symbols.append(symbol)
    return tuple(reversed(symbols))
