"""A regular language as a task: after every prefix of one of its words, which symbols can follow, and may it end?

Words are uniform among those of a length, or uneven. This is next-symbol-set prediction (Bhattamishra
et al. 2020): position i has the set behind the first i symbols. What can come first is not asked, since no position
stands before the first.

Uneven words have frequencies of symbols that are drawn anew for each word: every word has probabilities of its own for
the symbols, a uniform point of the simplex, and is drawn among the words of its length with weights that are the
products of them: symbols that are independent with these probabilities, given that they make a word of the language. So
there are words with long blocks of a symbol, which uniform ones hardly have: the longest block of 2s in a uniform word
of {0,1,2}*02* has about log₃ n symbols, in an uneven one it may be most of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from lengthwise.alphabet import Alphabet
from lengthwise.crasp import Program
from lengthwise.errors import LengthwiseError
from lengthwise.regular import Language
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.languages.dfa_files import to_table
from lengthwise.tasks.request import require_drawable
from lengthwise.tasks.task import Batch, Loss

AT_ONCE = 2**22
"""Weights of states that are kept at a time."""


def uneven_words(automaton: Automaton, length: int, batch: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Random words of a length that some word has, as symbol ids, a word a row."""
    at_once = max(1, AT_ONCE // ((length + 1) * len(automaton.table)))
    parts = [_drawn(automaton, length, min(at_once, batch - begin), rng) for begin in range(0, batch, at_once)]
    return np.concatenate(parts) if parts else np.empty((0, length), dtype=np.int64)


def _drawn(automaton: Automaton, length: int, batch: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    table = np.array(automaton.table)
    states, symbols = table.shape
    likely = rng.standard_exponential((symbols, batch))
    likely /= likely.sum(axis=0)
    # ahead[k][state]: the probability that k more symbols lead to the end of a word, up to a factor for each word.
    ahead = np.zeros((length + 1, states, batch))
    ahead[0, list(automaton.accepting)] = 1.0
    for left in range(1, length + 1):
        for symbol in range(symbols):
            ahead[left] += likely[symbol] * ahead[left - 1, table[:, symbol]]
        ahead[left] /= ahead[left].max(axis=0)
    words, every = np.empty((batch, length), dtype=np.int64), np.arange(batch)
    at = np.full(batch, automaton.start)
    for place in range(length):
        following = np.stack([ahead[length - place - 1, table[at, symbol], every] for symbol in range(symbols)])
        shares = np.cumsum(likely * following, axis=0)
        drawn = np.minimum(rng.random(batch) * shares[-1], np.nextafter(shares[-1], 0))
        # The first symbol whose share is beyond the drawn number: one without weight never is.
        words[:, place] = (shares <= drawn).sum(axis=0)
        at = table[at, words[:, place]]
    return words


class LanguageTask:
    """Next-symbol-set prediction on the non-empty words of a regular language.

    Args:
        language: The language.
        program: A program that accepts it, if one is known.
        name: What the task is called; else the title of the language.
        parameters: What the task is made from again by name; else the automaton as a table.
        uneven: Whether every word has its own frequencies of symbols.

    Raises:
        LengthwiseError: The language has no word with a symbol in it.

    Example:
        >>> task = LanguageTask(Language.from_regex("(ab)*"))
        >>> task.lengths(7)
        (2, 4, 6)

    """

    def __init__(
        self,
        language: Language,
        program: Program | None = None,
        name: str = "",
        parameters: Mapping[str, Any] | None = None,
        uneven: bool = False,
    ) -> None:
        """A language, with a program that accepts it where one is known.

        Name and parameters are what `get` makes the same task from; if not given, the language's title and its
        automaton as a table. `uneven`: every word has its own frequencies of symbols.
        """
        found = [length for length in language.lengths(len(language.automaton)) if length]
        if not found:
            raise LengthwiseError(f"{language} has no word with a symbol in it, so there is nothing to train on")
        self.language = language
        self.program = program
        self.name = name or language.title or "language"
        self.parameters: dict[str, Any] = (
            {"automaton": to_table(language.automaton)} if parameters is None else dict(parameters)
        )
        if uneven:
            self.parameters["uneven"] = True
        self.uneven = uneven
        self.min_length = found[0]

    def __repr__(self) -> str:
        return f"<LanguageTask {self.language}>"

    @property
    def alphabet(self) -> Alphabet:
        """The symbols of the language."""
        return self.language.alphabet

    @property
    def outputs(self) -> int:
        """One for each symbol, and one for the end of the word."""
        return len(self.alphabet) + 1

    @property
    def loss(self) -> Loss:
        """The set of what may come next, at every position."""
        return "next-set"

    def lengths(self, up_to: int) -> tuple[int, ...]:
        """The lengths from 1 to `up_to` that words have."""
        return tuple(length for length in self.language.lengths(up_to) if length)

    def targets(self, tokens: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.bool_]:
        """For every position of every row of symbol ids which symbols can follow, and last whether it may end there."""
        return self.language.next_symbols_batch(tokens)[:, 1:]

    def sample(self, length: int, batch: int, rng: np.random.Generator) -> Batch:
        """Random words of a length; a length that no word has is refused, and the nearest ones are named."""
        require_drawable(self, length, batch)
        if self.uneven:
            tokens = uneven_words(self.language.automaton, length, batch, rng)
        else:
            tokens = self.language.sample_batch(length, batch, rng).astype(np.int64)
        return Batch(tokens, self.targets(tokens), np.ones(tokens.shape, dtype=bool))
