"""Keys g0: which sets of k positions attention looks at, and how much.

A key gives every set S of positions with the tokens on it a score, −∞ for sets it ignores. It is *L_local-local* if it
ignores all sets with max S − min S > L_local, and *relative* if shifting S changes nothing (Assumption 3.3); it is
*position independent* if the tokens alone decide. Golowich et al., Definition 3.3.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Protocol

import numpy as np
import numpy.typing as npt

from lengthwise.alphabet import Alphabet
from lengthwise.sparse.ensembles.ensemble import as_tokens
from lengthwise.sparse.ensembles.laws import Number, Places, Tokens
from lengthwise.sparse.ensembles.positions import is_shape
from lengthwise.sparse.functional.tables import (
    HypothesisError,
    Lookup,
    exact_weight,
    require_tuples,
    score_of,
    weight_of,
)

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Key(Protocol):
    """g0, as scores and as weights e^g0."""

    @property
    def alphabet_size(self) -> int | None:
        """How many ids the tokens of its tables can have; None if it has no tables."""

    @property
    def sparsity(self) -> int:
        """The number k of positions in a set."""

    @property
    def reach(self) -> int | None:
        """The largest max S − min S of a set with a finite score; None if there is no such number."""

    @property
    def relative(self) -> bool:
        """Whether shifting a set never changes its score."""

    @property
    def denominator(self) -> int | None:
        """A common denominator of all weights; None if it is not known beforehand."""

    def weight(self, places: Places, tokens: Tokens) -> Fraction:
        """e^g0(S, x)."""

    def score(self, places: Places, tokens: Tokens) -> float:
        """g0(S, x)."""

    def scores(self, shape: Places, starts: Ints, tokens: Ints) -> Floats:
        """The scores of all sets of one shape: those that begin at `starts`, of all words (first axis) at once."""

    def shapes(self, length: int) -> Iterator[Places]:
        """The shapes (offsets from 0 on) that sets with finite scores can have in a word of this length."""


def shapes_within(sparsity: int, reach: int | None, length: int) -> Iterator[Places]:
    """All shapes of so many positions with a span of at most `reach`, as offsets from 0 on."""
    longest = length - 1 if reach is None else min(reach, length - 1)
    for rest in combinations(range(1, longest + 1), sparsity - 1):
        yield (0, *rest)


@dataclass(frozen=True, eq=False)
class TokenKey:
    """A position-independent key: a table of tuples of tokens, for sets of any span or of a bounded one."""

    alphabet_size: int
    sparsity: int
    table: Mapping[Tokens, float]
    """Scores; tuples that are not listed score −∞."""
    weights: Mapping[Tokens, Fraction] | None = None
    """The same table as exact weights, if it was given so."""
    reach: int | None = None
    relative: bool = field(default=True, init=False)

    def __post_init__(self) -> None:
        require_tuples(self.table, self.alphabet_size, self.sparsity, "a key")

    @classmethod
    def of(cls, alphabet: Alphabet, weights: Mapping[str, Number], locality: int | None = None) -> TokenKey:
        """The key with these weights of words; `locality` bounds max S − min S."""
        exact = {as_tokens(alphabet, word): exact_weight(weight) for word, weight in weights.items()}
        return cls.with_weights(alphabet.id_count, exact, locality)

    @classmethod
    def with_weights(
        cls, alphabet_size: int, weights: Mapping[Tokens, Fraction], locality: int | None = None
    ) -> TokenKey:
        """The key with these weights of tuples of ids."""
        used = {tokens: weight for tokens, weight in weights.items() if weight}
        scores = {tokens: score_of(weight) for tokens, weight in used.items()}
        return cls(alphabet_size, _width(used), scores, used, locality)

    @cached_property
    def denominator(self) -> int | None:
        """A common denominator of all weights."""
        return None if self.weights is None else math.lcm(*(weight.denominator for weight in self.weights.values()))

    def score(self, places: Places, tokens: Tokens) -> float:
        """g0(S, x)."""
        if self.reach is not None and places[-1] - places[0] > self.reach:
            return -math.inf
        return self.table.get(tokens, -math.inf)

    def weight(self, places: Places, tokens: Tokens) -> Fraction:
        """e^g0(S, x)."""
        if self.weights is None:
            return weight_of(self.score(places, tokens))
        within = self.reach is None or places[-1] - places[0] <= self.reach
        return self.weights.get(tokens, Fraction(0)) if within else Fraction(0)

    def scores(self, shape: Places, starts: Ints, tokens: Ints) -> Floats:
        """The scores of all sets of one shape."""
        lookup, listed = self._rows
        return listed[lookup.find(tokens)]

    def shapes(self, length: int) -> Iterator[Places]:
        """All shapes within reach."""
        return shapes_within(self.sparsity, self.reach, length)

    @cached_property
    def _rows(self) -> tuple[Lookup, Floats]:
        lookup = Lookup.of(self.alphabet_size, self.sparsity, self.table)
        return lookup, np.array([*self.table.values(), -math.inf])  # row −1, the last one, is for what is not listed


@dataclass(frozen=True, eq=False)
class ShapeKey:
    """A relative key: one table of tuples of tokens for every shape that is looked at."""

    tables: Mapping[Places, TokenKey]
    relative: bool = field(default=True, init=False)

    def __post_init__(self) -> None:
        widths = {table.sparsity for table in self.tables.values()} | {len(shape) for shape in self.tables}
        if len(widths) != 1 or not all(is_shape(shape) for shape in self.tables):
            raise HypothesisError(
                "a shape is an increasing tuple of offsets from 0 on, as long as the words in its table"
            )
        if len({table.alphabet_size for table in self.tables.values()}) != 1:
            raise HypothesisError("all tables of a key must be over the same alphabet")

    @classmethod
    def of(cls, alphabet: Alphabet, weights: Mapping[Places, Mapping[str, Number]]) -> ShapeKey:
        """The key with these weights, by shape and word: `{(0, 1): {"aa": 1}}` looks at adjacent a a."""
        return cls({shape: TokenKey.of(alphabet, table) for shape, table in weights.items()})

    @property
    def alphabet_size(self) -> int:
        """How many ids the tokens of its tables can have."""
        return next(iter(self.tables.values())).alphabet_size

    @property
    def sparsity(self) -> int:
        """The number k of positions in a set."""
        return len(next(iter(self.tables)))

    @property
    def reach(self) -> int:
        """The largest span of a shape that is looked at."""
        return max(shape[-1] for shape in self.tables)

    @cached_property
    def denominator(self) -> int | None:
        """A common denominator of all weights."""
        known = [table.denominator for table in self.tables.values()]
        return None if None in known else math.lcm(*(number for number in known if number is not None))

    def shapes(self, length: int) -> Iterator[Places]:
        """The shapes in the table that fit into a word of this length."""
        yield from (shape for shape in self.tables if shape[-1] < length)

    def score(self, places: Places, tokens: Tokens) -> float:
        """g0(S, x)."""
        table = self.tables.get(tuple(place - places[0] for place in places))
        return -math.inf if table is None else table.score(places, tokens)

    def weight(self, places: Places, tokens: Tokens) -> Fraction:
        """e^g0(S, x)."""
        table = self.tables.get(tuple(place - places[0] for place in places))
        return Fraction(0) if table is None else table.weight(places, tokens)

    def scores(self, shape: Places, starts: Ints, tokens: Ints) -> Floats:
        """The scores of all sets of one shape."""
        return self.tables[shape].scores(shape, starts, tokens)


@dataclass(frozen=True, eq=False)
class FunctionKey:
    """Any key at all, as a function of positions and tokens that gives the weight e^g0."""

    sparsity: int
    function: Callable[[Places, Tokens], Number]
    reach: int | None = None
    relative: bool = False
    """What the caller says about it; nothing checks that."""
    denominator: int | None = None
    """A common denominator of all weights, which makes exact losses quicker; a wrong one is refused there."""
    alphabet_size: None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if self.sparsity < 1:
            raise HypothesisError(f"a key looks at sets of at least 1 position, not {self.sparsity}")
        if self.denominator is not None and self.denominator < 1:
            raise HypothesisError(f"a denominator is 1 or more, not {self.denominator}; leave it out if it is unknown")

    def weight(self, places: Places, tokens: Tokens) -> Fraction:
        """e^g0(S, x)."""
        if self.reach is not None and places[-1] - places[0] > self.reach:
            return Fraction(0)
        return exact_weight(self.function(places, tokens))

    def score(self, places: Places, tokens: Tokens) -> float:
        """g0(S, x)."""
        return score_of(self.weight(places, tokens))

    def shapes(self, length: int) -> Iterator[Places]:
        """All shapes within reach."""
        return shapes_within(self.sparsity, self.reach, length)

    def scores(self, shape: Places, starts: Ints, tokens: Ints) -> Floats:
        """The scores of all sets of one shape."""
        found = np.empty(tokens.shape[:2])
        for column, start in enumerate(starts.tolist()):
            places = tuple(start + offset for offset in shape)
            for row in range(len(tokens)):
                found[row, column] = self.score(places, tuple(tokens[row, column].tolist()))
        return found


def _width(table: Mapping[Tokens, Fraction]) -> int:
    widths = {len(tokens) for tokens in table}
    if len(widths) != 1:
        raise HypothesisError("a key needs a table of tuples that all have the same number of tokens, and at least one")
    return widths.pop()
