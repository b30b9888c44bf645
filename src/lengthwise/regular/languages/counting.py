"""The words of one length: whether there are any, how many, all of them in order, and exactly uniform random ones.

Numbers of words follow from one recursion: from a state, the words of length r + 1 are those of length r from where
each symbol leads. Its integers are exact; where they would not fit into memory, `sampling` draws words by floats.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from lengthwise.alphabet import Ids
from lengthwise.errors import LengthwiseError
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.languages.regex_automaton import members
from lengthwise.regular.languages.sampling import Sampler, sampler
from lengthwise.resources import check_time

EXACT_BYTES = 16_000_000
"""Single words are drawn with exact counts as long as those take no more memory than this."""


class NoWordError(LengthwiseError):
    """A word was asked for of a length that no word of the language has."""


class Words:
    """The words of an automaton's language, by length, as symbol ids."""

    def __init__(self, automaton: Automaton) -> None:
        self.automaton = automaton
        self._sources = [0] * len(automaton)
        for state, row in enumerate(automaton.table):
            for target in row:
                self._sources[target] |= 1 << state
        self._productive = [sum(1 << state for state in automaton.accepting)]
        self._met = {self._productive[0]: 0}
        self._cycle: tuple[int, int] | None = None
        self._counts = [[int(state in automaton.accepting) for state in range(len(automaton))]]
        self._sampler: Sampler | None = None

    # ------------------------------------------------------------------------------------------ which lengths

    def productive(self, length: int) -> int:
        """The states from which some word of this length is accepted, as bits; the sets repeat sooner or later."""
        found = self._productive
        while self._cycle is None and len(found) <= length:
            check_time()
            before = 0
            for state in members(found[-1]):
                before |= self._sources[state]
            if before in self._met:
                self._cycle = self._met[before], len(found) - self._met[before]
            else:
                self._met[before] = len(found)
                found.append(before)
        if length < len(found) or self._cycle is None:
            return found[length]
        first, period = self._cycle
        return found[first + (length - first) % period]

    def has(self, length: int) -> bool:
        """Whether there is a word of this length."""
        return length >= 0 and bool(self.productive(length) >> self.automaton.start & 1)

    def require(self, length: int) -> None:
        """Refuse a length that no word has, naming the nearest ones that words do have."""
        if self.has(length):
            return
        if length < 0:
            raise NoWordError(f"a word has no negative length; {length} was asked for")
        reach = range(1, 2 * len(self.automaton) + 2)
        below = next((length - step for step in reach if self.has(length - step)), None)
        above = next((length + step for step in reach if self.has(length + step)), None)
        near = " and ".join(str(found) for found in (below, above) if found is not None)
        hint = f"; the nearest lengths with words: {near}" if near else "; nor has it any of about this length"
        raise NoWordError(f"the language has no word of length {length}{hint}")

    # ------------------------------------------------------------------------------------------- exact counts

    def count(self, length: int) -> int:
        """How many words of this length there are, exactly; a length of n takes time n² for large n."""
        return self._count_row(length)[self.automaton.start] if length >= 0 else 0

    def _count_row(self, length: int) -> list[int]:
        counts, table = self._counts, self.automaton.table
        if length < len(counts):
            return counts[length]
        row, keep = counts[-1], self._exact_fits(length)
        for _ in range(length + 1 - len(counts)):
            previous = row
            row = [sum([previous[target] for target in targets]) for targets in table]
            if keep:
                counts.append(row)
        return row

    def _exact_fits(self, length: int) -> bool:
        bits = length * math.log2(len(self.automaton.symbols) + 1)
        return len(self.automaton) * length * (40 + bits / 16) <= EXACT_BYTES

    def _word_at(self, length: int, place: int) -> Ids:
        """The word at a place, from 0, among those of its length in the order of the alphabet."""
        state, ids = self.automaton.start, []
        for remaining in range(length - 1, -1, -1):
            counts, row = self._counts[remaining], self.automaton.table[state]
            symbol = 0
            while place >= counts[row[symbol]]:
                place -= counts[row[symbol]]
                symbol += 1
            ids.append(symbol)
            state = row[symbol]
        return np.array(ids, dtype=self.automaton.alphabet.dtype)

    def all(self, length: int) -> Iterator[tuple[int, ...]]:
        """All words of a length in the order of the alphabet."""
        if not self.has(length):
            return
        path: list[int] = []
        waiting = [(self.automaton.start, 0)]
        while waiting:
            state, first = waiting.pop()
            remaining = length - len(waiting)
            if remaining == 0:
                yield tuple(path)
            else:
                productive, row = self.productive(remaining - 1), self.automaton.table[state]
                for symbol in range(first, len(row)):
                    if productive >> row[symbol] & 1:
                        path.append(symbol)
                        waiting += [(state, symbol + 1), (row[symbol], 0)]
                        break
                else:
                    remaining = 0
            if remaining == 0 and path:
                path.pop()

    # ------------------------------------------------------------------------------------------------- random

    def sample(self, length: int, rng: np.random.Generator) -> Ids:
        """A uniformly random word of this length; exactly so while exact counts fit into memory."""
        self.require(length)
        if not self._exact_fits(length):
            word: Ids = self.sample_batch(length, 1, rng)[0]
            return word
        return self._word_at(length, _below(self.count(length), rng))

    def sample_batch(self, length: int, batch: int, rng: np.random.Generator) -> Ids:
        """Independent random words of one length, a word a row, drawn by the floats."""
        self.require(length)
        if self._sampler is None:
            self._sampler = sampler(self.automaton)
        return self._sampler.draw(length, batch, rng)


def _below(most: int, rng: np.random.Generator) -> int:
    """A uniformly random integer from 0 up to, not including, `most`, which may be of any size."""
    bits = (most - 1).bit_length()
    while True:
        number = int.from_bytes(rng.bytes((bits + 7) // 8), "little") >> (-bits % 8)
        if number < most:
            return number
