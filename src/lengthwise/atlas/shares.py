"""Shares of words: exact, or estimated from a sample with an interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lengthwise.crasp import Program
from lengthwise.regular import Automaton
from lengthwise.tasks import AcceptanceTask

Z = 1.959963984540054
"""For intervals that hold the true share in 95 of 100 samples."""
Tokens = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Share:
    """A share with the ends of its 95 % interval (Wilson 1927), which are the share itself if it is exact.

    Example:
        >>> Share.of(0, 100).high < 0.04, Share(0.0).exact
        (True, True)

    """

    value: float
    low: float | None = None
    high: float | None = None

    @property
    def exact(self) -> bool:
        """Whether nothing was estimated."""
        return self.low is None

    @classmethod
    def of(cls, hits: int, count: int) -> Share:
        """The share of some words out of a sample."""
        share, spread = hits / count, Z * Z / count
        middle = (share + spread / 2) / (1 + spread)
        half = math.sqrt(share * (1 - share) * spread + spread * spread / 4) / (1 + spread)
        return cls(share, max(0.0, middle - half), min(1.0, middle + half))

    def interval(self) -> list[float]:
        """The ends."""
        return [self.value if self.low is None else self.low, self.value if self.high is None else self.high]

    def __str__(self) -> str:
        text = f"{100 * self.value:.4g} %"
        return text if self.low is None else f"{text} ({100 * self.low:.3g}–{100 * (self.high or 0):.3g})"


def prefix_answers(acceptor: Program | Automaton, symbols: tuple[str, ...], tokens: Tokens) -> npt.NDArray[np.bool_]:
    """The answer after every symbol of words of one length, given as places in `symbols`."""
    ids = np.asarray(acceptor.alphabet.encode(list(symbols)))[tokens]
    if isinstance(acceptor, Program):
        return AcceptanceTask(acceptor).targets(ids)[:, :, 0]
    table, accepting = np.array(acceptor.table), np.zeros(len(acceptor), bool)
    accepting[list(acceptor.accepting)] = True
    states = np.full(len(tokens), acceptor.start)
    found = np.zeros(tokens.shape, bool)
    for place in range(tokens.shape[1]):
        states = table[states, ids[:, place]]
        found[:, place] = accepting[states]
    return found


class Draw:
    """The words of the acceptance task of a program: uniform, uneven and eventful ones; uniform ones without a program.

    Args:
        program: The right program, if one is known.
        symbols: The alphabet.
        seed: Of the random words.

    """

    def __init__(self, program: Program | None, symbols: tuple[str, ...], seed: int = 0) -> None:
        self.symbols, self.seed = symbols, seed
        self._task = None if program is None else AcceptanceTask(program)

    def words(self, length: int, count: int) -> Tokens:
        """Words of one length, as places in the alphabet; the same ones each time."""
        rng = np.random.default_rng([self.seed, length])
        if self._task is None:
            return rng.integers(len(self.symbols), size=(count, length))
        place = {symbol: at for at, symbol in enumerate(self.symbols)}
        of_task = np.array([place[symbol] for symbol in self._task.alphabet.symbols])
        return of_task[self._task.sample(length, count, rng).tokens]

    def accuracy(self, right: Program | Automaton, other: Program | Automaton, length: int, count: int) -> Share:
        """The share of words of a length at whose end both answer the same."""
        words = self.words(length, count)
        same = prefix_answers(right, self.symbols, words)[:, -1] == prefix_answers(other, self.symbols, words)[:, -1]
        return Share.of(int(same.sum()), count)

    def shown(self, right: Program | Automaton, other: Program | Automaton, longest: int, count: int) -> Share:
        """The share of training words, their lengths drawn evenly, some prefix of which tells the two apart."""
        each = max(1, -(-count // longest))
        hits = 0
        for length in range(1, longest + 1):
            words = self.words(length, each)
            apart = prefix_answers(right, self.symbols, words) != prefix_answers(other, self.symbols, words)
            hits += int(apart.any(axis=1).sum())
        return Share.of(hits, each * longest)
