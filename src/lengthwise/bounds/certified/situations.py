"""Situations: the finitely many ways in which a one-layer hardmax model can attend to words of any length.

A word's situation is the residue of its length modulo Δ, its last τ + 1 symbols, and for each head how large the
largest logit is; a word with fewer than τ + 1 symbols is a situation of its own. It fixes which types (symbol, residue
of the position) may occur in the prefix, which of them are attended, and which of the last symbols are attended beside
them (the hits). All that is left of a word are the counts of the attended types: they decide the shares of attention,
and with them the output.

Two words in the same situation differ in those counts alone. `enumerate_situations` lists all situations that words of
every length can be in; the others are those of words shorter than τ + 1 + Δ.

`Nearness` says whether the outputs of two words are within ε, in fractions where floating point cannot tell.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from lengthwise.alphabet import Alphabet
from lengthwise.bounds.certified.share_map import ShareMap, Shares, Value, shares_of
from lengthwise.bounds.theorems.count_evaluation import Counts, column_sizes
from lengthwise.limit.evaluation.regimes import Floats
from lengthwise.resources import memory_limit

Integers = npt.NDArray[np.int64]
Type = tuple[int, int]
"""A symbol and the residue of its position."""


@dataclass(frozen=True, eq=False)
class Attended:
    """The maximal keys of some heads: types of the prefix, and hits among the last symbols."""

    kinds: tuple[int, ...]
    """Which of the situation's kinds belong to it."""
    places: tuple[int, ...]
    """Where its shares stand: one place for each of its kinds, then one for each type that is hit but not a kind."""
    types: tuple[Type, ...]
    """The type at each place."""
    hits: Integers
    """For each place, how many of the last symbols are attended."""

    @property
    def is_open(self) -> bool:
        """Whether every attended key is of a type that the prefix can hold as well."""
        return len(self.places) == len(self.kinds)


