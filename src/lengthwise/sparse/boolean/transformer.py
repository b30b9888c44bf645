"""A scalar-output transformer of one layer: heads that ask from [CLS], and a network for what they find.

    f_tf-head(X) = softmax(v_[CLS]^T W_Q W_K^T X^T) X W_V W_C

added up over heads, of which the first coordinates are read; a `Memory` after them makes it f_tf+mlp. There is no
residual connection, and the network reads coordinates, not a product with w (ERR-H14). Edelman et al., appendix B.1.

An `InputMap` turns bits into the rows X that a head reads, with a [CLS] row after those of the T bits.

- `EmbeddedBits`: x_t = p_t + E_{b_t}, with positions that are given (deterministic) or part of the weights (trainable).
- `BagOfVectors`: x_t = b_t v_t, so X = diag(b) V; the order of its rows does not matter (ERR-H9: printed V diag(b) and
  V + diag(b)).

The tokens' vectors and that of [CLS] are orthogonal to all positions and to each other. Edelman et al., appendix B.1.

A `Memory` is a network that says f(x_i) all around x_i: two hidden layers of ReLUs (Lemma B.8, repaired).

    ψ(u) = (u + 2)_+ - (u + 1)_+ - (u - 1)_+ + (u - 2)_+,    u = (x_j - x_ij) / δ

is 1 for |u| <= 1 and 0 for |u| >= 2. The unit (Σ_j ψ_j - d_f + 1)_+ is 1 within δ of the point x_i, in every
coordinate, and 0 within δ of all others if these are 4δ away. Printed are a bump that is 0 at its centre (ERR-H10) and
two thresholds for each point where one unit does.

The four biases of a bump are rounded to multiples of 2^-30, so that they differ by exactly 1 and 2 in floating point:
the weights themselves, not only the formula, are exact around each point, on a ball of `radius` that is all but δ.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from lengthwise.sparse.boolean.arrays import Bits, BitsLike, BooleanError, Floats, as_bits, matrix

GRID = 2.0**30
"""Biases are multiples of 1 / GRID."""
LARGEST_BIAS = 2.0**20
"""Biases beyond this one would not be exact."""
LARGEST_NETWORK = 2**24
"""The most numbers its second matrix may hold."""
SIGNS, SHIFTS = np.array([1.0, -1.0, -1.0, 1.0]), np.array([2.0, 1.0, -1.0, -2.0])
"""ψ(u) = Σ sign · (u + shift)_+."""


@dataclass(frozen=True, eq=False)
class Memory:
    """x ↦ (([x 1] W_1)_+ 1] W_2)_+ w."""

    first: Floats
    """W_1 (d_f + 1, 4 n d_f); the last row are biases."""
    second: Floats
    """W_2 (4 n d_f + 1, n); the last row are biases."""
    last: Floats
    """w (n,)."""
    centres: Floats
    """The points x_i (n, d_f)."""
    delta: float

    def __call__(self, points: npt.ArrayLike) -> Floats:
        """The values (…) at points (…, d_f)."""
        found = np.asarray(points, dtype=np.float64)
        hidden = np.maximum(found @ self.first[:-1] + self.first[-1], 0.0)
        return np.asarray(np.maximum(hidden @ self.second[:-1] + self.second[-1], 0.0) @ self.last)

    @property
    def units(self) -> tuple[int, int]:
        """The sizes of the hidden layers."""
        return self.first.shape[1], self.second.shape[1]

    @property
    def radius(self) -> Fraction:
        """How far from x_i, in every coordinate, the value is f(x_i) with these very weights; no rounding is in it."""
        slope, nearest = Fraction(self.first[:-1].max()), Fraction(1)
        biases = self.first[-1].reshape(4, *self.centres.shape)[1] - 1.0
        for bias, centre in zip(biases.flat, self.centres.flat, strict=True):
            nearest = min(nearest, 1 - abs(slope * Fraction(centre) + Fraction(bias)))
        return nearest / slope


def memory(centres: npt.ArrayLike, values: npt.ArrayLike, delta: float) -> Memory:
    """The network with the given value within δ of each of the points (n, d_f), which are 4δ apart."""
    points, wanted = matrix("the centres", centres), np.asarray(values, dtype=np.float64)
    count, size = points.shape
    if wanted.shape != (count,) or not np.isfinite(wanted).all():
        raise BooleanError(f"{count} points have {count} finite values, not an array of shape {wanted.shape}")
    if not delta > 0 or np.abs(points).max() / delta + 2 > LARGEST_BIAS:
        raise BooleanError(f"δ = {delta!r} is too small, or not positive, for points of this size")
    if 4 * count**2 * size > LARGEST_NETWORK:
        raise BooleanError(
            f"a network for {count} points of {size} numbers has a matrix of {4 * count * size} × {count} numbers; "
            f"at most {LARGEST_NETWORK} are allowed"
        )
    _check_apart(points, delta)
    # Indexed by (which of four, point, coordinate), as in the paper.
    slopes = np.tile(np.eye(size), 4 * count) / delta
    biases = SHIFTS[:, None, None] + np.rint(-points / delta * GRID) / GRID
    joins = np.einsum("h,ik,j->hijk", SIGNS, np.eye(count), np.ones(size)).reshape(4 * count * size, count)
    return Memory(
        first=np.vstack([slopes, biases.reshape(1, -1)]),
        second=np.vstack([joins, np.full(count, 1.0 - size)]),
        last=wanted,
        centres=points,
        delta=float(delta),
    )


def _check_apart(points: Floats, delta: float) -> None:
    for place, point in enumerate(points[:-1]):
        nearest = np.abs(points[place + 1 :] - point).max(axis=1).min()
        if nearest < 4 * delta * (1 - 1e-9):
            raise BooleanError(f"two points are {nearest:g} apart, less than 4δ = {4 * delta:g}")


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
