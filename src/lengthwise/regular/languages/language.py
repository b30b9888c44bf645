"""A regular language over a fixed alphabet: an immutable value that can be asked, sampled, combined and drawn.

Words come out as strings if every symbol is one character, else as tuples of symbols; they go in as any `Word`.
A `Walk` through its automaton has the states that a word goes through.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lengthwise.alphabet import Alphabet, Ids, Word, parse_alphabet, split
from lengthwise.errors import LengthwiseError
from lengthwise.regular.languages.automata_lib import from_automata_lib, is_automata_lib
from lengthwise.regular.languages.automaton import Automaton, paired
from lengthwise.regular.languages.counting import Words
from lengthwise.regular.languages.dfa_files import (
    AutomatonError,
    automaton_from_json,
    automaton_from_table,
    read_automaton,
)
from lengthwise.regular.languages.regex import parse_regex
from lengthwise.regular.languages.regex_automaton import Nondeterministic, determinized, regex_automaton
from lengthwise.text_table import aligned

if TYPE_CHECKING:
    from lengthwise.regular.algebra.classes import Classes

_LONGEST_TITLE = 60


@dataclass(frozen=True)
class NextSymbols:
    """What can follow a prefix: the symbols after which a word can still arise, and whether it may end here.

    The target of next-symbol-set prediction (Bhattamishra et al. 2020), where `ends` is the membership of EOS.
    """

    symbols: frozenset[str]
    ends: bool


@dataclass(frozen=True, eq=False, repr=False)
class Language:
    """The language of an automaton. Equal to another if both have the same symbols and the same words.

    Attributes:
        title: What messages call it.

    """

    automaton: Automaton
    """The minimal one, states in breadth-first order."""
    title: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "automaton", self.automaton.minimal())

    @classmethod
    def from_regex(
        cls, regex: str, alphabet: Alphabet | Iterable[str] | None = None, limit: int | None = None
    ) -> Language:
        """The language of a regex; without an alphabet, over the symbols that it names, sorted."""
        parsed = parse_regex(regex, None if alphabet is None else as_alphabet(alphabet))
        return cls(regex_automaton(parsed, limit), regex)

    @classmethod
    def from_dfa(cls, source: object, title: str = "") -> Language:
        """The language of an `Automaton`, of data as in a JSON file, a table as text, a file or an automata-lib object.

        A file is given as a path object, since a string is a table. Of automata-lib, a DFA or an NFA.
        """
        match source:
            case Automaton():
                return cls(source, title)
            case Mapping():
                return cls(automaton_from_json(source), title)
            case str() if "\n" not in source.strip():
                raise AutomatonError("a table has a line of symbols and one for each state; give a file as a Path")
            case str():
                return cls(automaton_from_table(source), title)
            case os.PathLike():
                return cls(read_automaton(source), title or os.fspath(source))
        if is_automata_lib(source):
            return cls(from_automata_lib(source), title)
        raise AutomatonError(f"an automaton is an Automaton, a dict, a table or a file, not {type(source).__name__}")

    # ------------------------------------------------------------------------------------------- questions

    @property
    def alphabet(self) -> Alphabet:
        """The symbols, in their order."""
        return self.automaton.alphabet

    def accepts(self, word: Word) -> bool:
        """Whether a word is in the language."""
        return self.automaton.accepts(word)

    def __contains__(self, word: Word) -> bool:
        return self.accepts(word)

    @property
    def accepts_empty(self) -> bool:
        """Whether the empty word is in the language."""
        return self.automaton.start in self.automaton.accepting

    @property
    def is_empty(self) -> bool:
        """Whether there is no word at all."""
        return not self.automaton.accepting

    @cached_property
    def shortest_word(self) -> Sequence[str] | None:
        """The first of the shortest words in the order of the alphabet; None if there is no word."""
        lengths = self.lengths(len(self.automaton))
        return next(self.words(lengths[0])) if lengths else None

    @cached_property
    def _words(self) -> Words:
        return Words(self.automaton)

    def count(self, length: int) -> int:
        """How many words of this length there are, exactly."""
        return self._words.count(length)

    def lengths(self, up_to: int) -> tuple[int, ...]:
        """The lengths from 0 to `up_to` that words have."""
        return tuple(length for length in range(up_to + 1) if self._words.has(length))

    def words(self, length: int) -> Iterator[Sequence[str]]:
        """All words of a length, in the order of the alphabet."""
        return map(self._written, self._words.all(length))

    def _written(self, ids: Iterable[int]) -> Sequence[str]:
        symbols = self.automaton.symbols
        found = [symbols[number] for number in ids]
        plain = all(len(symbol) == 1 and symbol != " " for symbol in symbols)
        return "".join(found) if plain else tuple(found)

    # --------------------------------------------------------------------------------------------- samples

    def sample(self, length: int, rng: np.random.Generator) -> Sequence[str]:
        """A uniformly random word of exactly this length; an error if there is none."""
        return self._written(self._words.sample(length, rng).tolist())

    def sample_batch(self, length: int, batch: int, rng: np.random.Generator) -> Ids:
        """Independent random words of a length as symbol ids, a word a row; uniform up to float rounding."""
        if batch < 0:
            raise LengthwiseError(f"a batch has no negative number of words; {batch} were asked for")
        return self._words.sample_batch(length, batch, rng)

    def next_symbols(self, prefix: Word) -> NextSymbols:
        """What can follow a prefix; nothing if it begins no word."""
        allowed = self._allowed[self.automaton.run(self.alphabet.encode(prefix).tolist())].tolist()
        symbols = (symbol for symbol, can in zip(self.alphabet, allowed[:-1], strict=True) if can)
        return NextSymbols(frozenset(symbols), allowed[-1])

    def next_symbols_batch(self, ids: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.bool_]:
        """For words as rows of ids: [word, prefix length, symbol] whether it can follow; the last column: may end."""
        if ids.ndim != 2:
            raise LengthwiseError(f"a batch of words has two axes, words and positions, not {ids.ndim}")
        columns = self.alphabet.checked(ids).T
        states = np.full((ids.shape[1] + 1, ids.shape[0]), self.automaton.start)
        table = np.array(self.automaton.table)
        for place, column in enumerate(columns):
            states[place + 1] = table[states[place], column]
        found: npt.NDArray[np.bool_] = self._allowed[states.T]
        return found

    @cached_property
    def _allowed(self) -> npt.NDArray[np.bool_]:
        """For each state which symbols lead on to a word, and whether a word ends there."""
        count = len(self.automaton)
        accepting = np.isin(np.arange(count), list(self.automaton.accepting))
        # In a minimal automaton, only the sink leads to no word: it rejects and keeps everything.
        alive = accepting | [any(target != state for target in row) for state, row in enumerate(self.automaton.table)]
        return np.column_stack([alive[np.array(self.automaton.table)], accepting])

    # -------------------------------------------------------------------------------------- other languages

    def over(self, alphabet: Alphabet | Iterable[str]) -> Language:
        """The same words over an alphabet with more symbols, or with the same ones in another order."""
        wanted, own = as_alphabet(alphabet), self.automaton
        if missing := [symbol for symbol in own.symbols if symbol not in wanted]:
            raise LengthwiseError(f"the alphabet {wanted} lacks {missing[0]!r}; give all symbols of {self.alphabet}")
        sink = len(own)
        columns = [own.symbols.index(symbol) if symbol in self.alphabet else -1 for symbol in wanted]
        table = [tuple((*row, sink)[column] for column in columns) for row in (*own.table, (sink,) * len(own.symbols))]
        return Language(Automaton(wanted.symbols, tuple(table), own.start, own.accepting), self.title)

    def _combined(self, other: Language, operator: str, keep: Iterable[tuple[bool, bool]]) -> Language:
        if set(self.alphabet) != set(other.alphabet):
            raise LengthwiseError(
                f"the languages are over different alphabets, {self.alphabet} and {other.alphabet}; "
                "bring both to one with over()"
            )
        left, right = self.automaton, other.over(self.alphabet).automaton
        product, pairs = paired(left, right)
        accepting = frozenset(
            number
            for number, (first, second) in enumerate(pairs)
            if (first in left.accepting, second in right.accepting) in keep
        )
        title = f"({self.title}) {operator} ({other.title})" if self.title and other.title else ""
        return Language(Automaton(left.symbols, product.table, product.start, accepting), _short(title))

    def __and__(self, other: object) -> Language:
        """The words of both languages, `L & M`.

        Args:
            other: A language over the same symbols, in any order.

        Returns:
            The intersection, its symbols in the order of this language.

        Raises:
            LengthwiseError: If the symbols differ; `over()` brings a language to more of them.

        Example:
            >>> even, short = Language.from_regex("(aa)*"), Language.from_regex("a{0,3}")
            >>> list((even & short).words(2)), list((even - short).words(4)), (even ^ short).count(1)
            (['aa'], ['aaaa'], 1)

        """
        return self._combined(other, "&", {(True, True)}) if isinstance(other, Language) else NotImplemented

    def __or__(self, other: object) -> Language:
        """The words of either language, `L | M`; both are over the same symbols, as for `&`."""
        keep = {(True, True), (True, False), (False, True)}
        return self._combined(other, "|", keep) if isinstance(other, Language) else NotImplemented

    def __sub__(self, other: object) -> Language:
        """The words of this language that the other one lacks, `L - M`; both are over the same symbols, as for `&`."""
        return self._combined(other, "-", {(True, False)}) if isinstance(other, Language) else NotImplemented

    def __xor__(self, other: object) -> Language:
        """The words of exactly one of the languages, `L ^ M`; both are over the same symbols, as for `&`."""
        keep = {(True, False), (False, True)}
        return self._combined(other, "^", keep) if isinstance(other, Language) else NotImplemented

    def __invert__(self) -> Language:
        """Every other word over the language's own symbols, `~L`."""
        return Language(self.automaton.complement(), _short(f"~({self.title})" if self.title else ""))

    def reverse(self, limit: int | None = None) -> Language:
        """The words read backwards."""
        own = self.automaton
        moves: list[dict[str, int]] = [{} for _ in own.table]
        for state, row in enumerate(own.table):
            for symbol, target in zip(own.symbols, row, strict=True):
                moves[target][symbol] = moves[target].get(symbol, 0) | 1 << state
        machine = Nondeterministic(list(moves), sum(1 << state for state in own.accepting), 1 << own.start)
        return Language(determinized(machine, own.symbols, limit), _short(f"reverse of {self.title}"))

    def left_quotient(self, word: Word) -> Language:
        """What completes the word: all v for which word · v is in the language."""
        own, ids = self.automaton, self.alphabet.encode(word).tolist()
        return Language(Automaton(own.symbols, own.table, own.run(ids), own.accepting))

    def right_quotient(self, word: Word) -> Language:
        """What the word completes: all v for which v · word is in the language."""
        own, ids = self.automaton, self.alphabet.encode(word).tolist()
        accepting = frozenset(state for state in range(len(own)) if own.run(ids, state) in own.accepting)
        return Language(Automaton(own.symbols, own.table, own.start, accepting))

    def inverse_image(self, morphism: Mapping[str, Word]) -> Language:
        """The words, over the morphism's symbols, that are in the language once each symbol is replaced by its word."""
        own = self.automaton
        images = [self.alphabet.encode(word).tolist() for word in morphism.values()]
        table = tuple(tuple(own.run(image, state) for image in images) for state in range(len(own)))
        return Language(Automaton(tuple(morphism), table, own.start, own.accepting))

    def __eq__(self, other: object) -> bool:
        return self._canonical == other._canonical if isinstance(other, Language) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._canonical)

    @cached_property
    def _canonical(self) -> Automaton:
        return self.over(sorted(self.alphabet)).automaton

    # ----------------------------------------------------------------------------------------------- views

    def classes(self) -> Classes:
        """Which classical classes the language belongs to: star-free, AC⁰, dot-depth and others."""
        from lengthwise.regular.algebra.classes import classify

        return classify(self.automaton)

    def draw(self) -> str:
        """The minimal automaton as SVG."""
        from lengthwise.regular.languages.drawing import to_svg

        return to_svg(self.automaton, self.title)

    def _repr_html_(self) -> str:
        from lengthwise.regular.languages.drawing import to_html

        return to_html(self.automaton, self.title)

    def __str__(self) -> str:
        states = f"{len(self.automaton)} state{'' if len(self.automaton) == 1 else 's'}"
        title = self.title if len(self.title) <= _LONGEST_TITLE else self.title[: _LONGEST_TITLE - 1] + "…"
        return f"{title or 'a regular language'} over {self.alphabet} ({states})"

    def __repr__(self) -> str:
        return f"<Language {self}>"


def as_alphabet(symbols: Alphabet | Iterable[str]) -> Alphabet:
    """A closed alphabet from its symbols; a string lists them as `parse_alphabet` reads it."""
    if isinstance(symbols, Alphabet):
        if symbols.is_open:
            raise LengthwiseError("a regular language needs a closed alphabet; list all of its symbols")
        return symbols
    return Alphabet(parse_alphabet(symbols) if isinstance(symbols, str) else tuple(symbols))


def _short(title: str) -> str:
    return title if len(title) <= _LONGEST_TITLE else ""


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
