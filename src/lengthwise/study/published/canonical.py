"""One form for all languages that differ only in the names of their letters.

Letters that occur in no word are dropped first: models that are trained on the words of a language never see them. Then
the minimal automata under every order of the remaining letters are compared, and the least one is the form.
"""

from __future__ import annotations

import hashlib
from itertools import permutations
from typing import NamedTuple

from lengthwise.regular.languages.automaton import Automaton, components

MOST_LETTERS = 4
"""With more letters there are too many orders; such languages are looked up by name and by equality only."""


class Form(NamedTuple):
    """A minimal automaton whose letters have numbers in the place of names."""

    table: tuple[tuple[int, ...], ...]
    accepting: tuple[int, ...]

    @property
    def digest(self) -> str:
        """A short name of the form, as the data file has it."""
        return hashlib.sha256(repr(tuple(self)).encode()).hexdigest()[:12]


def used_letters(automaton: Automaton) -> tuple[str, ...]:
    """The letters that occur in some word of a minimal automaton's language, in the order of its alphabet."""
    alive = _alive(automaton)
    return tuple(
        letter
        for number, letter in enumerate(automaton.symbols)
        if any(automaton.table[state][number] in alive for state in alive)
    )


def without_unused_letters(automaton: Automaton) -> Automaton | None:
    """The minimal automaton of the same words over the letters that occur in them; None if there is no letter."""
    letters = used_letters(automaton)
    if not letters or len(letters) == len(automaton.symbols):
        return automaton if letters else None
    kept = [automaton.symbols.index(letter) for letter in letters]
    table = tuple(tuple(row[number] for number in kept) for row in automaton.table)
    return Automaton(letters, table, automaton.start, automaton.accepting).minimal()


def canonical_form(automaton: Automaton) -> Form | None:
    """Find the form that a language shares with those that differ from it only in the names of letters.

    Args:
        automaton: The minimal automaton of the language.

    Returns:
        The form; None if no letter occurs in a word, or more than `MOST_LETTERS` do.

    Example:
        >>> from lengthwise.regular import Language
        >>> one, other = Language.from_regex("a*b"), Language.from_regex("1*0", "012")
        >>> canonical_form(one.automaton) == canonical_form(other.automaton)
        True

    """
    small = without_unused_letters(automaton)
    if small is None or len(small.symbols) > MOST_LETTERS:
        return None
    return min(_numbered(small, order) for order in permutations(range(len(small.symbols))))


def _alive(automaton: Automaton) -> frozenset[int]:
    """The states from which a word can still be completed."""
    alive: set[int] = set()
    for component in components(automaton.table):  # those that a component leads to come before it
        reached = {target for state in component for target in automaton.table[state]}
        if any(state in automaton.accepting for state in component) or reached & alive:
            alive.update(component)
    return frozenset(alive)


def _numbered(automaton: Automaton, order: tuple[int, ...]) -> Form:
    """The automaton with its letters in an order, states as a breadth-first search meets them."""
    numbers = {automaton.start: 0}
    states = [automaton.start]
    for state in states:  # grows while it is read
        for letter in order:
            target = automaton.table[state][letter]
            if target not in numbers:
                numbers[target] = len(states)
                states.append(target)
    table = tuple(tuple(numbers[automaton.table[state][letter]] for letter in order) for state in states)
    return Form(table, tuple(sorted(numbers[state] for state in automaton.accepting)))
