"""`Coupling`: for every length, a joint law of the planted set S* and of a renumbering ψ of positions.

ψ(i) is the position ID that position i gets. Tokens with the same ID are read together, so a planted set that is
spread over the word can become local. Golowich et al., Definition 4.1 and section 2.1.

Coupled tokens are lists of tokens that share a position, each with its rank in the planted set. Position coupling gives
several positions the same number; what stands there becomes one token, the list of (rank, token). The paper's
vocabulary ([k] × V)^{≤k} contains lists in any order; sorted by rank and without repeated ranks, as they occur, (1 +
|V|)^k − 1 are left. Golowich et al., appendix D; corrections ERR-I6.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import TypeAlias

import numpy as np

from lengthwise.alphabet import Alphabet
from lengthwise.errors import LengthwiseError
from lengthwise.sparse.ensembles.laws import Number, Places, Tokens, draw, exact_law
from lengthwise.sparse.ensembles.positions import PositionLaw

CoupledToken: TypeAlias = tuple[tuple[int, int], ...]
"""(rank, token) pairs, ranks counted from 1 and increasing."""

MOST_TOKENS = 100_000
"""Larger coupled vocabularies are refused."""


class CouplingError(LengthwiseError):
    """A coupling that is none, or a hypothesis that cannot be coupled."""


def expand(coupled: Sequence[CoupledToken], sparsity: int) -> Tokens | None:
    """The tuple of k tokens that the lists make together, in the order of ranks; None unless these are exactly 1 to k.

    A rank that occurs twice with the same token counts once; with two different tokens nothing valid is left.
    """
    found: dict[int, int] = {}
    for rank, token in (pair for listed in coupled for pair in listed):
        if found.setdefault(rank, token) != token:
            return None
    ranks = range(1, sparsity + 1)
    return tuple(found[rank] for rank in ranks) if found.keys() == set(ranks) else None


@dataclass(frozen=True)
class CoupledVocabulary:
    """All coupled tokens over an alphabet, for planted sets of k positions."""

    plain: Alphabet
    sparsity: int
    """k."""

    def __post_init__(self) -> None:
        if (1 + len(self.plain)) ** self.sparsity > MOST_TOKENS:
            raise CouplingError(f"{len(self.plain)} symbols and k = {self.sparsity} make too many coupled tokens")

    @cached_property
    def tokens(self) -> tuple[CoupledToken, ...]:
        """Every coupled token, in the order of its id."""
        options = product((None, *range(len(self.plain))), repeat=self.sparsity)
        lists = (
            tuple((rank, token) for rank, token in enumerate(option, start=1) if token is not None)
            for option in options
        )
        return tuple(listed for listed in lists if listed)

    @cached_property
    def alphabet(self) -> Alphabet:
        """The coupled tokens as symbols, such as `1=a` or `1=a&2=b`."""
        names = ("&".join(f"{rank}={self.plain.symbols[token]}" for rank, token in listed) for listed in self.tokens)
        return Alphabet(tuple(names))

    @cached_property
    def _ids(self) -> dict[CoupledToken, int]:
        return {listed: number for number, listed in enumerate(self.tokens)}

    def id(self, listed: CoupledToken) -> int:
        """The id of a coupled token."""
        ordered = tuple(sorted(listed))
        if ordered not in self._ids:
            raise CouplingError(
                f"{listed} is no coupled token; its ranks are different ones from 1 to {self.sparsity}, "
                f"its tokens ids from 0 to {len(self.plain) - 1}"
            )
        return self._ids[ordered]

    def spellings(self, tokens: Tokens, lists: int) -> Iterator[Tokens]:
        """All sequences of so many coupled tokens, as ids, that expand to this tuple."""
        holders = [held for held in product((False, True), repeat=lists) if any(held)]
        for choice in product(holders, repeat=self.sparsity):
            spelled = [
                tuple((rank, token) for rank, token in enumerate(tokens, start=1) if choice[rank - 1][number])
                for number in range(lists)
            ]
            if all(spelled):
                yield tuple(self.id(listed) for listed in spelled)


Renumbering: TypeAlias = tuple[int, ...]
"""ψ: the IDs of positions 1, 2, …, each from 1 to the length."""
RankLists: TypeAlias = tuple[tuple[int, ...], ...]
"""For each ID of the planted set, in increasing order: the ranks in S* of the positions that have it."""


@dataclass(frozen=True, eq=False)
class Coupling:
    """The joint law of (S*, ψ) at every length from `min_length` on."""

    min_length: int
    table: Callable[[int], Mapping[tuple[Places, Renumbering], Number]]
    _known: dict[int, dict[tuple[Places, Renumbering], Fraction]] = field(default_factory=dict, init=False, repr=False)

    def masses(self, length: int) -> Mapping[tuple[Places, Renumbering], Fraction]:
        """The probability of each planted set with each renumbering."""
        if length not in self._known:
            if length < self.min_length:
                raise CouplingError(
                    f"words of {length} symbols are too short; this coupling begins at {self.min_length}"
                )
            law = exact_law(self.table(length), f"the coupling at length {length}")
            for _, renumbering in law:
                if len(renumbering) != length or not all(1 <= number <= length for number in renumbering):
                    raise CouplingError(f"a renumbering of {length} positions needs {length} IDs from 1 to {length}")
            self._known[length] = law
        return self._known[length]

    def sample(self, length: int, rng: np.random.Generator) -> tuple[Places, Renumbering]:
        """One planted set with its renumbering."""
        law = self.masses(length)
        return list(law)[int(draw(law, 1, rng)[0])]


def image(places: Places, renumbering: Renumbering) -> Places:
    """ψ(S), in increasing order."""
    return tuple(sorted({renumbering[place - 1] for place in places}))


def rank_lists(places: Places, renumbering: Renumbering) -> RankLists:
    """For each ID of ψ(S): the ranks in S of its positions."""
    return tuple(
        tuple(rank for rank, place in enumerate(places, start=1) if renumbering[place - 1] == number)
        for number in image(places, renumbering)
    )


def gathering(positions: PositionLaw, groups: Sequence[Sequence[int]]) -> Coupling:
    """The coupling that brings any planted set together: one group of ranks on each of adjacent IDs, uniformly placed.

    `groups` is a partition of the ranks 1 to k; the other positions keep their order on the IDs that are left. Sets
    become 'len(groups) − 1'-local. Such a ψ knows S*, which Definition 4.1 allows.
    """
    ranks = sorted(rank for group in groups for rank in group)
    if ranks != list(range(1, positions.sparsity + 1)) or not all(groups):
        raise CouplingError(f"the groups must contain each rank from 1 to {positions.sparsity} exactly once")

    def table(length: int) -> dict[tuple[Places, Renumbering], Number]:
        found: dict[tuple[Places, Renumbering], Number] = {}
        starts = range(1, length - len(groups) + 2)
        for places, mass in positions.masses(length).items():
            for start in starts:
                ids = {places[rank - 1]: start + number for number, group in enumerate(groups) for rank in group}
                free = iter(number for number in range(1, length + 1) if not start <= number < start + len(groups))
                renumbering = tuple(ids[place] if place in ids else next(free) for place in range(1, length + 1))
                found[places, renumbering] = mass / len(starts)
        return found

    return Coupling(positions.min_length, table)
