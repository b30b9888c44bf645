"""Programs that certificates could be wrong about, their truth by definition, and words around every boundary."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from lengthwise.crasp import Program, parse
from tests.cases.oracles import words
from tests.crasp import naive

PERIOD = "Y = i % 7 == 0"
DISTANT = 'Y = #[i-j in {6}] "a" >= 1'
PROGRAMS = {
    "period": PERIOD,
    "periods": 'Y = i % 2 == 1 && i % 3 == 0 || "b"',
    "distant": DISTANT,
    "more-distant": 'Y = #[j == i-20] "a" >= 1',
    "windows": 'Y = #[i-j in {1, 3, 5}] "a" >= #[i-j in {0, 2}] "b"',
    "conditional": 'Y = (3 * # "a" if "b" else 2 * # "b") >= # "b" + 1',
    "large-numbers": 'Y = 1000003 * # "a" <= 1000002 * # "b" + 17',
    "nested": 'V = #[i-j in {2}] "a" >= 1\nW = #[i-j in {3}] V >= 1\nY = # W >= # V - 1 && i % 4 != 1',
    "distant-residues": 'V = i % 5 == 2\nY = #[i-j in {4, 9}] V >= 1 || #[i-j in {7}] "b" >= 1',
    "extremes": 'Y = min(# "a", 5 + # "b") >= max(# "b", 3)',
    "constant": "Y = #[i-j in {5}] true >= 1",
}
"""By name, the statements; the alphabet is {a, b} and Y decides."""


def program(text: str) -> Program:
    return parse(f'alphabet "a" "b"\n{text}')


@cache
def truth(text: str, word: str) -> list[bool]:
    """What the program says at each position of a word (at the virtual position 0 of the empty one)."""
    return [bool(value) for value in naive.values(program(text).statements, list(word))[-1]]


def long_words(lengths: Iterator[int] | range | tuple[int, ...]) -> list[str]:
    """Some words of each length: constant, alternating, random."""
    generator = np.random.default_rng(0)
    found: list[str] = []
    for length in lengths:
        found += ["a" * length, "b" * length, ("ab" * length)[:length]]
        found.append("".join("ab"[letter] for letter in generator.integers(0, 2, length)))
    return found


SHORT = list(words("ab", 4))
AROUND = long_words((5, 6, 7, 8, 13, 14, 15, 19, 20, 21, 22, 63, 64, 65, 66, 100))
"""Lengths around the periods and distances of the programs, and those from which heads are evaluated in another way."""
