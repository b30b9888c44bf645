"""What stands where nothing is planted: independent symbols, or a Markov chain.

Definition 3.2 draws all other tokens independently from one law μ. Golowich et al. leave Markov chains for later work;
here the chain runs over all positions of the word and the planted tokens are written over it, so that for equal rows
it is Definition 3.2 again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from lengthwise.alphabet import Alphabet
from lengthwise.exact_linear import solution
from lengthwise.sparse.ensembles.laws import EnsembleError, Number, exact_law

Row: TypeAlias = tuple[Fraction, ...]
"""One mass for every symbol id."""
IdArray: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Independent:
    """Every token is drawn from the same law μ."""

    law: Row

    @property
    def start(self) -> Row:
        """The law of the first token."""
        return self.law

    def after(self, symbol: int) -> Row:
        """The law of the token after this one."""
        return self.law

    @property
    def stationary(self) -> bool:
        """Whether every position has the same law."""
        return True

    def sample(self, length: int, count: int, rng: np.random.Generator) -> IdArray:
        """Independent words, one a row."""
        shares = np.array([float(mass) for mass in self.law])
        return rng.choice(len(shares), size=(count, length), p=shares / shares.sum()).astype(np.int64)


@dataclass(frozen=True)
class MarkovChain:
    """Every token is drawn from a row of a matrix that the token before it chooses."""

    start: Row
    rows: tuple[Row, ...]

    def after(self, symbol: int) -> Row:
        """The law of the token after this one."""
        return self.rows[symbol]

    @property
    def stationary(self) -> bool:
        """Whether every position has the same law."""
        moved = [
            sum((share * row[symbol] for share, row in zip(self.start, self.rows, strict=True)), Fraction(0))
            for symbol in range(len(self.start))
        ]
        return tuple(moved) == self.start

    def sample(self, length: int, count: int, rng: np.random.Generator) -> IdArray:
        """Independent words, one a row."""
        steps = np.array([[float(mass) for mass in row] for row in self.rows]).cumsum(axis=1)
        words = np.empty((count, length), dtype=np.int64)
        first = np.array([float(mass) for mass in self.start])
        words[:, 0] = rng.choice(len(first), size=count, p=first / first.sum())
        for place in range(1, length):
            levels = steps[words[:, place - 1]]
            below = (rng.random(count) * levels[:, -1])[:, None] >= levels
            words[:, place] = below.sum(axis=1)
        return words


Background: TypeAlias = Independent | MarkovChain


def independent(alphabet: Alphabet, masses: Mapping[str, Number]) -> Independent:
    """Independent tokens with these masses."""
    return Independent(_row(alphabet, masses, "the background"))


def markov_chain(
    alphabet: Alphabet, rows: Mapping[str, Mapping[str, Number]], start: Mapping[str, Number] | None = None
) -> MarkovChain:
    """The chain with these rows; without `start` it begins in its stationary law."""
    if set(rows) != set(alphabet):
        raise EnsembleError(f"a Markov chain needs one row for each symbol of {alphabet}")
    matrix = tuple(_row(alphabet, rows[symbol], f"the row of {symbol!r}") for symbol in alphabet)
    first = stationary_law(matrix) if start is None else _row(alphabet, start, "the start")
    return MarkovChain(first, matrix)


def stationary_law(rows: Sequence[Row]) -> Row:
    """The law π with πP = π, exactly; refused if there are several."""
    size = len(rows)
    # One equation of (Pᵀ − 1)π = 0 is redundant; Σπ = 1 takes its place.
    system = [[rows[j][i] - (i == j) for j in range(size)] + [Fraction(0)] for i in range(size - 1)]
    system.append([Fraction(1)] * (size + 1))
    found = solution(system)
    if found is None:
        raise EnsembleError("this Markov chain has several stationary laws; say where it starts")
    return tuple(found)


def _row(alphabet: Alphabet, masses: Mapping[str, Number], what: str) -> Row:
    law = exact_law(masses, what)
    for symbol in law:
        alphabet.index(symbol)
    return tuple(law.get(symbol, Fraction(0)) for symbol in alphabet)
