"""Rivals: the other programs, no more complex than the right one, that short words do not rule out.

A learner that takes a simplest program for what it saw may take any of them. Each differs from the right program on
some longer word; how often the words of training show that, and how often such a learner is right on longer words, is
what to expect of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from lengthwise.atlas.atlas import Member
from lengthwise.atlas.finding import Acceptor, Found
from lengthwise.atlas.shares import Draw, Share, prefix_answers
from lengthwise.crasp import Program
from lengthwise.errors import LengthwiseError
from lengthwise.regular import verify
from lengthwise.resources import Deadline

SAMPLE = 4000
"""How many words shares are estimated from."""
VERIFY_SECONDS = 5.0
LONGEST = 2000


@dataclass(frozen=True)
class Rival:
    """A program that agrees with the right one on what was seen, and differs elsewhere.

    Attributes:
        member: The program, with its complexity.
        difference: The shortest word known on which it differs; both programs were run on it.
        shortest: Whether no shorter word tells them apart: all were tried, or `verify` searched them.
        shown: How often a training word shows a difference at one of its prefixes.
        accuracy: For each length the share of the task's words on which it is right.

    """

    member: Member
    difference: tuple[str, ...]
    shortest: bool
    shown: Share
    accuracy: tuple[tuple[int, Share], ...]

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            "program": str(self.member.program),
            "expression": self.member.text,
            "complexity": self.member.complexity,
            "depth": self.member.depth,
            "shortest_difference": ("" if all(len(each) == 1 for each in self.difference) else " ").join(
                self.difference
            ),
            "difference_length": len(self.difference),
            "proved_shortest": self.shortest,
            "shown": self.shown.value,
            "shown_interval": self.shown.interval(),
            "accuracy": [
                {"length": length, "accuracy": share.value, "interval": share.interval()}
                for length, share in self.accuracy
            ],
        }


@dataclass(frozen=True)
class Seen:
    """What a learner saw, with the answers at all prefixes: all words up to a length, or words that were drawn."""

    train_length: int
    drawn: tuple[npt.NDArray[np.integer[Any]], ...] | None = None
    """Words of each length as places in the alphabet; None for all words."""

    def agrees(self, right: Acceptor, other: Acceptor, symbols: tuple[str, ...]) -> bool:
        """Whether drawn words do not tell two acceptors apart."""
        return all(
            np.array_equal(prefix_answers(right, symbols, words), prefix_answers(other, symbols, words))
            for words in self.drawn or ()
            if len(words)
        )


@dataclass(frozen=True)
class RivalSearch:
    """The search for rivals of one subject.

    Attributes:
        subject: The right program or automaton.
        found: What the atlas knows of it.
        lengths: The lengths of words on which rivals are judged.
        seed: Of the words that are drawn.

    """

    subject: Acceptor
    found: Found
    lengths: Sequence[int]
    seed: int = 0

    def __post_init__(self) -> None:
        for length in self.lengths:
            if not 1 <= length <= LONGEST:
                raise LengthwiseError(f"test lengths lie between 1 and {LONGEST}; {length} does not")

    @cached_property
    def draw(self) -> Draw:
        """The words of the task."""
        member = self.found.member
        own = self.subject if isinstance(self.subject, Program) else None
        return Draw(own or (None if member is None else member.program), self.symbols, self.seed)

    @property
    def symbols(self) -> tuple[str, ...]:
        """The alphabet of the words."""
        return self.found.atlas.words.symbols

    def seen(self, train_length: int, words: int | None) -> Seen:
        """All words up to a length, or so many drawn ones of lengths that are spread evenly."""
        if words is None:
            return Seen(train_length)
        if not 1 <= words <= 1_000_000:
            raise LengthwiseError(f"the number of training words lies between 1 and 1000000, not {words}")
        rng = np.random.default_rng([self.seed, words])
        counts = np.bincount(rng.integers(train_length, size=words), minlength=train_length)
        return Seen(
            train_length,
            tuple(self.draw.words(length + 1, int(count)) for length, count in enumerate(counts)),
        )

    def candidates(self, seen: Seen) -> npt.NDArray[np.int64]:
        """The functions, no more complex than the subject, that agree on the short words that were seen."""
        atlas, member = self.found.atlas, self.found.member
        row = atlas.vector(self.subject)
        limit = None if member is None else member.complexity
        reach = min(seen.train_length, atlas.words.trie_length)
        if seen.drawn is None:
            ids = atlas.agreeing_with(row, reach, limit)
        else:
            ids = self._agreeing_on_drawn(seen.drawn[:reach], row, limit)
        return ids if member is None else ids[ids != member.id]

    def _agreeing_on_drawn(
        self, drawn: Sequence[npt.NDArray[np.integer[Any]]], row: npt.NDArray[np.uint64], limit: int | None
    ) -> npt.NDArray[np.int64]:
        """The same for drawn words, each of which shows the answers at all of its prefixes."""
        atlas, reach = self.found.atlas, len(drawn)
        count = len(self.symbols)
        wanted: set[int] = set()
        # The place of a word among all words, shorter ones first and then in the order of the alphabet.
        for words in drawn:
            code = np.zeros(len(words), np.int64)
            before = 0
            for place in range(words.shape[1]):
                code = code * count + words[:, place]
                wanted.update((before + code).tolist())
                before += count ** (place + 1)
        columns = np.array(sorted(wanted), np.int64)
        right = atlas.words.answers(row[None], reach)[0, columns]
        found = [
            np.flatnonzero((atlas.words.answers(rows, reach)[:, columns] == right).all(axis=1)) + part.start
            for part, rows in atlas.blocks(limit)
        ]
        return np.concatenate(found)

    def rivals(self, train_length: int, words: int | None = None, deadline: Deadline | None = None) -> Iterator[Rival]:
        """The rivals after what was seen, simplest first.

        Args:
            train_length: The length of the longest words that were seen.
            words: How many words were seen; None for all.
            deadline: After it no further rival is looked for.

        Yields:
            Rivals whose difference was seen by running both.

        """
        seen = self.seen(train_length, words)
        atlas = self.found.atlas
        row = atlas.vector(self.subject)
        for number in self.candidates(seen):
            if deadline is not None and deadline.passed():
                return
            member = atlas.member(int(number))
            if seen.drawn is not None and not seen.agrees(self.subject, member.program, self.symbols):
                continue
            difference = atlas.words.difference(row, atlas.rows(np.array([number]))[0])
            if difference is not None and seen.drawn is None and len(difference) <= train_length:
                continue
            shortest = difference is not None and len(difference) <= atlas.words.trie_length
            if not shortest:
                compared = verify(member.program, self.subject, self.symbols, VERIFY_SECONDS)
                if compared.difference is not None:
                    difference, shortest = compared.difference, True
            if difference is None or (seen.drawn is None and len(difference) <= train_length):
                continue
            if member.program.accepts(difference) == self.subject.accepts(difference):
                raise AssertionError(f"{member.text} does not differ on {difference}")
            yield self._judged(member, difference, shortest, seen)

    def _judged(self, member: Member, difference: tuple[str, ...], shortest: bool, seen: Seen) -> Rival:
        accuracy = tuple(
            (length, self.draw.accuracy(self.subject, member.program, length, SAMPLE)) for length in self.lengths
        )
        hidden = shortest and len(difference) > seen.train_length
        shown = Share(0.0) if hidden else self.draw.shown(self.subject, member.program, seen.train_length, SAMPLE)
        return Rival(member, difference, shortest, shown, accuracy)
