"""The atlas: all small programs of a fragment over an alphabet, one for each function.

Functions are told apart by their answers on a set of words that is closed under prefixes. On such words the answers of
an expression follow from those of its parts, so of all expressions with the same answers a simplest one can stand for
the others: whatever is built on another is found, with the same answers, built on it. Two functions that differ on a
word of the set are therefore both there, at the least complexity that any expression with their answers has. Lost are
functions that agree with a simpler one on all these words: what is not in the atlas may still be a program.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lengthwise.alphabet import Alphabet, parse_alphabet
from lengthwise.atlas import files
from lengthwise.atlas.building import Functions, OutOfBudgetError
from lengthwise.atlas.complexity import complexity_named
from lengthwise.atlas.grammar import BINARY, Grammar, Kind, fragment_of
from lengthwise.atlas.words import Answers, Rows, Words
from lengthwise.crasp import Program
from lengthwise.crasp.showing.printer import expression_text
from lengthwise.crasp.syntax import Expression
from lengthwise.errors import LengthwiseError

SAVE_EVERY = 5.0
"""Seconds of work after which a level is written before the next one is begun."""
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Member:
    """A function of an atlas: one of its simplest programs.

    Attributes:
        id: Its number; simpler functions have smaller ones.
        complexity: κ of the expression.
        depth: How deeply counting operations nest in it.
        expression: What holds where the program accepts.
        symbols: The alphabet.

    """

    id: int
    complexity: int
    depth: int
    expression: Expression
    symbols: tuple[str, ...]

    @property
    def text(self) -> str:
        """The expression as text."""
        return expression_text(self.expression)

    @cached_property
    def program(self) -> Program:
        """The program over the alphabet of the atlas."""
        return Grammar(self.symbols).program(self.expression)

    @property
    def size(self) -> int:
        """The number of distinct operations of the program."""
        return self.program.size

    def __str__(self) -> str:
        return self.text


class Atlas:
    """All small programs of a fragment, one for each function; made by `Atlas.build`.

    Args:
        functions: The functions and the words that tell them apart.
        unfinished: Why there are no more, if there should be.

    Attributes:
        grammar: Which expressions were enumerated.
        words: The words that tell functions apart.
        unfinished: Why it ends before the complexity that was asked for, if it does.

    Example:
        >>> atlas = Atlas.build("", "ab", 6)
        >>> len(atlas), str(atlas.find(lambda word: word.count("b") >= word.count("a")))
        (44, '# "b" >= # "a"')

    """

    def __init__(self, functions: Functions, unfinished: str | None = None) -> None:
        self._functions, self.unfinished = functions, unfinished
        self.grammar, self.words = functions.grammar, functions.words

    @classmethod
    def build(
        cls,
        fragment: str | Iterable[str] = "",
        alphabet: str | Iterable[str] | Alphabet = "ab",
        complexity: int = 12,
        *,
        encoding: str = "symbols",
        words: Words | None = None,
        directory: Path | None = None,
        progress: Progress | None = None,
        until: Callable[[Atlas], bool] | None = None,
        seconds: float | None = None,
        memory: int = 4 << 30,
        **options: Any,
    ) -> Atlas:
        """Enumerate the programs of a fragment up to a complexity, or take them from a directory.

        Args:
            fragment: Names out of `periodic` and `local`; none of them is C-RASP[∅].
            alphabet: The symbols.
            complexity: The largest complexity.
            encoding: How complexity is counted: `symbols`, `bits` or `heads`.
            words: The words that tell functions apart; else short ones and random probes.
            directory: Where the atlas is kept; nothing is written without one.
            progress: Called with the complexity at work and the number of functions so far.
            until: Asked after each level; no further one is begun once it is true.
            seconds: How long to build at most; whole levels that were finished are kept.
            memory: Bytes to use at most.
            **options: Further fields of `Grammar`, such as `max_period` or `depth`.

        Returns:
            The atlas; its `complexity` is smaller than what was asked for if time or memory were over before.

        Raises:
            LengthwiseError: The alphabet, the fragment or the encoding is none, or not even the symbols fit.

        """
        if isinstance(alphabet, str):
            symbols = parse_alphabet(alphabet)
        else:
            symbols = tuple(alphabet.symbols if isinstance(alphabet, Alphabet) else alphabet)
        if complexity < 1:
            raise LengthwiseError(f"the complexity of a program is at least 1, not {complexity}")
        grammar = Grammar(symbols, fragment_of(fragment), complexity_named(encoding), **options)
        functions = Functions(grammar, words or Words.of(symbols), memory)
        if directory is not None:
            files.load(functions, directory)
        deadline = None if seconds is None else time.monotonic() + seconds
        unfinished = None
        saved, since = functions.level, time.monotonic()
        try:
            while functions.level < complexity and (until is None or not until(cls(functions))):
                functions.next_level(deadline, progress)
                if directory is not None and time.monotonic() - since > SAVE_EVERY:
                    files.save(functions, directory)
                    saved, since = functions.level, time.monotonic()
        except OutOfBudgetError as reason:
            unfinished = str(reason)
        if directory is not None and saved < functions.level:
            files.save(functions, directory)
        return cls(functions.up_to(complexity), unfinished)

    # ----------------------------------------------------------------------------------- what is in it

    @property
    def complexity(self) -> int:
        """The complexity up to which it is complete."""
        return self._functions.level

    def __len__(self) -> int:
        return self._functions.count

    def ids(self, complexity: int) -> range:
        """The numbers of the functions of one complexity."""
        return self._functions.ids(complexity)

    def counts(self) -> dict[int, int]:
        """How many functions there are of each complexity."""
        return {level: len(self.ids(level)) for level in range(1, self.complexity + 1)}

    @property
    def complexities(self) -> npt.NDArray[np.int64]:
        """The complexity of each function."""
        starts = self._functions.starts
        return np.repeat(np.arange(len(starts) - 1), np.diff(starts))

    @property
    def depths(self) -> npt.NDArray[np.int64]:
        """The depth of the expression of each function."""
        return self._functions.columns["depths"][: len(self)].astype(np.int64)

    def member(self, number: int) -> Member:
        """The function of a number."""
        if not 0 <= number < len(self):
            raise LengthwiseError(f"the atlas has functions 0 to {len(self) - 1}, not {number}")
        complexity = int(np.searchsorted(self._functions.starts, number, side="right")) - 1
        depth = int(self._functions.columns["depths"][number])
        return Member(number, complexity, depth, self.expression(number), self.grammar.symbols)

    def __iter__(self) -> Iterator[Member]:
        return map(self.member, range(len(self)))

    def expression(self, number: int) -> Expression:
        """The expression of a function."""
        operation = self._functions.operation(number)
        columns = self._functions.columns
        parts: tuple[Expression, ...] = ()
        if operation.kind not in (Kind.SYMBOL, Kind.TRUE, Kind.PERIOD):
            parts = (self.expression(int(columns["lefts"][number])),)
        if operation.kind in BINARY:
            parts += (self.expression(int(columns["rights"][number])),)
        return operation.expression(parts, self.grammar.symbols)

    # ----------------------------------------------------------------------------------- answers

    def rows(self, numbers: slice | range | npt.NDArray[np.integer[Any]]) -> Rows:
        """The answers of functions, a row each."""
        if isinstance(numbers, slice):
            numbers = range(*numbers.indices(len(self)))
        return self._functions.rows_of(numbers)

    def blocks(self, complexity: int | None = None) -> Iterator[tuple[range, Rows]]:
        """The answers of all functions up to a complexity, in blocks of bounded memory."""
        last = self.complexity if complexity is None else min(complexity, self.complexity)
        return self._functions.blocks(range(self._functions.starts[max(0, last) + 1]))

    def vector(self, subject: Answers | Rows) -> Rows:
        """The answers of a subject on the words of the atlas."""
        return subject if isinstance(subject, np.ndarray) else self.words.vector(subject)

    def find(self, subject: Answers | Rows) -> Member | None:
        """The simplest function with the answers of a subject on all words of the atlas.

        Args:
            subject: A program, an automaton, a language, a function of words, or answers.

        Returns:
            The function, or None if none up to the complexity has them.

        """
        row = self.vector(subject)
        first, _ = self._functions.hashes(row[None])
        order, hashes = self._by_hash
        found = np.inf
        for colour in range(1 if self.grammar.depth is None else self.grammar.depth + 1):
            wanted = first[0] ^ np.uint64(colour * 0xD6E8FEB86659FD93 % 2**64)
            for place in range(int(np.searchsorted(hashes, wanted)), len(hashes)):
                if hashes[place] != wanted:
                    break
                number = int(order[place])
                if number < found and np.array_equal(self.rows(np.array([number]))[0], row):
                    found = number
        return None if found == np.inf else self.member(int(found))

    @cached_property
    def _by_hash(self) -> tuple[npt.NDArray[np.int64], Rows]:
        hashes = self._functions.columns["first_hash"][: len(self)].astype(np.uint64)
        order = np.argsort(hashes, kind="stable")
        return order, hashes[order]

    def agreeing_with(
        self, subject: Answers | Rows, up_to_length: int, complexity: int | None = None
    ) -> npt.NDArray[np.int64]:
        """The functions that agree with a subject on all words up to a length.

        Args:
            subject: As for `find`.
            up_to_length: A length of short words of the atlas.
            complexity: The largest complexity of the functions; else all.

        Returns:
            Their numbers, simpler ones first; the subject's own function is among them.

        Raises:
            LengthwiseError: The atlas does not know all words up to this length.

        """
        row, mask = self.vector(subject), self.words.mask(up_to_length)
        numbers = np.flatnonzero(mask)
        found = [
            np.flatnonzero((rows[:, numbers] == row[numbers]).all(axis=1)) + part.start
            for part, rows in self.blocks(complexity)
        ]
        return np.concatenate(found) if found else np.zeros(0, np.int64)

    def separating_length(self) -> int | None:
        """The length of words that tell all functions apart; None if the short words do not."""
        low, high = 1, self.words.trie_length
        if not self._separates(high):
            return None
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self._separates(middle) else (middle + 1, high)
        return low

    def _separates(self, length: int) -> bool:
        mask = self.words.mask(length)
        hashes = [np.stack(self._functions.hashes(rows & mask), axis=1) for _, rows in self.blocks()]
        both = np.concatenate(hashes)
        distinct = len(np.unique(np.ascontiguousarray(both).view("V16")))
        return distinct == self._distinct

    @cached_property
    def _distinct(self) -> int:
        """How many functions there are; under a limit of depth one may stand there for several depths."""
        if self.grammar.depth is None:
            return len(self)
        hashes = [np.stack(self._functions.hashes(rows), axis=1) for _, rows in self.blocks()]
        return len(np.unique(np.ascontiguousarray(np.concatenate(hashes)).view("V16")))

    def merges(self, complexity: int) -> Iterator[tuple[Expression, int]]:
        """All expressions that were taken for a function that stood there, built from kept parts.

        Args:
            complexity: The largest complexity of these expressions.

        Yields:
            The expression and the number of the function with the same answers.

        """
        functions = self._functions.up_to(min(complexity, self.complexity))
        functions.make_writable()
        for level in range(1, functions.level + 1):
            for operation, lefts, rights, triangular in functions.candidates_of(level):
                for batch in functions.merge(operation, lefts, rights, triangular, merged=True):
                    for left, right, entry in [] if batch is None else batch.tolist():
                        made = (operation, left, right if operation.kind in BINARY else 0)
                        if made != self._made(entry - 1):
                            parts = (self.expression(left), *([self.expression(right)] if rights else []))
                            yield operation.expression(parts, self.grammar.symbols), entry - 1

    def _made(self, number: int) -> tuple[object, int, int]:
        columns = self._functions.columns
        return self._functions.operation(number), int(columns["lefts"][number]), int(columns["rights"][number])

    # ----------------------------------------------------------------------------------- what it says of itself

    @cached_property
    def completeness(self) -> str:
        """What it is complete for, in a sentence."""
        length = self.separating_length()
        apart = (
            f"all of them differ on words of at most {length} symbols"
            if length is not None
            else f"words of more than {self.words.trie_length} symbols are needed to tell all of them apart"
        )
        words = (
            f"all words up to length {self.words.trie_length} and {len(self.words.probes)} probes with their prefixes"
        )
        many = f"{len(self)} functions up to complexity {self.complexity}"
        return f"{self.grammar.sentence}: {many}, told apart by {words}; {apart}"

    @cached_property
    def digest(self) -> str:
        """What tells atlases apart: grammar, words, and every function."""
        return files.digest_of(self._functions)
