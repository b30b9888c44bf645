"""Comparing two acceptors word by word: proves nothing beyond the last length, but works for every program."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from lengthwise.crasp import Program
from lengthwise.errors import CountOverflowError
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.prover.search import Outcome
from lengthwise.resources import Deadline

Words = npt.NDArray[np.int64]
PIECE = 1 << 14
"""How many words are compared at a time."""
LONGEST = 1_000
"""The longest words that are compared, which matters for alphabets of one symbol."""


def exhaustive_length(width: int, most: int, longest: int = 12) -> int:
    """The greatest length, at least 1, of which there are at most so many words."""
    length = 1
    while length < longest and width ** (length + 1) <= most:
        length += 1
    return length


def compare_words(
    left: Program | Automaton, right: Program | Automaton, symbols: tuple[str, ...], words: int, deadline: Deadline
) -> Outcome:
    """Compare on all words of length 1, 2, …, as many as allowed, shortest first."""
    compared = 0
    length = 1
    while length <= LONGEST and compared + len(symbols) ** length <= words:
        for piece in all_words(len(symbols), length):
            if deadline.passed():
                return Outcome(False, None, length - 1, compared)
            try:
                verdicts = [accepted(side, symbols, piece) for side in (left, right)]
            except CountOverflowError:
                return Outcome(False, None, length - 1, compared)
            different = np.flatnonzero(verdicts[0] != verdicts[1])
            if len(different):
                return Outcome(True, tuple(piece[different[0]].tolist()), length - 1, compared)
            compared += len(piece)
        length += 1
    return Outcome(False, None, length - 1, compared)


def all_words(width: int, length: int) -> Iterator[Words]:
    """All words of a length over symbols 0 .. width-1, in order, some at a time."""
    total = width**length
    powers = [width**place for place in range(length - 1, -1, -1)]
    for start in range(0, total, PIECE):
        numbers = np.arange(start, min(start + PIECE, total), dtype=np.int64)
        yield np.stack([numbers // power % width for power in powers], axis=1)


def accepted(side: Program | Automaton, symbols: tuple[str, ...], words: Words) -> npt.NDArray[np.bool_]:
    """Which words, rows of places in `symbols`, a side accepts."""
    ids = np.array([side.alphabet.index(symbol) for symbol in symbols])[words]
    if isinstance(side, Program):
        return side.accepts_batch(ids)
    table = np.array(side.table)
    states = np.full(len(words), side.start)
    for place in range(words.shape[1]):
        states = table[states, ids[:, place]]
    return np.isin(states, list(side.accepting))
