"""Uniformly random words of one length, in batches, at any length: the fast way, by floating-point numbers.

Numbers of words are floats with an exponent of their own, so that nothing under- or overflows. They are used in one of
two ways. With few states, a word is halved again and again: given the states at both ends of a stretch, the one in its
middle is drawn, for all stretches of all words at once. With many states, symbols are drawn from left to right. Either
way, a word of length n has its uniform probability up to a factor 1 ± 2⁻⁵² · (w + 3) · n, where w is the number of
states or of symbols that are chosen from: better than 10⁻⁸ at a million symbols.
"""

from __future__ import annotations

from collections import OrderedDict
from functools import lru_cache
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from lengthwise.alphabet import Ids
from lengthwise.regular.languages.automaton import Automaton

Floats: TypeAlias = npt.NDArray[np.float64]

KEPT_BYTES, BLOCK_BYTES, AT_ONCE = 64_000_000, 2_000_000, 2_000_000
FEW_STATES = 20
"""Up to here, halving is faster; its tables grow with the cube of the number of states."""
SHORT_WORDS = 2**15
_NOTHING = -(2**40)


class Sampler(Protocol):
    """Draws random words."""

    def draw(self, length: int, batch: int, rng: np.random.Generator) -> Ids:
        """Independent, uniformly random words of a length that some word has, a word a row."""
        ...


class Trimmed(NamedTuple):
    """The states of an automaton from which words are accepted; another one, the last, stands for all others."""

    table: npt.NDArray[np.intp]
    start: int
    accepting: npt.NDArray[np.bool_]
    dtype: np.dtype[np.unsignedinteger[Any]]

    @classmethod
    def of(cls, automaton: Automaton) -> Trimmed:
        """Those of an automaton, in their order."""
        table = np.array(automaton.table)
        alive = np.isin(np.arange(len(table)), list(automaton.accepting))
        while (more := alive | alive[table].any(axis=1)).sum() > alive.sum():
            alive = more
        number = np.where(alive, np.cumsum(alive) - 1, alive.sum())
        accepting = np.isin(np.flatnonzero(alive), list(automaton.accepting))
        return cls(number[table[alive]], int(number[automaton.start]), accepting, automaton.alphabet.dtype)


def sampler(automaton: Automaton) -> Sampler:
    """The faster of the two ways to draw the words of an automaton."""
    shape = Trimmed.of(automaton)
    return Halving(shape) if len(shape.accepting) <= FEW_STATES else Stepping(shape)


class Weights(NamedTuple):
    """Numbers of words: mantissa · 2 ** exponent, where the exponent of 0 is far below all others."""

    mantissa: Floats
    exponent: npt.NDArray[np.int64]

    @classmethod
    def of(cls, values: Floats, exponent: int | npt.NDArray[np.int64] = 0) -> Weights:
        """The weights values · 2 ** exponent."""
        mantissa, own = np.frexp(values)
        return cls(mantissa, np.where(mantissa > 0, own.astype(np.int64) + exponent, _NOTHING))

    def aligned(self) -> tuple[Floats, npt.NDArray[np.int64]]:
        """Plain floats along the last axis, and the exponent that they have in common."""
        top = self.exponent.max(axis=-1)
        shift = np.maximum(self.exponent - top[..., None], -2000).astype(np.intc)
        return np.ldexp(self.mantissa, shift), top


def _thresholds(parts: Floats) -> Floats:
    """From which number between 0 and 1 on a later choice is due, for all choices along the last axis but the last.

    The last possible choice and those after it get 2, so that rounding never lets an impossible one be taken.
    """
    choices = parts.shape[-1]
    shares = parts.cumsum(axis=-1)
    totals = shares[..., -1:]
    shares = np.divide(shares, totals, out=shares, where=totals > 0)
    last = choices - 1 - (parts[..., ::-1] > 0).argmax(axis=-1)
    shares[np.arange(choices) >= last[..., None]] = 2.0
    return np.ascontiguousarray(shares[..., : choices - 1])


