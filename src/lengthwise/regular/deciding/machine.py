"""The machine whose states a program must tell apart, for either way of reading acceptance.

`eos`: acceptance is read at an end marker, so the states are those of the minimal automaton. `last`: it is read at the
last symbol, as in Definition 8, so the output sits on edges, and two states are the same if they agree on all
*non-empty* words.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from lengthwise.regular.languages.automaton import Acceptance, Automaton, components, refined, representatives


@dataclass(frozen=True)
class Machine:
    """A deterministic machine; `outputs[state][symbol]` says whether a word that ends with this edge is accepted.

    Under `eos` there is one more column: whether a word that ends in this state is accepted.
    """

    symbols: tuple[str, ...]
    table: tuple[tuple[int, ...], ...]
    outputs: tuple[tuple[bool, ...], ...]
    acceptance: Acceptance

    def __len__(self) -> int:
        return len(self.table)

    @cached_property
    def components(self) -> list[list[int]]:
        """The strongly connected components, in the order in which words pass through them."""
        return components(self.table)[::-1]

    @cached_property
    def constant(self) -> dict[int, bool]:
        """The states from which every output is the same, each with that output."""
        before: list[list[int]] = [[] for _ in self.table]
        for state, row in enumerate(self.table):
            for target in row:
                before[target].append(state)
        reaching: dict[bool, set[int]] = {}
        for kind in (True, False):
            found = {state for state, row in enumerate(self.outputs) if kind in row}
            waiting = list(found)
            while waiting:
                for state in before[waiting.pop()]:
                    if state not in found:
                        found.add(state)
                        waiting.append(state)
            reaching[kind] = found
        return {state: state in reaching[True] for state in range(len(self))
                if (state in reaching[True]) != (state in reaching[False])}  # fmt: skip

    def inside(self, component: list[int]) -> list[tuple[int, int, int]]:
        """The edges inside a component, its nodes numbered by their place in it."""
        place = {state: number for number, state in enumerate(component)}
        return [
            (place[state], symbol, place[target])
            for state in component
            for symbol, target in enumerate(self.table[state])
            if target in place
        ]

    def access(self) -> list[tuple[int, ...]]:
        """A shortest word to every state."""
        words: list[tuple[int, ...] | None] = [None] * len(self)
        words[0] = ()
        queue = [0]
        for state in queue:  # grows while it is read
            for symbol, target in enumerate(self.table[state]):
                if words[target] is None:
                    words[target] = (*(words[state] or ()), symbol)
                    queue.append(target)
        return [word if word is not None else () for word in words]

    def spell(self, ids: Iterable[int]) -> tuple[str, ...]:
        """The symbols of a word of symbol ids."""
        return tuple(self.symbols[number] for number in ids)

    def accepts_from(self, state: int, word: tuple[int, ...]) -> bool:
        """Whether a word (not empty under `last`) leads from a state to acceptance."""
        output = self.outputs[state][-1] if self.acceptance == "eos" else False
        for symbol in word:
            output = self.outputs[state][symbol]
            state = self.table[state][symbol]
        return output

    def distinguishing(self, first: int, second: int) -> tuple[int, ...]:
        """A shortest word on which the outputs of two states differ: never empty under `last`."""
        last_column = len(self.symbols)
        seen = {(first, second)}
        queue: list[tuple[int, int, tuple[int, ...]]] = [(first, second, ())]
        for one, other, word in queue:  # grows while it is read
            if self.acceptance == "eos" and self.outputs[one][last_column] != self.outputs[other][last_column]:
                return word
            for symbol, pair in enumerate(zip(self.table[one], self.table[other], strict=True)):
                longer = (*word, symbol)
                if self.acceptance == "last" and self.outputs[one][symbol] != self.outputs[other][symbol]:
                    return longer
                if pair not in seen:
                    seen.add(pair)
                    queue.append((*pair, longer))
        raise ValueError("the two states are the same")


def machine(automaton: Automaton, acceptance: Acceptance) -> Machine:
    """The machine of an automaton's language."""
    if acceptance == "eos":
        small = automaton.minimal()
        outputs = tuple((*[target in small.accepting for target in row], state in small.accepting)
                        for state, row in enumerate(small.table))  # fmt: skip
        return Machine(small.symbols, small.table, outputs, acceptance)
    rows = [tuple(target in automaton.accepting for target in row) for row in automaton.table]
    numbers = {row: number for number, row in enumerate(dict.fromkeys(rows))}
    blocks = refined(automaton.table, [numbers[row] for row in rows])
    members = representatives(automaton, blocks)
    order = {blocks[state]: number for number, state in enumerate(members)}
    table = tuple(tuple(order[blocks[target]] for target in automaton.table[state]) for state in members)
    return Machine(automaton.symbols, table, tuple(rows[state] for state in members), acceptance)
