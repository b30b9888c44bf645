"""What must be remembered of a prefix to go on reading: how a word of any length is read in bounded memory.

A program needs, at each position, one running count for every Boolean under an unguarded `#` and the last few values of
every Boolean under a window. That is all: it does not grow with the word.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from lengthwise.crasp.running.operations import Listing


@dataclass(frozen=True, slots=True)
class Layout:
    """The operations that some results need, and what has to be remembered for them."""

    listing: Listing
    roots: tuple[int, ...]
    needed: tuple[int, ...]
    counted: tuple[int, ...]
    """Booleans with a running count."""
    remembered: tuple[tuple[int, int], ...]
    """Booleans whose last values are kept, with how many."""

    @classmethod
    def of(cls, listing: Listing, roots: Iterable[int]) -> Layout:
        """The layout for computing `roots`."""
        results = tuple(roots)
        needed = listing.needed(results)
        counted: set[int] = set()
        remembered: dict[int, int] = {}
        for index in needed:
            operation = listing.operations[index]
            if operation.kind in ("count", "before"):
                counted.update(operation.operands)
            elif operation.kind == "window" and operation.numbers[-1] > 0:
                operand = operation.operands[0]
                remembered[operand] = max(remembered.get(operand, 0), operation.numbers[-1])
        return cls(listing, results, needed, tuple(sorted(counted)), tuple(sorted(remembered.items())))


@dataclass(slots=True)
class State:
    """A prefix as a program remembers it: its length, the running counts, the last values (oldest first)."""

    layout: Layout
    position: int = 0
    counts: npt.NDArray[np.int64] = field(init=False)
    tails: list[npt.NDArray[np.uint8]] = field(init=False)

    def __post_init__(self) -> None:
        self.counts = np.zeros(len(self.layout.counted), dtype=np.int64)
        self.tails = [np.zeros(length, dtype=np.uint8) for _, length in self.layout.remembered]

    def remember(self, slot: int, values: npt.NDArray[np.uint8]) -> None:
        """Shift newly computed values of one remembered Boolean into its tail."""
        tail = self.tails[slot]
        if len(values) >= len(tail):
            tail[:] = values[len(values) - len(tail) :]
        elif len(values):
            tail[: -len(values)] = tail[len(values) :].copy()
            tail[-len(values) :] = values
