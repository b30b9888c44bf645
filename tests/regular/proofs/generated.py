"""Random small programs and words for tests of the checker, and what the programs say by Definition 8 itself."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from random import Random

from lengthwise.crasp import Program
from lengthwise.crasp.syntax import (
    RELATIONS,
    And,
    Before,
    Compare,
    Conditional,
    Count,
    Definition,
    Everywhere,
    Exists,
    Expression,
    Extremum,
    Guard,
    Name,
    Not,
    Number,
    Or,
    Periodic,
    Scale,
    Sort,
    Statement,
    Symbol,
    Truth,
    Window,
    total,
)
from tests.crasp import naive

LETTERS = ("a", "b", "c")


class Generator:
    """Programs of all operations: windows, periods, choices, negative coefficients, counts of counts."""

    def __init__(self, rng: Random, letters: Sequence[str], *, thresholds: int = 6, moduli: Sequence[int] = (2, 3, 4)):
        self.rng, self.letters, self.thresholds, self.moduli = rng, letters, thresholds, moduli
        self.names: dict[Sort, list[str]] = {Sort.BOOL: [], Sort.COUNT: []}

    def guard(self) -> Guard:
        """Every kind of guard; windows with and without the present position."""
        match self.rng.randrange(5):
            case 0 | 1:
                return Everywhere()
            case 2:
                return Before()
            case _:
                return Window(tuple(sorted(self.rng.sample(range(5), self.rng.randint(1, 3)))))

    def boolean(self, depth: int) -> Expression:
        """A Boolean expression."""
        rng = self.rng
        kind = rng.choice(
            ["symbol", "symbol", "truth", "periodic"] if depth <= 0 else ["not", "and", "or", *["compare"] * 5]
        )
        if self.names[Sort.BOOL] and rng.random() < 0.3:
            return Name(rng.choice(self.names[Sort.BOOL]))
        match kind:
            case "symbol":
                return Symbol(rng.choice(self.letters))
            case "truth":
                return Truth(rng.random() < 0.5)
            case "periodic":
                modulus = rng.choice(self.moduli)
                some = rng.sample(range(modulus), rng.randint(1, min(modulus, 3)))
                return Periodic(modulus, tuple(sorted(some)))
            case "not":
                return Not(self.boolean(depth - 1))
            case "and" | "or":
                parts = tuple(self.boolean(depth - 1) for _ in range(rng.randint(2, 3)))
                return And(parts) if kind == "and" else Or(parts)
            case _:
                if rng.random() < 0.15:
                    return Exists(self.guard(), self.boolean(depth - 1))
                return Compare(self.count(depth - 1), rng.choice(RELATIONS), self.count(depth - 1))

    def count(self, depth: int) -> Expression:
        """A count expression."""
        rng = self.rng
        if self.names[Sort.COUNT] and rng.random() < 0.3:
            return Name(rng.choice(self.names[Sort.COUNT]))
        match rng.choice(
            ["number", "count"] if depth <= 0 else ["number", *["count"] * 5, "sum", "sum", "extremum", "select"]
        ):
            case "number":
                return Number(rng.randint(-3, self.thresholds))
            case "count":
                return Count(self.guard(), self.boolean(depth - 1))
            case "sum":
                parts = [self.count(depth - 1) for _ in range(rng.randint(1, 3))]
                return total([(rng.choice((1, -1)), Scale(rng.randint(1, 4), part)) for part in parts])
            case "extremum":
                return Extremum(rng.choice(("min", "max")), self.count(depth - 1), self.count(depth - 1))
            case _:
                return Conditional(self.count(depth - 1), self.boolean(depth - 1), self.count(depth - 1))

    def program(self, statements: int, depth: int) -> Program:
        """A program with some named operations; the last is a Boolean."""
        self.names = {Sort.BOOL: [], Sort.COUNT: []}
        made: list[Statement] = []
        for number in range(statements):
            last = number == statements - 1
            sort = Sort.BOOL if last or self.rng.random() < 0.6 else Sort.COUNT
            expression = self.boolean(depth) if sort is Sort.BOOL else self.count(depth)
            name = f"x{number}"
            made.append(Definition(name, expression))
            self.names[sort].append(name)
        return Program(tuple(made), tuple(self.letters))


def verdicts(program: Program, word: Sequence[str]) -> list[bool]:
    """Whether each non-empty prefix of a word is accepted."""
    values = naive.values(program.statements, word)
    deciding = max(
        place
        for place, (statement, sort) in enumerate(zip(program.statements, program.sorts, strict=True))
        if isinstance(statement, Definition) and sort is Sort.BOOL
    )
    return [bool(value) for value in values[deciding]][: len(word)]


def difference(left: Program, right: Program, letters: Sequence[str], length: int) -> tuple[str, ...] | None:
    """A word of that length or shorter on which two programs differ, by trying all."""
    for word in product(letters, repeat=length):
        ours, others = verdicts(left, word), verdicts(right, word)
        if ours != others:
            return word[: next(place for place in range(length) if ours[place] != others[place]) + 1]
    return None


def phased_word(rng: Random, letters: Sequence[str], phases: int, longest: int) -> tuple[str, ...]:
    """A word of runs, so that counts grow far beyond small thresholds."""
    return tuple(letter for _ in range(phases) for letter in [rng.choice(letters)] * rng.randint(1, longest))
