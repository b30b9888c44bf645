"""Random programs in which many comparisons get settled, their mutants, and pairs of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

from lengthwise.crasp import Program
from lengthwise.crasp.syntax import (
    RELATIONS,
    And,
    Before,
    Compare,
    Count,
    Definition,
    Everywhere,
    Exists,
    Expression,
    Name,
    Not,
    Number,
    Or,
    Statement,
    Sum,
    Symbol,
    Window,
    children,
    total,
)
from tests.regular.phases import LETTERS, Pair
from tests.regular.rewriting import rewritten


class Counting:
    """Random programs in which many comparisons get settled: small thresholds, nested counts, all kinds of guards."""

    def __init__(self, rng: Random, symbols: tuple[str, ...]) -> None:
        self.rng, self.symbols = rng, symbols
        self.names: list[str] = []

    def program(self) -> Program:
        statements: list[Statement] = []
        for number in range(self.rng.randint(1, 5)):
            expression = self.comparison(1) if self.rng.random() < 0.75 else self.boolean(2)
            statements.append(Definition(f"X{number}", expression))
            self.names.append(f"X{number}")
        statements.append(Definition("Y", self.boolean(2)))
        return Program(tuple(statements), self.symbols)

    def boolean(self, depth: int) -> Expression:
        chance = self.rng.random()
        if depth == 0 or chance < 0.3:
            if self.names and self.rng.random() < 0.6:
                return Name(self.rng.choice(self.names))
            return Symbol(self.rng.choice(self.symbols))
        if chance < 0.45:
            return Not(self.boolean(depth - 1))
        if chance < 0.8:
            return self.rng.choice((And, Or))((self.boolean(depth - 1), self.boolean(depth - 1)))
        return self.comparison(depth - 1)

    def comparison(self, depth: int) -> Expression:
        count = self.count(depth)
        if self.rng.random() < 0.4:
            count = total([(1, count), (self.rng.choice((1, -1)), self.count(depth))])
        return Compare(count, self.rng.choice(RELATIONS), Number(self.rng.choice((-1, 0, 0, 1, 1, 2, 3))))

    def count(self, depth: int) -> Expression:
        guard = self.rng.choice((Everywhere(), Everywhere(), Before(), Before(), Window((1,)), Window((0, 2))))
        return Count(guard, self.boolean(depth))


def mutants(expression: Expression, symbols: Sequence[str]) -> Iterator[Expression]:
    """The expression with one constant, relation, letter, guard or connective changed."""
    match expression:
        case Number(value):
            yield Number(value + 1)
            yield Number(value - 1)
        case Symbol(symbol):
            yield from (Symbol(other) for other in symbols if other != symbol)
        case Compare(_, relation, _):
            yield from (replace(expression, relation=other) for other in RELATIONS if other != relation)
        case And(operands):
            yield Or(operands)
        case Or(operands):
            yield And(operands)
        case Count(guard, operand):
            yield Count(Before() if isinstance(guard, Everywhere) else Everywhere(), operand)
        case Exists(guard, operand):
            yield Exists(Before() if isinstance(guard, Everywhere) else Everywhere(), operand)
        case _:
            pass
    for child in children(expression):
        for changed in mutants(child, symbols):
            yield _with_child(expression, child, changed)


def _with_child(expression: Expression, child: Expression, changed: Expression) -> Expression:
    def swap(part: Expression) -> Expression:
        return changed if part is child else part

    match expression:
        case Not() | Exists() | Count():
            return replace(expression, operand=changed)
        case And(operands) | Or(operands):
            return type(expression)(tuple(map(swap, operands)))
        case Compare(left, relation, right):
            return Compare(swap(left), relation, swap(right))
        case Sum(terms):
            return total([(sign, swap(term)) for sign, term in terms])
        case _:
            raise AssertionError(f"{expression} has no children that are changed here")


def mutated_programs(program: Program, symbols: Sequence[str]) -> Iterator[Program]:
    for place, statement in enumerate(program.statements):
        for expression in mutants(statement.expression, symbols):
            changed = replace(statement, expression=expression)
            statements = (*program.statements[:place], changed, *program.statements[place + 1 :])
            yield replace(program, statements=statements)


def random_pair(rng: Random) -> Pair:
    """A random program beside a mutant of it, another random program, or itself rewritten."""
    symbols = LETTERS[: rng.choice((2, 2, 3, 3, 4))]
    program = Counting(rng, symbols).program()
    kind = rng.choice(("mutant", "mutant", "another", "rewritten"))
    match kind:
        case "mutant":
            places = [
                (place, changed)
                for place, statement in enumerate(program.statements)
                for changed in mutants(statement.expression, symbols)
            ]
            place, changed = rng.choice(places)
            statements = list(program.statements)
            statements[place] = replace(statements[place], expression=changed)
            other = replace(program, statements=tuple(statements))
        case "another":
            other = Counting(rng, symbols).program()
        case _:
            spare = [Symbol(symbol) for symbol in symbols]
            statements = [
                replace(one, expression=rewritten(one.expression, spare, rng, 1)) for one in program.statements
            ]
            other = replace(program, statements=tuple(statements))
    return Pair(program, other, kind, kind == "rewritten")
