"""Pearson's test in plain Python, strict enough that a sampler which passes by a fixed seed is not just lucky."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from typing import TypeVar

Value = TypeVar("Value", bound=Hashable)

UNUSUAL = 4.0
"""Standard deviations of a normal variable; further out by chance once in 30,000 times."""


def assert_drawn_from(chances: Mapping[Value, Fraction], drawn: Iterable[Value]) -> None:
    """The values could have been drawn with these chances, which are those of all possible values."""
    assert sum(chances.values()) == 1
    counts = Counter(drawn)
    impossible = set(counts) - set(chances)
    assert not impossible, f"{len(impossible)} values cannot occur, such as {next(iter(impossible))}"
    number = sum(counts.values())
    expected = {value: number * float(chance) for value, chance in chances.items()}
    assert min(expected.values()) >= 5, "too few values for the test"
    statistic = sum((counts[value] - wanted) ** 2 / wanted for value, wanted in expected.items())
    freedom = len(chances) - 1
    # The cube root of a χ² variable over its mean is close to normal (Wilson and Hilferty).
    deviation = ((statistic / freedom) ** (1 / 3) - (1 - 2 / (9 * freedom))) / math.sqrt(2 / (9 * freedom))
    assert abs(deviation) < UNUSUAL, f"χ² is {statistic:.1f} with {freedom} degrees of freedom"
