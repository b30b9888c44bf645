"""Alphabets: which symbols there are, and how a word becomes an array of symbol ids.

A word is a string (split into characters, or at the spaces if it has any), a sequence of symbols, ASCII bytes,
or an integer array of ids. A *closed* alphabet refuses symbols it does not list. An *open* one, that of a program
which declares none, gives them the id `len(symbols)`, which no literal of the program matches.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from lengthwise.errors import WordError

Ids: TypeAlias = npt.NDArray[np.unsignedinteger[Any]]
Word: TypeAlias = "str | bytes | Sequence[str] | npt.NDArray[np.integer[Any]]"

UNKNOWN = "�"
"""What `Alphabet.decode` writes for the id of an unlisted symbol."""


def split(word: str) -> list[str]:
    """The symbols of a word written as text: at the spaces if it has any, else one symbol a character."""
    return word.split() if " " in word else list(word)


_ALPHABET_TOKEN = re.compile(
    r"""(?P<quoted>"[^"]*"|'[^']*')|(?P<quote>["'])|(?P<comma>,)|(?P<space>\s+)|(?P<plain>.)"""
)


def parse_alphabet(text: str) -> tuple[str, ...]:
    """Read the symbols of an alphabet that is written as text.

    With commas, they separate the symbols; otherwise white space does, if there is any; otherwise every character is a
    symbol. What stands in single or double quotes is one symbol, so that a comma, a space or a quote can be one.

    Args:
        text: The alphabet, such as `ab`, `a b`, `a,b`, `if then else` or `a b ","`.

    Returns:
        The symbols in the order in which they are listed.

    Raises:
        WordError: If there is no symbol, if one is empty or stands twice, or if the text can be read in two ways.

    Example:
        >>> parse_alphabet("ab"), parse_alphabet("a, b"), parse_alphabet("if then else")
        (('a', 'b'), ('a', 'b'), ('if', 'then', 'else'))
        >>> parse_alphabet("a b ','")
        ('a', 'b', ',')

    """
    groups = _separated(text)
    if re.fullmatch(r"\s*\{.*\}\s*", text, re.DOTALL) and len(groups) > 1 and groups[0] != "{" and groups[-1] != "}":
        raise WordError(f"the alphabet {text!r} is in braces; list its symbols without them, as in a,b or ab")
    seen: set[str] = set()
    for symbol in groups:
        if symbol in seen:
            raise WordError(f"the alphabet {text!r} lists {symbol!r} twice; list each symbol once")
        seen.add(symbol)
    if not groups:
        raise WordError("the alphabet is empty; list its symbols, as in ab or a,b")
    return tuple(groups)


def _separated(text: str) -> list[str]:
    """The symbols that an alphabet lists, perhaps some of them twice."""
    tokens = [(match.lastgroup, match[0]) for match in _ALPHABET_TOKEN.finditer(text.strip())]
    kinds = {kind for kind, _ in tokens}
    if "quote" in kinds:
        raise WordError(f"a quote in the alphabet {text!r} is not closed; write \"'\" or '\"' for a quote as a symbol")
    if '""' in (found := [token for _, token in tokens]) or "''" in found:
        raise WordError(f"the alphabet {text!r} has an empty symbol; a symbol has at least one character")
    separator = "comma" if "comma" in kinds else "space" if "space" in kinds else None
    if separator is None:
        return [token[1:-1] if kind == "quoted" else token for kind, token in tokens]
    groups: list[list[tuple[str | None, str]]] = [[]]
    for kind, token in tokens:
        if kind == separator:
            groups.append([])
        else:
            groups[-1].append((kind, token))
    return [_one_symbol(group, text) for group in groups]


def _one_symbol(group: list[tuple[str | None, str]], text: str) -> str:
    """The symbol that stands between two separators; white space around it means nothing."""
    while group and group[0][0] == "space":
        group = group[1:]
    while group and group[-1][0] == "space":
        group = group[:-1]
    if not group:
        raise WordError(f"a comma of the alphabet {text!r} separates nothing; write \",\" in quotes for the symbol ','")
    kinds = {kind for kind, _ in group}
    if "space" in kinds:
        raise WordError(f"the alphabet {text!r} has commas and spaces between symbols; separate them in one way only")
    if "quoted" in kinds and len(group) > 1:
        raise WordError(f"a quoted symbol of the alphabet {text!r} touches another; separate them")
    return group[0][1][1:-1] if "quoted" in kinds else "".join(token for _, token in group)


def write_alphabet(symbols: Sequence[str]) -> str:
    """Write symbols as text that `parse_alphabet` reads as the same ones.

    Args:
        symbols: The symbols, none of which holds both kinds of quotes.

    Returns:
        The symbols in a row if each is one character, else with spaces between them; quoted where they need be.

    Raises:
        WordError: If a symbol holds both kinds of quotes.

    Example:
        >>> write_alphabet(["a", "b"]), write_alphabet(["if", "x"]), write_alphabet(["a", ","])
        ('ab', 'if x', 'a ","')

    """
    # One symbol of several characters alone would be read as these characters.
    difficult = re.compile(r"[\s,\"']|\{.|.\}|..$" if len(symbols) == 1 else r"[\s,\"']|\{.|.\}", re.DOTALL)
    plain = [difficult.search(symbol) is None for symbol in symbols]
    written = [symbol if easy else _quoted(symbol) for symbol, easy in zip(symbols, plain, strict=True)]
    return ("" if all(plain) and all(len(symbol) == 1 for symbol in symbols) else " ").join(written)


