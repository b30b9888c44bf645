"""Are two acceptors equal at every length? If not, what is the shortest word on which they differ?

Programs decide at the last symbol of a word, so only non-empty words count where a program takes part; whether the two
also agree on the empty word, on which programs answer by convention, is said separately.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from lengthwise.crasp import Program
from lengthwise.errors import LengthwiseError
from lengthwise.regular.automaton import Automaton
from lengthwise.regular.prover.enumeration import compare_words
from lengthwise.regular.prover.formulas import TooComplexError
from lengthwise.regular.prover.normal_form import system_of
from lengthwise.regular.prover.search import Deadline, Explorer, search

Acceptor: TypeAlias = Program | Automaton

FRESH = ("?", "_", "*", "other")
"""Names for a symbol that neither of two open programs mentions."""


@dataclass(frozen=True)
class Comparison:
    """What is known about the equality of two acceptors."""

    equal: bool | None
    """Whether they agree on every word (every non-empty one if a program takes part); None if that is not known."""
    difference: tuple[str, ...] | None
    """The shortest word on which they differ, the first such in the order of the symbols."""
    checked_to: int | None
    """If it is not known: the length up to which they agree on every word."""
    states: int
    """How many configurations were compared."""
    method: str
    """How: `product` of automata, `search` of configurations, `induction`, or `enumeration` of words."""
    empty_differs: bool = False
    """Whether they disagree on the empty word."""
    symbols: tuple[str, ...] = ()
    """The alphabet over which they were compared."""
    difference_accepted_by: str | None = None
    """Which of the two accepts the difference: `left` or `right`."""


def compare(
    left: Acceptor,
    right: Acceptor,
    symbols: tuple[str, ...] | None = None,
    states: int = 200_000,
    seconds: float | None = None,
) -> Comparison:
    """Compare two acceptors at every length, within a number of configurations and of seconds."""
    alphabet = common_symbols(left, right, symbols)
    left, right = over(left, alphabet), over(right, alphabet)
    deadline = Deadline(seconds)
    if isinstance(left, Automaton) and isinstance(right, Automaton):
        return _product(left, right)
    empty_differs = left.accepts(()) != right.accepts(())
    programs = [side for side in (left, right) if isinstance(side, Program)]
    automaton = next((side for side in (left, right) if isinstance(side, Automaton)), nothing(alphabet))
    try:
        explorer = Explorer(system_of(programs, alphabet))
        outcome = search(explorer, automaton.minimal(), states, deadline)
    except TooComplexError:
        return compare_words(left, right, alphabet, deadline)
    if outcome.difference is not None:
        word = tuple(alphabet[symbol] for symbol in outcome.difference)
        return Comparison(
            False, word, None, outcome.states, "search", empty_differs, alphabet, _accepting_side(left, word)
        )
    equal = True if outcome.finished else None
    checked_to = None if outcome.finished else outcome.checked_to
    return Comparison(equal, None, checked_to, outcome.states, "search", empty_differs, alphabet)
