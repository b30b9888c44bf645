"""What is known about the values of an operation without running it, from what is known about those of its operands."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from lengthwise.crasp.running.magnitude import Affine, Range
from lengthwise.crasp.running.operations import Operation

_BOOLEAN = Range(Affine(0, 0), Affine(0, 1))
_COUNT = Range(Affine(0, 0), Affine(1, 0))


@dataclass(frozen=True, slots=True)
class Bounds:
    """Integers between which a value lies at every position of every word; None where there is no such integer."""

    least: int | None
    most: int | None

    @classmethod
    def of(cls, found: Range) -> Bounds:
        """The bounds of a range over all positions, the virtual position 0 of the empty word included."""
        # No position is negative, so a bound that does not fall with the position is least at 0.
        return cls(
            found.low.constant if found.low.slope >= 0 else None,
            found.high.constant if found.high.slope <= 0 else None,
        )


def at_start(operation: Operation, parts: list[int]) -> int:
    """The value of an operation on the empty word, at the virtual position 0, where every count is 0."""
    match operation.kind:
        case "truth" | "number":
            return operation.value
        case "periodic":
            return int(0 in operation.numbers)
        case "not":
            return 1 - parts[0]
        case "and" | "min":
            return min(parts)
        case "or" | "max":
            return max(parts)
        case "==":
            return int(parts[0] == parts[1])
        case "!=":
            return int(parts[0] != parts[1])
        case "<":
            return int(parts[0] < parts[1])
        case "<=":
            return int(parts[0] <= parts[1])
        case "sum":
            return operation.value + sum(f * part for f, part in zip(operation.numbers, parts, strict=True))
        case "select":
            return parts[1] if parts[0] else parts[2]
        case _:
            return 0


def exactly(value: int) -> Range:
    """The range of a constant."""
    return Range(Affine(0, value), Affine(0, value))


def position_range(operation: Operation, parts: list[Range], counts_all: bool) -> Range:
    """A range of the value at position i as a function of i; `counts_all` for a count of every admitted position."""
    match operation.kind:
        case "count" if counts_all:
            return Range(Affine(1, 0), Affine(1, 0))
        case "before" if counts_all:
            return Range(Affine(1, -1), Affine(1, 0))
        case "min":
            high = min((part.high for part in parts), key=lambda end: (max(end.slope, 0), end.constant))
            return Range(parts[0].hull(parts[1]).low, high)
        case "max":
            low = max((part.low for part in parts), key=lambda end: (min(end.slope, 0), end.constant))
            return Range(low, parts[0].hull(parts[1]).high)
        case _:
            return length_range(operation, parts)


def length_range(operation: Operation, parts: list[Range]) -> Range:
    """The range by which evaluators judge whether a count fits (the same as in `magnitude.ranges`)."""
    match operation.kind:
        case "number":
            return exactly(operation.value)
        case "count" | "before":
            return _COUNT
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
            return _BOOLEAN


def longest_word(found: Range) -> float:
    """The longest word on which values in a range fit 64 bits; -1 if there is none."""
    longest = inf
    for end in (found.high, Affine(-found.low.slope, -found.low.constant)):
        if end.constant >= 2**63:
            return -1
        if end.slope > 0:
            longest = min(longest, (2**63 - 1 - end.constant) // end.slope)
    return longest