def _quoted(symbol: str) -> str:
    if '"' in symbol and "'" in symbol:
        raise WordError(
            f"the symbol {symbol!r} holds both kinds of quotes and cannot be written; give a list of symbols"
        )
    return f"'{symbol}'" if '"' in symbol else f'"{symbol}"'


@dataclass(frozen=True)
class Alphabet:
    """Distinct symbols in a fixed order; the id of a symbol is its place in that order.

    Attributes:
        symbols: The symbols, in the order of their ids.
        is_open: Whether other symbols are legal, too; they all have one more id.

    """

    symbols: tuple[str, ...]
    is_open: bool = False

    def __post_init__(self) -> None:
        if len(set(self.symbols)) != len(self.symbols):
            raise WordError("an alphabet lists each symbol once")
        if not self.symbols and not self.is_open:
            raise WordError("an alphabet needs at least one symbol")

    def __len__(self) -> int:
        return len(self.symbols)

    def __contains__(self, symbol: object) -> bool:
        return symbol in self._index

    def __iter__(self) -> Iterator[str]:
        return iter(self.symbols)

    def __str__(self) -> str:
        return "{" + ", ".join(self.symbols) + ("" if not self.is_open else ", …") + "}"

    @cached_property
    def id_count(self) -> int:
        """How many ids are legal: one more than there are symbols when the alphabet is open."""
        return len(self.symbols) + self.is_open

    @cached_property
    def dtype(self) -> np.dtype[np.unsignedinteger[Any]]:
        """The narrowest unsigned type that holds every id."""
        return np.min_scalar_type(self.id_count)

    @cached_property
    def _index(self) -> dict[str, int]:
        return {symbol: number for number, symbol in enumerate(self.symbols)}

    @cached_property
    def _byte_table(self) -> bytes:
        """The id of every byte, for alphabets whose ids are bytes; those of no symbol get `len(symbols)`."""
        table = bytearray([len(self.symbols)] * 256)
        for symbol, number in self._index.items():
            if len(symbol) == 1 and symbol.isascii():
                table[ord(symbol)] = number
        return bytes(table)

    def index(self, symbol: str) -> int:
        """The id of one symbol."""
        if symbol in self._index:
            return self._index[symbol]
        if self.is_open:
            return len(self.symbols)
        raise WordError(f"{symbol!r} is not in the alphabet {self}; use only its symbols")

    def encode(self, word: Word) -> Ids:
        """The ids of a word's symbols, in the narrowest unsigned type (`dtype`)."""
        if isinstance(word, np.ndarray) and word.dtype.kind in "iu":
            return self.checked(word)
        if isinstance(word, bytes | bytearray | memoryview):
            return self._encode_bytes(bytes(word))
        if isinstance(word, str):
            if " " not in word:
                return self._encode_bytes(word.encode("ascii")) if word.isascii() else self._encode_text(word)
            word = word.split()
        return self._encode_symbols(list(word))

    def decode(self, ids: npt.NDArray[np.integer[Any]]) -> list[str]:
        """The symbols of an id array; an unlisted symbol comes back as `UNKNOWN`."""
        names = (*self.symbols, UNKNOWN)
        return [names[number] for number in self.checked(ids).tolist()]

    def checked(self, ids: npt.NDArray[np.integer[Any]]) -> Ids:
        """The same ids in the narrowest type, after making sure that every one is legal."""
        if ids.size and (int(ids.max()) >= self.id_count or int(ids.min()) < 0):
            bad = int(ids.max()) if int(ids.max()) >= self.id_count else int(ids.min())
            raise WordError(f"id {bad} is not a symbol id; the alphabet {self} has ids 0 to {self.id_count - 1}")
        return ids.astype(self.dtype, copy=False)

    def _encode_bytes(self, word: bytes) -> Ids:
        if not word.isascii() or b" " in word:
            try:
                return self.encode(word.decode())
            except UnicodeDecodeError:
                raise WordError("bytes given as a word must be ASCII or UTF-8 text") from None
        if self.dtype != np.uint8:
            return self._encode_text(word.decode())
        # A table look-up in the C library; a bytearray, so that the ids can be written to like any other array.
        ids: Ids = np.frombuffer(bytearray(word).translate(self._byte_table), dtype=np.uint8)
        return self._admitted(ids, word)

    def _encode_text(self, word: str) -> Ids:
        points, inverse = np.unique(np.frombuffer(word.encode("utf-32-le"), dtype=np.uint32), return_inverse=True)
        table = [self._index.get(chr(point), len(self.symbols)) for point in points.tolist()]
        return self._admitted(np.array(table, dtype=self.dtype)[inverse], word)

    def _encode_symbols(self, word: list[str]) -> Ids:
        other, get = len(self.symbols), self._index.get
        try:
            ids = np.fromiter((get(symbol, other) for symbol in word), dtype=self.dtype, count=len(word))
        except TypeError:
            raise WordError("a word is a string, bytes, a sequence of strings or an array of symbol ids") from None
        return self._admitted(ids, word)

    def _admitted(self, ids: Ids, word: Sequence[str] | bytes) -> Ids:
        if not self.is_open and ids.size and int(ids.max()) >= len(self.symbols):
            place = int(np.argmax(ids))
            symbol = word[place]
            symbol = chr(symbol) if isinstance(symbol, int) else symbol
            raise WordError(f"{symbol!r} at position {place + 1} is not in the alphabet {self}; use only its symbols")
        return ids
