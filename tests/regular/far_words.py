"""Words that go far: long runs around the thresholds of two programs, and whether the programs differ on any of them.

All prefixes of many words are evaluated at once with NumPy, straight from the expressions: nothing is shared with the
evaluators of the package, nor with its prover.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from lengthwise.crasp import Program
from lengthwise.crasp.syntax import (
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
    Sum,
    Symbol,
    Truth,
)
from tests.regular.phases import Pair, thresholds

LONGEST = 400

Array = npt.NDArray[Any]
RELATIONS = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}


# ----------------------------------------------------------------------------------------------------- words


def far_words(pair: Pair, rng: Random, rows: int, longest: int = LONGEST) -> Array:
    """Words as rows of symbol numbers, each as long as said; every prefix of them is of interest.

    Half of them go far, open phases and go far again; a quarter are runs around the thresholds (at most 2 shorter or
    longer, or twice as long) with single letters strewn in; a quarter are random, letters having different frequencies.
    """
    symbols = pair.left.alphabet.symbols
    numbers = [number for number in thresholds((pair.left, pair.right)) if 4 <= number <= longest // 2] or [4]
    numbers.append(numbers[-1])
    runs = [symbols.index(letter) for letter in pair.runs] or list(range(len(symbols)))
    words = np.empty((rows, longest), dtype=np.int8)
    for row in range(rows):
        if row % 4 == 3:
            weights = [rng.random() ** 3 + 0.01 for _ in symbols]
            words[row] = rng.choices(range(len(symbols)), weights, k=longest)
        elif row % 4 == 2:
            words[row] = _runs(rng, len(symbols), numbers, longest)
            for _ in range(rng.randint(0, 6)):
                words[row, rng.randrange(longest)] = rng.randrange(len(symbols))
        else:
            words[row] = _phases(rng, len(symbols), runs, numbers, longest)
    return words


def _phases(rng: Random, width: int, runs: Sequence[int], numbers: Sequence[int], longest: int) -> list[int]:
    """Long runs of the letters that are counted, and a few short ones of any letter between them."""
    word: list[int] = []
    while len(word) < longest:
        symbol = rng.choice(runs) if rng.random() < 0.8 else rng.randrange(width)
        word += [symbol] * (rng.choice(numbers) * rng.randint(1, 4) // rng.choice((1, 1, 1, 2)) + rng.randint(-2, 3))
        for _ in range(rng.randint(1, 4)):
            word += [rng.randrange(width)] * rng.choice((1, 1, 2, 3))
    return word[:longest]


def _runs(rng: Random, width: int, numbers: Sequence[int], longest: int) -> list[int]:
    """Runs of any letters."""
    word: list[int] = []
    last = -1
    while len(word) < longest:
        symbol = rng.randrange(width - (last >= 0))
        symbol += last >= 0 and symbol >= last  # another letter than before
        chance = rng.random()
        if chance < 0.35:
            length = rng.randint(1, 3)
        elif chance < 0.85:
            length = max(1, rng.choice(numbers) + rng.randint(-2, 2))
        else:
            length = 2 * rng.choice(numbers) + rng.randint(0, 3)
        word += [symbol] * length
        last = symbol
    return word[:longest]


def difference(left: Program, right: Program, words: Array) -> tuple[str, ...] | None:
    """A shortest prefix of the words on which two programs over one alphabet differ, None if there is none."""
    ours, others = prefix_verdicts((left, right), words)
    found = np.argwhere((ours != others).T)
    if not len(found):
        return None
    position, row = found[0]
    return tuple(left.alphabet.symbols[symbol] for symbol in words[row, : position + 1])


# ------------------------------------------------------------------------------------------------ evaluation


def prefix_verdicts(programs: Sequence[Program], words: Array) -> list[Array]:
    """For each program whether it accepts each non-empty prefix of each word, as arrays of the words' shape."""
    evaluation = _Evaluation(programs[0].alphabet.symbols, words)
    known: list[tuple[Statement, Array]] = []
    verdicts = []
    for program in programs:
        shared = 0  # statements at the front that the program before has, too, have the same values
        while shared < min(len(known), len(program.statements)) and program.statements[shared] == known[shared][0]:
            shared += 1
        del known[shared:]
        names = {one.name: values for one, values in known if isinstance(one, Definition)}
        for statement in program.statements[shared:]:
            values = evaluation.of(statement.expression, names)
            known.append((statement, values))
            if isinstance(statement, Definition):
                names[statement.name] = values
        deciding = [
            values
            for (statement, values), sort in zip(known, program.sorts, strict=True)
            if isinstance(statement, Definition) and sort is Sort.BOOL
        ]
        verdicts.append(deciding[-1])
    return verdicts


class _Evaluation:
    """Values of expressions at every position of every word; Booleans as bool, counts as int32."""

    def __init__(self, symbols: Sequence[str], words: Array) -> None:
        self.words = words
        self.numbers = {symbol: number for number, symbol in enumerate(symbols)}
        self.positions = np.arange(1, words.shape[1] + 1)

    def of(self, expression: Expression, names: dict[str, Array]) -> Array:
        """The values of an expression, given those of the names."""
        return np.asarray(self._of(expression, names))

    def _of(self, expression: Expression, names: dict[str, Array]) -> Any:
        def of(part: Expression) -> Array:
            return self.of(part, names)

        match expression:
            case Name(name):
                return names[name]
            case Symbol(symbol):
                return self.words == self.numbers.get(symbol, -1)
            case Truth(value):
                return np.full(self.words.shape, value)
            case Periodic(modulus, residues):
                return np.broadcast_to(np.isin(self.positions % modulus, residues), self.words.shape)
            case Not(operand):
                return ~of(operand)
            case And(operands):
                return np.logical_and.reduce([of(operand) for operand in operands])
            case Or(operands):
                return np.logical_or.reduce([of(operand) for operand in operands])
            case Compare(left, relation, right):
                return np.broadcast_to(RELATIONS[relation](of(left), of(right)), self.words.shape)
            case Exists(guard, operand):
                return _count(guard, of(operand)) >= 1
            case Count(guard, operand):
                return _count(guard, of(operand))
            case Number(value):
                return np.full((1, 1), value, dtype=np.int32)
            case Sum(terms):
                return np.sum([np.broadcast_to(sign * of(term), self.words.shape) for sign, term in terms], axis=0)
            case Scale(factor, operand):
                return factor * of(operand)
            case Extremum(kind, left, right):
                return (np.minimum if kind == "min" else np.maximum)(of(left), of(right))
            case Conditional(then, condition, otherwise):
                return np.where(of(condition), of(then), of(otherwise))


def _count(guard: Guard, holds: Array) -> Array:
    counts: Array
    if isinstance(guard, Everywhere | Before):
        counts = np.cumsum(holds, axis=1, dtype=np.int32)
        if isinstance(guard, Before):
            counts -= holds
        return counts
    counts = np.zeros(holds.shape, dtype=np.int32)
    length = holds.shape[1]
    for offset in guard.offsets:
        if offset < length:
            counts[:, offset:] += holds[:, : length - offset]
    return counts
