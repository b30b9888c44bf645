"""The fewest samples that any learner needs: m = Ω(s log T) (Edelman et al., section 5), with its numbers.

A function hidden in T bits is one of N. A label is one bit, so m labels tell at most 2^m of them apart, and whoever
guesses one of N equally likely functions after m labels is right with probability at most 2^m / N: one half needs
m >= log2 N - 1. That counts labels as if they were fair coins. A label 1 of probability q carries only h(q) bits, with
h the binary entropy, so Fano's inequality asks for more where q is far from one half: success with probability one half
needs m h(q) + 1 >= log2(N) / 2. (Labels given the strings carry no more than that on average.)

N is exact: T choose r places for the r bits the function depends on, times the r! orders of these bits divided by those
that leave the function as it is. For AND, OR, majority and parity that is T choose s.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import permutations, product

from lengthwise.experiments.probes.function import HiddenFunction, ProbeError

MOST_BITS = 7
"""Orders of more bits than this are not tried one by one; functions that are symmetric need not be."""


@dataclass(frozen=True)
class Information:
    """What there is to be found out about a function hidden in T bits."""

    context: int
    hypotheses: int
    """N: how many functions it could be."""
    label_entropy: float
    """h(q) in bits."""

    @property
    def bits(self) -> float:
        """log2 N."""
        return math.log2(self.hypotheses)

    @property
    def fewest_samples(self) -> float:
        """The line: no learner succeeds with probability one half with fewer samples; the better of the two bounds."""
        return max(0.0, self.bits - 1, (self.bits / 2 - 1) / self.label_entropy)

    def highest_probability(self, samples: int) -> float:
        """No learner identifies the function with a higher probability after so many samples."""
        if not self.bits:
            return 1.0
        counted = math.exp2(min(0.0, samples - self.bits))
        return min(1.0, counted, (samples * self.label_entropy + 1) / self.bits)


def information(function: HiddenFunction, context: int) -> Information:
    """What has to be found out about a function hidden in so many bits."""
    if context < function.sparsity:
        raise ProbeError(f"a function of {function.sparsity} bits cannot be hidden in {context}")
    relevant = relevant_bits(function)
    hypotheses = math.comb(context, len(relevant)) * _orders(function, relevant)
    q = function.share
    return Information(context, hypotheses, -(q * math.log2(q) + (1 - q) * math.log2(1 - q)))


def relevant_bits(function: HiddenFunction) -> list[int]:
    """The bits, counted from 0 on, that change the value for some values of the others."""
    size = function.sparsity
    return [
        bit
        for bit in range(size)
        if any(function.table[code] != function.table[code ^ (1 << (size - 1 - bit))] for code in range(2**size))
    ]


def _orders(function: HiddenFunction, relevant: list[int]) -> int:
    """How many different functions the orders of the relevant bits make."""
    if function.at(range(1, function.sparsity + 1)).by_count is not None:
        return 1
    if len(relevant) > MOST_BITS:
        raise ProbeError(f"functions of {len(relevant)} bits are counted only if they are symmetric")
    size = function.sparsity
    places = [size - 1 - bit for bit in relevant]
    rows = list(product((0, 1), repeat=len(relevant)))
    tables = {
        tuple(function.table[sum(value << place for value, place in zip(row, order, strict=True))] for row in rows)
        for order in permutations(places)
    }
    return len(tables)
