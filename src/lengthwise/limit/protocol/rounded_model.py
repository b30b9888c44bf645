"""A Limit Transformer on fixed-point numbers, evaluated from left to right with a small memory for each head.

Rounding is part of the model: activations are multiples of 2^-b, and so are values and whatever a head or an MLP adds;
keys are multiples of a fixed 2^-p', and logits are defined by these rounded keys. Rounding only y_j and hoping for the
same logits does not do, since a logit may lie next to a rounding boundary (ERR-G12). Everything but the exponentials is
integer arithmetic, so results do not depend on the order in which keys are summed up.

A head sees a key through (K^T Q)^T y_j and, up to τ, through its distance. So it is enough to remember the last τ keys
one by one, and of the others how many have which key and the sum of their values.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from lengthwise.limit.evaluation.regimes import Floats, IzzoInfinite, Regime, exponents, weights
from lengthwise.limit.model import Head, Layer, LimitTransformer, ModelError
from lengthwise.limit.quantities.complexity import as_integers, fractional_bits
from lengthwise.resources import within_time

Vector: TypeAlias = tuple[int, ...]
"""Fixed-point numbers: integers that stand for multiples of a power of two."""

LARGEST_FACTOR, LARGEST_KEY_BITS = 64, 1000
"""Finer rounding is refused: it would only cost time."""


@dataclass(frozen=True)
class Precision:
    """What is fixed before the input is read: its length and how finely to round."""

    length: int
    """2N: the symbols as the model reads them."""
    activation_bits: int
    """b: fractional bits of activations and values."""
    key_bits: int
    """p': fractional bits of keys; it does not grow with the length."""

    @classmethod
    def of(cls, length: int, factor: float = 2.0, key_bits: int = 8) -> Precision:
        """The precision of Theorem 12, b = ⌈factor · log2(length)⌉."""
        if not 0 < factor <= LARGEST_FACTOR or not 0 <= key_bits <= LARGEST_KEY_BITS:
            raise ModelError(
                f"the factor is a positive number up to {LARGEST_FACTOR}, and keys have 0 to {LARGEST_KEY_BITS} bits, "
                f"not {factor} and {key_bits}"
            )
        return cls(length, math.ceil(factor * math.log2(max(length, 2))), key_bits)


@dataclass
class Cell:
    """Keys of one kind: how many they are and the sum of their values."""

    count: int
    total: Vector

    def plus(self, other: Cell) -> Cell:
        """Both together."""
        return Cell(self.count + other.count, tuple(map(int.__add__, self.total, other.total)))


@dataclass
class Ledger:
    """What a head remembers of the keys so far."""

    recent: deque[tuple[Vector, Cell]] = field(default_factory=deque)
    """The last ones, newest first."""
    far: dict[Vector, Cell] = field(default_factory=dict)
    """All others, by key."""

    def keep(self, window: int) -> None:
        """File all but the last `window` keys."""
        while len(self.recent) > window:
            key, cell = self.recent.pop()
            self.far[key] = self.far[key].plus(cell) if key in self.far else cell


class RoundedModel:
    """The fixed-point version of a model at one precision."""

    certificate: None = None
    """A certificate is about float64; rounding activations to few bits may change what a compiled model decides."""

    def __init__(self, model: LimitTransformer, precision: Precision) -> None:
        bits = max(fractional_bits(model.embedding, model.positions), precision.activation_bits)
        self._embedding = as_integers(model.embedding, bits)
        self._positions = as_integers(model.positions, bits)
        self._surplus = 1 << (bits - precision.activation_bits)
        self.layers = [_RoundedLayer(layer, model.regime, precision) for layer in model.layers]

    def fresh_ledgers(self) -> list[list[Ledger]]:
        """An empty memory for every head, layer by layer."""
        return [[Ledger() for _ in layer.heads] for layer in self.layers]

    def run(
        self, tokens: npt.NDArray[np.int64], ledgers: list[list[Ledger]], before: int = 0
    ) -> list[tuple[Vector, ...]]:
        """The activations at the positions after the first `before`, before the first layer and after each layer.

        `ledgers` hold what the heads remember of the first `before` positions, and afterwards of all.
        """
        stream = [
            tuple(
                divided(entry, self._surplus)
                for entry in self._embedding[token] + self._positions[position % len(self._positions)]
            )
            for position, token in enumerate(within_time(tokens.tolist()), start=before + 1)
        ]
        streams = [tuple(stream)]
        for layer, memory in zip(self.layers, ledgers, strict=True):
            placed = enumerate(within_time(stream), start=before + 1)
            stream = [layer(activation, place, memory) for place, activation in placed]
            streams.append(tuple(stream))
        return streams


