"""Sparse functions: numbers that depend on few of T bits (Edelman et al., appendix B.1).

A function is I-sparse if it depends on the bits at positions in I alone, and symmetric if only on how many of these are
1. `Tabulated` lists a value for each of the 2^s patterns on I, `Symmetric` one for each number of ones.

A function can be written as a formula, such as `x3 & (x7 | !x12)`. From what binds most to what binds least: `!` or
`not`, `&` or `and`, `^` or `xor`, `|` or `or`; beside them parentheses, the constants 0 and 1, and the bits x1, x2, ….
The signs ¬ ∧ ⊕ ∨ are read as well.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lengthwise.sparse.boolean.arrays import Bits, BitsLike, BooleanError, Floats, all_bits, as_bits, checked_indices

Postfix = tuple[str | int, ...]
"""A formula as a stack machine reads it: positions, "0" and "1" are pushed, the other signs combine what was pushed."""

_SYMBOL = re.compile(r"\s*(?:x(?P<bit>[1-9]\d{0,8})(?!\w)|(?P<word>[A-Za-z_]\w*|[01](?!\w)|[^\s\w]))")
_SPELLINGS = {
    **{"!": "!", "~": "!", "¬": "!", "not": "!"},
    **{"&": "&", "∧": "&", "and": "&"},
    **{"^": "^", "⊕": "^", "xor": "^"},
    **{"|": "|", "∨": "|", "or": "|"},
    **{each: each for each in "()01"},
}
_BINDS = {"|": 1, "^": 2, "&": 3, "!": 4}
_COMBINES = {"&": np.logical_and, "^": np.logical_xor, "|": np.logical_or}


@dataclass(frozen=True)
class Formula:
    """A formula that has been read."""

    variables: tuple[int, ...]
    """The positions it mentions, in increasing order."""
    postfix: Postfix

    def truth(self, columns: Mapping[int, Bits]) -> Bits:
        """Its truth values, given those of each bit."""
        stack: list[Bits] = []
        for each in self.postfix:
            if isinstance(each, int):
                stack.append(columns[each])
            elif each in "01":
                stack.append(np.array(each == "1"))
            elif each == "!":
                stack.append(np.logical_not(stack.pop()))
            else:
                right, left = stack.pop(), stack.pop()
                stack.append(_COMBINES[each](left, right))
        return stack.pop()


def parse(text: str) -> Formula:
    """The formula that a text writes down."""
    found: list[str | int] = []
    waiting: list[tuple[str, int]] = []  # operators and parentheses whose right side is still to come, with their place
    place, wants_operand = 0, True
    while text[place:].strip():
        match = _SYMBOL.match(text, place)
        start = len(text) - len(text[place:].lstrip()) + 1
        symbol = match and (int(match["bit"]) if match["bit"] else _SPELLINGS.get(match["word"].lower()))
        if match is None or symbol is None:
            raise BooleanError(f"{text!r}, column {start}: expected a bit such as x3, a constant or an operator")
        is_operand = isinstance(symbol, int) or symbol in "01"
        if wants_operand != (is_operand or symbol in ("!", "(")):
            wanted = "a bit, a constant, ! or (" if wants_operand else "an operator or )"
            raise BooleanError(f"{text!r}, column {start}: expected {wanted} before {match[0].strip()!r}")
        if is_operand:
            found.append(symbol)
            wants_operand = False
        elif symbol == ")":
            _close(found, waiting, text, start)
        elif isinstance(symbol, str):
            while symbol in _COMBINES and waiting and _BINDS.get(waiting[-1][0], 0) >= _BINDS[symbol]:
                found.append(waiting.pop()[0])
            waiting.append((symbol, start))
            wants_operand = True
        place = match.end()
    if wants_operand:
        raise BooleanError(f"{text!r} ends where a bit, a constant, ! or ( is expected")
    while waiting:
        operator, start = waiting.pop()
        if operator == "(":
            raise BooleanError(f"{text!r}, column {start}: this parenthesis is never closed")
        found.append(operator)
    return Formula(tuple(sorted({each for each in found if isinstance(each, int)})), tuple(found))


def _close(found: list[str | int], waiting: list[tuple[str, int]], text: str, start: int) -> None:
    while waiting and waiting[-1][0] != "(":
        found.append(waiting.pop()[0])
    if not waiting:
        raise BooleanError(f"{text!r}, column {start}: this parenthesis closes nothing")
    waiting.pop()


LARGEST_TABLE = 20
"""Functions of more bits than this are not tabulated."""


@dataclass(frozen=True)
class SparseFunction(ABC):
    """A function of the bits at some positions."""

    indices: tuple[int, ...]
    """I: positions from 1 on. Patterns list their bits in this order."""
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "indices", checked_indices(self.indices))
        object.__setattr__(self, "values", tuple(float(value) for value in self.values))
        if not all(map(math.isfinite, self.values)):
            raise BooleanError("the values of a function are finite numbers")

    @property
    def sparsity(self) -> int:
        """s: how many bits it depends on at most."""
        return len(self.indices)

    @property
    def largest(self) -> float:
        """The largest absolute value."""
        return max(map(abs, self.values))

    @property
    @abstractmethod
    def table(self) -> tuple[float, ...]:
        """The value of each pattern on I, in the order 0…00, 0…01, 0…10, …."""

    @property
    @abstractmethod
    def by_count(self) -> tuple[float, ...] | None:
        """The value for 0, 1, …, s ones on I; None if it is not decided by their number."""

    @abstractmethod
    def of_patterns(self, patterns: BitsLike) -> Floats:
        """The values of patterns (…, s) on I."""

    def __call__(self, bits: BitsLike) -> Floats:
        """The values (…) of strings (…, T) of bits."""
        found = as_bits(bits)
        if self.indices and found.shape[-1] < max(self.indices):
            raise BooleanError(f"position {max(self.indices)} is beyond a string of {found.shape[-1]} bits")
        return self.of_patterns(found[..., [index - 1 for index in self.indices]])


class Tabulated(SparseFunction):
    """A function by its table; `values` are in the order 0…00, 0…01, 0…10, …, the first index leading."""

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_size(self.sparsity)
        if len(self.values) != 2**self.sparsity:
            raise BooleanError(
                f"a function of {self.sparsity} bits has {2**self.sparsity} values in its table, not {len(self.values)}"
            )

    @property
    def table(self) -> tuple[float, ...]:
        """The values as they are."""
        return self.values

    @property
    def by_count(self) -> tuple[float, ...] | None:
        """The value for each number of ones, if the function is symmetric."""
        ones = all_bits(self.sparsity).sum(axis=1)
        values = np.array(self.values)
        groups = [values[ones == count] for count in range(self.sparsity + 1)]
        return tuple(float(group[0]) for group in groups) if all(np.ptp(group) == 0 for group in groups) else None

    def of_patterns(self, patterns: BitsLike) -> Floats:
        """Looked up in the table."""
        found = as_bits(patterns, self.sparsity)
        codes = found @ (1 << np.arange(self.sparsity - 1, -1, -1, dtype=np.int64))
        return np.asarray(np.array(self.values)[codes], dtype=np.float64)


class Symmetric(SparseFunction):
    """A function by its values for 0, 1, …, s ones among its bits."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.values) != self.sparsity + 1:
            raise BooleanError(
                f"a symmetric function of {self.sparsity} bits has {self.sparsity + 1} values, not {len(self.values)}"
            )

    @property
    def table(self) -> tuple[float, ...]:
        """Written out, for at most 20 bits."""
        _check_size(self.sparsity)
        return tuple(self.of_patterns(all_bits(self.sparsity)).tolist())

    @property
    def by_count(self) -> tuple[float, ...]:
        """The values as they are."""
        return self.values

    def of_patterns(self, patterns: BitsLike) -> Floats:
        """Looked up by the number of ones."""
        ones = as_bits(patterns, self.sparsity).sum(axis=-1)
        return np.asarray(np.array(self.values)[ones], dtype=np.float64)


