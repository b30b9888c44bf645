"""What is known about the values of an operation without running it, from what is known about those of its operands."""

from __future__ import annotations

from dataclasses import dataclass

from lengthwise.crasp.running.magnitude import Affine, Range, length_range
from lengthwise.crasp.running.operations import Operation


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
