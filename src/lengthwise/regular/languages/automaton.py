"""Deterministic finite automata: complete, immutable, with states numbered from 0.

The minimal automaton of a language is unique once its states are numbered in the order in which a breadth-first search
from the start first meets them, symbols in the order of the alphabet; `minimal` returns exactly that one, so two
automata over the same symbols accept the same language iff their minimal automata are equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from lengthwise.alphabet import Alphabet, Word
from lengthwise.errors import LengthwiseError
from lengthwise.resources import LimitError, check_time

MOST_STATES = 20_000
"""The most states of an automaton that a text describes, unless `allowing_states` says otherwise."""

Acceptance = Literal["last", "eos"]
"""Where a program is read: at the last symbol (Definition 8 as written), or at an end marker after it."""


@dataclass(frozen=True)
class _Allowed:
    states: int = MOST_STATES
    instead: str = ""
    """How more are allowed."""


_allowed: ContextVar[_Allowed] = ContextVar("states", default=_Allowed())  # noqa: B039 - it is frozen


@contextmanager
def allowing_states(states: int, instead: str) -> Iterator[None]:
    """Let automata that are described inside the block have so many states; `instead` says how to allow more."""
    token = _allowed.set(_Allowed(states, instead))
    try:
        yield
    finally:
        _allowed.reset(token)


def most_states() -> int:
    """The most states of an automaton that a text describes."""
    return _allowed.get().states


class StateLimitError(LimitError):
    """An automaton would have more states than allowed."""

    def __init__(self, what: str, limit: int) -> None:
        self.limit = limit
        instead = _allowed.get().instead
        more = f" or allow more with {instead}" if instead else ""
        super().__init__(f"{what}, more than the limit of {limit}; describe a smaller language{more}")


@dataclass(frozen=True)
class Automaton:
    """States 0 .. n-1; `table[state][symbol id]` is where a symbol leads.

    Attributes:
        symbols: The symbols, in the order of their ids.
        table: For each state the state that each symbol leads to.
        start: The state before the first symbol.
        accepting: The states in which a word may end.

    """

    symbols: tuple[str, ...]
    table: tuple[tuple[int, ...], ...]
    start: int
    accepting: frozenset[int]

    def __post_init__(self) -> None:
        count = len(self.table)
        if not self.symbols or len(set(self.symbols)) != len(self.symbols):
            raise LengthwiseError("an automaton needs at least one symbol and lists each once")
        if not 0 <= self.start < count:
            raise LengthwiseError(f"the start state {self.start} is not one of the states 0 to {count - 1}")
        for state, row in enumerate(self.table):
            if len(row) != len(self.symbols) or not all(0 <= target < count for target in row):
                raise LengthwiseError(
                    f"state {state} needs one target among the states 0 to {count - 1} for each of the symbols"
                )
        if not all(0 <= state < count for state in self.accepting):
            raise LengthwiseError(f"an accepting state is not one of the states 0 to {count - 1}")

    def __len__(self) -> int:
        return len(self.table)

    @cached_property
    def alphabet(self) -> Alphabet:
        """The symbols as a closed alphabet."""
        return Alphabet(self.symbols)

    def run(self, ids: Iterable[int], state: int | None = None) -> int:
        """The state after reading symbol ids from `state`, or from the start."""
        current = self.start if state is None else state
        for symbol in ids:
            current = self.table[current][symbol]
        return current

    def accepts(self, word: Word) -> bool:
        """Whether a word is in the language."""
        return self.run(self.alphabet.encode(word).tolist()) in self.accepting

    @classmethod
    def completed(
        cls, symbols: Sequence[str], rows: Sequence[Mapping[str, int]], start: int, accepting: Iterable[int]
    ) -> Automaton:
        """The automaton with these targets of each state; a target that is missing is a rejecting sink."""
        sink = len(rows)
        table = [tuple(row.get(symbol, sink) for symbol in symbols) for row in rows]
        if any(sink in row for row in table):
            table.append((sink,) * len(symbols))
        return cls(tuple(symbols), tuple(table), start, frozenset(accepting))

    def over(self, symbols: tuple[str, ...]) -> Automaton:
        """The automaton with its transitions in the order of these symbols, all of which it has."""
        if self.symbols == symbols:
            return self
        columns = [self.symbols.index(symbol) for symbol in symbols]
        table = tuple(tuple(row[column] for column in columns) for row in self.table)
        return Automaton(symbols, table, self.start, self.accepting)

    def complement(self) -> Automaton:
        """The automaton of all other words over the same symbols."""
        return Automaton(self.symbols, self.table, self.start, frozenset(range(len(self))) - self.accepting)

    def minimal(self) -> Automaton:
        """The minimal automaton, states in breadth-first order."""
        blocks = refined(self.table, [int(state in self.accepting) for state in range(len(self))])
        return quotient(self, blocks)


def refined(table: Sequence[Sequence[int]], colours: Sequence[int]) -> list[int]:
    """The coarsest refinement of a colouring in which states of one block lead to the same blocks (Hopcroft)."""
    names: dict[int, int] = {}
    blocks = [names.setdefault(colour, len(names)) for colour in colours]
    members: list[set[int]] = [set() for _ in names]
    for state, block in enumerate(blocks):
        members[block].add(state)
    sources: list[list[list[int]]] = [[[] for _ in table] for _ in table[0]]
    for state, row in enumerate(table):
        for symbol, target in enumerate(row):
            sources[symbol][target].append(state)
    waiting = set(range(len(members)))
    while waiting:
        check_time()
        splitter = tuple(members[waiting.pop()])
        for into in sources:
            reached: dict[int, list[int]] = {}
            for state in splitter:
                for source in into[state]:
                    reached.setdefault(blocks[source], []).append(source)
            for block, found in reached.items():
                if len(found) == len(members[block]):
                    continue
                new = len(members)
                members.append(set(found))
                members[block].difference_update(found)
                for state in found:
                    blocks[state] = new
                # Of two halves, one suffices as a splitter, unless their union still waits; the smaller is cheaper.
                waiting.add(new if block in waiting or len(found) <= len(members[block]) else block)
    return blocks


def representatives(automaton: Automaton, blocks: Sequence[int]) -> list[int]:
    """A state of each block that the start reaches, blocks in breadth-first order."""
    seen = {blocks[automaton.start]}
    members = [automaton.start]
    for state in members:  # grows while it is read
        for target in automaton.table[state]:
            if blocks[target] not in seen:
                seen.add(blocks[target])
                members.append(target)
    return members


def quotient(automaton: Automaton, blocks: Sequence[int]) -> Automaton:
    """One state for each block that the start reaches, in breadth-first order."""
    members = representatives(automaton, blocks)
    order = {blocks[state]: number for number, state in enumerate(members)}
    table = tuple(tuple(order[blocks[target]] for target in automaton.table[state]) for state in members)
    accepting = frozenset(number for number, state in enumerate(members) if state in automaton.accepting)
    return Automaton(automaton.symbols, table, 0, accepting)


def paired(left: Automaton, right: Automaton, limit: int | None = None) -> tuple[Automaton, list[tuple[int, int]]]:
    """The reachable product of two automata over the same symbols (nothing accepting), and its pairs of states."""
    if left.symbols != right.symbols:
        raise LengthwiseError("the two automata read different symbols; give both the same alphabet")
    order = {(left.start, right.start): 0}
    pairs = [(left.start, right.start)]
    table: list[tuple[int, ...]] = []
    for first, second in pairs:  # grows while it is read
        row = []
        for pair in zip(left.table[first], right.table[second], strict=True):
            if pair not in order:
                if limit is not None and len(pairs) >= limit:
                    raise StateLimitError(f"the product of two automata has at least {len(pairs) + 1} states", limit)
                order[pair] = len(pairs)
                pairs.append(pair)
            row.append(order[pair])
        table.append(tuple(row))
    return Automaton(left.symbols, tuple(table), 0, frozenset()), pairs


def components(successors: Sequence[Sequence[int]]) -> list[list[int]]:
    """The strongly connected components of a graph, every component after those it leads to (Tarjan, iterative)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    waiting: list[int] = []
    on_stack: set[int] = set()
    found: list[list[int]] = []
    for root in range(len(successors)):
        if root in index:
            continue
        work = [(root, -1)]
        while work:
            node, place = work.pop()
            if place < 0:
                index[node] = low[node] = len(index)
                waiting.append(node)
                on_stack.add(node)
            for position in range(max(place, 0), len(successors[node])):
                target = successors[node][position]
                if target not in index:
                    work.append((node, position))
                    work.append((target, -1))
                    break
                if target in on_stack:
                    low[node] = min(low[node], low[target])
            else:
                if low[node] == index[node]:
                    component: list[int] = []
                    while not component or component[-1] != node:
                        component.append(waiting.pop())
                        on_stack.discard(component[-1])
                    found.append(sorted(component))
    return found
