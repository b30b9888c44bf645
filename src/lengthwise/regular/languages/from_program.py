"""The automaton of a program whose language is regular, found by exploring its configurations.

If finitely many configurations can be reached, they are the states of an automaton that accepts the same non-empty
words; on the empty word it says what the program says by convention.
"""

from __future__ import annotations

from lengthwise.crasp import Program
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.prover.alphabets import common_symbols
from lengthwise.regular.prover.formulas import TooComplexError
from lengthwise.regular.prover.normal_form import system_of
from lengthwise.regular.prover.search import Explorer
from lengthwise.resources import Deadline


def automaton_of(
    program: Program, symbols: tuple[str, ...] | None = None, states: int = 20_000, seconds: float | None = 10.0
) -> Automaton | None:
    """The minimal automaton of a program over its alphabet or the given symbols; None if none was found in time.

    An open alphabet is taken with one symbol more than the program mentions. That no automaton was found does not mean
    that there is none.

    Args:
        program: A program that accepts words.
        symbols: The symbols of the words, for a program whose alphabet is open.
        states: The most configurations to look at.
        seconds: The longest time to look for it.

    Returns:
        The minimal automaton; None if none was found, as for programs whose language is not regular.

    Example:
        >>> from lengthwise import crasp
        >>> len(automaton_of(crasp.load("d:2")))
        4

    """
    deadline = Deadline(seconds)
    alphabet = common_symbols((program,), symbols)
    try:
        explorer = Explorer(system_of([program], alphabet))
        # A state is a configuration and the output on the way into it.
        first = (program.accepts(()), 0)
        order = {first: 0}
        pairs = [first]
        table: list[tuple[int, ...]] = []
        for _, number in pairs:  # grows while it is read
            if len(pairs) > states or deadline.passed():
                return None
            row = []
            for output, target, _ in explorer.successors(number):
                pair = (output, target)
                if pair not in order:
                    order[pair] = len(pairs)
                    pairs.append(pair)
                row.append(order[pair])
            table.append(tuple(row))
    except TooComplexError:
        return None
    accepting = frozenset(place for place, (output, _) in enumerate(pairs) if output)
    return Automaton(alphabet, tuple(table), 0, accepting).minimal()