@dataclass(frozen=True, eq=False)
class Situation:
    """What words have in common that differ only in how often the attended types occur."""

    suffix: tuple[int, ...]
    """The last τ + 1 symbols, or others that matter in the same way."""
    residue: int
    """The length modulo Δ."""
    symbols: int
    period: int
    kinds: tuple[Type, ...]
    """The attended types of the prefix; a word is known by their counts."""
    sets: tuple[Attended, ...]
    """The different sets of attended keys; empty if only the last symbols are attended."""
    fillers: tuple[int | None, ...]
    """For each residue a symbol that may stand there and is not attended, if there is one."""
    maps: tuple[ShareMap, ...]
    """The outputs that a stand-in has to keep; none if they are constant."""
    least_rows: int = 0
    """Prefixes have at least so many rows: so long must a word be for attention to be a hardmax."""

    # ------------------------------------------------------------------------------------------ columns and rows

    @cached_property
    def rest(self) -> int:
        """The length of the prefix modulo Δ. A prefix of b rows consists of bΔ + rest positions."""
        return (self.residue - len(self.suffix)) % self.period

    @cached_property
    def extra(self) -> Integers:
        """For each residue how many positions there are beyond one for each row: 0 or 1."""
        return np.array(column_sizes(self.rest, self.period), dtype=np.int64)

    @cached_property
    def columns(self) -> list[list[int]]:
        """For each residue, its kinds."""
        return [[place for place, (_, at) in enumerate(self.kinds) if at == residue] for residue in range(self.period)]

    @cached_property
    def tight(self) -> list[int]:
        """The residues at which every symbol that may occur is attended."""
        return [at for at, kinds in enumerate(self.columns) if kinds and self.fillers[at] is None]

    @cached_property
    def is_tied(self) -> bool:
        """Whether the counts of different columns are tied to each other, through the length of the word."""
        return bool(self.tight) and sum(1 for kinds in self.columns if kinds) > 1

    @property
    def least_keys(self) -> int:
        """How many keys there are at least in the only column with attended types, if that is tight."""
        return self.least_rows + int(self.extra[self.tight[0]])

    @property
    def shares_groups(self) -> list[list[int]]:
        """The places of each set."""
        return [list(attended.places) for attended in self.sets]

    def length(self, rows: int) -> int:
        """The length of words with so many rows."""
        return rows * self.period + self.rest + len(self.suffix)

    def rows_within(self, length: int) -> int:
        """How many rows a word of at most this length has at most; negative if it is too short for the situation."""
        return (length - self.rest - len(self.suffix)) // self.period

    def rows(self, counts: Integers) -> Integers:
        """The rows of the shortest words with these counts, one row of `counts` each.

        Without filler every place counts, so counts that are to be those of a word must fit; here they are trusted.
        """
        sums = np.stack([counts[:, kinds].sum(axis=1) for kinds in self.columns], axis=1) - self.extra
        if self.tight:
            return np.asarray(sums[:, self.tight[0]])
        return np.asarray(np.maximum(sums.max(axis=1), self.least_rows))

    # --------------------------------------------------------------------------------------- from counts to words

    def shares(self, counts: Integers | Floats, unit: Floats | float = 1.0) -> Floats:
        """The shares of attention for counts of the kinds, one row each; every set must attend to something.

        Counts may be given in any unit, as parts of a whole say; then `unit` is what a single key counts, for each row.
        """
        shares = np.empty((len(counts), sum(len(attended.places) for attended in self.sets)))
        for attended in self.sets:
            keys = np.multiply.outer(np.broadcast_to(unit, len(counts)), attended.hits)
            keys[:, : len(attended.kinds)] += counts[:, attended.kinds]
            shares[:, attended.places] = keys / keys.sum(axis=1, keepdims=True)
        return shares

    def exact_shares(self, counts: Sequence[int]) -> Shares:
        """The shares of attention for the counts of a word, as fractions; every set must attend to something."""
        parts: dict[int, Fraction] = {}
        for attended in self.sets:
            keys = attended.hits.tolist()
            for place, kind in enumerate(attended.kinds):
                keys[place] += int(counts[kind])
            total = sum(keys)
            parts.update((place, Fraction(key, total)) for place, key in zip(attended.places, keys, strict=True))
        return shares_of([parts[place] for place in sorted(parts)])

    def attends(self, counts: Integers) -> npt.NDArray[np.bool_]:
        """Whether every set attends to something; otherwise the word is in another situation."""
        attending = np.ones(len(counts), dtype=bool)
        for attended in self.sets:
            attending &= counts[:, attended.kinds].sum(axis=1) + attended.hits.sum() > 0
        return attending

    def word(self, counts: Integers) -> Counts:
        """A shortest word with these counts of the kinds, by the counts of all types."""
        rows = int(self.rows(counts[None])[0])
        prefix = np.zeros((self.symbols, self.period), dtype=np.int64)
        for (symbol, residue), count in zip(self.kinds, counts.tolist(), strict=True):
            prefix[symbol, residue] += count
        sizes = column_sizes(rows * self.period + self.rest, self.period)
        for residue, filler in enumerate(self.fillers):
            if filler is not None:
                prefix[filler, residue] += sizes[residue] - int(prefix[:, residue].sum())
        return Counts(prefix, np.array(self.suffix, dtype=np.int64))

    def describe(self, alphabet: Alphabet) -> str:
        """The situation in words."""
        names = [*alphabet.symbols, "?"]
        suffix = " ".join(names[symbol] for symbol in self.suffix)
        modulo = f" of length {self.residue} modulo {self.period}" if self.period > 1 else ""
        if not self.kinds:
            return f"words{modulo} that end in {suffix} and attend to that only"
        at = " at residue {}" if self.period > 1 else ""
        kinds = ", ".join(names[symbol] + at.format(residue) for symbol, residue in self.kinds)
        return f"words{modulo} that end in {suffix} and attend to {kinds}"

    # -------------------------------------------------------------------------------------------- all stand-ins

    def how_many(self, rows: int) -> int:
        """How many counts `counts_within` lists at most."""
        return sum(map(self.how_many_at, range(self.least_rows, rows + 1))) if self.tight else self.how_many_at(rows)

    def fits(self, rows: int) -> bool:
        """Whether the counts that `counts_within` lists fit into memory, with all that is made of them."""
        places = sum(len(each.places) for each in self.sets)
        return 8 * (10 + 6 * len(self.kinds) + 4 * places) * self.how_many(rows) <= memory_limit()

    def how_many_at(self, rows: int) -> int:
        """How many counts words of exactly so many rows can have."""
        return math.prod(
            math.comb(rows + int(more) + len(kinds) - (at in self.tight), len(kinds) - (at in self.tight))
            for at, (kinds, more) in enumerate(zip(self.columns, self.extra, strict=True))
            if kinds
        )

    def counts_within(self, rows: int) -> tuple[Integers, Integers]:
        """The counts of all words of at most so many rows, by increasing rows, and these rows."""
        if self.tight:
            heights = range(self.least_rows, rows + 1)
            parts = [self.counts_at(height) for height in heights]
            found = np.concatenate(parts) if parts else np.zeros((0, len(self.kinds)), dtype=np.int64)
            needed = np.repeat(np.array(heights, dtype=np.int64), [len(part) for part in parts])
        else:
            found = self.counts_at(rows) if rows >= self.least_rows else np.zeros((0, len(self.kinds)), dtype=np.int64)
            needed = self.rows(found)
        attending = self.attends(found)
        found, needed = found[attending], needed[attending]
        order = np.argsort(needed, kind="stable")
        return found[order], needed[order]

    def counts_at(self, rows: int) -> Integers:
        """The counts of words of exactly so many rows."""
        result = np.zeros((1, len(self.kinds)), dtype=np.int64)
        for at, kinds in enumerate(self.columns):
            if kinds:
                size = rows + int(self.extra[at])
                column = compositions(size, len(kinds)) if at in self.tight else compositions(size, len(kinds) + 1)
                grid = np.repeat(result, len(column), axis=0)
                grid[:, kinds] = np.tile(column[:, : len(kinds)], (len(result), 1))
                result = grid
        return result