def _check_size(sparsity: int) -> None:
    if sparsity > LARGEST_TABLE:
        raise BooleanError(
            f"a table for {sparsity} bits has 2^{sparsity} rows; at most {LARGEST_TABLE} bits are tabulated, "
            "and symmetric functions need no table"
        )


def from_table(indices: Sequence[int], values: Sequence[float]) -> Tabulated:
    """The function with this value for each pattern on I, in the order 0…00, 0…01, 0…10, …."""
    return Tabulated(tuple(indices), tuple(values))


def from_formula(text: str) -> Tabulated:
    """The function that a formula over x1, x2, … writes down, such as `x3 & (x7 | !x12)`.

    I are the positions it mentions, in increasing order. See `formula` for what may stand in it.
    """
    parsed = parse(text)
    _check_size(len(parsed.variables))
    rows = all_bits(len(parsed.variables))
    columns = {variable: rows[:, place] for place, variable in enumerate(parsed.variables)}
    truth = np.broadcast_to(parsed.truth(columns), len(rows))
    return Tabulated(parsed.variables, tuple(truth.astype(np.float64).tolist()))


def symmetric(indices: Sequence[int], values: Sequence[float]) -> Symmetric:
    """The function with these values for 0, 1, …, s ones on I."""
    return Symmetric(tuple(indices), tuple(values))


def at_least(count: int, indices: Sequence[int]) -> Symmetric:
    """1 if at least `count` of the bits are 1, else 0."""
    return symmetric(indices, [float(ones >= count) for ones in range(len(indices) + 1)])


def conjunction(indices: Sequence[int]) -> Symmetric:
    """AND: 1 if all of the bits are 1."""
    return at_least(len(indices), indices)


def disjunction(indices: Sequence[int]) -> Symmetric:
    """OR: 1 if one of the bits is 1."""
    return at_least(1, indices)


def majority(indices: Sequence[int]) -> Symmetric:
    """1 if more than half of the bits are 1."""
    return at_least(len(indices) // 2 + 1, indices)


def parity(indices: Sequence[int]) -> Symmetric:
    """1 if an odd number of the bits are 1."""
    return symmetric(indices, [float(ones % 2) for ones in range(len(indices) + 1)])
