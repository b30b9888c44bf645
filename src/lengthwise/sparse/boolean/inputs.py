"""From bits to vectors: the rows X that a head reads, a [CLS] row behind those of the T bits.

- `EmbeddedBits`: x_t = p_t + E_{b_t}, with positions that are given (deterministic) or part of the weights (trainable).
- `BagOfVectors`: x_t = b_t v_t, so X = diag(b) V; the order of its rows does not matter (ERR-H9: printed V diag(b) and
  V + diag(b)).

The tokens' vectors and that of [CLS] are orthogonal to all positions and to each other. Edelman et al., appendix B.1.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from lengthwise.sparse.boolean.arrays import Bits, BitsLike, Floats, as_bits


@dataclass(frozen=True, eq=False)
class InputMap(ABC):
    """How strings of bits become rows of numbers."""

    rows: Floats
    """A vector for each position: p_t or v_t."""
    cls: Floats
    """v_[CLS]: the last row of X, and where the head asks from."""

    @property
    def length(self) -> int:
        """T: how many bits are read."""
        return len(self.rows)

    @property
    def width(self) -> int:
        """d: how many numbers a row has."""
        return int(self.rows.shape[1])

    def matrix(self, bits: BitsLike) -> Floats:
        """X (…, T + 1, d)."""
        return self.projected(bits, np.eye(self.width))

    def projected(self, bits: BitsLike, weight: Floats) -> Floats:
        """X W (…, T + 1, k) for W of shape (d, k), without X itself, which is large."""
        found = as_bits(bits, self.length)
        tokens = self._tokens(found, weight)
        last = np.broadcast_to(self.cls @ weight, (*found.shape[:-1], 1, weight.shape[1]))
        return np.concatenate([tokens, last], axis=-2)

    @abstractmethod
    def _tokens(self, bits: Bits, weight: Floats) -> Floats:
        """The rows of the bits, times W."""


@dataclass(frozen=True, eq=False)
class EmbeddedBits(InputMap):
    """p_t + E_0 or p_t + E_1."""

    tokens: Floats
    """E_0 and E_1."""
    trainable: bool
    """Whether positions are weights."""

    def _tokens(self, bits: Bits, weight: Floats) -> Floats:
        return self.rows @ weight + (self.tokens @ weight)[bits.astype(np.int64)]


@dataclass(frozen=True, eq=False)
class BagOfVectors(InputMap):
    """v_t where the bit is 1, and 0 where it is not."""

    def _tokens(self, bits: Bits, weight: Floats) -> Floats:
        return bits[..., None] * (self.rows @ weight)


def embedded(positions: Floats, trainable: bool) -> EmbeddedBits:
    """Positions (T, m) in the first m of m + 3 dimensions; E_0, E_1 and v_[CLS] are the last three."""
    units = np.eye(3, positions.shape[1] + 3, positions.shape[1])
    rows = np.pad(positions, ((0, 0), (0, 3)))
    return EmbeddedBits(rows, units[2], tokens=units[:2], trainable=trainable)


def bag(vectors: Floats) -> BagOfVectors:
    """Vectors (T, m) in the first m of m + 1 dimensions; v_[CLS] is the last."""
    rows = np.pad(vectors, ((0, 0), (0, 1)))
    return BagOfVectors(rows, np.eye(1, rows.shape[1], vectors.shape[1])[0])
