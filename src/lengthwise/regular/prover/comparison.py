"""Are two acceptors equal at every length? If not, what is the shortest word on which they differ?

Programs decide at the last symbol of a word, so only non-empty words count where a program takes part; whether the two
also agree on the empty word, on which programs answer by convention, is said separately.
"""

from __future__ import annotations

from dataclasses import dataclass

from lengthwise.crasp import Program
from lengthwise.regular.automaton import Automaton, paired
from lengthwise.regular.prover.abstraction import proves_equality
from lengthwise.regular.prover.alphabets import Acceptor, common_symbols, over
from lengthwise.regular.prover.enumeration import compare_words
from lengthwise.regular.prover.formulas import TooComplexError
from lengthwise.regular.prover.normal_form import system_of
from lengthwise.regular.prover.search import Deadline, Explorer, Outcome, search

FIRST_STATES = 2_000
"""How many configurations are compared before an abstraction is tried."""


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
    """How many configurations, pairs of states or words were compared."""
    method: str
    """How: `product` of automata, `search` of configurations, `abstraction` of their values, `induction` over the
    length, or `enumeration` of words."""
    empty_differs: bool = False
    """Whether they disagree on the empty word."""
    symbols: tuple[str, ...] = ()
    """The alphabet over which they were compared."""


def compare(
    left: Acceptor,
    right: Acceptor,
    symbols: tuple[str, ...] | None = None,
    states: int = 200_000,
    seconds: float | None = None,
) -> Comparison:
    """Compare two acceptors at every length, within a number of configurations and of seconds.

    Two automata are compared on the empty word, too: it may be their difference.
    """
    deadline = Deadline(seconds)
    alphabet = common_symbols((left, right), symbols)
    left, right = over(left, alphabet), over(right, alphabet)
    if isinstance(left, Automaton) and isinstance(right, Automaton):
        return _product(left, right)
    programs = [side for side in (left, right) if isinstance(side, Program)]
    automaton = next((side for side in (left, right) if isinstance(side, Automaton)), _nothing(alphabet))
    try:
        outcome, method = _searched(Explorer(system_of(programs, alphabet)), automaton.minimal(), states, deadline)
    except TooComplexError:
        outcome, method = compare_words(left, right, alphabet, states, deadline), "enumeration"
    return _comparison(outcome, method, alphabet, left.accepts(()) != right.accepts(()))


def _searched(explorer: Explorer, automaton: Automaton, states: int, deadline: Deadline) -> tuple[Outcome, str]:
    """Search a little; if that does not end, try to prove equality without exact values; if that fails, search on."""
    outcome = search(explorer, automaton, min(states, FIRST_STATES), deadline)
    if outcome.finished or deadline.passed():
        return outcome, "search"
    pairs = proves_equality(explorer, automaton, states, deadline.share(0.5))
    if pairs is not None:
        return Outcome(True, None, outcome.checked_to, pairs), "abstraction"
    return search(explorer, automaton, states, deadline), "search"


def _comparison(outcome: Outcome, method: str, alphabet: tuple[str, ...], empty_differs: bool) -> Comparison:
    if outcome.difference is not None:
        word = tuple(alphabet[symbol] for symbol in outcome.difference)
        return Comparison(False, word, None, outcome.states, method, empty_differs, alphabet)
    if outcome.finished:
        return Comparison(True, None, None, outcome.states, method, empty_differs, alphabet)
    return Comparison(None, None, outcome.checked_to, outcome.states, method, empty_differs, alphabet)


def _nothing(symbols: tuple[str, ...]) -> Automaton:
    return Automaton(symbols, ((0,) * len(symbols),), 0, frozenset())


def _product(left: Automaton, right: Automaton) -> Comparison:
    """Two automata: the first pair of states, in breadth-first order, of which one accepts."""
    product, pairs = paired(left.minimal(), right.minimal())
    minimal = left.minimal(), right.minimal()
    empty_differs = (left.start in left.accepting) != (right.start in right.accepting)
    for place, (first, second) in enumerate(pairs):
        if (first in minimal[0].accepting) != (second in minimal[1].accepting):
            word = tuple(left.symbols[symbol] for symbol in _shortest(product, place))
            return Comparison(False, word, None, len(pairs), "product", empty_differs, left.symbols)
    return Comparison(True, None, None, len(pairs), "product", empty_differs, left.symbols)


def _shortest(automaton: Automaton, goal: int) -> list[int]:
    """The first word that leads from the start, state 0, to a state."""
    origins: dict[int, tuple[int, int]] = {0: (-1, -1)}
    queue = [0]
    for state in queue:  # grows while it is read
        for symbol, target in enumerate(automaton.table[state]):
            if target not in origins:
                origins[target] = (state, symbol)
                queue.append(target)
    word: list[int] = []
    while goal:
        goal, symbol = origins[goal]
        word.append(symbol)
    return word[::-1]
