"""A smaller program for the same language, found by leaving out what is not needed.

Parts of the program are dropped or replaced, one at a time, where the result is still *proved* equal at every length.
Most edits are wrong, and most wrong ones fail on some of a few hundred sample words; only the others are worth a proof.
Unlike `Program.simplify`, which keeps the value of every operation that is left, this keeps only the verdicts: a test
may go because it never matters where it is used.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from lengthwise.crasp import Program
from lengthwise.crasp.running.operations import Lowering, Operation
from lengthwise.crasp.running.vectorized import Reader
from lengthwise.crasp.syntax import Definition, Expression, Sort, Statement
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.languages.from_program import automaton_of
from lengthwise.regular.proofs import Proof
from lengthwise.regular.prover.alphabets import common_symbols, over
from lengthwise.regular.prover.comparison import compare
from lengthwise.regular.prover.edits import edited
from lengthwise.regular.prover.enumeration import accepted, all_words, exhaustive_length
from lengthwise.resources import Deadline

SHORT_WORDS = 256
"""All words of the greatest length that has at most so many are samples."""
LONG_WORDS = 48
LONGEST = 24
MOST_COLUMNS = 3_000
"""How many different columns of sampled values are kept."""
STATES = 20_000
"""How many configurations one proof may compare."""


@dataclass(frozen=True)
class Minimised:
    """A program that was made smaller, and why it is equal."""

    program: Program
    proof: Proof | None
    """That it is equal to the program it was made from; None if it is that program, or predicts."""
    symbols: tuple[str, ...]
    """The alphabet over which it is equal."""


def minimise(program: Program, target: Automaton | Program | None = None, seconds: float = 5.0) -> Program:
    """A program with at most as many operations, equal to the target (or to the program) on all non-empty words.

    The program is assumed to be equal to the target. Its verdict on the empty word stays. One that predicts is only
    simplified, since predictions are not compared.

    Args:
        program: The program.
        target: What it is equal to, if that is known: an automaton, or another program.
        seconds: The longest time to try.

    Returns:
        A program that is proved to accept the same words; the same one if no smaller one was found.

    Example:
        >>> from lengthwise import crasp
        >>> minimise(crasp.load("dyck1")).accepts("(())")
        True

    """
    return minimised(program, target, seconds).program


def minimised(program: Program, target: Automaton | Program | None = None, seconds: float = 5.0) -> Minimised:
    """The same with the proof that the result is equal to the program; what is not proved equal is not returned."""
    symbols = common_symbols((program,))
    simple = _smallest(program, program.simplify())
    if simple.predicts or simple.listing.accept is None:
        return Minimised(simple, None, symbols)
    smaller = _Minimiser(simple, target, Deadline(seconds)).run()
    for candidate in (smaller, simple):
        if candidate == program:
            break
        proof = compare(candidate, program, symbols, STATES).proof
        if proof is not None:
            return Minimised(candidate, proof, symbols)
    return Minimised(program, None, symbols)


def _measure(program: Program) -> tuple[int, int, int]:
    return program.size, program.depth, len(str(program))


def _smallest(*programs: Program) -> Program:
    return min(programs, key=_measure)


class _Minimiser:
    def __init__(self, program: Program, target: Automaton | Program | None, deadline: Deadline) -> None:
        self.program, self.deadline = program, deadline
        self.symbols = common_symbols((program,) if target is None else (program, target))
        self.on_empty = program.accepts(())
        self.target: Automaton | Program = program if target is None else over(target, self.symbols)
        if isinstance(self.target, Program):
            found = automaton_of(self.target, self.symbols, seconds=deadline.share(0.2).left())
            self.target = self.target if found is None else found
        self.rng = random.Random(0)  # noqa: S311 - samples, not secrets
        self.words = self._first_words()
        self._sample()

    # ------------------------------------------------------------------------------------------- samples

    def _first_words(self) -> list[Sequence[int]]:
        width = len(self.symbols)
        length = exhaustive_length(width, SHORT_WORDS)
        words: list[Sequence[int]] = [row for piece in all_words(width, length) for row in piece.tolist()]
        for number in range(LONG_WORDS):
            if number % 3 and isinstance(self.target, Automaton):
                words.append(self._walk(self.target))
            elif number % 2:
                words.append(self.rng.choices(range(width), k=LONGEST))
            else:
                blocks = [[self.rng.randrange(width)] * self.rng.randint(1, 5) for _ in range(LONGEST)]
                words.append([symbol for block in blocks for symbol in block][:LONGEST])
        return words

    def _walk(self, automaton: Automaton) -> list[int]:
        """A word that stays away from states from which nothing else can be reached."""
        state = automaton.start
        word: list[int] = []
        for _ in range(LONGEST):
            row = automaton.table[state]
            symbols = [symbol for symbol, target in enumerate(row) if set(automaton.table[target]) != {target}]
            symbol = self.rng.choice(symbols) if symbols and self.rng.random() < 0.95 else self.rng.randrange(len(row))
            word.append(symbol)
            state = row[symbol]
        return word

    def _sample(self) -> None:
        """Evaluate what is wanted on the samples. Short words are continued, so that all have one length."""
        longest = max(map(len, self.words))
        rows = [[*word, *self.rng.choices(range(len(self.symbols)), k=longest - len(word))] for word in self.words]
        words: npt.NDArray[np.int64] = np.array(rows, dtype=np.int64)
        self.columns = _Columns(self.symbols, words)
        wanted = [accepted(self.target, self.symbols, words[:, : place + 1]) for place in range(longest)]
        self.wanted = self.columns.number(np.stack(wanted, axis=1))

    # ---------------------------------------------------------------------------------------------- edits

    def run(self) -> Program:
        """Edit the program until no edit helps or time is over; bold edits when others are exhausted."""
        best = self.program
        bold = False
        while not self.deadline.passed():
            smaller = self._pass(best, bold)
            if smaller is best and bold:
                break
            bold = smaller is best
            best = smaller
        return best

    def _pass(self, best: Program, bold: bool) -> Program:
        """Try the edits of all statements, the last one first."""
        place = len(best.statements) - 1
        while place >= 0:
            smaller = self._improved(best, place, bold)
            if smaller is None:
                place -= 1
            else:
                best = smaller
                place = min(place, len(best.statements) - 1)
        return best

    def _improved(self, program: Program, place: int, bold: bool) -> Program | None:
        """The program after the first edit of one statement that makes it smaller and keeps the language."""
        if len(self.columns.columns) > MOST_COLUMNS:
            self._sample()
        statements, sorts = program.statements, program.sorts
        deciding = max(
            number
            for number, (statement, sort) in enumerate(zip(statements, sorts, strict=True))
            if isinstance(statement, Definition) and sort is Sort.BOOL
        )
        names = self.columns.run(statements[:place])
        for statement in edited(statements, sorts, place, bold):
            if self.deadline.passed():
                return None
            rest = (statement, *statements[place + 1 : deciding + 1])
            if self._decision(rest, names) != self.wanted:
                continue
            candidate = replace(program, statements=(*statements[:place], *rest, *statements[deciding + 1 :]))
            smaller = self._proved(candidate, _measure(program))
            if smaller is not None:
                return smaller
            names = self.columns.run(statements[:place])  # the samples may have changed
        return None

    def _decision(self, statements: Sequence[Statement], names: dict[str, int]) -> int:
        """The column of the last of some statements, after some names."""
        after = dict(names)
        column = -1
        for statement in statements:
            column = self.columns.of(statement.expression, after)
            if isinstance(statement, Definition):
                after[statement.name] = column
        return column

    def _proved(self, candidate: Program, size: tuple[int, int, int]) -> Program | None:
        """The simplified candidate, if it is smaller and proved to be right."""
        accept = candidate.listing.accept
        if accept is None or len(candidate.listing.needed([accept])) > size[0] + 1:
            return None
        if candidate.accepts(()) != self.on_empty:
            return None
        left = self.deadline.left()
        found = compare(candidate, self.target, self.symbols, STATES, left)
        if found.difference is not None:
            self.words.append([self.symbols.index(symbol) for symbol in found.difference])
            self._sample()
        if not found.equal:
            return None
        smaller = candidate.simplify()
        return smaller if _measure(smaller) < size else None


class _Columns(Lowering):
    """The values of expressions at all positions of some words, computed once and kept once if equal.

    Many programs that differ little are evaluated on the same words: what they share costs one look-up. All positions
    of all words count, since every prefix of a word is a word.
    """

    def __init__(self, symbols: Sequence[str], words: npt.NDArray[np.int64]) -> None:
        """`words` is an array of shape (words, length) of places in `symbols`."""
        super().__init__()
        self.symbols = {symbol: place for place, symbol in enumerate(symbols)}
        self.reader = Reader(words)
        self._known: dict[Operation, int] = {}
        self._by_content: dict[bytes, int] = {}

    @property
    def columns(self) -> Mapping[int, npt.NDArray[Any]]:
        """All columns by their numbers."""
        return self.reader.values

    def number(self, column: npt.NDArray[Any]) -> int:
        """The number of a column. Counts beyond 32 bits wrap around: these are samples, not proofs."""
        values = np.ascontiguousarray(column, dtype=np.bool_ if column.dtype == np.bool_ else np.int32)
        digest = blake2b(values.tobytes(), digest_size=16).digest()
        if digest not in self._by_content:
            self._by_content[digest] = len(self.columns)
            self.reader.values[len(self.columns)] = values
        return self._by_content[digest]

    def run(self, statements: Sequence[Statement]) -> dict[str, int]:
        """The columns of all names, in their last meaning."""
        names: dict[str, int] = {}
        for statement in statements:
            if isinstance(statement, Definition):
                names[statement.name] = self.of(statement.expression, names)
        return names

    def of(self, expression: Expression, names: Mapping[str, int]) -> int:
        """The number of an expression's column."""
        self.names = dict(names)
        return self.lower(expression)

    def add(self, operation: Operation, shown: tuple[int, ...] | None = None) -> int:
        if operation.kind in ("and", "or"):
            operation = Operation(operation.kind, tuple(sorted(set(operation.operands))))
        if operation not in self._known:
            column = self.reader.compute(operation)
            self.reader.totals.clear()
            self._known[operation] = self.number(np.broadcast_to(column, self.reader.ids.shape))
        return self._known[operation]

    def symbol_id(self, symbol: str) -> int:
        return self.symbols.get(symbol, -1)
