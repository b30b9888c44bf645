"""Why two tasks of Table 3 have no program in C-RASP[∅]: what both the search for arguments and their checker read.

Why an induction head needs positions: what followed on the current symbol is not known to C-RASP[∅]. Over {a, b}, let L
hold the words whose last letter was followed by b somewhere in them. A predictor that names at every position all that
ever followed on the current symbol (App. C.2.2 of Huang et al.) has a formula for b that accepts L. L is regular and
not in C-RASP[∅], by the argument of Theorem 1 that `InductionWitness` spells out.

The appendix writes L as Σ*abΣ*a ∪ Σ*bbΣ*b, which lacks the words that end in their only bb: `#[j <= i]` counts the
bigram that ends at i, too. Its proof goes through for L as it is here.

Behind the no for Binary Majority Interleave there is the regular language of tracks that stay nearly tied. Three
tracks are interleaved. Along the words that are followed every track's lead (ones less zeros) stays between -1 and 1,
so a finite machine follows them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any, Literal

from lengthwise.crasp import library
from lengthwise.regular.languages.automaton import Automaton

SYMBOLS = ("a", "b")


def followed_by_b() -> Automaton:
    """The minimal automaton of L, the words whose last letter was followed by b somewhere in them."""
    start = (frozenset[str](), "")
    order = {start: 0}
    states = [start]
    table: list[tuple[int, ...]] = []
    for bigrams, last in states:  # grows while it is read
        row = []
        for symbol in SYMBOLS:
            target = (bigrams | {last + symbol} if last else bigrams, symbol)
            if target not in order:
                order[target] = len(states)
                states.append(target)
            row.append(order[target])
        table.append(tuple(row))
    accepting = frozenset(number for number, (bigrams, last) in enumerate(states) if last + "b" in bigrams)
    return Automaton(SYMBOLS, tuple(table), 0, accepting).minimal()


@dataclass(frozen=True)
class InductionWitness:
    """Two states of L's automaton that one word leads to the same place, so that no count tells them apart."""

    access: str = "aba"
    """Leads from the start to p."""
    there: str = "b"
    """Leads from p to q."""
    back: str = "a"
    """Leads from q to p."""
    reset: str = "a"
    """Leads from p and from q to p."""
    suffix: str = "b"
    """Read at p it leads outside L, read at q into L."""

    @property
    def kind(self) -> Literal["flip-flop"]:
        """The kind of argument."""
        return "flip-flop"

    def recheck(self, longest: int = 8) -> bool:
        """Whether the words do what is said of them, and a predictor's formula for b would indeed accept L.

        The second is tried with the library's induction head on all words up to a length, without the automaton's code.
        """
        automaton = followed_by_b()

        def run(state: int, word: str) -> int:
            for symbol in word:
                state = automaton.table[state][SYMBOLS.index(symbol)]
            return state

        p = run(automaton.start, self.access)
        q = run(p, self.there)
        words_do = p != q and run(q, self.back) == p and {run(p, self.reset), run(q, self.reset)} == {p}
        ends = run(p, self.suffix) not in automaton.accepting and run(q, self.suffix) in automaton.accepting
        predictor = library.get("induction-all:ab")
        waiting = list(SYMBOLS)
        for word in waiting:  # grows while it is read
            if (run(automaton.start, word) in automaton.accepting) != ("b" in predictor.next_tokens(word)[-1]):
                return False
            if len(word) < longest:
                waiting.extend(word + symbol for symbol in SYMBOLS)
        return words_do and ends and self.suffix != ""

    def explain(self) -> str:
        """The argument in words."""
        return "\n".join(
            [
                "Let a program predict at every position all symbols that ever followed on the current one. Over the "
                "letters a and b its formula for b accepts the language L of the words whose last letter was followed "
                "by b somewhere in them. L is regular; it is enough that L is not in C-RASP[∅].",
                f"After {self.access} the automaton of L is in a state p; {self.there} leads from p to q, {self.back} "
                f"from q back to p; and {self.reset} leads from p and from q to p.",
                "A C-RASP[∅] program compares sums of counts with numbers. Along a closed walk through p and q such a "
                "sum either drifts, and then far out its comparison no longer changes, or it returns to its value, and "
                "then far out it depends on the state alone. A sum of the second kind has the same value at p and at "
                f"q: {self.reset} adds the same to it from both, and ends in p from both. This holds at every depth of "
                "nesting, because the formulas that are counted agree at p and q by the same argument.",
                "So for every program there is a closed walk z from p such that after sufficiently many rounds it does "
                f"not see whether it stands at p or, {self.there} later, at q, whatever bounded number of symbols "
                f"follows. But {self.suffix} leads from p outside L and from q into L (Theorem 1, the no case).",
            ]
        )

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            "kind": self.kind,
            "language": "the words over {a, b} whose last letter was followed by b somewhere in them",
            "access": self.access,
            "there": self.there,
            "back": self.back,
            "reset": self.reset,
            "suffix": self.suffix,
        }


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
