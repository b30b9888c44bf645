"""Interleaved tracks that stay nearly tied: the regular language behind the no for Binary Majority Interleave.

Three tracks are interleaved. Along the words that are followed every track's lead (ones less zeros) stays between -1
and 1, so a finite machine follows them. `majority_interleave` finds the argument, `proofs` checks it; both read this.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product

from lengthwise.regular.languages.automaton import Automaton

TRACKS = 3
LEAD = 1
"""How far a track's lead may go along the words that are followed."""


@cache
def interleave_automaton() -> Automaton:
    """Words whose leads stay within bounds, whose length is a multiple of three, and whose first track has lead 1.

    The automaton is minimal: leads of all tracks show, because leaving the bounds is final.
    """
    states = list(product(range(TRACKS), product(range(-LEAD, LEAD + 1), repeat=TRACKS)))
    number = {state: place for place, state in enumerate(states)}
    sink = len(states)
    table: list[tuple[int, ...]] = []
    for track, leads in states:
        row = []
        for step in (-1, 1):
            moved = (*leads[:track], leads[track] + step, *leads[track + 1 :])
            row.append(number.get(((track + 1) % TRACKS, moved), sink))
        table.append(tuple(row))
    table.append((sink, sink))
    accepting = frozenset(number[state] for state in states if state[0] == 0 and state[1][0] == 1)
    return Automaton(("0", "1"), tuple(table), number[0, (0,) * TRACKS], accepting)


def is_input(word: Sequence[int]) -> bool:
    """Whether a word of bits is an input of the task: whole rounds, and no track tied."""
    leads = [sum(1 if bit else -1 for bit in word[track::TRACKS]) for track in range(TRACKS)]
    return len(word) % TRACKS == 0 and all(leads)
