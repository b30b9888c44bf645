"""Third route: write all small programs and see which languages they accept.

Every operation looks back only, so its value at a position is a property of the word that ends there: on words up to a
given length a Boolean operation is one bit for each non-empty word, a count a small integer for each. Formulas with
equal bits are interchangeable, so only the first one found is kept. From the letters (and periodic and local
predicates, if given) each round counts the formulas at hand, compares counts with constants and with each other, and
joins the smallest formulas in pairs. A language is found if it is a conjunction or disjunction of a few formulas, or
one for each combination of letter and predicates at the last position. Letter-free formulas, Boolean combinations of
comparisons of counts up to the position itself, hold at the last symbol iff they hold at an end marker behind it: they
are the programs of the acceptance `eos`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, pairwise
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from lengthwise.crasp import Program
from lengthwise.crasp.syntax import (
    And,
    Before,
    Compare,
    Count,
    Definition,
    Everywhere,
    Exists,
    Expression,
    Guard,
    Name,
    Not,
    Number,
    Or,
    Periodic,
    Symbol,
    Truth,
    Window,
    total,
    walk,
)
from lengthwise.regular.languages.automaton import Automaton

Truths: TypeAlias = npt.NDArray[np.bool_]
Counts: TypeAlias = npt.NDArray[np.int8]
Literals: TypeAlias = Sequence[tuple[int, Expression]]
"""Formulas and negated formulas: the bits, and how they are written."""

DIFFERENCES: tuple[tuple[Literal["==", ">="], int], ...] = (
    (">=", -1), (">=", 0), (">=", 1), (">=", 2), ("==", -1), ("==", 0), ("==", 1),
)  # fmt: skip
"""How the difference of two counts is compared with a constant."""


class Words:
    """All words up to a length over k symbols: word 0 is empty, word k·w + 1 + s is word w followed by symbol s."""

    def __init__(self, symbols: tuple[str, ...], longest: int) -> None:
        self.symbols = symbols
        firsts = [0]
        for length in range(longest + 1):
            firsts.append(firsts[-1] + len(symbols) ** length)
        numbers = np.arange(firsts[-1])
        self.parents = np.maximum(numbers - 1, 0) // len(symbols)
        """Every word without its last letter."""
        self.letters = np.where(numbers > 0, (numbers - 1) % len(symbols), -1)
        """The last letter of every word; -1 for the empty word."""
        self.lengths = np.repeat(np.arange(longest + 1), np.diff(firsts)).astype(np.int8)
        self.levels = [slice(first, last) for first, last in pairwise(firsts[1:])]
        """The words of length 1, of length 2, …"""

    def __len__(self) -> int:
        return len(self.parents)

    def pack(self, holds: Truths) -> list[int]:
        """Rows of truth values as integers, without the empty word."""
        packed = np.packbits(holds[:, 1:], axis=1, bitorder="little")
        return [int.from_bytes(row.tobytes(), "little") for row in packed]

    def unpack(self, bits: Iterable[int]) -> Truths:
        """The rows of truth values of some integers; nothing holds at the empty word."""
        size = (len(self) + 6) // 8
        rows = np.frombuffer(b"".join(value.to_bytes(size, "little") for value in bits), dtype=np.uint8)
        found = np.unpackbits(rows.reshape(-1, size), axis=1, count=len(self) - 1, bitorder="little")
        return np.pad(found.astype(bool), ((0, 0), (1, 0)))

    def accumulate(self, holds: Truths) -> Counts:
        """For every row and word the number of non-empty prefixes where the row holds."""
        counts = holds.astype(np.int8)
        counts[:, 0] = 0
        for level in self.levels:
            counts[:, level] += counts[:, self.parents[level]]
        return counts

    def accepted(self, automaton: Automaton) -> int:
        """The bits of a language."""
        states = np.full(len(self), automaton.start)
        table = np.array(automaton.table)
        for level in self.levels:
            states[level] = table[states[self.parents[level]], self.letters[level]]
        return self.pack(np.isin(states, sorted(automaton.accepting))[None])[0]

    def predicate(self, predicate: Expression) -> Truths:
        """Where a letter, a periodic relation or a letter some steps back holds."""
        match predicate:
            case Symbol(symbol):
                return np.asarray(self.letters == self.symbols.index(symbol))
            case Periodic(modulus, residues):
                return np.isin(self.lengths % modulus, residues)
            case Exists(Window((offset,)), Symbol(symbol)):
                words = np.arange(len(self))
                for _ in range(offset):
                    words = self.parents[words]
                return np.asarray(self.letters[words] == self.symbols.index(symbol))
            case _:
                raise ValueError(f"{predicate} is not a letter, periodic, or a letter some steps back")

    def ids(self) -> tuple[npt.NDArray[np.integer[Any]], npt.NDArray[np.integer[Any]]]:
        """The non-empty words as rows of symbol ids padded with 0, and their lengths."""
        rows = np.zeros((len(self), len(self.levels)), dtype=np.uint8)
        for place, level in enumerate(self.levels):
            rows[level] = rows[self.parents[level]]
            rows[level, place] = self.letters[level]
        return rows[1:], self.lengths[1:].astype(np.int64)


@dataclass(frozen=True, slots=True)
class Formula:
    """What a Boolean operation says of every word, and how it is written."""

    bits: int
    size: int
    letter_free: bool
    expression: Expression
    """Over the names `f0`, `f1`, … of earlier formulas."""


@dataclass(frozen=True)
class Effort:
    """How much to write in one round; the smallest formulas come first."""

    counted: int
    """How many formulas are counted and compared with constants."""
    compared: int
    """How many formulas are counted and compared with each other."""
    joined: int
    """How many formulas are joined in pairs."""


@dataclass
class Programs:
    """All formulas written so far; a formula and its negation are one entry."""

    words: Words
    predicates: tuple[Expression, ...] = ()
    formulas: list[Formula] = field(default_factory=list)
    known: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.everything = (1 << (len(self.words) - 1)) - 1
        for predicate in (*map(Symbol, self.words.symbols), *self.predicates):
            self._add(self.bits_of(predicate), 1, False, predicate)

    def bits_of(self, predicate: Expression) -> int:
        """What a predicate says of every word."""
        return self.words.pack(self.words.predicate(predicate)[None])[0]

    def _add(self, bits: int, size: int, letter_free: bool, expression: Expression) -> None:
        if bits & 1:  # of a formula and its negation, the one that rejects the first word
            bits, expression = self.everything ^ bits, Not(expression)
        number = self.known.get(bits)
        if bits and (number is None or (letter_free and not self.formulas[number].letter_free)):
            self.known[bits] = len(self.formulas)
            self.formulas.append(Formula(bits, size, letter_free, expression))

    # ------------------------------------------------------------------------------------------------ growing

    def grow(self, effort: Effort) -> None:
        """One round."""
        self.__dict__.pop("_cells", None)
        counted, compared = self._smallest(effort.counted), self._smallest(effort.compared)
        for guard in (Everywhere(), Before()):
            self._compare_with_constants(guard, counted)
            self._compare_with_each_other(guard, compared)
        self._join(self._smallest(effort.joined))

    def _smallest(self, count: int) -> list[int]:
        return sorted(range(len(self.formulas)), key=lambda number: self.formulas[number].size)[:count]

    def _counts(self, guard: Guard, numbers: Sequence[int]) -> tuple[Counts, Counts]:
        """The counts of some formulas under a guard, and the counts of their negations."""
        counts = self.words.accumulate(self.words.unpack(self.formulas[number].bits for number in numbers))
        lengths = self.words.lengths
        if isinstance(guard, Before):
            counts, lengths = counts[:, self.words.parents], lengths[self.words.parents]
        return counts, lengths - counts

    def _compare_with_constants(self, guard: Guard, numbers: Sequence[int]) -> None:
        for positive, counts in zip((True, False), self._counts(guard, numbers), strict=True):
            for bound in (1, 2, 3):
                for number, bits in zip(numbers, self.words.pack(counts >= bound), strict=True):
                    expression = Compare(Count(guard, literal(number, positive)), ">=", Number(bound))
                    size = self.formulas[number].size + 1 + bound
                    self._add(bits, size, isinstance(guard, Everywhere), expression)

    def _compare_with_each_other(self, guard: Guard, numbers: Sequence[int]) -> None:
        both = self._counts(guard, numbers)
        for place, number in enumerate(numbers):
            left, others = Count(guard, literal(number, True)), numbers[place:]
            for positive, counts in zip((True, False), both, strict=True):
                difference = both[0][place] - counts[place:]
                for relation, bound in DIFFERENCES:
                    rows = self.words.pack(difference == bound if relation == "==" else difference >= bound)
                    for other, bits in zip(others, rows, strict=True):
                        right = Count(guard, literal(other, positive))
                        expression = Compare(total([(1, left), (-1, right)]), relation, Number(bound))
                        size = self.formulas[number].size + self.formulas[other].size + 2 + abs(bound)
                        self._add(bits, size, isinstance(guard, Everywhere), expression)

    def _join(self, numbers: Sequence[int]) -> None:
        for left, right in combinations(numbers, 2):
            one, other = self.formulas[left], self.formulas[right]
            size, letter_free = one.size + other.size + 1, one.letter_free and other.letter_free
            for first in (True, False):
                for second in (True, False):
                    bits = (one.bits if first else ~one.bits) & (other.bits if second else ~other.bits)
                    bits &= self.everything
                    if bits not in self.known:
                        self._add(bits, size, letter_free, And((literal(left, first), literal(right, second))))

    # ------------------------------------------------------------------------------------------------ finding

    def find(self, wanted: int, acceptance: Literal["last", "eos"], conjuncts: int = 3) -> Program | None:
        """A program that accepts exactly the wanted ones among the words at hand."""
        cases: list[Expression] = []
        whole, *cells = self._cells[acceptance]
        expression = combined(wanted, *whole[:2], conjuncts)
        for literals, domain, condition in cells if expression is None else ():
            case = combined(wanted, literals, domain, conjuncts)
            if case is None:
                return None
            cases.append(And((condition, case)))
            expression = cases[0] if len(cases) == 1 else Or(tuple(cases))
        return None if expression is None else self._program(expression)

    @cached_property
    def _cells(self) -> dict[str, list[tuple[Literals, int, Expression]]]:
        """What may be written at the top: for all words, and for each combination of predicates at the last position.

        Predicates at the last position are not to be seen from an end marker.
        """
        cells: list[tuple[int, Expression]] = [(self.everything, Truth(True))]
        for predicate in (*map(Symbol, self.words.symbols[:-1]), *self.predicates):
            bits = self.bits_of(predicate)
            halves = [(cell & bits, And((condition, predicate))) for cell, condition in cells]
            halves += [(cell & ~bits, And((condition, Not(predicate)))) for cell, condition in cells]
            cells = [(cell, condition) for cell, condition in halves if cell]
        every, letter_free = range(len(self.formulas)), [n for n, f in enumerate(self.formulas) if f.letter_free]
        return {
            "eos": [(self._literals(letter_free, self.everything), self.everything, Truth(True))],
            "last": [
                (self._literals(every, cell), cell, condition)
                for cell, condition in [(self.everything, Truth(True)), *cells]
            ],
        }

    def _literals(self, numbers: Iterable[int], domain: int) -> Literals:
        """Formulas and negated formulas, one for each that differs inside a set of words."""
        found: dict[int, Expression] = {}
        for number in numbers:
            bits = self.formulas[number].bits
            found.setdefault(bits & domain, literal(number, True))
            found.setdefault(~bits & domain, literal(number, False))
        return list(found.items())

    def _program(self, expression: Expression) -> Program:
        """A formula over `f0`, `f1`, … with the definitions it needs."""
        needed = named(expression)
        for number in range(len(self.formulas) - 1, -1, -1):
            if number in needed:
                needed |= named(self.formulas[number].expression)
        definitions = [Definition(f"f{number}", self.formulas[number].expression) for number in sorted(needed)]
        return Program((*definitions, Definition("accept", expression)), self.words.symbols)


@dataclass(frozen=True)
class Sweep:
    """Which programs are written in search of languages, and how they are read."""

    predicates: tuple[Expression, ...]
    rounds: tuple[Effort, ...]
    acceptance: Literal["last", "eos"] = "last"
    longest: int = 10
    """Programs are kept apart and matched by what they say of words up to this length."""


def back(symbol: str, steps: int = 1) -> Expression:
    """The symbol so many positions back is the given one."""
    return Exists(Window((steps,)), Symbol(symbol))


SHALLOW = (Effort(counted=8, compared=6, joined=20), Effort(counted=100, compared=20, joined=30))
DEEP = (
    Effort(counted=4, compared=4, joined=12),
    Effort(counted=60, compared=12, joined=40),
    Effort(counted=3000, compared=10, joined=20),
)
SWEEPS = {
    "nope": (Sweep((), SHALLOW),),
    "nope, end marker": (Sweep((), SHALLOW, "eos"),),
    "local": (Sweep((back("a"), back("b")), SHALLOW),),
    "ape": (
        Sweep((back("a"), back("b"), Periodic(2, (0,))), SHALLOW),
        Sweep((Periodic(2, (0,)),), DEEP),
        Sweep((Periodic(3, (0,)), Periodic(3, (1,))), SHALLOW),
    ),
}
"""For each class the sweeps that look for its languages over {a, b}."""


def programs_for(automata: Iterable[Automaton], sweeps: Iterable[Sweep], checked: int = 12) -> dict[Automaton, Program]:
    """Languages over {a, b} with a program that agrees on all non-empty words up to length `checked`."""
    found: dict[Automaton, Program] = {}
    longer = Words(("a", "b"), checked)
    ids, lengths = longer.ids()
    for sweep in sweeps:
        programs = Programs(Words(("a", "b"), sweep.longest), sweep.predicates)
        for effort in sweep.rounds:
            programs.grow(effort)
        for automaton in automata:
            if automaton in found:
                continue
            program = programs.find(programs.words.accepted(automaton), sweep.acceptance)
            if program is not None:
                verdicts = np.concatenate([[False], program.accepts_batch(ids, lengths)])
                if longer.pack(verdicts[None])[0] == longer.accepted(automaton):
                    found[automaton] = program
    return found


def literal(number: int, positive: bool) -> Expression:
    """A formula by name, or its negation."""
    return Name(f"f{number}") if positive else Not(Name(f"f{number}"))


def named(expression: Expression) -> set[int]:
    """The numbers of the formulas that an expression names."""
    return {int(part.name[1:]) for part in walk(expression) if isinstance(part, Name)}


def combined(wanted: int, literals: Literals, domain: int, most: int) -> Expression | None:
    """The wanted part of a domain as a conjunction or disjunction of at most so many literals."""
    conjunction = conjoined(wanted & domain, literals, domain, most)
    if conjunction is not None:
        return conjunction
    negated = conjoined(~wanted & domain, literals, domain, most)
    return None if negated is None else Not(negated)


def conjoined(wanted: int, literals: Literals, domain: int, most: int) -> Expression | None:
    """A conjunction that holds at just the wanted part of a domain: greedily, what excludes most of the rest first."""
    left = domain & ~wanted
    above = [(bits, expression) for bits, expression in literals if bits & wanted == wanted]
    chosen: list[Expression] = []
    while left and above and len(chosen) < most:
        bits, expression = min(above, key=lambda pair: (pair[0] & left).bit_count())
        left &= bits
        chosen.append(expression)
    if left:
        return None
    return Truth(True) if not chosen else chosen[0] if len(chosen) == 1 else And(tuple(chosen))