class Halving:
    """Draws the states in the middle of ever shorter stretches; of the words for a short stretch, any will do."""

    def __init__(self, shape: Trimmed) -> None:
        self.shape = shape
        self.states, self.symbols = shape.table.shape
        steps = (shape.table[:, :, None] == np.arange(self.states)).sum(axis=1)
        self.weights = {1: Weights.of(steps.astype(np.float64))}
        self.middles: dict[int, Floats] = {}
        self.short = next(w for w in range(12, 0, -1) if w == 1 or self.states * self.symbols**w <= SHORT_WORDS)
        self.pieces = {}
        words, ends = np.zeros((1, 0), dtype=shape.dtype), np.arange(self.states)[:, None]
        table = np.append(shape.table, np.full((1, self.symbols), self.states), axis=0)
        for width in range(1, self.short + 1):
            letters = np.tile(np.arange(self.symbols, dtype=shape.dtype), len(words))
            words = np.column_stack([words.repeat(self.symbols, axis=0), letters])
            ends = table[ends].reshape(self.states, -1)
            self.pieces[width] = _Pieces(words, ends)

    def prepare(self, length: int) -> Weights:
        """The numbers of words of a length between all pairs of states; on the way, where their middles lie."""
        if length not in self.weights:
            left, right = self.prepare(length // 2), self.prepare(length - length // 2)
            mantissa = left.mantissa[:, None, :] * right.mantissa.T
            plain, top = Weights(mantissa, left.exponent[:, None, :] + right.exponent.T).aligned()
            self.middles[length] = _thresholds(plain).reshape(self.states**2, -1)
            self.weights[length] = Weights.of(plain.sum(axis=-1), top)
        return self.weights[length]

    def draw(self, length: int, batch: int, rng: np.random.Generator) -> Ids:
        """Random words, a word a row."""
        ids = np.zeros((batch, length), dtype=self.shape.dtype)
        if length:
            weights = self.prepare(length)
            ends = np.where(self.shape.accepting, weights.exponent[self.shape.start], _NOTHING)
            last = _thresholds(Weights(weights.mantissa[self.shape.start], ends).aligned()[0])
            group = max(1, AT_ONCE // (length * self.states))
            for done in range(0, batch, group):
                self.fill(ids[done : done + group], last, rng)
        return ids

    def fill(self, ids: Ids, last: Floats, rng: np.random.Generator) -> None:
        """Write random words into the rows, given the thresholds of the state they end in."""
        batch, length = ids.shape
        states = np.full((batch, length + 1), self.shape.start)
        states[:, length] = (last <= rng.random((batch, 1))).sum(axis=1)
        halved, short = _stretches(length, self.short)
        for width, begins in halved:
            pairs = states[:, begins] * self.states + states[:, begins + width]
            thresholds = self.middles[width].take(pairs, axis=0)
            states[:, begins + width // 2] = (thresholds <= rng.random((*pairs.shape, 1))).sum(axis=2)
        for width, begins in short:
            pairs = states[:, begins] * self.states + states[:, begins + width]
            ids[:, begins[:, None] + np.arange(width)] = self.pieces[width].draw(pairs, rng)


class _Pieces:
    """All words of one short length, by the pair of states between which they lead."""

    def __init__(self, words: Ids, ends: npt.NDArray[np.intp]) -> None:
        states = len(ends)
        self.words = words[np.argsort(ends, axis=1, kind="stable")].reshape(-1, words.shape[1])
        counts = (ends[:, :, None] == np.arange(states + 1)).sum(axis=1)
        self.first = (counts.cumsum() - counts.ravel()).reshape(counts.shape)[:, :states].ravel()
        self.count = counts[:, :states].ravel()

    def draw(self, pairs: npt.NDArray[np.intp], rng: np.random.Generator) -> Ids:
        """For every pair of states (first · states + second) one of its words."""
        chosen = (rng.random(pairs.shape) * self.count[pairs]).astype(np.intp)
        found: Ids = self.words[self.first[pairs] + chosen]
        return found


_Stretches: TypeAlias = list[tuple[int, npt.NDArray[np.intp]]]


@lru_cache(maxsize=256)
def _stretches(length: int, short: int) -> tuple[_Stretches, _Stretches]:
    """Which stretches are halved, longest first, and which short ones remain: widths, and where they begin."""
    halved: _Stretches = []
    cuts = np.array([0, length])
    while True:
        widths = np.diff(cuts)
        level = [(width, cuts[:-1][widths == width]) for width in np.unique(widths).tolist()]
        if widths.max() <= short:
            return halved, level
        halved += [stretch for stretch in level if stretch[0] > 1]
        cuts = np.union1d(cuts, cuts[:-1] + widths // 2)


class Stepping:
    """Draws symbols from left to right; the shares of the symbols are kept in blocks of numbers of symbols to come.

    All blocks' first weights are kept, and as many blocks as fit; a drawing at great length makes the others again.
    """

    def __init__(self, shape: Trimmed) -> None:
        dead = np.full((1, shape.table.shape[1]), len(shape.accepting))
        self.table, self.shape = np.concatenate([shape.table, dead]), shape
        self.rows = max(8, min(256, BLOCK_BYTES // (8 * self.table.size)))
        self.firsts = [Weights.of(np.append(shape.accepting, 0.0))]
        self.blocks: OrderedDict[int, Floats] = OrderedDict()

    def block(self, number: int) -> Floats:
        """Thresholds of the symbols for number · rows + 1 and more symbols to come, for each state."""
        if number in self.blocks:
            self.blocks.move_to_end(number)
            return self.blocks[number]
        weights = self.firsts[number]
        parts = np.empty((self.rows, *self.table.shape))
        for row in parts:
            plain, top = Weights(weights.mantissa[self.table], weights.exponent[self.table]).aligned()
            row[:] = plain
            weights = Weights.of(plain.sum(axis=1), top)
        if number + 1 == len(self.firsts):
            self.firsts.append(weights)
        found = self.blocks[number] = _thresholds(parts)
        while len(self.blocks) > max(1, KEPT_BYTES // max(1, found.nbytes)):
            self.blocks.popitem(last=False)
        return found

    def draw(self, length: int, batch: int, rng: np.random.Generator) -> Ids:
        """Random words, a word a row."""
        for number in range(len(self.firsts) - 1, -(-length // self.rows)):
            self.block(number)
        ids = np.zeros((length, batch), dtype=self.shape.dtype)
        state = np.full(batch, self.shape.start)
        for place in range(length):
            number, row = divmod(length - place - 1, self.rows)
            thresholds = self.block(number)[row].take(state, axis=0)
            ids[place] = symbol = (thresholds <= rng.random((batch, 1))).sum(axis=1)
            state = self.table[state, symbol]
        return np.ascontiguousarray(ids.T)
