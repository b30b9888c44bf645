"""Which share of words has a margin: counted where words are known by their counts, else from a sample."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb, factorial, prod
from typing import Any

import numpy as np

from lengthwise.bounds.margins.margin import Reading
from lengthwise.bounds.theorems.beta import incomplete_beta
from lengthwise.regular.prover.depth_one import Counts

MOST_COUNTS = 200_000
"""The most different counts of words that are gone through."""
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Share:
    """A share of words: exact, or estimated from a sample with an interval.

    Attributes:
        value: The share.
        low: The lower end of the 95 % interval of Clopper and Pearson; the share itself if it is exact.
        high: The upper end.
        samples: How many words were drawn; 0 if the share is exact.

    """

    value: float
    low: float
    high: float
    samples: int = 0

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {"share": self.value, "low": self.low, "high": self.high, "samples": self.samples}


def share_of(reading: Reading, part: Fraction, counts: Counts, last: Counts) -> Share:
    """The share of words with a margin of at least `part` that a sample shows, given their counts and last symbols."""
    good = sum(int(situation.certain(counts[last == situation.last], part).sum()) for situation in reading.situations)
    low, high = _interval(good, len(last))
    return Share(good / len(last), low, high, len(last))


def exact_shares(reading: Reading, part: Fraction, length: int) -> dict[str, Share] | None:
    """The shares of uniform and of uneven words of a length; None if there are too many different counts.

    In *uniform* words symbols are independent and equally likely. In *uneven* words they are independent with
    frequencies of their own, a uniform point of the simplex for each word, so that all counts are equally likely.
    """
    symbols = len(reading.program.symbols)
    if comb(length + symbols - 1, symbols - 1) > MOST_COUNTS:
        return None
    counts = np.array(list(_compositions(length, symbols)), dtype=np.int64)
    uniform, uneven = 0, 0
    factorials = [factorial(number) for number in range(length + 1)]
    for situation in reading.situations:
        rows = counts[counts[:, situation.last] > 0]
        for row in rows[situation.certain(rows, part)].tolist():
            # Of the words with these counts, that many in `length` end in this symbol.
            uneven += row[situation.last]
            uniform += factorials[length] // prod(factorials[each] for each in row) * row[situation.last]
    shares = {
        "uniform": Fraction(uniform, length * symbols**length),
        "uneven": Fraction(uneven, length * comb(length + symbols - 1, symbols - 1)),
    }
    return {name: Share(float(share), float(share), float(share)) for name, share in shares.items()}


def _compositions(total: int, parts: int) -> list[tuple[int, ...]]:
    rows: list[tuple[int, ...]] = [()]
    for _ in range(parts - 1):
        rows = [(*row, number) for row in rows for number in range(total - sum(row) + 1)]
    return [(*row, total - sum(row)) for row in rows]


def _interval(good: int, trials: int) -> tuple[float, float]:
    """The interval of Clopper and Pearson: the frequencies under which so many are not too few and not too many."""
    tail = (1 - CONFIDENCE) / 2
    low = 0.0 if good == 0 else _solve(lambda x: incomplete_beta(x, good, trials - good + 1), tail)
    high = 1.0 if good == trials else _solve(lambda x: incomplete_beta(x, good + 1, trials - good), 1 - tail)
    return low, high


def _solve(rising: Any, value: float) -> float:
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < value else (low, middle)
    return (low + high) / 2
