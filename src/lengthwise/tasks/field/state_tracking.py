"""State tracking: after every symbol, or at markers alone, in which state is the automaton?

Any regular language gives such a task (Merrill et al., 2024; Liu et al., 2023): its minimal automaton is run on random
words, all symbols alike. States are symbols q0, q1, … of the task, numbered as `lengthwise show` lists them. A marker
`?` changes nothing; if answers are at markers, nothing else is asked.

The matching verdict reads acceptance at an end marker: a program that answers must tell, for each state q, the words
that lead to q. So the answer is yes if it is for every state, and no if it is for one of them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from lengthwise.alphabet import Alphabet
from lengthwise.errors import LengthwiseError
from lengthwise.regular import Budget, Language, Verdict, decide
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.languages.catalogue import get_language, languages
from lengthwise.regular.languages.dfa_files import automaton_from_table, read_automaton, to_table
from lengthwise.tasks.registry import register_task
from lengthwise.tasks.request import require_drawable
from lengthwise.tasks.task import Batch, Loss

MARKER = "?"
MARKED = 0.25
"""The share of markers, where answers are at markers."""
ANSWERS = ("every", "markers")


@register_task("task:state-tracking")
class StateTracking:
    """The state of the automaton of `language` after every symbol, or at markers alone (`answers` = markers).

    Args:
        language: A regex, the name of a language or the file of an automaton.
        answers: `every` or `markers`.

    Raises:
        LengthwiseError: There is no such language or way to answer, or a symbol is called like a state.

    Example:
        >>> StateTracking("parity").states
        ('q0', 'q1')

    """

    name = "task:state-tracking"
    min_length = 1
    program = None
    language = None

    def __init__(self, language: str = "parity", answers: str = "every") -> None:
        if answers not in ANSWERS:
            raise LengthwiseError(f"answers is one of {', '.join(ANSWERS)}, not {answers!r}")
        self.automaton = _automaton(language).minimal()
        self.answers = answers
        # What was read from a file is kept whole, so that the same task is made again when the file has changed.
        kept = to_table(self.automaton) if os.path.isfile(language) else language
        self.parameters: Mapping[str, Any] = {"language": kept, "answers": answers}
        self.states = tuple(f"q{number}" for number in range(len(self.automaton.table)))
        own = (*self.automaton.symbols, *((MARKER,) if answers == "markers" else ()))
        for symbol in (*self.states, MARKER) if answers == "markers" else self.states:
            if symbol in self.automaton.symbols:
                raise LengthwiseError(f"the language has a symbol {symbol!r}, which is an answer here; rename it")
        self.alphabet = Alphabet((*own, *self.states))
        self.outputs = len(self.alphabet)

    def __repr__(self) -> str:
        return f"<StateTracking of {len(self.states)} states>"

    @classmethod
    def of(cls, automaton: Automaton, answers: str = "every") -> StateTracking:
        """The task of an automaton.

        Args:
            automaton: The automaton, which is made minimal.
            answers: `every` or `markers`.

        Returns:
            The task.

        Example:
            >>> from lengthwise.regular import Language
            >>> StateTracking.of(Language.from_regex("(ab)*").automaton).states
            ('q0', 'q1', 'q2')

        """
        return cls(to_table(automaton.minimal()), answers)

    @property
    def loss(self) -> Loss:
        """The name of the state."""
        return "next-token"

    def verdict(self, budget: Budget | None = None) -> Verdict:
        """What `decide` says of the words that lead to each state, read at an end marker; the worst answer counts."""
        found = [
            decide(Language(replace(self.automaton, accepting=frozenset({state}))), None, "eos", budget, self.name)
            for state in range(len(self.states))
        ]
        worst = {
            name: max((getattr(each, name) for each in found), key=lambda answer: _ORDER.index(answer.kind))
            for name in ("nope", "local", "ape")
        }
        return replace(found[0], **worst, notes=("the answer for the state that is hardest to tell",))

    def sample(self, length: int, batch: int, rng: np.random.Generator) -> Batch:
        """Random words of a length with the states along them."""
        require_drawable(self, length, batch)
        symbols = len(self.automaton.symbols)
        tokens = rng.integers(symbols, size=(batch, length))
        mask = np.ones(tokens.shape, dtype=bool)
        if self.answers == "markers":
            mask = rng.random(tokens.shape) < MARKED
            mask[:, -1] = True
            tokens[mask] = symbols
        stays = np.arange(len(self.states))[:, None]
        table = np.concatenate([np.array(self.automaton.table), stays], axis=1)
        state = np.full(batch, self.automaton.start)
        targets = np.empty_like(tokens)
        for place in range(length):
            state = table[state, tokens[:, place]]
            targets[:, place] = state
        return Batch(tokens, targets + self.outputs - len(self.states), mask)


_ORDER = ("yes", "unknown", "no")


def _automaton(text: str) -> Automaton:
    """The automaton of a table, a file, a language of the catalogue or a regex."""
    if "\n" in text:
        return automaton_from_table(text)
    if os.path.isfile(text):
        return read_automaton(text)
    return get_language(text).automaton if text in languages() else Language.from_regex(text).automaton
