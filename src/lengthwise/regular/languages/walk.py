"""A walk through an automaton: the states that a word goes through, and reading a word piece by piece."""

from __future__ import annotations

from collections.abc import Sequence

from lengthwise.alphabet import Word, split
from lengthwise.regular.languages.language import Language
from lengthwise.text_table import aligned


def states_along(language: Language, word: Word) -> tuple[int, ...]:
    """The state before every symbol of a word and the one after the last; the numbers are those of the automaton."""
    automaton = language.automaton
    states = [automaton.start]
    for symbol in language.alphabet.encode(word).tolist():
        states.append(automaton.table[states[-1]][symbol])
    return tuple(states)


def walk_text(language: Language, word: str) -> str:
    """A walk as text, a line a position: the symbol, the state that it leads to, and whether a word may end there."""
    symbols = ["start", *split(word)]
    accepting = language.automaton.accepting
    rows = [
        (str(place), symbol, f"state {state}{'  accepts' if state in accepting else ''}")
        for place, (symbol, state) in enumerate(zip(symbols, states_along(language, word), strict=True))
    ]
    return "\n".join([word or "(the empty word)", *(f"  {row}" for row in aligned(rows, right=[0]))])


class Walk:
    """A word of any length, read in bounded memory: `feed` it, then `values[0]` says whether it is accepted."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self.length = 0
        self._state = language.automaton.start

    def feed(self, piece: str | Sequence[str]) -> None:
        """Read on."""
        ids = self.language.alphabet.encode(piece).tolist()
        self._state = self.language.automaton.run(ids, self._state)
        self.length += len(ids)

    @property
    def values(self) -> tuple[bool]:
        """Whether what was read is accepted."""
        return (self._state in self.language.automaton.accepting,)
