"""The function that is hidden: a Boolean function of s bits, whose places among T are what has to be learned.

It is named (`and-3`, `or-2`, `parity-3`, `majority-5`), written as a formula over x1, x2, … (`x1 & (x2 | !x3)`), or
listed as its table in the order 0…00, 0…01, 0…10, … (`00000001`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from lengthwise.errors import LengthwiseError
from lengthwise.sparse.boolean import (
    SparseFunction,
    Tabulated,
    conjunction,
    disjunction,
    from_formula,
    from_table,
    majority,
    parity,
)

Bits = npt.NDArray[np.bool_]

NAMED: Mapping[str, Callable[[Sequence[int]], SparseFunction]] = {
    "and": conjunction,
    "or": disjunction,
    "parity": parity,
    "majority": majority,
}


class ProbeError(LengthwiseError):
    """A probe that cannot be made as asked."""


@dataclass(frozen=True)
class HiddenFunction:
    """A Boolean function of s bits by its table, the first bit leading."""

    table: tuple[bool, ...]

    @cached_property
    def sparsity(self) -> int:
        """s: how many bits it is a function of."""
        return len(self.table).bit_length() - 1

    @property
    def share(self) -> float:
        """The probability of the label 1 for uniform bits."""
        return sum(self.table) / len(self.table)

    def at(self, places: Sequence[int]) -> Tabulated:
        """The function of T bits, its own being those at these places, counted from 1 on."""
        return from_table(places, [float(value) for value in self.table])

    def labels(self, bits: Bits, places: Sequence[int]) -> Bits:
        """The labels (…) of strings (…, T) if the function's bits are at these places, counted from 1 on."""
        return np.asarray(self.at(places)(bits) > 0)

    def patterns(self, label: bool) -> list[int]:
        """The patterns with this label, as binary numbers."""
        return [pattern for pattern, value in enumerate(self.table) if value == label]


def names() -> list[str]:
    """The functions that have names, each of which takes a number of bits: `and-3`."""
    return list(NAMED)


def function_of(text: str) -> HiddenFunction:
    """The function that a name, a formula or a table says."""
    named = re.fullmatch(rf"({'|'.join(NAMED)})-([1-9]\d?)", text.strip())
    if named:
        found = NAMED[named[1]](range(1, int(named[2]) + 1)).table
    elif re.fullmatch(r"[01]{2,}", text.strip()):
        found = tuple(map(float, text.strip()))
        if len(found) & (len(found) - 1):
            raise ProbeError(f"a table of s bits has 2^s values, not {len(found)}")
    else:
        written = from_formula(text)
        if written.indices != tuple(range(1, written.sparsity + 1)):
            raise ProbeError(f"the bits of the formula {text!r} are x1 to x{max(written.sparsity, 1)}, none left out")
        found = written.table
    if len(set(found)) < 2:
        raise ProbeError(f"{text!r} has the same value everywhere, so there is nothing to learn")
    return HiddenFunction(tuple(value > 0 for value in found))
