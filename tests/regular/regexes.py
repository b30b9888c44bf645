"""Random regexes as text: from a random generator for sweeps, and as a Hypothesis strategy for laws.

Both write the notation that our reader and Python's `re` share when every symbol is one plain character; other symbols
come out quoted, and `as_python` translates them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from hypothesis import strategies as st

_SUFFIXES = ("*", "*", "+", "?", "{2}", "{3}", "{1,}", "{2,}", "{0,2}", "{1,3}")
_SUFFIXES_OF_GROUPS = ("*", "*", "*", "+", "?", "{2}", "{0,2}", "{1,}")
"""Fewer and smaller: nested repetitions multiply the states."""


class Source(Protocol):
    """What random numbers are taken from: `random.Random` and NumPy's `Generator` both fit."""

    def random(self) -> float:
        """A number from 0 up to, not including, 1."""
        ...


def symbol_text(symbol: str) -> str:
    """How a symbol is written in a regex: as it is, if it is one letter or digit, else in quotes."""
    if len(symbol) == 1 and symbol.isalnum():
        return symbol
    return f"'{symbol}'" if '"' in symbol else f'"{symbol}"'


def random_regex(rng: Source, symbols: Sequence[str], size: int) -> str:
    """A regex with `size` leaves (symbols, classes, rarely the empty word) and all operators, over these symbols."""
    return _union(rng, symbols, max(1, size))


def _below(rng: Source, most: int) -> int:
    return int(rng.random() * most)


def _split(rng: Source, size: int) -> tuple[int, int]:
    first = 1 + _below(rng, size - 1)
    return first, size - first


def _union(rng: Source, symbols: Sequence[str], size: int) -> str:
    if size > 1 and rng.random() < 0.35:
        first, second = _split(rng, size)
        return f"{_union(rng, symbols, first)}|{_sequence(rng, symbols, second)}"
    return _sequence(rng, symbols, size)


def _sequence(rng: Source, symbols: Sequence[str], size: int) -> str:
    if size > 1 and rng.random() < 0.7:
        first, second = _split(rng, size)
        return _sequence(rng, symbols, first) + _repeated(rng, symbols, second)
    return _repeated(rng, symbols, size)


def _repeated(rng: Source, symbols: Sequence[str], size: int) -> str:
    if size > 1:
        return f"({_union(rng, symbols, size)}){_SUFFIXES_OF_GROUPS[_below(rng, len(_SUFFIXES_OF_GROUPS))]}"
    leaf = _leaf(rng, symbols)
    return leaf + _SUFFIXES[_below(rng, len(_SUFFIXES))] if rng.random() < 0.35 else leaf


def _leaf(rng: Source, symbols: Sequence[str]) -> str:
    kind = rng.random()
    if kind < 0.06:
        return "()"
    if kind < 0.18 and len(symbols) > 1:
        chosen = [symbol for symbol in symbols if rng.random() < 0.6] or [symbols[0]]
        return f"[{''.join(map(symbol_text, chosen))}]"
    return symbol_text(symbols[_below(rng, len(symbols))])


def regexes(symbols: Sequence[str] = ("a", "b"), most: int = 12) -> st.SearchStrategy[str]:
    """Regexes over these symbols with up to about `most` leaves."""
    written = [symbol_text(symbol) for symbol in symbols]
    chosen = st.lists(st.sampled_from(written), min_size=1, unique=True)
    leaves = st.one_of(
        st.sampled_from(written),
        st.sampled_from(written),
        chosen.map(lambda texts: f"[{''.join(texts)}]"),
        st.just("()"),
    )

    def larger(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        several = st.lists(parts, min_size=2, max_size=4)
        suffixes = st.sampled_from(sorted(set(_SUFFIXES_OF_GROUPS)))
        return st.one_of(
            several.map(lambda texts: "".join(f"({text})" if "|" in text else text for text in texts)),
            several.map("|".join),
            st.tuples(st.sampled_from(written), st.sampled_from(_SUFFIXES)).map("".join),
            st.tuples(parts, suffixes).map(lambda pair: f"({pair[0]}){pair[1]}"),
        )

    return st.recursive(leaves, larger, max_leaves=most)


def as_python(regex: str, letters: dict[str, str]) -> str:
    """The same regex for Python's `re`, every quoted symbol replaced by the character that stands for it."""
    quoted = re.compile(r"\"([^\"]*)\"|'([^']*)'")
    return quoted.sub(lambda match: re.escape(letters[match[1] or match[2]]), regex)
