"""The semigroups behind the two decisions with windows, each with a non-empty word for every element.

C-RASP[periodic, local] sees the stable semigroup S = η(Σˢ), whose elements all have words of one length s;
C-RASP[local] sees S₊ = η(Σ⁺).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lengthwise.regular.algebra.monoid import StableSemigroup, TransitionMonoid


@dataclass(frozen=True)
class Semigroup:
    """A subsemigroup of a transition monoid."""

    monoid: TransitionMonoid
    elements: tuple[int, ...]
    word: Callable[[int], tuple[int, ...]]
    """A non-empty word of an element, as symbol ids."""
    length: int | None
    """The length that all these words have, if it is the same."""
    shorter: Callable[[], Iterator[tuple[tuple[int, ...], Callable[[int], tuple[int, ...]]]]]
    """Sets of elements whose words may stand beside each other in a witness, those with shorter words first."""

    @property
    def idempotents(self) -> list[int]:
        """The elements e = e · e."""
        multiply = self.monoid.multiply
        return [x for x in self.elements if multiply(x, x) == x]


def stable(monoid: TransitionMonoid) -> Semigroup:
    """S = η(Σˢ) with s the stability index."""
    found = StableSemigroup(monoid)

    def shorter() -> Iterator[tuple[tuple[int, ...], Callable[[int], tuple[int, ...]]]]:
        for length in range(1, found.index + 1):
            yield found.layer(length), lambda element, length=length: found.word(element, length)  # type: ignore[misc]

    return Semigroup(monoid, found.elements, found.word, found.index, shorter)


def plain(monoid: TransitionMonoid) -> Semigroup:
    """S₊ = η(Σ⁺)."""
    return Semigroup(
        monoid, monoid.semigroup, monoid.nonempty_word, None, lambda: iter([(monoid.semigroup, monoid.nonempty_word)])
    )
