"""Are two acceptors, programs or automata, equal at every length?

First the configurations of both are searched, exactly and then with values far from all thresholds left open
(`prover.compare`); if that settles nothing, induction over the length is tried; if that does not, either, all that is
known is that they agree up to some length.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

from lengthwise.crasp import Program
from lengthwise.errors import LengthwiseError
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.languages.language import Language
from lengthwise.regular.prover.comparison import Comparison, compare
from lengthwise.resources import Deadline

Acceptor: TypeAlias = Program | Automaton | Language


def verify(
    left: Acceptor,
    right: Acceptor,
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


def _acceptor(side: Acceptor) -> Program | Automaton:
    if isinstance(side, Program | Automaton):
        return side
    if isinstance(side, Language):
        return side.automaton
    raise LengthwiseError(f"{type(side).__name__} cannot be compared; give a program, an automaton or a language")
