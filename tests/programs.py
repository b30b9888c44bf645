"""Random programs and words: every kind of expression and guard, named, shadowed, over open and closed alphabets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from hypothesis import strategies as st

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
    Next,
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

SYMBOLS = ("a", "b", "c", "'", '"', "long symbol", "é")
"""What programs mention; the first three most of the time."""
UNKNOWN = "?"
"""What no program mentions."""
NAMES = ("x", "y", "z", "i", "j", "next", "exists", "in", "alphabet", "pred", "_1")
"""Few enough to be defined again, and all the words that mean something only in their place."""
BIG = (255, 2**31, 2**31 - 1, 2**40 + 1, 2**62, 2**63 - 1)

Draw = st.DrawFn


def windows() -> st.SearchStrategy[Window]:
    """Windows of all kinds that evaluators treat differently: short, long, with short and long runs, only j = i."""
    near = st.sets(st.integers(0, 8), min_size=1, max_size=4)
    far = st.sets(st.integers(0, 20), min_size=1, max_size=3)
    runs = st.tuples(st.integers(0, 12), st.integers(1, 8)).map(lambda run: set(range(run[0], run[0] + run[1])))
    offsets = st.one_of(st.just({0}), near, far, runs, st.tuples(runs, far).map(lambda pair: pair[0] | pair[1]))
    return offsets.map(lambda found: Window(tuple(sorted(found))))


def guards() -> st.SearchStrategy[Guard]:
    """Every kind of guard."""
    return st.one_of(st.just(Everywhere()), st.just(Before()), windows())


@st.composite
def periodics(draw: Draw) -> Periodic:
    """Periodic predicates, with moduli on both sides of 64 and any set of residues, the full one too."""
    modulus = draw(st.one_of(st.integers(1, 12), st.sampled_from([16, 63, 64, 65, 100])))
    residues = draw(st.sets(st.integers(0, modulus - 1), min_size=1, max_size=modulus))
    return Periodic(modulus, tuple(sorted(residues)))


def integers(large: bool) -> st.SearchStrategy[int]:
    """Small integers, and large ones if asked for."""
    small = st.integers(-3, 5)
    return st.one_of(small, small, st.sampled_from(BIG), st.sampled_from(BIG).map(lambda k: -k)) if large else small


@dataclass
class Scope:
    """What can be referred to, and what may be written."""

    large: bool = False
    names: dict[str, Sort] = field(default_factory=dict)

    def of(self, sort: Sort) -> list[str]:
        return [name for name, found in self.names.items() if found is sort]


def symbols() -> st.SearchStrategy[str]:
    """The symbols of programs."""
    return st.one_of(st.sampled_from(SYMBOLS[:3]), st.sampled_from(SYMBOLS[:3]), st.sampled_from(SYMBOLS))


@st.composite
def booleans(draw: Draw, scope: Scope, depth: int) -> Expression:
    """A Boolean expression over the names in scope."""
    kinds = ["symbol", "symbol", "truth", "periodic"]
    if scope.of(Sort.BOOL):
        kinds += ["name"] * 3
    if depth > 0:
        kinds += ["not", "and", "or", "compare", "compare", "compare", "exists", "exists"]

    def part() -> Expression:
        return draw(booleans(scope, depth - 1))

    match draw(st.sampled_from(kinds)):
        case "name":
            return Name(draw(st.sampled_from(scope.of(Sort.BOOL))))
        case "symbol":
            return Symbol(draw(symbols()))
        case "truth":
            return Truth(draw(st.booleans()))
        case "periodic":
            return draw(periodics())
        case "not":
            return Not(part())
        case "and":
            return And(tuple(part() for _ in range(draw(st.integers(2, 4)))))
        case "or":
            return Or(tuple(part() for _ in range(draw(st.integers(2, 4)))))
        case "exists":
            return Exists(draw(guards()), part())
        case _:
            relation = draw(st.sampled_from(RELATIONS))
            return Compare(draw(counts(scope, depth - 1)), relation, draw(counts(scope, depth - 1)))


@st.composite
def counts(draw: Draw, scope: Scope, depth: int) -> Expression:
    """A count expression over the names in scope."""
    kinds = ["number", "number"]
    if scope.of(Sort.COUNT):
        kinds += ["name"] * 4
    if depth > 0:
        kinds += ["count"] * 4 + ["sum", "sum", "scale", "extremum", "conditional"]

    def part() -> Expression:
        return draw(counts(scope, depth - 1))

    match draw(st.sampled_from(kinds)):
        case "number":
            return Number(draw(integers(scope.large)))
        case "name":
            return Name(draw(st.sampled_from(scope.of(Sort.COUNT))))
        case "count":
            return Count(draw(guards()), draw(booleans(scope, depth - 1)))
        case "sum":
            signs: st.SearchStrategy[Literal[1, -1]] = st.sampled_from((1, -1))
            return total([(draw(signs), part()) for _ in range(draw(st.integers(1, 4)))])
        case "scale":
            return Scale(abs(draw(integers(scope.large))), part())
        case "extremum":
            return Extremum(draw(st.sampled_from(("min", "max"))), part(), part())
        case _:
            return Conditional(part(), draw(booleans(scope, depth - 1)), part())


@st.composite
def programs(draw: Draw, *, large: bool = False, depth: int = 3, most: int = 6, closed: bool | None = None) -> Program:
    """A checked program with one to `most` statements; counts and Booleans, predictions, shadowed names."""
    scope = Scope(large)
    statements: list[Statement] = []
    predicted: set[str] = set()
    for _ in range(draw(st.integers(1, most))):
        comment = draw(st.sampled_from(["", "", "why", "// why"]))
        symbol = draw(symbols())
        if draw(st.integers(0, 4)) == 0 and symbol not in predicted:
            predicted.add(symbol)
            statements.append(Next(symbol, draw(booleans(scope, depth)), comment))
            continue
        sort = draw(st.sampled_from((Sort.BOOL, Sort.BOOL, Sort.COUNT)))
        name = draw(st.sampled_from(NAMES))
        expression = draw(booleans(scope, depth) if sort is Sort.BOOL else counts(scope, depth))
        statements.append(Definition(name, expression, comment))
        scope.names[name] = sort
    if draw(st.booleans()) if closed is None else closed:
        return Program(tuple(statements), tuple(draw(st.permutations(SYMBOLS))))
    return Program(tuple(statements))


@st.composite
def acceptors(draw: Draw, *, large: bool = False, depth: int = 3, most: int = 6, closed: bool | None = None) -> Program:
    """A program whose last statement is a Boolean definition."""
    program = draw(programs(large=large, depth=depth, most=most, closed=closed))
    scope = Scope(large, {})
    for statement, sort in zip(program.statements, program.sorts, strict=True):
        if isinstance(statement, Definition):
            scope.names[statement.name] = sort
    last = Definition(draw(st.sampled_from(NAMES)), draw(booleans(scope, depth)))
    return Program((*program.statements, last), program.declared_alphabet)


def words(program: Program, longest: int = 24) -> st.SearchStrategy[list[str]]:
    """Words over a program's alphabet, with an unknown symbol where the alphabet is open; also the empty word."""
    alphabet = [*program.alphabet.symbols, *([UNKNOWN] if program.alphabet.is_open else [])]
    return st.lists(st.sampled_from(alphabet), max_size=longest)
