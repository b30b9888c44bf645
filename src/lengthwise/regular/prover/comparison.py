"""Are two acceptors equal at every length? If not, what is the shortest word on which they differ?

Programs decide at the last symbol of a word, so only non-empty words count where a program takes part; whether the two
also agree on the empty word, on which programs answer by convention, is said separately.

`compare` searches the configurations of both, exactly and then with values far from all thresholds left open. If that
settles nothing, `verify` tries induction over the length; if that does not, either, all that is known is that they
agree up to some length.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

from lengthwise.crasp import Program
from lengthwise.errors import LengthwiseError
from lengthwise.regular.languages.automaton import Automaton, paired
from lengthwise.regular.languages.language import Language
from lengthwise.regular.proofs import Equal, Proof, ProofError
from lengthwise.regular.proofs.invariant import check_invariant
from lengthwise.regular.proofs.sides import side_as_json
from lengthwise.regular.prover.abstraction import abstraction_that_agrees
from lengthwise.regular.prover.alphabets import Acceptor, common_symbols, over
from lengthwise.regular.prover.enumeration import compare_words
from lengthwise.regular.prover.formulas import TooComplexError
from lengthwise.regular.prover.invariants import abstract_invariant, searched_invariant
from lengthwise.regular.prover.normal_form import system_of
from lengthwise.regular.prover.relevance import Thrift
from lengthwise.regular.prover.search import Explorer, Outcome, search
from lengthwise.resources import Deadline, TimeLimitError

FIRST_STATES = 2_000
"""How many configurations are compared before an abstraction is tried."""
ROOM = 2
"""An invariant may have so many times the configurations of a search: what was settled tells some of them apart."""

Argument: TypeAlias = dict[str, Any]


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
    proof: Proof | None = field(default=None, compare=False, repr=False)
    """If they are equal: why, as data that was replayed by code that shares nothing with the search."""


def compare(
    left: Acceptor,
    right: Acceptor,
    symbols: tuple[str, ...] | None = None,
    states: int = 200_000,
    seconds: float | None = None,
) -> Comparison:
    """Compare two acceptors at every length, within a number of configurations and of seconds.

    Two automata are compared on the empty word, too: it may be their difference.

    Args:
        left: A program or an automaton.
        right: A program or an automaton.
        symbols: The symbols of the words to compare; else those of both.
        states: How many configurations to compare.
        seconds: How long to try.

    Returns:
        Whether they are equal, or the shortest difference, or how far they agree.

    Example:
        >>> from lengthwise import crasp
        >>> compare(crasp.load("d:2"), crasp.load("d:3")).equal
        False

    """
    deadline = Deadline(seconds)
    alphabet = common_symbols((left, right), symbols)
    left, right = over(left, alphabet), over(right, alphabet)
    if isinstance(left, Automaton) and isinstance(right, Automaton):
        try:
            return _product(left, right)
        except TimeLimitError:
            return Comparison(None, None, 0, 0, "product", left.accepts(()) != right.accepts(()), alphabet)
    empty_differs = left.accepts(()) != right.accepts(())
    try:
        outcome, method, argument = _searched(left, right, alphabet, states, deadline)
    except TooComplexError:
        outcome, method, argument = compare_words(left, right, alphabet, states, deadline), "enumeration", None
    except TimeLimitError:
        outcome, method, argument = Outcome(False, None, 0, 0), "search", None
    if outcome.difference is not None:
        word = tuple(alphabet[symbol] for symbol in outcome.difference)
        return Comparison(False, word, None, outcome.states, method, empty_differs, alphabet)
    if argument is not None:
        proof = Proof(Equal(left, right, alphabet), argument)
        return Comparison(True, None, None, outcome.states, method, empty_differs, alphabet, proof)
    return Comparison(None, None, outcome.checked_to, outcome.states, method, empty_differs, alphabet)


def _searched(
    left: Acceptor, right: Acceptor, alphabet: tuple[str, ...], states: int, deadline: Deadline
) -> tuple[Outcome, str, Argument | None]:
    """Search a little; if that does not end, try to prove equality without exact values; if that fails, search on."""
    sides = _Sides(left, right, alphabet, states, deadline)
    explorer, automaton = sides.explorer, sides.automaton
    outcome = search(explorer, automaton, min(states, FIRST_STATES), deadline)
    if not outcome.finished and not deadline.passed():
        found = abstraction_that_agrees(explorer, automaton, states, deadline.share(0.5))
        if found is not None:
            argument = sides.argued(partial(abstract_invariant, found[0]))
            if argument is not None:
                return Outcome(True, None, outcome.checked_to, found[1]), "abstraction", argument
        outcome = search(explorer, automaton, states, deadline)
    if outcome.finished and outcome.difference is None:
        return outcome, "search", sides.argued(partial(searched_invariant, explorer))
    return outcome, "search", None


class _Sides:
    """The two sides of a comparison, one of them a program at least, and what they are searched as."""

    def __init__(
        self, left: Acceptor, right: Acceptor, alphabet: tuple[str, ...], states: int, deadline: Deadline
    ) -> None:
        self.left, self.right, self.alphabet, self.states, self.deadline = left, right, alphabet, states, deadline
        self.programs = [side for side in (left, right) if isinstance(side, Program)]
        self.given = next((side for side in (left, right) if isinstance(side, Automaton)), None)
        self.automaton = _nothing(alphabet) if self.given is None else self.given.minimal()
        self.explorer = Explorer(system_of(self.programs, alphabet))

    def argued(self, write: Callable[[Automaton, Thrift, int, Deadline], Argument | None]) -> Argument | None:
        """An invariant that the checker has replayed: the smallest that it accepts, None if it accepts none."""
        for thrift in Thrift:
            argument = write(self.automaton, thrift, ROOM * self.states, self.deadline)
            if argument is None:
                continue
            try:
                check_invariant(self.programs, None if self.given is None else self.automaton, self.alphabet, argument)
            except ProofError:
                continue
            if self.given is None:
                return argument
            stations = [self.automaton, self.given] if isinstance(self.left, Program) else [self.given, self.automaton]
            minimised = _bisimulation(*stations)
            return _chain(
                [self.automaton] if self.given != self.automaton else [],
                [argument, minimised] if isinstance(self.left, Program) else [minimised, argument],
            )
        return None


def _bisimulation(left: Automaton, right: Automaton) -> Argument | None:
    """Why two automata that accept the same words do so; None if they are the same."""
    return None if left == right else {"kind": "bisimulation", "pairs": [list(pair) for pair in paired(left, right)[1]]}


def _chain(between: Sequence[Automaton], steps: Sequence[Argument | None]) -> Argument:
    """Arguments for neighbours as one for the first and the last side; None where neighbours are the same."""
    kept = [step for step in steps if step is not None]
    if len(kept) == 1:
        return kept[0]
    return {"kind": "chain", "between": [side_as_json(side) for side in between], "steps": kept}


def _nothing(symbols: tuple[str, ...]) -> Automaton:
    return Automaton(symbols, ((0,) * len(symbols),), 0, frozenset())


def _product(left: Automaton, right: Automaton) -> Comparison:
    """Two automata: the first pair of states, in breadth-first order, of which one accepts."""
    small = left.minimal(), right.minimal()
    product, pairs = paired(*small)
    empty_differs = (left.start in left.accepting) != (right.start in right.accepting)
    for place, (first, second) in enumerate(pairs):
        if (first in small[0].accepting) != (second in small[1].accepting):
            word = tuple(left.symbols[symbol] for symbol in _shortest(product, place))
            return Comparison(False, word, None, len(pairs), "product", empty_differs, left.symbols)
    between = [side for side, given in zip(small, (left, right), strict=True) if side != given]
    same: Argument = {"kind": "bisimulation", "pairs": [list(pair) for pair in pairs]}
    proof = Proof(
        Equal(left, right, left.symbols),
        _chain(between, [_bisimulation(left, small[0]), same, _bisimulation(small[1], right)]),
    )
    proof.check()
    return Comparison(True, None, None, len(pairs), "product", empty_differs, left.symbols, proof)


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


def verify(
    left: Acceptor | Language,
    right: Acceptor | Language,
    symbols: tuple[str, ...] | None = None,
    seconds: float | None = 30.0,
    states: int = 200_000,
) -> Comparison:
    """Compare two acceptors at every length.

    Args:
        left: A program, an automaton or a language. `lengthwise.verify` also reads texts.
        right: The same.
        symbols: The symbols of the words to compare; else those of both.
        seconds: How long to try.
        states: How many configurations to compare.

    Returns:
        Whether they are equal, or the shortest difference, or how far they agree.

    Raises:
        LengthwiseError: One side accepts no words.

    Example:
        >>> from lengthwise import crasp
        >>> from lengthwise.regular import Language
        >>> verify(crasp.load("d2"), Language.from_regex("(a(ab)*b)*")).equal
        True

    """
    deadline = Deadline(seconds)
    first, second = _acceptor(left), _acceptor(right)
    # Half of the time is left for induction, which may still prove what no search can.
    found = compare(first, second, symbols, states, None if seconds is None else seconds / 2)
    if found.equal is None:
        from lengthwise.regular.prover.induction import prove_by_induction

        left_over = deadline.left()
        proof = prove_by_induction(first, second, symbols, 30.0 if left_over is None else left_over)
        if proof is not None:
            found = replace(found, equal=True, checked_to=None, method="induction", proof=proof)
    return found


def _acceptor(side: Acceptor | Language) -> Acceptor:
    if isinstance(side, Program | Automaton):
        return side
    if isinstance(side, Language):
        return side.automaton
    raise LengthwiseError(f"{type(side).__name__} cannot be compared; give a program, an automaton or a language")
