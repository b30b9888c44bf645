"""Programs as transition systems: what each symbol at each residue does to the counters, and what is put out.

An *input* is a symbol read at a position of some residue. For every input, everything a program computes at that
position becomes a formula over what was remembered before it (`formulas`): the values of linear forms of counters, and
the truth of formulas at the last few positions. Inclusive counts add the present position, so that they need no
memory of their own; conditionals, minima and maxima are taken apart (`counts`).

A form is known by what every input adds to it. So #"a" + #"b" and #true are one form over the alphabet {a, b}, and two
programs that count the same are compared by the same values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import gcd, lcm
from typing import TypeAlias, TypeVar

from lengthwise.crasp import Program
from lengthwise.crasp.running.operations import Operation
from lengthwise.errors import NotAnAcceptorError
from lengthwise.regular.prover.counts import Count, Counts, Linear, linear
from lengthwise.regular.prover.formulas import FALSE, TRUE, Atom, Formulas, Literal, Past, Residue, TooComplexError

MOST_INPUTS = 1024
"""How many inputs are told apart; beyond that, residues of large moduli stay in the formulas."""
LONGEST_MEMORY = 256
"""How many positions back a window may look."""

Row = TypeVar("Row")
Result = TypeVar("Result")
Increment: TypeAlias = tuple[int, tuple[tuple[Literal, int], ...]]
"""What an input adds to a form: a constant, and a weight for each of some formulas if it holds."""
Source: TypeAlias = tuple[int, int]
"""A Boolean operation of a program: the program's place and the operation's number in its listing."""
Sum: TypeAlias = tuple[int, tuple[tuple[Source, int], ...]]
"""A factor and a combination of "how often this operation held"; the combination is that factor times the form."""


@dataclass(frozen=True)
class System:
    """A transition system. Inputs are numbered by residue, then symbol: residue · number of symbols + symbol."""

    formulas: Formulas
    symbols: tuple[str, ...]
    period: int
    """How many residues the inputs tell apart."""
    modulus: int
    """How many residues matter at all: those of the inputs and those in formulas."""
    outputs: tuple[Literal, ...]
    """What is put out, for each input."""
    forms: tuple[tuple[Increment, ...], ...]
    """What each input adds to every form; all forms are 0 before anything was read."""
    remembered: tuple[tuple[Literal, ...], ...]
    """The formulas whose truth at earlier positions is remembered, for each input."""
    sums: tuple[Sum, ...]
    """What each form is in the programs' own terms."""
    sources: tuple[Source, ...]
    """Where each remembered formula stands in the programs."""


def system_of(programs: Sequence[Program], symbols: tuple[str, ...]) -> System:
    """The transition system that puts out what one program decides, or for two whether they decide differently."""
    builder = _Builder(programs, symbols)
    outputs = [builder.decision(place, program) for place, program in enumerate(programs)]
    if len(outputs) == 2:
        combined = [builder.formulas.different(*pair) for pair in zip(*outputs, strict=True)]
    else:
        combined = outputs[0]
    return System(
        builder.formulas, symbols, builder.period, builder.modulus, tuple(combined),
        tuple(builder.forms), tuple(builder.remembered), tuple(builder.sums), tuple(builder.memory_sources),
    )  # fmt: skip


