"""A scalar-output transformer of one layer: heads that ask from [CLS], and a network for what they find.

    f_tf-head(X) = softmax(v_[CLS]^T W_Q W_K^T X^T) X W_V W_C

added up over heads, of which the first coordinates are read; a `Memory` after them makes it f_tf+mlp. There is no
residual connection, and the network reads coordinates, not a product with w (ERR-H14). Edelman et al., appendix B.1.

An `InputMap` turns bits into the rows X that a head reads, with a [CLS] row after those of the T bits.

- `EmbeddedBits`: x_t = p_t + E_{b_t}, with positions that are given (deterministic) or part of the weights (trainable).
- `BagOfVectors`: x_t = b_t v_t, so X = diag(b) V; the order of its rows does not matter (ERR-H9: printed V diag(b) and
  V + diag(b)).

The tokens' vectors and that of [CLS] are orthogonal to all positions and to each other. Edelman et al., appendix B.1.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from lengthwise.sparse.boolean.arrays import Bits, BitsLike, BooleanError, Floats, as_bits, matrix
from lengthwise.sparse.boolean.memory import Memory


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


CHUNK = 2**22
"""About how many numbers are held at once while many strings are read."""


@dataclass(frozen=True, eq=False)
class Head:
    """The four matrices of a head, applied to rows from the right."""

    query: Floats
    """W_Q (d, k)."""
    key: Floats
    """W_K (d, k)."""
    value: Floats
    """W_V (d, k)."""
    mix: Floats
    """W_C (k, d)."""

    def __post_init__(self) -> None:
        for name in ("query", "key", "value", "mix"):
            object.__setattr__(self, name, matrix(f"the matrix {name}", getattr(self, name)))
        shapes = {self.query.shape, self.key.shape, self.value.shape, self.mix.shape[::-1]}
        if len(shapes) > 1:
            raise BooleanError(f"the matrices of a head do not fit together: {sorted(shapes)}")


@dataclass(frozen=True, eq=False)
class BooleanTransformer:
    """Immutable weights; calling it on bits gives the outputs."""

    inputs: InputMap
    heads: tuple[Head, ...]
    outputs: int
    """How many coordinates of the heads' sum are read: Π_1 or Π_s."""
    memory: Memory | None = None

    def __post_init__(self) -> None:
        if not self.heads or any(len(head.query) != self.inputs.width for head in self.heads):
            raise BooleanError(f"a transformer has heads, which read rows of {self.inputs.width} numbers")
        if not 1 <= self.outputs <= self.inputs.width:
            raise BooleanError(f"1 to {self.inputs.width} coordinates can be read, not {self.outputs}")

    def logits(self, bits: BitsLike) -> Floats:
        """What attention is the softmax of (heads, …, T + 1)."""
        asked = [
            self.inputs.projected(bits, (head.key @ (self.inputs.cls @ head.query))[:, None]) for head in self.heads
        ]
        return np.stack(asked)[..., 0]

    def attended(self, bits: BitsLike) -> Floats:
        """The first coordinates (…, outputs) of the heads' sum."""
        found = as_bits(bits, self.inputs.length)
        rows = np.concatenate([self._attended(each) for each in self._parts(found)])
        return rows.reshape(*found.shape[:-1], self.outputs)

    def __call__(self, bits: BitsLike) -> Floats:
        """The outputs (…); without memory, what is attended to, (…) if that is one number and (…, outputs) if not."""
        found = as_bits(bits, self.inputs.length)
        if self.memory is None:
            attended = self.attended(found)
            return attended[..., 0] if self.outputs == 1 else attended
        return np.concatenate([self.memory(self._attended(each)) for each in self._parts(found)]).reshape(
            found.shape[:-1]
        )

    def _parts(self, bits: Bits) -> list[Bits]:
        """The strings as rows, so many at a time that what is computed from them stays small."""
        rows = bits.reshape(-1, bits.shape[-1])
        widest = max(head.value.shape[1] for head in self.heads)
        numbers = (len(self.heads) + widest) * (self.inputs.length + 1)
        numbers = max(numbers, self.memory.units[0] if self.memory else 0)
        return np.array_split(rows, max(1, len(rows) * numbers // CHUNK))

    def _attended(self, bits: Bits) -> Floats:
        total = np.zeros((len(bits), self.outputs))
        for head, logits in zip(self.heads, self.logits(bits), strict=True):
            weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
            weights /= weights.sum(axis=-1, keepdims=True)
            values = self.inputs.projected(bits, head.value)
            total += (weights[:, None] @ values)[:, 0] @ head.mix[:, : self.outputs]
        return total

    def weights(self) -> dict[str, Floats]:
        """All weights by name; positions only if they are trainable."""
        found: dict[str, Floats] = {}
        if isinstance(self.inputs, EmbeddedBits) and self.inputs.trainable:
            found["positions"] = self.inputs.rows
        for number, head in enumerate(self.heads):
            for name in ("query", "key", "value", "mix"):
                found[f"heads.{number}.{name}"] = getattr(head, name)
        if self.memory is not None:
            found |= {"first": self.memory.first, "second": self.memory.second, "last": self.memory.last}
        return found

    def __repr__(self) -> str:
        heads = "1 head" if len(self.heads) == 1 else f"{len(self.heads)} heads"
        units = " and ".join(map(str, self.memory.units)) if self.memory else "no"
        return (
            f"<BooleanTransformer {self.inputs.length} bits, width {self.inputs.width}, {heads}, {units} hidden units>"
        )
