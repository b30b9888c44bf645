"""A scalar-output transformer of one layer: heads that ask from [CLS], and a network for what they find.

    f_tf-head(X) = softmax(v_[CLS]^T W_Q W_K^T X^T) X W_V W_C

added up over heads, of which the first coordinates are read; a `Memory` behind them makes it f_tf+mlp. There is no
residual connection, and the network reads coordinates, not a product with w (ERR-H14). Edelman et al., appendix B.1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lengthwise.sparse.boolean.arrays import Bits, BitsLike, BooleanError, Floats, as_bits, matrix
from lengthwise.sparse.boolean.inputs import EmbeddedBits, InputMap
from lengthwise.sparse.boolean.memory import Memory

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
