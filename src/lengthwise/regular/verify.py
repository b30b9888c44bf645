"""Are two things equal at every length: programs, automata, languages, or texts that stand for them?

First the configurations of both are searched, exactly and then with values far from all thresholds left open
(`prover.compare`); if that settles nothing, induction over the length is tried; if that does not, either, all that is
known is that they agree up to some length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias

from lengthwise.alphabet import split
from lengthwise.crasp import Program
from lengthwise.errors import LengthwiseError
from lengthwise.regular.automaton import Automaton
from lengthwise.regular.prover.comparison import Comparison, compare
from lengthwise.regular.prover.search import Deadline
from lengthwise.regular.subject import kind_of, named_symbols, resolve


class HasAutomaton(Protocol):
    """A language that knows its automaton."""

    @property
    def automaton(self) -> Automaton:
        """The automaton."""
        ...


Side: TypeAlias = Program | Automaton | HasAutomaton | str


@dataclass(frozen=True)
class Verified:
    """A comparison and the two sides it is about."""

    left: Program | Automaton
    right: Program | Automaton
    comparison: Comparison


def verify(
    left: Side,
    right: Side,
    alphabet: str | Sequence[str] | None = None,
    seconds: float | None = 30.0,
    states: int = 200_000,
) -> Comparison:
    """Compare two sides at every length; texts are resolved as on the command line."""
    return verified(left, right, alphabet, seconds, states).comparison


def verified(
    left: Side,
    right: Side,
    alphabet: str | Sequence[str] | None = None,
    seconds: float | None = 30.0,
    states: int = 200_000,
) -> Verified:
    """The comparison, together with what the texts stood for."""
    deadline = Deadline(seconds)
    symbols = None if alphabet is None else tuple(split(alphabet) if isinstance(alphabet, str) else alphabet)
    first, second = _acceptors(left, right, symbols)
    # Half of the time is left for induction, which may still prove what no search can.
    found = compare(first, second, symbols, states, None if seconds is None else seconds / 2)
    if found.equal is None:
        from lengthwise.regular.prover.induction import prove_by_induction

        left_over = deadline.left()
        proof = prove_by_induction(first, second, symbols, 30.0 if left_over is None else left_over)
        if proof is not None:
            found = replace(found, equal=True, checked_to=None, method="induction", proof=proof)
    return Verified(first, second, found)


def _acceptors(
    left: Side, right: Side, symbols: tuple[str, ...] | None
) -> tuple[Program | Automaton, Program | Automaton]:
    """Both sides; a regex is read over the symbols of both, for it says nothing about others by itself."""
    sides = _known(left), _known(right)
    own = [side.alphabet.symbols for side in sides if not isinstance(side, str)] if symbols is None else [symbols]
    named = [named_symbols(kind_of(side)[1]) for side in sides if isinstance(side, str)]
    shared = tuple(dict.fromkeys(symbol for group in (*own, *named) for symbol in group)) or None
    first, second = (resolve(side, shared).acceptor if isinstance(side, str) else side for side in sides)
    return first, second


def _known(side: Side) -> Program | Automaton | str:
    """An acceptor, or the text of a regex."""
    if isinstance(side, Program | Automaton):
        return side
    if isinstance(side, str):
        return side if kind_of(side)[0] == "regex" else resolve(side).acceptor
    automaton = getattr(side, "automaton", None)
    if not isinstance(automaton, Automaton):
        raise LengthwiseError(f"{type(side).__name__} cannot be compared; give a program, a language or a text")
    return automaton