class _Builder:
    def __init__(self, programs: Sequence[Program], symbols: tuple[str, ...]) -> None:
        self.symbols = symbols
        self.formulas = Formulas()
        self.counts = Counts(self.formulas, self.at_least)
        moduli = sorted(
            {
                operation.value
                for program in programs
                for operation in program.listing.operations
                if operation.kind == "periodic"
            }
        )
        self.modulus = lcm(*moduli)
        self.period = 1
        for modulus in moduli:
            if lcm(self.period, modulus) * len(symbols) <= MOST_INPUTS:
                self.period = lcm(self.period, modulus)
        self.inputs = [(residue, symbol) for residue in range(self.period) for symbol in range(len(symbols))]
        self.counters: dict[tuple[Literal, ...], int] = {}
        self.counted: list[tuple[Literal, ...]] = []
        self.counter_sources: list[Source] = []
        self.sums: list[Sum] = []
        self.memory_sources: list[Source] = []
        self.reading = 0
        """The place of the program that is being read."""
        self.forms: list[tuple[Increment, ...]] = []
        self.bounds: list[tuple[int, int]] = []
        self.known_forms: dict[tuple[Increment, ...], int] = {}
        self.combinations: dict[tuple[tuple[int, int], ...], tuple[int, int]] = {}
        self.memories: dict[tuple[Literal, ...], int] = {}
        self.remembered: list[tuple[Literal, ...]] = []

    def decision(self, place: int, program: Program) -> list[Literal]:
        """What a program decides, for each input."""
        self.reading = place
        listing = program.listing
        if listing.accept is None:
            raise NotAnAcceptorError("this program defines no Boolean, so it accepts nothing; add one as its last line")
        ids = [program.alphabet.index(symbol) for symbol in self.symbols]
        truths: dict[int, list[Literal]] = {}
        values: dict[int, list[Count]] = {}
        for index in listing.needed([listing.accept]):
            operation = listing.operations[index]
            if operation.is_count:
                values[index] = self.count(operation, truths, values)
            else:
                truths[index] = self.truth(operation, ids, truths, values)
        return truths[listing.accept]

    # ------------------------------------------------------------------------------------------ Booleans

    def truth(
        self, operation: Operation, ids: list[int], truths: dict[int, list[Literal]], values: dict[int, list[Count]]
    ) -> list[Literal]:
        """A Boolean operation as a formula, for each input."""
        everywhere = range(len(self.inputs))
        match operation.kind:
            case "symbol":
                return [TRUE if ids[symbol] == operation.value else FALSE for _, symbol in self.inputs]
            case "truth":
                return [TRUE if operation.value else FALSE for _ in everywhere]
            case "periodic":
                return self.periodic(operation.value, operation.numbers)
            case "not":
                return [literal ^ 1 for literal in truths[operation.operands[0]]]
            case "and" | "or":
                join = self.formulas.conjunction if operation.kind == "and" else self.formulas.disjunction
                columns = [truths[operand] for operand in operation.operands]
                return _mapped(join, list(zip(*columns, strict=True)))
            case _:
                left, right = (values[operand] for operand in operation.operands)
                kind = operation.kind
                return _mapped(lambda pair: self.compared(kind, *pair), list(zip(left, right, strict=True)))

    def periodic(self, modulus: int, residues: tuple[int, ...]) -> list[Literal]:
        if self.period % modulus:
            leaf = self.formulas.leaf(Residue(modulus, residues)) if len(residues) < modulus else TRUE
            return [leaf for _ in self.inputs]
        return [TRUE if residue % modulus in residues else FALSE for residue, _ in self.inputs]

    def compared(self, relation: str, left: Count, right: Count) -> Literal:
        """A comparison of two counts, for one input."""
        counts = self.counts

        def at_most(smaller: Count, greater: Count, gap: int = 0) -> Literal:
            change = counts.sum(greater, counts.product(-1, smaller))
            return counts.is_nonnegative(counts.sum(change, Linear(constant=-gap)))

        match relation:
            case "<=":
                return at_most(left, right)
            case "<":
                return at_most(left, right, 1)
            case _:
                equal = self.formulas.conjunction((at_most(left, right), at_most(right, left)))
                return equal if relation == "==" else equal ^ 1

    # -------------------------------------------------------------------------------------------- counts

    def count(
        self, operation: Operation, truths: dict[int, list[Literal]], values: dict[int, list[Count]]
    ) -> list[Count]:
        """A count operation as a count over earlier positions, for each input."""
        counts = self.counts
        match operation.kind:
            case "number":
                return [Linear(constant=operation.value) for _ in self.inputs]
            case "count" | "before":
                now = truths[operation.operands[0]]
                counter = self.counter(tuple(now), operation.operands[0])
                inclusive = operation.kind == "count"
                return [linear({counter: 1}, {literal: 1} if inclusive else {}, 0) for literal in now]
            case "window":
                return self.window(operation.operands[0], truths[operation.operands[0]], operation.numbers)
            case "sum":
                columns = [values[operand] for operand in operation.operands]
                return _mapped(lambda row: self.total(operation, row), list(zip(*columns, strict=True)))
            case "select":
                condition, then, otherwise = operation.operands
                rows = zip(truths[condition], values[then], values[otherwise], strict=True)
                return [counts.select(*row) for row in rows]
            case _:
                left, right = (values[operand] for operand in operation.operands)
                smallest = operation.kind == "min"
                pairs = zip(left, right, strict=True)
                return [counts.extremum("min" if smallest else "max", *pair) for pair in pairs]

    def total(self, operation: Operation, row: tuple[Count, ...]) -> Count:
        result: Count = Linear(constant=operation.value)
        for factor, count in zip(operation.numbers, row, strict=True):
            result = self.counts.sum(result, self.counts.product(factor, count))
        return result

    def window(self, operand: int, now: list[Literal], offsets: tuple[int, ...]) -> list[Count]:
        past: dict[Literal, int] = {}
        if offsets[-1]:
            if offsets[-1] > LONGEST_MEMORY:
                raise TooComplexError(f"a window reaches back more than {LONGEST_MEMORY} positions")
            memory = self.memory(tuple(now), operand)
            past = {self.formulas.leaf(Past(memory, offset)): 1 for offset in offsets if offset}
        if offsets[0]:
            return [linear({}, past, 0)] * len(now)
        return [self.counts.sum(linear({}, past, 0), linear({}, {literal: 1}, 0)) for literal in now]

    # --------------------------------------------------------------------------- what a system remembers

    def counter(self, literals: tuple[Literal, ...], operand: int) -> int:
        """The counter of the positions where a formula, the operand's, holds."""
        if literals not in self.counters:
            self.counters[literals] = len(self.counted)
            self.counted.append(literals)
            self.counter_sources.append((self.reading, operand))
        return self.counters[literals]

    def memory(self, literals: tuple[Literal, ...], operand: int) -> int:
        """The memory of where a formula, the operand's, held."""
        if literals not in self.memories:
            self.memories[literals] = len(self.remembered)
            self.remembered.append(literals)
            self.memory_sources.append((self.reading, operand))
        return self.memories[literals]

    def at_least(self, counters: tuple[tuple[int, int], ...], threshold: int) -> Literal:
        """Σ coefficient · counter >= threshold, before the present position."""
        form, factor = self.form(counters)
        if factor == 0:
            return TRUE if threshold <= 0 else FALSE
        if factor < 0:  # -g · value >= t, unless value >= floor(-t / g) + 1
            return self.atom(form, (-threshold) // (-factor) + 1) ^ 1
        return self.atom(form, -(-threshold // factor))

    def atom(self, form: int, threshold: int) -> Literal:
        least, most = self.bounds[form]
        if least >= 0 and threshold <= 0:
            return TRUE
        if most <= 0 and threshold > 0:
            return FALSE
        return self.formulas.leaf(Atom(form, threshold))

    def form(self, counters: tuple[tuple[int, int], ...]) -> tuple[int, int]:
        """The form that a combination of counters is a multiple of, and that factor; factor 0 if it is always 0."""
        if counters not in self.combinations:
            increments = [self.increment(counters, place) for place in range(len(self.inputs))]
            numbers = [number for constant, bits in increments for number in (constant, *(w for _, w in bits))]
            factor = gcd(*numbers)
            if next((number for number in numbers if number), 0) < 0:
                factor = -factor
            if factor == 0:
                self.combinations[counters] = (0, 0)
                return 0, 0
            reduced = tuple(
                (constant // factor, tuple((literal, weight // factor) for literal, weight in bits))
                for constant, bits in increments
            )
            if reduced not in self.known_forms:
                self.known_forms[reduced] = len(self.forms)
                self.forms.append(reduced)
                self.sums.append((factor, tuple((self.counter_sources[one], weight) for one, weight in counters)))
                self.bounds.append(bounds(reduced))
            self.combinations[counters] = self.known_forms[reduced], factor
        return self.combinations[counters]

    def increment(self, counters: tuple[tuple[int, int], ...], place: int) -> Increment:
        bits: dict[Literal, int] = {}
        for counter, factor in counters:
            literal = self.counted[counter][place]
            bits[literal] = bits.get(literal, 0) + factor
        step = linear({}, bits, 0)
        return step.constant, step.bits


@lru_cache(maxsize=20_000)
def bounds(increments: tuple[Increment, ...]) -> tuple[int, int]:
    """The least and the most that one symbol can add to a form."""
    least = min(constant + sum(min(weight, 0) for _, weight in bits) for constant, bits in increments)
    most = max(constant + sum(max(weight, 0) for _, weight in bits) for constant, bits in increments)
    return least, most


def _mapped(function: Callable[[Row], Result], rows: Sequence[Row]) -> list[Result]:
    """The function of every row, computed once for equal rows: most inputs are alike."""
    results: dict[Row, Result] = {}
    for row in rows:
        if row not in results:
            results[row] = function(row)
    return [results[row] for row in rows]
