"""Margins of words: the part of the attention that must move before a program of depth 1 may change its answer.

A comparison λ·x >= c is read by a head that attends to symbols and to the start symbol: L = λ·x - c + 1/2 > 0 is an
average of the values λ, and 1/2 - c at the start symbol, times the number D of attended keys. Moving a part t of the
attention changes that average by at most t Λ, where Λ is the largest value less the smallest. So a comparison with
margin |L| / (Λ D) cannot flip before that much has moved. A *uniform* head attends to every key, a *selective* one to
the symbols with λ != 0 and the start symbol. Without a start symbol comparisons with λ·x >= 0 can be read; ties have
margin 0.

All of this is in whole numbers: values are doubled, so that there are no halves.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Literal, TypeAlias

import numpy as np

from lengthwise.errors import LengthwiseError
from lengthwise.regular.prover.depth_one import Case, Comparison, Counts, DepthOne, Truths

Attention: TypeAlias = Literal["uniform", "selective"]
Implicant: TypeAlias = tuple[tuple[int, bool], ...]
"""Comparisons by their numbers and whether they hold; together they fix the answer."""
MOST_COMPARISONS = 7
"""The most comparisons after one last symbol whose combinations are looked at."""


@dataclass(frozen=True)
class Head:
    """What reads one comparison.

    Attributes:
        attended: The symbols whose keys it attends to.
        values: Twice the value of each symbol, 0 for those that are not attended.
        start: Twice the value of the start symbol; None if there is none.

    """

    attended: tuple[int, ...]
    values: tuple[int, ...]
    start: int | None

    @classmethod
    def of(cls, comparison: Comparison, attention: Attention, start: bool) -> Head:
        """The head that reads a comparison."""
        weights = comparison.weights
        attended = tuple(at for at, weight in enumerate(weights) if weight or attention == "uniform")
        return cls(attended, tuple(2 * weight for weight in weights), 1 - 2 * comparison.bound if start else None)

    @property
    def spread(self) -> int:
        """2 Λ: the largest of the doubled values less the smallest."""
        found = [self.values[at] for at in self.attended] + ([] if self.start is None else [self.start])
        return max(found) - min(found)

    def keys(self, counts: Counts) -> Counts:
        """D: how many keys are attended in words with these counts."""
        return np.asarray(counts[..., list(self.attended)].sum(axis=-1) + (self.start is not None))

    def totals(self, counts: Counts) -> Counts:
        """2 L, for words with these counts."""
        return np.asarray(counts @ np.array(self.values, dtype=counts.dtype) + (self.start or 0))


@dataclass(frozen=True, eq=False)
class Situation:
    """Words with one last symbol: the heads that read the comparisons, and which of these fix the answer."""

    last: int
    case: Case
    heads: tuple[Head, ...]
    implicants: tuple[Implicant, ...]

    def certain(self, counts: Counts, part: Fraction) -> Truths:
        """Which words of some counts, of shape (words, symbols), have a margin of at least a part of the attention."""
        if not self.heads:
            return np.ones(len(counts), dtype=bool)
        largest = int(counts.max(initial=1)) * len(self.heads) * max(head.spread for head in self.heads)
        if largest * max(part.numerator, part.denominator) >= 2**60:
            counts = counts.astype(object)
        holds = np.array([comparison.values(counts) >= 0 for comparison in self.case.comparisons]).astype(bool)
        far = np.array(
            [
                abs(head.totals(counts)) * part.denominator >= part.numerator * head.spread * head.keys(counts)
                for head in self.heads
            ]
        ).astype(bool)
        found = np.zeros(len(counts), dtype=bool)
        for implicant in self.implicants:
            found |= np.logical_and.reduce([far[at] & (holds[at] == value) for at, value in implicant])
        return found


@dataclass(frozen=True, eq=False)
class Reading:
    """A program of depth 1 as heads read it.

    Attributes:
        attention: Whether heads attend to all keys or to those that count.
        start: Whether words begin with a start symbol.

    """

    program: DepthOne
    attention: Attention
    start: bool

    @cached_property
    def situations(self) -> tuple[Situation, ...]:
        """One for each last symbol."""
        return tuple(
            Situation(
                last, case, tuple(Head.of(each, self.attention, self.start) for each in case.comparisons),
                _implicants(case, last, len(self.program.symbols), self.program.symbols[last]),
            )
            for last, case in enumerate(self.program.cases)
        )  # fmt: skip


def reading(program: DepthOne, attention: Attention = "uniform", start: bool | None = None) -> Reading:
    """Choose what reads a program of depth 1.

    Args:
        program: The program.
        attention: Whether heads attend to all keys or to those that count.
        start: Whether words begin with a start symbol; by default where some comparison needs it.

    Returns:
        The program as it is read.

    Raises:
        LengthwiseError: The program cannot be read without a start symbol, or not in that way.

    """
    comparisons = [each for case in program.cases for each in case.comparisons]
    needed = not all(each.bound in (0, 1) and min(each.weights) < 0 < max(each.weights) for each in comparisons)
    if attention == "selective":
        # Without a start symbol, a word may have none of the symbols that a head attends to.
        needed |= any(0 in each.weights for each in comparisons)
    if start is False and needed:
        raise LengthwiseError(
            "without a start symbol heads compare counts of attended symbols with each other only, such as "
            f"#a >= #b; this program needs the start symbol for {attention} attention"
        )
    return Reading(program, attention, needed if start is None else start)


def _implicants(case: Case, last: int, symbols: int, name: str) -> tuple[Implicant, ...]:
    """The smallest sets of comparisons that fix the answer on all words with this last symbol."""
    size = len(case.comparisons)
    if size > MOST_COMPARISONS:
        raise LengthwiseError(
            f"the program makes {size} different comparisons in words that end in {name}; margins are computed for at "
            f"most {MOST_COMPARISONS}"
        )
    patterns = [row for row in product((False, True), repeat=size) if _occurs(case, row, last, symbols)]
    answers = case.answers(np.array(patterns, dtype=bool).reshape(len(patterns), size).T)
    found: list[Implicant] = []
    for fixed in sorted(product((None, False, True), repeat=size), key=lambda each: size - each.count(None)):
        chosen = tuple((at, value) for at, value in enumerate(fixed) if value is not None)
        if any(set(smaller) <= set(chosen) for smaller in found):
            continue
        left = {bool(answers[at]) for at, row in enumerate(patterns) if all(row[place] == it for place, it in chosen)}
        if len(left) == 1:
            found.append(chosen)
    return tuple(found)


def _occurs(case: Case, holds: tuple[bool, ...], last: int, symbols: int) -> bool:
    """Whether some word with this last symbol has these comparisons hold."""
    import z3

    counts = [z3.Int(f"x{symbol}") for symbol in range(symbols)]
    solver = z3.Solver()
    solver.add(*(count >= int(symbol == last) for symbol, count in enumerate(counts)))
    for comparison, value in zip(case.comparisons, holds, strict=True):
        total = z3.Sum([weight * count for weight, count in zip(comparison.weights, counts, strict=True)])
        solver.add(total >= comparison.bound if value else total < comparison.bound)
    # If the solver could not tell, the combination counts as one that occurs, which makes margins smaller, not larger.
    return bool(solver.check() != z3.unsat)
