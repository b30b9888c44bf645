"""What norms and sizes must be like before anything is computed from them."""

from __future__ import annotations

import math

from lengthwise.errors import LengthwiseError


class CapacityError(LengthwiseError):
    """A class of functions, a scale or a sample size that the bounds are not about."""


def positive(name: str, value: float) -> float:
    """A finite number above 0."""
    if isinstance(value, bool) or not 0 < value < math.inf:
        raise CapacityError(f"{name} is a positive number, not {value!r}")
    return float(value)


def norm(name: str, value: float) -> float:
    """A finite number that is not negative."""
    if isinstance(value, bool) or not 0 <= value < math.inf:
        raise CapacityError(f"{name} is a number from 0 on, not {value!r}")
    return float(value)


def whole(name: str, value: object) -> int:
    """A whole number above 0."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise CapacityError(f"{name} is a whole number from 1 on, not {value!r}")
    return value
