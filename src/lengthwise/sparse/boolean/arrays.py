"""Strings of bits and matrices of numbers, checked where they come in."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from lengthwise.errors import LengthwiseError

Floats = npt.NDArray[np.float64]
Bits = npt.NDArray[np.bool_]
BitsLike = str | npt.ArrayLike
"""Bits as "0110", as a sequence of 0 and 1, or as an array (…, T) of them."""


class BooleanError(LengthwiseError):
    """A Boolean function, an input or a construction that cannot be as asked."""


def as_bits(given: BitsLike, length: int | None = None) -> Bits:
    """An array (…, T) of truth values; a string is one row of it."""
    values = np.array([int(each) if each in "01" else 2 for each in given]) if isinstance(given, str) else given
    found = np.asarray(values)
    if not found.ndim or not np.isin(found, (0, 1)).all():
        raise BooleanError(f"expected bits 0 and 1, got {given!r}" if isinstance(given, str) else "bits are 0 or 1")
    if length is not None and found.shape[-1] != length:
        raise BooleanError(f"expected {length} bits, got {found.shape[-1]}")
    return np.asarray(found, dtype=np.bool_)


def all_bits(length: int) -> Bits:
    """{0, 1}^length, one row each, in the order of binary numbers."""
    codes = np.arange(2**length, dtype=np.int64)[:, None]
    return np.asarray((codes >> np.arange(length - 1, -1, -1, dtype=np.int64)) & 1, dtype=np.bool_)


def checked_indices(indices: Sequence[int]) -> tuple[int, ...]:
    """Positions from 1 on, none of them twice."""
    for index in indices:
        checked_whole("a position", index)
    if len(set(indices)) < len(indices):
        raise BooleanError(f"a position is named twice in {', '.join(map(str, indices))}")
    return tuple(int(index) for index in indices)


def checked_whole(name: str, value: object) -> int:
    """A whole number from 1 on."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise BooleanError(f"{name} is a whole number from 1 on, not {value!r}")
    return int(value)


def matrix(name: str, values: npt.ArrayLike) -> Floats:
    """A matrix of finite numbers."""
    found = np.asarray(values, dtype=np.float64)
    if found.ndim != 2 or not found.size or not np.isfinite(found).all():
        raise BooleanError(f"{name} is a matrix of finite numbers, not an array of shape {found.shape}")
    return found
