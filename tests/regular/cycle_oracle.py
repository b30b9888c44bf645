"""First route to C-RASP[∅]: the definition of the refinement, with every simple cycle listed."""

from __future__ import annotations

from benchmarks.cycle_enumeration import Acceptance, decide_by_cycles

from lengthwise.regular.languages.automaton import Automaton

MOST_CYCLES = 20_000
"""Enough for every automaton the tests ask about; more raises `TooManyCyclesError`."""


def is_definable(automaton: Automaton, acceptance: Acceptance) -> bool:
    """Whether the language is in C-RASP[∅]."""
    return decide_by_cycles(automaton, acceptance, MOST_CYCLES)
