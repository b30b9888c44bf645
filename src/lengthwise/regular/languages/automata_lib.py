"""Automata of the library automata-lib, read by the shape of the object: that library is never imported.

Both its DFA and its NFA have `states`, `input_symbols`, `transitions`, `initial_state` and `final_states`. A DFA maps a
state and a symbol to one state and may leave transitions out; an NFA maps them to a set of states, and the empty string
as a symbol reads nothing.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.languages.dfa_files import AutomatonError
from lengthwise.regular.languages.regex_automaton import Nondeterministic, determinized, members

_PARTS = ("states", "input_symbols", "transitions", "initial_state", "final_states")


def is_automata_lib(machine: object) -> bool:
    """Whether an object has the parts of a DFA or NFA of automata-lib."""
    return all(hasattr(machine, part) for part in _PARTS)


def from_automata_lib(machine: Any, limit: int | None = None) -> Automaton:
    """A deterministic automaton for the language of a DFA or NFA; symbols sorted, missing transitions to a sink."""
    symbols = tuple(machine.input_symbols)
    if not symbols or not all(isinstance(symbol, str) and symbol for symbol in symbols):
        raise AutomatonError("the symbols of the automaton must be texts, and there must be at least one")
    number = {state: place for place, state in enumerate(_ordered(machine.states))}
    sets = _leads_to_sets(machine)
    moves: list[dict[str, int]] = [{} for _ in number]
    for state, row in machine.transitions.items():
        place = _bits((state,), number).bit_length() - 1
        for symbol, targets in row.items():
            moves[place][symbol] = _bits(targets if sets else (targets,), number)
    silent = [row.pop("", 0) for row in moves]
    closed: list[Mapping[str, int]] = [
        {symbol: _closed(targets, silent) for symbol, targets in row.items()} for row in moves
    ]
    start = _closed(_bits((machine.initial_state,), number), silent)
    return determinized(Nondeterministic(closed, start, _bits(machine.final_states, number)), sorted(symbols), limit)


def _ordered(states: Iterable[Hashable]) -> list[Hashable]:
    """The states in an order that does not depend on how a set happens to be stored."""
    return sorted(states, key=repr)


def _leads_to_sets(machine: Any) -> bool:
    """Whether transitions lead to sets of states; a state of a DFA can be a set itself, so the class is asked first."""
    names = {base.__name__ for base in type(machine).__mro__}
    if names & {"NFA", "DFA"}:
        return "NFA" in names
    targets = [target for row in machine.transitions.values() for target in row.values()]
    return any(isinstance(target, set | frozenset) and target not in machine.states for target in targets)


def _bits(states: Iterable[Hashable], number: Mapping[Hashable, int]) -> int:
    bits = 0
    for state in states:
        if state not in number:
            raise AutomatonError(f"the state {state!r} is not one of the states of the automaton")
        bits |= 1 << number[state]
    return bits


def _closed(states: int, silent: list[int]) -> int:
    """The states reached without reading a symbol; `silent` gives one step of that for each state."""
    found = new = states
    while new:
        for state in members(new):
            found |= silent[state]
        states, new = found, found & ~states
    return found
