"""The words that functions are told apart by: all short ones, and long probes with their prefixes.

They are closed under prefixes, so that the answers of an expression on them follow from those of its parts. Answers
are bits of 64-bit numbers: the 64 words of one number all have the same length and come from the 64 words of its
*parent* by one symbol each. Number 0 holds the empty word, on which every answer is 0 by convention; parents stand
before what comes from them. Some words occur more than once, which changes nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from lengthwise.crasp import Program
from lengthwise.errors import LengthwiseError
from lengthwise.regular import Automaton, Language

Rows: TypeAlias = npt.NDArray[np.uint64]
Answers: TypeAlias = "Program | Automaton | Language | Callable[[tuple[str, ...]], bool]"

LANES = 64
TRIE_WIDTH = 64
"""How many 64-bit numbers the short words take unless a length is given."""
PROBES, PROBE_LENGTH = 64, 64
MOST_WIDTH = 4096
"""The most 64-bit numbers a function may have answers in."""
LONGEST_PROBE = 2000


@dataclass(frozen=True)
class Words:
    """Short words and probes.

    Attributes:
        symbols: The alphabet.
        trie_length: All words of at most so many symbols are there.
        probes: Longer words, whose prefixes are there as well.

    Example:
        >>> words = Words.of("ab", trie_length=3, probes=0)
        >>> ["".join(word) for word in words.short(2)]
        ['a', 'b', 'aa', 'ab', 'ba', 'bb']

    """

    symbols: tuple[str, ...]
    trie_length: int
    probes: tuple[tuple[str, ...], ...] = ()

    def __post_init__(self) -> None:
        if self.trie_length < 1:
            raise LengthwiseError(f"short words have at least 1 symbol, not at most {self.trie_length}")
        if (needed := _trie_width(len(self.symbols), self.trie_length)) > MOST_WIDTH:
            fits = max(n for n in range(1, 64) if _trie_width(len(self.symbols), n) <= MOST_WIDTH)
            raise LengthwiseError(
                f"all words over {len(self.symbols)} symbols up to length {self.trie_length} are too many "
                f"({needed * LANES}); length {fits} fits"
            )
        for probe in self.probes:
            if unknown := set(probe) - set(self.symbols):
                raise LengthwiseError(
                    f"the word {' '.join(probe)!r} has {sorted(unknown)[0]!r}, which is not one of the symbols "
                    f"{', '.join(self.symbols)}"
                )
            if len(probe) > LONGEST_PROBE:
                raise LengthwiseError(f"a probe has at most {LONGEST_PROBE} symbols, not {len(probe)}")

    @classmethod
    def of(
        cls,
        symbols: Sequence[str],
        trie_length: int | None = None,
        probes: int = PROBES,
        probe_length: int = PROBE_LENGTH,
        seed: int = 0,
        extra: Sequence[tuple[str, ...]] = (),
    ) -> Words:
        """All words up to a length, random words with frequencies of their own, and words that are given.

        Args:
            symbols: The alphabet.
            trie_length: The length of the short words; else as many as fit.
            probes: How many random words.
            probe_length: How long they are.
            seed: Of the random words.
            extra: Further words.

        Returns:
            The words.

        """
        count = len(symbols)
        if trie_length is None:
            trie_length = max(n for n in range(1, 64) if n == 1 or _trie_width(count, n) <= TRIE_WIDTH)
        rng = np.random.default_rng(seed)
        drawn = []
        for each in range(probes):
            # Blocks, symbols with frequencies of their own, and words that hardly change.
            shares = rng.dirichlet(np.full(count, (0.3, 1.0, 5.0)[each % 3]))
            letters = rng.choice(count, size=probe_length, p=shares)
            if each % 4 == 3:
                stay = rng.random(probe_length) < 0.85
                for at in range(1, probe_length):
                    letters[at] = letters[at - 1] if stay[at] else letters[at]
            drawn.append(tuple(symbols[letter] for letter in letters))
        return cls(tuple(symbols), trie_length, (*drawn, *extra))

    def with_probes(self, extra: Sequence[tuple[str, ...]]) -> Words:
        """The same words and further probes."""
        return Words(self.symbols, self.trie_length, (*self.probes, *extra))

    # ------------------------------------------------------------------------------------- how they are laid out

    @cached_property
    def _layout(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.uint8], int]:
        """Parents, lengths, the last symbol of each word, and how many numbers hold short words."""
        count = len(self.symbols)
        base = _base(count, self.trie_length)
        parents, lengths = [0], [0]
        letters: list[npt.NDArray[np.uint8]] = [np.zeros(LANES, np.uint8)]

        def chain(block: npt.NDArray[np.uint8]) -> int:
            at = 0
            for place in range(block.shape[1]):
                parents.append(at)
                lengths.append(place + 1)
                letters.append(block[:, place])
                at = len(parents) - 1
            return at

        ends = [chain(block) for block in _blocks(np.array(list(product(range(count), repeat=base)), np.uint8))]
        for length in range(base + 1, self.trie_length + 1):
            above, ends = ends, []
            for at in above:
                for letter in range(count):
                    parents.append(at)
                    lengths.append(length)
                    letters.append(np.full(LANES, letter, np.uint8))
                    ends.append(len(parents) - 1)
        short = len(parents)
        place = {symbol: at for at, symbol in enumerate(self.symbols)}
        ids = sorted(([place[symbol] for symbol in probe] for probe in self.probes if probe), key=len)
        for start in range(0, len(ids), LANES):
            part = ids[start : start + LANES]
            longest = max(map(len, part))
            # A shorter word goes on with its last symbol: what comes of it is a word as well.
            block = np.array([word + [word[-1]] * (longest - len(word)) for word in part], np.uint8)
            for full in _blocks(block):
                chain(full)
        if len(parents) > MOST_WIDTH:
            raise LengthwiseError(f"{len(self.probes)} probes are too many; give fewer or shorter ones")
        return np.array(parents), np.array(lengths), np.array(letters), short

    @property
    def width(self) -> int:
        """How many 64-bit numbers the answers of a function take, the one of the empty word included."""
        return len(self._layout[0])

    @property
    def parents(self) -> npt.NDArray[np.int64]:
        """For each number the one whose words are a symbol shorter."""
        return self._layout[0]

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """The length of the words of each number."""
        return self._layout[1]

    @cached_property
    def planes(self) -> Rows:
        """For each symbol the words that end in it."""
        letters = self._layout[2]
        found = np.stack([packed(letters == symbol) for symbol in range(len(self.symbols))])
        found[:, 0] = 0
        return found

    @cached_property
    def digest(self) -> str:
        """What tells sets of words apart."""
        text = repr((self.symbols, self.trie_length, self.probes))
        return hashlib.sha256(text.encode()).hexdigest()

    def ids_of(self, number: int) -> npt.NDArray[np.uint8]:
        """The 64 words of a number as an array of symbol ids."""
        parents, lengths, letters, _ = self._layout
        found = np.zeros((LANES, lengths[number]), np.uint8)
        for place in range(int(lengths[number]) - 1, -1, -1):
            found[:, place] = letters[number]
            number = int(parents[number])
        return found

    def word(self, number: int, lane: int) -> tuple[str, ...]:
        """One word."""
        return tuple(self.symbols[letter] for letter in self.ids_of(number)[lane])

    # --------------------------------------------------------------------------------------------- answers

    def vector(self, subject: Answers) -> Rows:
        """The answers of a program, an automaton, a language or a function, as `width` 64-bit numbers."""
        if isinstance(subject, Language):
            subject = subject.automaton
        if isinstance(subject, Automaton):
            return self._of_automaton(subject)
        bits = np.zeros((self.width, LANES), bool)
        if isinstance(subject, Program):
            ids = np.asarray(subject.alphabet.encode(list(self.symbols)))
            for length in range(1, int(self.lengths.max()) + 1):
                numbers = np.flatnonzero(self.lengths == length)
                words = np.concatenate([self.ids_of(int(number)) for number in numbers])
                bits[numbers] = subject.accepts_batch(ids[words]).reshape(-1, LANES)
            return packed(bits)
        known: dict[tuple[str, ...], bool] = {}
        for number in range(1, self.width):
            for lane, letters in enumerate(self.ids_of(number)):
                word = tuple(self.symbols[letter] for letter in letters)
                if word not in known:
                    known[word] = bool(subject(word))
                bits[number, lane] = known[word]
        return packed(bits)

    def _of_automaton(self, automaton: Automaton) -> Rows:
        parents, _, letters, _ = self._layout
        table = np.array(automaton.table)[:, automaton.alphabet.encode(list(self.symbols))]
        states = np.full((self.width, LANES), automaton.start)
        for number in range(1, self.width):
            states[number] = table[states[parents[number]], letters[number]]
        bits = np.isin(states, list(automaton.accepting))
        bits[0] = False
        return packed(bits)

    def short(self, length: int) -> list[tuple[str, ...]]:
        """All non-empty words of at most so many symbols, shorter ones first, then in the order of the alphabet."""
        self._require_short(length)
        return [word for size in range(1, length + 1) for word in product(self.symbols, repeat=size)]

    def answers(self, rows: Rows, length: int) -> npt.NDArray[np.bool_]:
        """The answers of each row on the words of `short(length)`, in that order."""
        self._require_short(length)
        numbers, lanes = self._places
        count = len(self.symbols)
        many = sum(count**size for size in range(1, length + 1))
        found: npt.NDArray[np.bool_] = (rows[:, numbers[:many]] >> lanes[:many]) & np.uint64(1) == 1
        return found

    def mask(self, length: int) -> Rows:
        """Ones for the short words of at most so many symbols, which `short(length)` lists."""
        self._require_short(length)
        chosen = (self.lengths <= length) & (self.lengths > 0) & (np.arange(self.width) < self._layout[3])
        return np.where(chosen, np.uint64(2**64 - 1), np.uint64(0))

    def first_difference(self, rows: Rows, row: Rows) -> npt.NDArray[np.int64]:
        """The least length of a word, short or of a probe, on which each row differs from one; 0 where none does."""
        unequal = rows != row
        least = np.where(unequal, self.lengths, np.iinfo(np.int64).max).min(axis=1)
        return np.where(unequal.any(axis=1), least, 0)

    def difference(self, row: Rows, other: Rows) -> tuple[str, ...] | None:
        """A shortest word of the set on which two rows differ."""
        unequal = np.flatnonzero(row != other)
        if not len(unequal):
            return None
        number = int(unequal[np.argmin(self.lengths[unequal])])
        bits = int(row[number] ^ other[number])
        return self.word(number, (bits & -bits).bit_length() - 1)

    def answers_at(self, rows: Rows, words: Sequence[tuple[str, ...]]) -> npt.NDArray[np.bool_]:
        """The answers of each row on words that are probes, or prefixes of probes."""
        places = [self._probe_places[word] for word in words]
        numbers, lanes = np.array(places, np.int64).reshape(-1, 2).T
        found: npt.NDArray[np.bool_] = (rows[:, numbers] >> lanes.astype(np.uint64)) & np.uint64(1) == 1
        return found

    @cached_property
    def _probe_places(self) -> dict[tuple[str, ...], tuple[int, int]]:
        """The number and the lane of each probe and each of its prefixes."""
        parents, lengths, _, short = self._layout
        children = np.bincount(parents[1:], minlength=len(parents))
        found: dict[tuple[str, ...], tuple[int, int]] = {}
        for end in range(short, len(parents)):
            if children[end]:
                continue
            chain, words = end, self.ids_of(end)
            while chain:
                length = int(lengths[chain])
                for lane in range(LANES):
                    word = tuple(self.symbols[letter] for letter in words[lane, :length])
                    found.setdefault(word, (chain, lane))
                chain = int(parents[chain])
        return found

    @cached_property
    def _places(self) -> tuple[npt.NDArray[np.int64], Rows]:
        """Where the answers on the words of `short` stand: numbers and lanes."""
        parents, lengths, letters, short = self._layout
        count = len(self.symbols)
        codes = np.zeros((short, LANES), np.int64)
        for number in range(1, short):
            codes[number] = codes[parents[number]] * count + letters[number]
        numbers, lanes = [], []
        for length in range(1, self.trie_length + 1):
            at = np.flatnonzero(lengths[:short] == length)
            _, first = np.unique(codes[at], return_index=True)
            numbers.append(at[first // LANES])
            lanes.append((first % LANES).astype(np.uint64))
        return np.concatenate(numbers), np.concatenate(lanes)

    def _require_short(self, length: int) -> None:
        if not 0 <= length <= self.trie_length:
            raise LengthwiseError(
                f"this atlas knows all words up to length {self.trie_length}, not up to {length}; give a smaller "
                f"length, or build one with trie_length={length}"
            )


def packed(bits: npt.NDArray[np.bool_]) -> Rows:
    """64 Booleans each as one number, the first in the lowest bit."""
    found: Rows = np.packbits(bits, axis=-1, bitorder="little").view("<u8")[..., 0].astype(np.uint64)
    return found


def _blocks(words: npt.NDArray[np.uint8]) -> list[npt.NDArray[np.uint8]]:
    """64 words at a time; the first one again where some are missing."""
    padding = -len(words) % LANES
    full = np.concatenate([words, np.repeat(words[:1], padding, axis=0)])
    return list(full.reshape(-1, LANES, words.shape[1]))


def _base(count: int, length: int) -> int:
    """The length at which there are 64 words for the first time."""
    base = 1
    while base < length and count**base < LANES:
        base += 1
    return base


def _trie_width(count: int, length: int) -> int:
    base = _base(count, length)
    blocks = -(-int(count**base) // LANES)
    return blocks * (base + sum(int(count**more) for more in range(1, length - base + 1)))
