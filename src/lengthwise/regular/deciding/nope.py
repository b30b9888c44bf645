"""Theorem 1: a regular language is in C-RASP[∅] iff refinement separates the states of every component of its machine.

Yes, because the levels of the refinement are a program (`synthesis`). No, because every program of C-RASP[∅] that reads
a long walk through all edges of the component loses the difference between two states that refinement does not
separate; the proof is in the documentation, and `witness_search` turns each no into an argument that can be checked.
"""

from __future__ import annotations

from dataclasses import dataclass

from lengthwise.regular.deciding.machine import Machine, machine
from lengthwise.regular.deciding.refine import Refinement, refine
from lengthwise.regular.languages.automaton import Acceptance, Automaton


@dataclass(frozen=True)
class NopeDecision:
    """The machine, its refined components up to the first that is not separated, and the answer."""

    machine: Machine
    refinements: tuple[tuple[list[int], Refinement], ...]
    yes: bool

    @property
    def failed(self) -> tuple[list[int], Refinement]:
        """The component that is not separated (only after a no)."""
        return self.refinements[-1]


def decide_nope(automaton: Automaton, acceptance: Acceptance = "last") -> NopeDecision:
    """Whether the language of an automaton is in C-RASP[∅]."""
    wanted = machine(automaton, acceptance)
    found: list[tuple[list[int], Refinement]] = []
    for component in wanted.components:
        refinement = refine(len(component), wanted.inside(component) if len(component) > 1 else [])
        found.append((component, refinement))
        if not refinement.separates_all:
            return NopeDecision(wanted, tuple(found), False)
    return NopeDecision(wanted, tuple(found), True)
