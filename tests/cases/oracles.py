"""What the library's programs are meant to compute, said without C-RASP: regular expressions, counting, definitions.

Nothing here imports lengthwise, so an error in it cannot hide in both places.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise, product


def words(symbols: Sequence[str], longest: int) -> Iterator[str]:
    """Every word of single-character symbols up to a length, the empty one first."""
    for length in range(longest + 1):
        yield from map("".join, product(symbols, repeat=length))


# ----------------------------------------------------------------------------------------------- languages


def _regex(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern)
    return lambda word: compiled.fullmatch(word) is not None


def is_majority(word: str) -> bool:
    return 2 * sum(map(int, word)) >= len(word)


def is_dyck1(word: str) -> bool:
    """Removing neighbours () again and again leaves nothing."""
    while "()" in word:
        word = word.replace("()", "")
    return word == ""


def is_anbncn(word: str) -> bool:
    n = len(word) // 3
    return word == "a" * n + "b" * n + "c" * n


@cache
def in_bounded_dyck(word: str, n: int) -> bool:
    """The definition D_n = (a D_{n-1} b)*, taken literally: try every place where the first factor may end."""
    if not word:
        return True
    return n > 0 and any(
        word[0] == "a"
        and word[end] == "b"
        and in_bounded_dyck(word[1:end], n - 1)
        and in_bounded_dyck(word[end + 1 :], n)
        for end in range(1, len(word))
    )


def bounded_dyck(n: int) -> Callable[[str], bool]:
    return lambda word: in_bounded_dyck(word, n)


def majority_interleave(tracks: int) -> Callable[[str], bool]:
    return lambda word: all(is_majority(word[start::tracks]) for start in range(tracks))


def contains_scattered(word: str, wanted: str) -> bool:
    """Whether `wanted` arises from `word` by deleting symbols: search for each symbol behind the one before."""
    place = -1
    for symbol in wanted:
        place = word.find(symbol, place + 1)
        if place < 0:
            return False
    return True


def scattered(wanted: str) -> Callable[[str], bool]:
    return lambda word: contains_scattered(word, wanted)


LANGUAGES: dict[str, tuple[str, Callable[[str], bool]]] = {
    "majority": ("01", is_majority),
    "dyck1": ("()", is_dyck1),
    "anbncn": ("abc", is_anbncn),
    "contains-ab": ("ab", lambda word: "ab" in word),
    "aa-star": ("ab", _regex("(aa)*")),
    "aaaa-star": ("ab", _regex("(aaaa)*")),
    "abab-star": ("ab", _regex("(abab)*")),
    "tomita-1": ("01", _regex("1*")),
    "tomita-2": ("01", _regex("(10)*")),
    "tomita-4": ("01", lambda word: "000" not in word),
    "tomita-7": ("01", _regex("0*1*0*1*")),
    "abcde": ("abcde", _regex("aa*bb*cc*dd*ee*")),
    "ab-d-bc": ("abcd", _regex("[ab]*d[bc]*")),
    "d2": ("ab", bounded_dyck(2)),
    "d3": ("ab", bounded_dyck(3)),
    "d4": ("ab", bounded_dyck(4)),
    "d12": ("ab", bounded_dyck(12)),
    "majority-interleave": ("01", majority_interleave(3)),
}
"""The languages among the library's names: their alphabet and whether a word belongs to them."""


# --------------------------------------------------------------------------------------------- predictions


def successors(prefix: Sequence[str]) -> list[str]:
    """What came right after earlier occurrences of the last symbol."""
    return [after for before, after in pairwise(prefix) if before == prefix[-1]]


def most_frequent_successors(prefix: Sequence[str], symbols: Sequence[str]) -> set[str]:
    counts = Counter(successors(prefix))
    most = max(counts.values(), default=0)
    return {symbol for symbol in symbols if counts[symbol] == most}


def next_when_sorting(prefix: Sequence[str], increasing: Sequence[str]) -> set[str]:
    """What comes behind `x SEP y` when x is sorted: the smallest symbol still missing in y, else END, once."""
    if "SEP" not in prefix:
        return set()
    cut = list(prefix).index("SEP")
    missing = Counter(prefix[:cut]) - Counter(prefix[cut + 1 :])
    for symbol in increasing:
        if missing[symbol]:
            return {symbol}
    return set() if "END" in prefix else {"END"}
