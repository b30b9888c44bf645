"""Coupled tokens: lists of tokens that share a position, each with its rank in the planted set.

Position coupling gives several positions the same number; what stands there becomes one token, the list of (rank,
token). The paper's vocabulary ([k] × V)^{≤k} contains lists in any order; sorted by rank and without repeated ranks,
as they occur, (1 + |V|)^k − 1 are left. Golowich et al., appendix D; corrections ERR-I6.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TypeAlias

from lengthwise.alphabet import Alphabet
from lengthwise.errors import LengthwiseError
from lengthwise.sparse.ensembles.laws import Tokens

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
