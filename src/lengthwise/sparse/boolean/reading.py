"""Functions of few bits by a text: a formula such as `x2 & (x4 | !x5)`, or the name of a symmetric function.

`parity:1,5,9` is the parity of these three bits, `parity:3` that of three bits spread evenly over the string; `and`,
`or` and `majority` are read in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lengthwise.sparse.boolean.arrays import BooleanError
from lengthwise.sparse.boolean.functions import (
    SparseFunction,
    Symmetric,
    conjunction,
    disjunction,
    from_formula,
    majority,
    parity,
)

NAMED: dict[str, Callable[[Sequence[int]], Symmetric]] = {
    "and": conjunction,
    "or": disjunction,
    "majority": majority,
    "parity": parity,
}
"""The symmetric functions that have a name."""


def read_function(text: str, length: int) -> SparseFunction:
    """The function of a string of `length` bits that a text stands for.

    Args:
        text: A formula over x1, x2, …; or `parity`, `majority`, `and` or `or`, a colon, and how many bits, or which
            ones with commas between (a comma behind a single one: `and:7,`).
        length: How many bits there are.

    Raises:
        BooleanError: The text is no function of such strings.

    """
    name, colon, bits = text.strip().partition(":")
    if not colon:
        return from_formula(text)
    if name not in NAMED:
        raise BooleanError(
            f"there is no function named {name!r}; there are {', '.join(NAMED)}, and formulas such as x2 & x5"
        )
    try:
        numbers = [int(each) for each in bits.split(",") if each.strip()]
    except ValueError:
        raise BooleanError(f"{text!r}: write how many bits, as in {name}:3, or which, as in {name}:1,5,9") from None
    return NAMED[name](numbers if "," in bits else _spread(length, *numbers or (0,)))


def _spread(length: int, count: int) -> list[int]:
    """So many positions from 1 to the length, evenly spread."""
    if not 1 <= count <= length:
        raise BooleanError(f"{count} of {length} bits cannot be chosen; give a number from 1 to {length}")
    return [1 + place * (length - 1) // max(count - 1, 1) for place in range(count)]
