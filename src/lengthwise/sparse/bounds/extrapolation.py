"""`Extrapolation`: from words up to L to words of length L̄, in steps of one block of L_local tokens.

A word of length L̄ is a base of L − 2L_local tokens, which holds the planted set, with m + 2 blocks of background in
front of it and after it. `first_block` says how many stand in front. Golowich et al., appendix C.1; corrections
ERR-I2, ERR-I3.
"""

from __future__ import annotations

from dataclasses import dataclass

from lengthwise.errors import LengthwiseError
from lengthwise.sparse.ensembles.laws import Places
from lengthwise.sparse.ensembles.positions import shifted
from lengthwise.sparse.functional.risk import training_lengths


class SparsityBoundError(LengthwiseError):
    """Lengths or a hypothesis to which Theorem 4.3 does not apply."""


LONGEST = 32
"""Words beyond this length are not looked at by the checks that compute everything exactly."""


def require_short(test_length: int) -> None:
    """Refuse a test length at which exact losses and coverage would take more than a minute or so."""
    if test_length > LONGEST:
        raise SparsityBoundError(
            f"losses and bounds are computed exactly, which takes too long at length {test_length}; test at up to "
            f"{LONGEST}"
        )


@dataclass(frozen=True)
class Extrapolation:
    """Training lengths up to L, a test length L̄ and the locality L_local, as Theorem 4.3 wants them."""

    training: int
    """L."""
    test: int
    """L̄."""
    locality: int
    """L_local."""

    def __post_init__(self) -> None:
        if self.locality < 1 or self.training < 4 * self.locality:
            raise SparsityBoundError(f"L = {self.training} must be at least four times L_local = {self.locality}")
        if self.test < self.training or (self.test - self.training) % self.locality:
            raise SparsityBoundError(
                f"L̄ = {self.test} must be L = {self.training} plus a multiple of L_local = {self.locality}"
            )

    @property
    def blocks(self) -> int:
        """The number m = (L̄ − L) / L_local of blocks beyond L."""
        return (self.test - self.training) // self.locality

    @property
    def lengths(self) -> int:
        """n_L: how many training lengths there are."""
        return len(training_lengths(self.training))

    @property
    def base(self) -> int:
        """L − 2L_local: the length of the base."""
        return self.training - 2 * self.locality

    def is_local(self, places: Places) -> bool:
        """Whether max S − min S ≤ L_local."""
        return places[-1] - places[0] <= self.locality

    def first_block(self, places: Places) -> int:
        """t0: how many blocks stand in front of the base if this set is planted in a word of length L̄."""
        return min(self.blocks + 2, (places[0] - 1) // self.locality)

    def in_base(self, places: Places) -> Places:
        """Where a local set of a word of length L̄ stands in its base."""
        return shifted(places, -self.first_block(places) * self.locality)

    def training_placements(self, places: Places) -> list[tuple[int, Places]]:
        """The words of training length that the proof compares with: their lengths, and where the set stands.

        The base alone, and with one and with two blocks after or in front of it, as far as the word has such blocks.
        """
        front = self.first_block(places)
        behind, local, base = self.blocks + 2 - front, self.locality, self.in_base(places)
        found = [(self.base, base)]
        found += [(self.base + number * local, base) for number in (1, 2) if number <= behind]
        found += [(self.base + number * local, shifted(base, number * local)) for number in (1, 2) if number <= front]
        return found