class _RoundedLayer:
    """Heads and an MLP on fixed-point activations."""

    def __init__(self, layer: Layer, regime: Regime, precision: Precision) -> None:
        self.heads = [RoundedHead(head, regime, precision) for head in layer.heads]
        self._hidden = _Linear(layer.hidden, layer.bias)
        self._output = _Linear(layer.output)
        self._heaviside = layer.heaviside.tolist()
        self._bits = precision.activation_bits

    def __call__(self, activation: Vector, position: int, memory: list[Ledger]) -> Vector:
        middle = list(activation)
        for head, ledger in zip(self.heads, memory, strict=True):
            for coordinate, added in head(activation, position, ledger).items():
                middle[coordinate] += added
        bits = self._bits + self._hidden.bits
        units = [
            ((1 << bits) if unit >= 0 else 0) if step else max(unit, 0)
            for step, unit in zip(self._heaviside, self._hidden(middle, self._bits), strict=True)
        ]
        surplus = 1 << (self._hidden.bits + self._output.bits)
        return tuple(old + divided(new, surplus) for old, new in zip(middle, self._output(units, bits), strict=True))


class RoundedHead:
    """A head on fixed-point activations; coordinates of keys and values that are zero in any case are left out."""

    def __init__(self, head: Head, regime: Regime, precision: Precision) -> None:
        self.read = np.flatnonzero(head.key_query.any(axis=0)).tolist()
        self.written = np.flatnonzero(head.value.any(axis=1)).tolist()
        self.window = head.window
        self._phi = head.phi.tolist()
        self._key_of = _Linear(head.key_query.T[self.read])
        self._value_of = _Linear(head.value[self.written])
        self._regime, self._precision = regime, precision

    def __call__(self, activation: Vector, position: int, ledger: Ledger) -> dict[int, int]:
        """What the head adds to which coordinate; the ledger holds the keys before and learns this position's."""
        bits, key_bits = self._precision.activation_bits, self._precision.key_bits
        key_image, value_image = self._key_of(activation, bits), self._value_of(activation, bits)
        own_key = tuple(divided(entry << key_bits, 1 << (bits + self._key_of.bits)) for entry in key_image)
        own = Cell(1, tuple(divided(entry, 1 << self._value_of.bits) for entry in value_image))
        ledger.recent.appendleft((own_key, own))
        found = [(key, cell, self._phi[distance]) for distance, (key, cell) in enumerate(ledger.recent)]
        found += [(key, cell, 0.0) for key, cell in ledger.far.items()]
        ledger.keep(self.window)  # the next query is one further away
        query = [activation[coordinate] for coordinate in self.read]
        place = position if isinstance(self._regime, IzzoInfinite) else 1
        scaled = [
            _exponent(
                self._regime,
                sum(map(int.__mul__, key, query)) / (1 << (bits + key_bits)),
                phi,
                place,
                self._precision.length,
            )
            for key, _, phi in found
        ]
        largest = max(scaled)
        weight = [_weight(self._regime, exponent, largest) for exponent in scaled]
        denominator = sum(each * cell.count for each, (_, cell, _) in zip(weight, found, strict=True))
        if not denominator:
            return {}
        return {
            coordinate: divided(
                sum(each * cell.total[index] for each, (_, cell, _) in zip(weight, found, strict=True)), denominator
            )
            for index, coordinate in enumerate(self.written)
        }


class _Linear:
    """A matrix and a shift as exact integers."""

    def __init__(self, matrix: Floats, shift: Floats | None = None) -> None:
        shift = np.zeros(len(matrix)) if shift is None else shift
        self.bits = fractional_bits(matrix, shift)
        """Fractional bits of the entries."""
        self._shift = as_integers(shift, self.bits).tolist()
        entries = as_integers(matrix, self.bits).tolist()
        self._rows = [[(column, entry) for column, entry in enumerate(row) if entry] for row in entries]

    def __call__(self, vector: Sequence[int], bits: int) -> list[int]:
        """The image of a vector with `bits` fractional bits; it has `bits + self.bits` of them."""
        return [
            (shift << bits) + sum(entry * vector[column] for column, entry in row)
            for shift, row in zip(self._shift, self._rows, strict=True)
        ]


def divided(numerator: int, denominator: int) -> int:
    """The integer nearest to a quotient with positive denominator, ties to even."""
    quotient, rest = divmod(numerator, denominator)
    return quotient + (2 * rest > denominator or (2 * rest == denominator and quotient % 2 == 1))


@lru_cache(maxsize=1 << 16)
def _exponent(regime: Regime, content: float, phi: float, position: int, length: int) -> float:
    return float(exponents(regime, np.array([content]), np.array([phi]), np.array([float(position)]), length)[0])


@lru_cache(maxsize=1 << 16)
def _weight(regime: Regime, exponent: float, largest: float) -> int:
    """A weight times 2^1074, an integer for every float64."""
    numerator, denominator = float(weights(regime, np.array([exponent]), np.array([largest]))[0]).as_integer_ratio()
    return (numerator << 1074) // denominator
