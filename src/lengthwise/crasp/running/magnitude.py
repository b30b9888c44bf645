"""How large counts can get: the reason why 64 bits suffice, or the refusal when they do not.

Every count C of a program satisfies a·n + b <= C(i) <= a'·n + b' on words of length n, with integers read off its
operations. From these follow the longest word that a machine integer can serve exactly: on longer ones evaluation is
refused rather than wrapped. Only final values matter: sums are exact modulo 2^bits whatever the order of their terms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from lengthwise.crasp.running.operations import Listing, Operation


@dataclass(frozen=True, slots=True)
class Affine:
    """slope · n + constant."""

    slope: int
    constant: int

    def at(self, length: int) -> int:
        """The value at one length."""
        return self.slope * length + self.constant


@dataclass(frozen=True, slots=True)
class Range:
    """An interval that holds an operation's values on every word, as a function of the word's length."""

    low: Affine
    high: Affine

    def times(self, factor: int) -> Range:
        """The range of a multiple."""
        ends = (
            Affine(self.low.slope * factor, self.low.constant * factor),
            Affine(self.high.slope * factor, self.high.constant * factor),
        )
        return Range(*ends) if factor >= 0 else Range(*ends[::-1])

    def plus(self, other: Range) -> Range:
        """The range of a sum."""
        return Range(
            Affine(self.low.slope + other.low.slope, self.low.constant + other.low.constant),
            Affine(self.high.slope + other.high.slope, self.high.constant + other.high.constant),
        )

    def hull(self, other: Range) -> Range:
        """A range that holds both."""
        return Range(
            Affine(min(self.low.slope, other.low.slope), min(self.low.constant, other.low.constant)),
            Affine(max(self.high.slope, other.high.slope), max(self.high.constant, other.high.constant)),
        )


BOOLEAN = Range(Affine(0, 0), Affine(0, 1))
COUNT = Range(Affine(0, 0), Affine(1, 0))


def exactly(value: int) -> Range:
    """The range of a constant."""
    return Range(Affine(0, value), Affine(0, value))


def length_range(operation: Operation, parts: Sequence[Range]) -> Range:
    """The range of an operation's values, from those of its operands; a Boolean's is 0..1."""
    match operation.kind:
        case "number":
            return exactly(operation.value)
        case "count" | "before":
            return COUNT
        case "window":
            return Range(Affine(0, 0), Affine(0, len(operation.numbers)))
        case "sum":
            total = exactly(operation.value)
            for part, factor in zip(parts, operation.numbers, strict=True):
                total = total.plus(part.times(factor))
            return total
        case "min" | "max":
            return parts[0].hull(parts[1])
        case "select":
            return parts[1].hull(parts[2])
        case _:
            return BOOLEAN


def longest_within(found: Range, limit: int) -> float:
    """The longest word on which values in a range lie between -limit and limit; -1 if there is none."""
    longest = inf
    for end in (found.high, Affine(-found.low.slope, -found.low.constant)):
        if end.constant > limit:
            return -1
        if end.slope > 0:
            longest = min(longest, (limit - end.constant) // end.slope)
    return longest


def ranges(listing: Listing) -> tuple[Range, ...]:
    """The range of every operation."""
    found: list[Range] = []
    for operation in listing.operations:
        found.append(length_range(operation, [found[index] for index in operation.operands]))
    return tuple(found)


def longest_exact(listing: Listing, bits: int) -> int:
    """The longest word on which every count fits a signed integer of `bits` bits; -1 if none does."""
    limit: int = 2 ** (bits - 1) - 1
    return int(min([limit, *(longest_within(bound, limit) for bound in ranges(listing))]))
