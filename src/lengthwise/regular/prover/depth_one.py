"""Programs of depth 1: what they decide follows from the last symbol and from linear conditions on the counts.

Without windows and periods, a program of depth 1 compares integer combinations of the counts of symbols with constants.
So its answer on a word with counts x and last symbol a is a Boolean combination of comparisons λ·x >= c, and every x
with x_a >= 1 is the counts of such a word. That makes questions about all words decidable: two programs of depth 1 are
equal exactly if they agree on the counts up to a radius that can be computed (`lattice_radius`, proved in the
documentation), and their shortest difference is a smallest integer solution.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import comb, factorial
from typing import Any

import numpy as np
import numpy.typing as npt

from lengthwise.crasp import Program
from lengthwise.errors import LengthwiseError
from lengthwise.regular.prover.alphabets import common_symbols
from lengthwise.regular.prover.formulas import Atom, Conjunction, Formulas, Literal
from lengthwise.regular.prover.normal_form import system_of

MOST_POINTS = 5_000_000
"""The most counts that are laid out at a time."""

Counts = npt.NDArray[np.int64]
Truths = npt.NDArray[np.bool_]


class NotDepthOneError(LengthwiseError):
    """A program counts what was counted, or looks at positions, where depth 1 without positions is asked for."""


@dataclass(frozen=True)
class Comparison:
    """Σ weights · counts >= bound; the weights have no common divisor."""

    weights: tuple[int, ...]
    bound: int

    def values(self, counts: Counts) -> Counts:
        """Σ weights · counts - bound, for counts of shape (…, symbols): >= 0 where it holds."""
        return np.asarray(counts @ np.array(self.weights, dtype=np.int64) - self.bound)


@dataclass(frozen=True, eq=False)
class Case:
    """What a program of depth 1 decides on words with one last symbol: a formula over some comparisons."""

    comparisons: tuple[Comparison, ...]
    formulas: Formulas
    root: Literal
    leaves: tuple[int, ...]
    """The node of each comparison in the formulas."""

    def answers(self, truths: Truths) -> Truths:
        """The answers, for truth values of the comparisons of shape (comparisons, …)."""
        values: dict[int, Any] = {0: np.zeros(truths.shape[1:], dtype=bool)}
        values.update(zip(self.leaves, truths, strict=True))
        for number in self.formulas.reachable([self.root]):
            node = self.formulas.nodes[number]
            if isinstance(node, Conjunction):
                parts = [values[literal >> 1] ^ bool(literal & 1) for literal in node.operands]
                values[number] = np.logical_and.reduce(parts)
        return np.asarray(values[self.root >> 1] ^ bool(self.root & 1))

    def accepts(self, counts: Counts) -> Truths:
        """The answers for counts of shape (words, symbols), each of them with this last symbol."""
        truths = np.array([each.values(counts) >= 0 for each in self.comparisons])
        return self.answers(truths.reshape(len(self.comparisons), len(counts)))


@dataclass(frozen=True, eq=False)
class DepthOne:
    """A program of depth 1 by its cases, one for each last symbol."""

    symbols: tuple[str, ...]
    cases: tuple[Case, ...]

    @cached_property
    def largest(self) -> tuple[int, int]:
        """K and C: the largest absolute weight and the largest absolute bound of all comparisons, at least 1."""
        found = [each for case in self.cases for each in case.comparisons]
        weights = max((abs(weight) for each in found for weight in each.weights), default=1)
        return max(1, weights), max((abs(each.bound) for each in found), default=1)


def depth_one(program: Program, symbols: tuple[str, ...] | None = None) -> DepthOne:
    """Read a program of depth 1 as linear conditions on counts.

    Args:
        program: A program that accepts words.
        symbols: The symbols of the words, for a program whose alphabet is open.

    Returns:
        For each last symbol a formula over comparisons.

    Raises:
        NotDepthOneError: A count of the program counts what depends on other counts, or the program uses windows or
            periods.

    Example:
        >>> from lengthwise import crasp
        >>> [case.comparisons for case in depth_one(crasp.load("majority")).cases][1]
        (Comparison(weights=(1, -1), bound=1),)

    """
    name = program.title or "the program"
    alphabet = common_symbols((program,), symbols)
    if program.fragment:
        kinds = {"local": "windows", "periodic": "positions modulo a number"}
        raise NotDepthOneError(
            f"{name} uses {' and '.join(kinds[each] for each in sorted(program.fragment))}; this is about programs "
            "that only count, at depth 1, such as majority"
        )
    system = system_of([program], alphabet)
    if any(bits for form in system.forms for _, bits in form):
        raise NotDepthOneError(
            f"{name} counts positions where other counts are compared (depth {program.depth}); this is about programs "
            "of depth 1, such as majority, which count symbols only"
        )
    weights = [tuple(constant for constant, _ in form) for form in system.forms]
    return DepthOne(
        alphabet, tuple(_case(system.formulas, root, weights, last) for last, root in enumerate(system.outputs))
    )


def _case(formulas: Formulas, root: Literal, weights: Sequence[tuple[int, ...]], last: int) -> Case:
    """The formulas speak of the counts before the last symbol, which is one less of it."""
    leaves, comparisons = [], []
    for number in formulas.reachable([root]):
        node = formulas.nodes[number]
        if isinstance(node, Atom):
            leaves.append(number)
            comparisons.append(Comparison(weights[node.form], node.threshold + weights[node.form][last]))
    return Case(tuple(comparisons), formulas, root, tuple(leaves))


# -------------------------------------------------------------------------------------------- all words at once


def lattice_radius(symbols: int, weight: int, bound: int) -> int:
    """How long the words must be on which programs of depth 1 that differ at all differ.

    Over d symbols, comparisons with weights of at most K and bounds of at most C in absolute value: two Boolean
    combinations that agree on all words of at most d (d + 1) M symbols, M = d! K^(d-1) max(K, C + 1), are equal (von
    zur Gathen and Sieveking, 1978; the documentation has a proof).

    Args:
        symbols: d.
        weight: K, at least 1.
        bound: C.

    Returns:
        The length.

    Example:
        >>> lattice_radius(2, 1, 3)
        48

    """
    weight = max(1, weight)
    most = factorial(symbols) * int(weight ** (symbols - 1)) * max(weight, bound + 1)
    return symbols * (symbols + 1) * most


def all_counts(symbols: int, length: int) -> Counts:
    """The counts of all words of at most some length, the empty word included, shorter words first."""
    if comb(length + symbols, symbols) > MOST_POINTS:
        raise LengthwiseError(
            f"words of at most {length:,} symbols over {symbols} letters have more than {MOST_POINTS:,} counts"
        )
    rows = [row for row in product(range(length + 1), repeat=symbols - 1) if sum(row) <= length]
    heads = np.array(rows, dtype=np.int64).reshape(len(rows), symbols - 1)
    left = length - heads.sum(axis=1)
    repeated = np.repeat(np.arange(len(rows)), left + 1)
    tails = np.arange(len(repeated)) - np.repeat(np.concatenate([[0], (left + 1).cumsum()[:-1]]), left + 1)
    found = np.column_stack([heads[repeated], tails])
    return np.asarray(found[np.argsort(found.sum(axis=1), kind="stable")])


def shortest_difference(left: Program, right: Program, symbols: tuple[str, ...] | None = None) -> str | None:
    r"""Find a shortest non-empty word on which two programs of depth 1 differ, or prove that there is none.

    Args:
        left: A program of depth 1 without windows and periods.
        right: The same.
        symbols: The symbols of the words, for programs whose alphabets are open.

    Returns:
        A word, with spaces if a symbol has several characters; None if the programs are equal on all words.

    Raises:
        NotDepthOneError: A program is not of that kind.

    Example:
        >>> from lengthwise import crasp
        >>> text = 'alphabet "0" "1"\nY = #"1" >= #"0" && #"0" <= 2'
        >>> shortest_difference(crasp.load("majority"), crasp.parse(text))
        '001110'

    """
    alphabet = common_symbols((left, right), symbols)
    first, second = depth_one(left, alphabet), depth_one(right, alphabet)
    best: tuple[int, tuple[int, ...], int] | None = None
    for last in range(len(alphabet)):
        found = _smallest(first.cases[last], second.cases[last], last, len(alphabet), None if best is None else best[0])
        if found is not None:
            best = (sum(found), found, last)
    if best is None:
        return None
    _, counts, last = best
    ids = [symbol for symbol, count in enumerate(counts) for _ in range(count - (symbol == last))]
    joint = " " if any(len(symbol) != 1 for symbol in alphabet) else ""
    return joint.join(alphabet[symbol] for symbol in (*ids, last))


def _smallest(left: Case, right: Case, last: int, symbols: int, below: int | None) -> tuple[int, ...] | None:
    """The smallest counts with a last symbol on which two cases differ, smaller than a bound if one is given."""
    import z3

    counts = [z3.Int(f"x{symbol}") for symbol in range(symbols)]
    solver = z3.Solver()
    solver.add(*(count >= int(symbol == last) for symbol, count in enumerate(counts)))
    solver.add(_formula(left, counts) != _formula(right, counts))
    found: tuple[int, ...] | None = None
    while True:
        if below is not None:
            solver.add(z3.Sum(counts) < below)
        answer = solver.check()
        if answer == z3.unsat:
            return found
        if answer != z3.sat:
            raise LengthwiseError("the solver could not settle whether two programs of depth 1 differ")
        model = solver.model()
        found = tuple(model.eval(count, model_completion=True).as_long() for count in counts)
        below = sum(found)


def _formula(case: Case, counts: Sequence[Any]) -> Any:
    import z3

    values: dict[int, Any] = {0: z3.BoolVal(False)}
    for leaf, each in zip(case.leaves, case.comparisons, strict=True):
        terms = [weight * count for weight, count in zip(each.weights, counts, strict=True) if weight]
        values[leaf] = z3.Sum(terms) >= each.bound

    def value(literal: Literal) -> Any:
        return z3.Not(values[literal >> 1]) if literal & 1 else values[literal >> 1]

    for number in case.formulas.reachable([case.root]):
        node = case.formulas.nodes[number]
        if isinstance(node, Conjunction):
            values[number] = z3.And([value(literal) for literal in node.operands])
    return value(case.root)
