"""`Program`: a checked, immutable C-RASP[periodic, local] program, and everything one asks of it."""

from __future__ import annotations

from dataclasses import InitVar, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from lengthwise.alphabet import Alphabet, Word, split
from lengthwise.crasp import analysis
from lengthwise.crasp.reading.check import check, sorts
from lengthwise.crasp.reading.diagnostics import ProgramError
from lengthwise.crasp.reading.parser import parse_text
from lengthwise.crasp.running.evaluate import Evaluator, Stream, is_long
from lengthwise.crasp.running.operations import Listing, lower
from lengthwise.crasp.showing.printer import program_text
from lengthwise.crasp.showing.trace import Row, Trace
from lengthwise.crasp.syntax import Definition, Sort, Statement
from lengthwise.errors import NotAnAcceptorError


@dataclass(frozen=True, repr=False)
class Program:
    """A sequence of operations; the last named Boolean, read at the last position, decides acceptance.

    Two programs are equal if they consist of the same statements over the same declared alphabet. `str(program)` is its
    canonical text, which parses back to it.

    Attributes:
        statements: The statements, in order.
        declared_alphabet: The symbols that it declares; None if it declares none.
        title: What it is called; two programs with different titles may be equal.

    """

    statements: tuple[Statement, ...]
    declared_alphabet: tuple[str, ...] | None = None
    title: str = field(default="", compare=False)
    checked: InitVar[bool] = False
    """Whether the statements were checked already, so that it need not be done again."""

    def __post_init__(self, checked: bool) -> None:
        if not checked and (problems := check(self.statements, self.declared_alphabet)):
            raise ProgramError(problems, filename=self.title or "program")

    def __str__(self) -> str:
        return program_text(self.statements, self.declared_alphabet)

    def __repr__(self) -> str:
        name = f"{self.title}: " if self.title else ""
        return f"<Program {name}{len(self.statements)} statements, {self.fragment_name}, depth {self.depth}>"

    # ------------------------------------------------------------------------------------------- analysis

    @cached_property
    def alphabet(self) -> Alphabet:
        """The declared alphabet, or the symbols the program mentions, open to others."""
        if self.declared_alphabet is not None:
            return Alphabet(self.declared_alphabet)
        return Alphabet(analysis.symbols(self.statements), is_open=True)

    @cached_property
    def fragment(self) -> frozenset[str]:
        """Which positional relations the program uses: a subset of {"periodic", "local"}."""
        return analysis.fragment(self.statements)

    @property
    def fragment_name(self) -> str:
        """The fragment as the papers write it: C-RASP[∅], …, C-RASP[periodic, local]."""
        return analysis.fragment_name(self.fragment)

    @cached_property
    def depth(self) -> int:
        """How deeply counting operations nest."""
        return analysis.depth(self.statements)

    @cached_property
    def window(self) -> int:
        """τ: how far back local guards look."""
        return analysis.window(self.statements)

    @cached_property
    def period(self) -> int:
        """Δ: the period of all position predicates together."""
        return analysis.period(self.statements)

    @property
    def size(self) -> int:
        """The number of distinct operations, which is the cost of one position."""
        return len(self.listing.operations)

    @cached_property
    def listing(self) -> Listing:
        """The program as one flat list of operations."""
        return lower(self.statements, self.alphabet.symbols)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names it defines, in order."""
        return tuple(statement.name for statement in self.statements if isinstance(statement, Definition))

    @cached_property
    def sorts(self) -> tuple[Sort, ...]:
        """The sort of every statement."""
        return sorts(self.statements)

    @cached_property
    def predicts(self) -> tuple[str, ...]:
        """The symbols it has `next` statements for."""
        return tuple(symbol for symbol, _ in self.listing.predictions)

    @cached_property
    def evaluator(self) -> Evaluator:
        """What runs the program."""
        return Evaluator(self.listing, self.alphabet)

    # ------------------------------------------------------------------------------------------- running

    def accepts(self, word: Word) -> bool:
        """Whether the last named Boolean holds at the last position of a word (or of the empty word)."""
        if not is_long(word):
            return bool(self.evaluator.last((self._accept,), self.alphabet.encode(word))[0])
        stream = self.stream()
        stream.feed(word)
        return bool(stream.values[0])

    def accepts_batch(
        self, ids: npt.NDArray[np.integer[Any]], lengths: npt.NDArray[np.integer[Any]] | None = None
    ) -> npt.NDArray[np.bool_]:
        """Acceptance of every row of a (batch, length) array of symbol ids, cut to `lengths` if given."""
        return self.evaluator.batch(self._accept, ids, lengths)

    def accepts_prefixes(self, word: Word) -> npt.NDArray[np.bool_]:
        """Acceptance of every non-empty prefix: the deciding Boolean at each position."""
        ids = self.alphabet.encode(word)
        return self.evaluator.everywhere((self._accept,), ids)[0].astype(bool, copy=False)

    def stream(self) -> Stream:
        """Read a word piece by piece in bounded memory: `feed` it, then `values[0]` says whether it is accepted."""
        return Stream(self.evaluator, (self._accept,))

    def run(self, word: Word) -> Trace:
        """The value of every operation at every position."""
        ids = self.alphabet.encode(word)
        places = self.listing.statements
        if len(ids):
            columns = self.evaluator.everywhere(places, ids)
        else:
            columns = [np.array([value]) for value in self.evaluator.at_start(places)]
        rows = tuple(
            Row.of(statement, sort, column)
            for statement, sort, column in zip(self.statements, self.sorts, columns, strict=True)
        )
        deciding = [
            place
            for place, (statement, sort) in enumerate(zip(self.statements, self.sorts, strict=True))
            if isinstance(statement, Definition) and sort is Sort.BOOL
        ]
        return Trace(self.title, tuple(self._symbols(word, ids)), rows, deciding[-1] if deciding else None)

    def next_tokens(self, word: Word) -> list[set[str]]:
        """The set of symbols predicted to come next, at every position of a word."""
        if not self.predicts:
            raise NotAnAcceptorError('this program predicts nothing; add lines such as next "a" = b')
        ids = self.alphabet.encode(word)
        roots = tuple(place for _, place in self.listing.predictions)
        predicted: list[set[str]] = [set() for _ in range(len(ids))]
        if len(ids):
            for symbol, column in zip(self.predicts, self.evaluator.everywhere(roots, ids), strict=True):
                for position in np.flatnonzero(column).tolist():
                    predicted[position].add(symbol)
        return predicted

    def first_tokens(self) -> set[str]:
        """The set of symbols predicted to come first, before anything was read."""
        if not self.predicts:
            raise NotAnAcceptorError('this program predicts nothing; add lines such as next "a" = b')
        roots = tuple(place for _, place in self.listing.predictions)
        holds = self.evaluator.at_start(roots)
        return {symbol for symbol, value in zip(self.predicts, holds, strict=True) if value}

    # ------------------------------------------------------------------------------------ other forms

    def simplify(self) -> Program:
        """A program with fewer operations and the same verdicts, predictions and values of the names it keeps."""
        from lengthwise.crasp.simplify import simplify

        return Program(simplify(self.statements), self.declared_alphabet, self.title)

    def to_latex(self) -> str:
        """The program as a box in the style of the papers."""
        from lengthwise.crasp.showing.latex import program_latex

        return program_latex(self.statements, self.title)

    def _repr_html_(self) -> str:
        from lengthwise.crasp.showing.program_html import fragment

        return fragment(self)

    @property
    def _accept(self) -> int:
        if self.listing.accept is None:
            raise NotAnAcceptorError("this program defines no Boolean, so it accepts nothing; add one as its last line")
        return self.listing.accept

    def _symbols(self, word: Word, ids: npt.NDArray[Any]) -> list[str]:
        if isinstance(word, np.ndarray):
            return self.alphabet.decode(ids)
        if isinstance(word, bytes):
            word = word.decode()
        return split(word) if isinstance(word, str) else list(word)


def parse(text: str, title: str = "") -> Program:
    r"""The program a text writes; a `ProgramError` lists every problem it has.

    Args:
        text: The text of a program.
        title: What messages call it.

    Returns:
        The program.

    Raises:
        ProgramError: The text is not a program; every problem is listed with its place.

    Example:
        >>> parse('alphabet "a" "b"\nY = #"a" >= 2').accepts("aba")
        True

    """
    filename = title or "program"
    if not isinstance(text, str):
        raise TypeError(f"a program text is a string, got {type(text).__name__}")
    parsed = parse_text(text)
    problems = [*parsed.problems, *check(parsed.statements, parsed.alphabet, parsed.unreadable)]
    if problems:
        raise ProgramError(problems, text, filename)
    return Program(tuple(parsed.statements), parsed.alphabet, title, checked=True)
