"""What the tasks are, in plain Python: the value of a word, and how likely every word is.

Nothing here imports lengthwise. A random point of a simplex is integrated out by the formula for Dirichlet integrals:
symbols with counts c_1, …, c_S that are independent given a uniform point of the simplex, in a given order, have
probability (S - 1)! c_1! … c_S! / (n + S - 1)!.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import product

Word = tuple[int, ...]


def all_words(symbols: int, length: int) -> Iterator[Word]:
    return product(range(symbols), repeat=length)


def simplex_chance(counts: Iterable[int]) -> Fraction:
    found = list(counts)
    top = math.factorial(len(found) - 1) * math.prod(map(math.factorial, found))
    return Fraction(top, math.factorial(sum(found) + len(found) - 1))


# ------------------------------------------------------------------------------------------------- SimpleTask


def simple_value(word: Word, omega: float) -> float | None:
    zeros, ones = word.count(0), word.count(1)
    return math.sin(omega * (zeros - ones) / (zeros + ones)) if zeros + ones else None


def simple_chances(length: int) -> dict[Word, Fraction]:
    found = {word: simplex_chance(map(word.count, range(3))) for word in all_words(3, length) if set(word) != {2}}
    total = sum(found.values())
    return {word: chance / total for word, chance in found.items()}


# --------------------------------------------------------------------------------------------------- ModPTask


def at_residue(word: Word, period: int, residue: int) -> list[int]:
    return [symbol for position, symbol in enumerate(word, 1) if position % period == residue % period]


def mod_p_value(word: Word, period: int, residue: int) -> float:
    chosen = at_residue(word, period, residue)
    return sum(chosen) / len(chosen)


def mod_p_chances(length: int, period: int) -> dict[Word, Fraction]:
    def chance(word: Word) -> Fraction:
        parts = (at_residue(word, period, residue) for residue in range(period))
        return math.prod((simplex_chance([part.count(0), part.count(1)]) for part in parts), start=Fraction(1))

    return {word: chance(word) for word in all_words(2, length)}


# ------------------------------------------------------------------------------------- in-context k-gram


def followers(word: Word, context: int) -> list[int]:
    """What came after earlier occurrences of the last symbols."""
    query = word[-context:]
    return [word[end] for end in range(context, len(word)) if word[end - context : end] == query]


def shares(word: Word, context: int, symbols: int) -> list[float] | None:
    found = Counter(followers(word, context))
    total = sum(found.values())
    return [found[symbol] / total for symbol in range(symbols)] if total else None


def chain_chance(word: Word, context: int, symbols: int) -> Fraction:
    """Uniform beginning, then each symbol by a row that is uniform on the simplex, one for every context."""
    after: dict[Word, Counter[int]] = defaultdict(Counter)
    for end in range(context, len(word)):
        after[word[end - context : end]][word[end]] += 1
    rows = (simplex_chance(counts[symbol] for symbol in range(symbols)) for counts in after.values())
    return math.prod(rows, start=Fraction(1, symbols**context))


def planted(word: Word, context: int, end: int) -> Word:
    """The last symbols once more, so that this occurrence ends with position `end`, counted from 1."""
    return word[: end - context] + word[-context:] + word[end:]


def k_gram_chances(length: int, context: int, symbols: int) -> dict[Word, Fraction]:
    ends = range(context, length - context + 1)
    found: dict[Word, Fraction] = defaultdict(Fraction)
    for word in all_words(symbols, length):
        for end in ends:
            found[planted(word, context, end)] += chain_chance(word, context, symbols) / len(ends)
    return dict(found)


# ------------------------------------------------------------------------------------- words as their counts

Counts = tuple[tuple[int, ...], ...]


def counts_and_last(word: Word, symbols: int, period: int) -> tuple[Counts, int]:
    """How often each symbol stands at each residue of the position, and the last symbol."""
    table = [
        [at_residue(word, period, residue).count(symbol) for residue in range(period)] for symbol in range(symbols)
    ]
    return tuple(map(tuple, table)), word[-1]


def chances_of_counts(chances: dict[Word, Fraction], symbols: int, period: int) -> dict[tuple[Counts, int], Fraction]:
    found: dict[tuple[Counts, int], Fraction] = defaultdict(Fraction)
    for word, chance in chances.items():
        found[counts_and_last(word, symbols, period)] += chance
    return dict(found)
