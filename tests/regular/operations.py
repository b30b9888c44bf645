"""Operations on languages, written on the tables of automata: what the laws of the decision are stated with.

None of the results is minimal, and none needs to be.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lengthwise.alphabet import Alphabet
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.languages.regex import parse_regex
from lengthwise.regular.languages.regex_automaton import regex_automaton


def language(regex: str, symbols: str = "ab") -> Automaton:
    """The automaton of a regex over one-letter symbols."""
    return regex_automaton(parse_regex(regex, Alphabet(tuple(symbols))))


def combined(left: Automaton, right: Automaton, keep: Callable[[bool, bool], bool]) -> Automaton:
    """The words for which `keep` says so, given whether each language has them."""
    width = len(right)
    pairs = [(one, other) for one in range(len(left)) for other in range(width)]
    table = tuple(
        tuple(first * width + second for first, second in zip(left.table[one], right.table[other], strict=True))
        for one, other in pairs
    )
    accepting = frozenset(
        number for number, (one, other) in enumerate(pairs) if keep(one in left.accepting, other in right.accepting)
    )
    return Automaton(left.symbols, table, left.start * width + right.start, accepting)


def union(left: Automaton, right: Automaton) -> Automaton:
    """The words of either language."""
    return combined(left, right, lambda one, other: one or other)


def intersection(left: Automaton, right: Automaton) -> Automaton:
    """The words of both languages."""
    return combined(left, right, lambda one, other: one and other)


def complement(automaton: Automaton) -> Automaton:
    """The words outside the language."""
    return combined(automaton, automaton, lambda one, _: not one)


def left_quotient(automaton: Automaton, word: Sequence[int]) -> Automaton:
    """What may follow a word: {v : word·v is in the language}."""
    return Automaton(automaton.symbols, automaton.table, reached(automaton, automaton.start, word), automaton.accepting)


def right_quotient(automaton: Automaton, word: Sequence[int]) -> Automaton:
    """What may precede a word: {v : v·word is in the language}."""
    accepting = {state for state in range(len(automaton)) if reached(automaton, state, word) in automaton.accepting}
    return Automaton(automaton.symbols, automaton.table, automaton.start, frozenset(accepting))


def inverse_image(automaton: Automaton, images: Mapping[str, Sequence[int]]) -> Automaton:
    """The words whose image is in the language; `images` gives the image of each new symbol."""
    table = tuple(
        tuple(reached(automaton, state, image) for image in images.values()) for state in range(len(automaton))
    )
    return Automaton(tuple(images), table, automaton.start, automaton.accepting)


def with_neutral_letter(automaton: Automaton, letter: str = "e") -> Automaton:
    """The words that are in the language once all occurrences of a new letter are deleted."""
    table = tuple((*row, state) for state, row in enumerate(automaton.table))
    return Automaton((*automaton.symbols, letter), table, automaton.start, automaton.accepting)


def without_the_empty_word(automaton: Automaton) -> Automaton:
    """The non-empty words of the language."""
    start = len(automaton)
    table = (*automaton.table, automaton.table[automaton.start])
    return Automaton(automaton.symbols, table, start, automaton.accepting)


def reached(automaton: Automaton, state: int, word: Sequence[int]) -> int:
    """The state a word leads to."""
    for symbol in word:
        state = automaton.table[state][symbol]
    return state


def stability_index(automaton: Automaton) -> int:
    """The least s >= 1 such that words of length s and words of length 2s act on the states in the same ways."""
    letters = [tuple(row[symbol] for row in automaton.table) for symbol in range(len(automaton.symbols))]
    layers = [frozenset([tuple(range(len(automaton)))])]

    def layer(length: int) -> frozenset[tuple[int, ...]]:
        while len(layers) <= length:
            products = (tuple(letter[state] for state in action) for action in layers[-1] for letter in letters)
            layers.append(frozenset(products))
        return layers[length]

    length = 1
    while layer(length) != layer(2 * length):
        length += 1
    return length
