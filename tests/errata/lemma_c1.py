"""Lemma C.1 as printed, and an instance on which it fails.

The lemma: if adding A_1/B_1 and then A_2/B_2 to a fraction A_0/B_0 moves it by at most ε on average, then adding the
first i moves it by at most 3iε. Its proof lets the i-th block follow the first and claims that this looks like the
second; but the first block may hide what the second does. Here Z_1, Z_2, … are fair bits, B_1 = M Z_1, and from j = 2
on A_j = B_j = Z_{j−1}: whenever A_2 would move the fraction, B_1 = M is in its way. Golowich et al., appendix C.1;
ERR-I2.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product


@dataclass(frozen=True)
class HidingBlock:
    """The instance with a first block of weight M; f(z, *) = 0, g(z, *) = Mz, and else f(z, z') = g(z, z') = z'."""

    weight: int
    """M."""

    def fraction(self, bits: tuple[int, ...]) -> Fraction:
        """(A_0 + … + A_i) / (B_0 + … + B_i) for i bits Z_1, …, Z_i."""
        top, bottom = Fraction(0), Fraction(1)
        if bits:
            bottom += self.weight * bits[0]
        for previous, _ in pairwise(bits):
            top += previous
            bottom += previous
        return top / bottom

    def move(self, start: int, end: int) -> Fraction:
        """The mean distance between the fraction after `start` blocks and after `end` blocks."""
        words = list(product((0, 1), repeat=end))
        moves = (abs(self.fraction(bits[:start]) - self.fraction(bits)) for bits in words)
        return sum(moves, Fraction(0)) / len(words)

    @property
    def epsilon(self) -> Fraction:
        """ε: the larger of the two moves that the lemma asks about."""
        return max(self.move(0, 1), self.move(1, 2))

    def promised(self, blocks: int) -> Fraction:
        """3iε: what the lemma promises for i blocks."""
        return 3 * blocks * self.epsilon