@dataclass(frozen=True)
class Cover:
    """What it takes to cover a situation: every word in it has a stand-in of at most this length."""

    length: int
    at_least: int
    """No smaller length will do; equal to `length` if that is exact."""
    worst: tuple[int, ...] | None = None
    """Counts of a word that needs a stand-in of length `at_least`."""


def compositions(total: int, parts: int) -> Integers:
    """All ways to write a number as a sum of so many whole numbers >= 0, one row each."""
    if total < 0:
        return np.zeros((0, parts), dtype=np.int64)
    if parts == 1:
        return np.array([[total]], dtype=np.int64)
    firsts = np.arange(total + 1, dtype=np.int64)
    if parts == 2:
        return np.stack([firsts, total - firsts], axis=1)
    pieces = []
    for first in firsts.tolist():
        rest = compositions(total - first, parts - 1)
        pieces.append(np.concatenate([np.full((len(rest), 1), first), rest], axis=1))
    return np.concatenate(pieces)


def rounded(wanted: Floats, total: int) -> Integers:
    """Whole numbers with a given sum, close to numbers of about that sum."""
    wanted = wanted * (total / wanted.sum()) if wanted.sum() > 0 else wanted
    floors = np.floor(wanted + 1e-9).astype(np.int64)
    missing = total - int(floors.sum())
    order = np.argsort(floors - wanted, kind="stable")
    floors[order[: max(missing, 0)]] += 1
    if missing < 0:
        floors[np.argmax(floors)] += missing
    return floors


class Nearness:
    """Distances of the words of a situation against ε."""

    def __init__(self, situation: Situation, epsilon: Fraction) -> None:
        self.situation, self.epsilon, self.about = situation, epsilon, float(epsilon)
        self.errors = [each.error + self.about * 2**-50 for each in situation.maps]
        """Beyond so far from ε a distance in floating point decides."""

    def values(self, counts: Sequence[int]) -> list[Value]:
        """The outputs on a word."""
        shares = self.situation.exact_shares(counts)
        return [each.exact(shares) for each in self.situation.maps]

    def within(self, first: list[Value], second: list[Value]) -> bool:
        """Whether outputs are within ε."""
        triples = zip(self.situation.maps, first, second, strict=True)
        return all(each.exact.within(one, other, self.epsilon) for each, one, other in triples)

    def first_within(self, counts: Sequence[int], values: list[Floats], stand_ins: np.ndarray) -> int | None:
        """The first stand-in within ε of a word, by its number; `values` are the outputs on stand-ins, rounded."""
        own = self.situation.shares(np.array([counts], dtype=np.int64))
        kept, sure = np.arange(len(stand_ins)), np.ones(len(stand_ins), dtype=bool)
        for each, found, error in zip(self.situation.maps, values, self.errors, strict=True):
            distance = each.distance(found[kept], each(own))
            inside = distance <= self.about + error
            sure = sure[inside] & (distance[inside] <= self.about - error)
            kept = kept[inside]
        mine: list[Value] | None = None
        for number, certain in zip(kept.tolist(), sure.tolist(), strict=True):
            if certain:
                return int(number)
            mine = self.values(counts) if mine is None else mine
            if self.within(mine, self.values(stand_ins[number].tolist())):
                return int(number)
        return None

    def has_stand_in(self, counts: Sequence[int], rows: int) -> bool:
        """Whether some word of at most so many rows is within ε of a word."""
        stand_ins, _ = self.situation.counts_within(rows)
        shares = self.situation.shares(stand_ins)
        return self.first_within(counts, [each(shares) for each in self.situation.maps], stand_ins) is not None
