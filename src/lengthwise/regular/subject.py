"""What a text on a command line stands for: a program, an automaton or a regex.

An existing file is read by its suffix: `.json`, `.dfa`, `.txt` and `.att` hold an automaton, others a program. Other
text is the name of a library program, the name of a language, or else a regex, in this order. `program:`, `language:`,
`automaton:` and `regex:` in front of it say which is meant.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from lengthwise.alphabet import Alphabet, split
from lengthwise.crasp import Program, load
from lengthwise.crasp.library.catalogue import knows
from lengthwise.regular.automaton import Automaton
from lengthwise.regular.catalogue import get_language, languages
from lengthwise.regular.dfa_files import read_automaton
from lengthwise.regular.regex import RegexError, parse_regex
from lengthwise.regular.regex_automaton import regex_automaton

Kind: TypeAlias = Literal["program", "automaton", "language", "regex"]
PREFIXES: dict[str, Kind] = {
    "program": "program",
    "automaton": "automaton",
    "language": "language",
    "regex": "regex",
}
PROGRAM_SUFFIXES = (".crasp", ".cr")
AUTOMATON_SUFFIXES = (".json", ".dfa", ".txt", ".att")


@dataclass(frozen=True)
class Subject:
    """What a text stood for."""

    text: str
    """The text as it was given."""
    kind: Kind
    acceptor: Program | Automaton

    @property
    def description(self) -> str:
        """The text with what it was."""
        return f"the {self.kind} {self.text.removeprefix(self.kind + ':')}"


def resolve(text: str, alphabet: str | Sequence[str] | None = None) -> Subject:
    """What a text stands for. A regex is read over the alphabet, if one is given; others have their own."""
    kind, name = kind_of(text)
    match kind:
        case "program":
            return Subject(text, kind, load(name))
        case "automaton":
            return Subject(text, kind, read_automaton(name))
        case "language":
            return Subject(text, kind, get_language(name).automaton)
        case _:
            return Subject(text, kind, _from_regex(name, alphabet))


def kind_of(text: str) -> tuple[Kind, str]:
    """What a text is meant to be, and the text without a prefix that says so."""
    head, colon, rest = text.partition(":")
    if colon and head in PREFIXES:
        return PREFIXES[head], rest
    suffix = os.path.splitext(text)[1].lower()
    if suffix in PROGRAM_SUFFIXES or suffix in AUTOMATON_SUFFIXES or os.path.isfile(text):
        return ("automaton" if suffix in AUTOMATON_SUFFIXES else "program"), text
    if knows(text):
        return "program", text
    return ("language" if text in languages() else "regex"), text


def named_symbols(regex: str) -> tuple[str, ...]:
    """The symbols that a regex names; none if it cannot be read without an alphabet."""
    try:
        return parse_regex(regex).alphabet.symbols
    except RegexError:
        return ()


def _from_regex(text: str, alphabet: str | Sequence[str] | None) -> Automaton:
    symbols = None if alphabet is None else tuple(split(alphabet) if isinstance(alphabet, str) else alphabet)
    return regex_automaton(parse_regex(text, None if symbols is None else Alphabet(symbols)))
