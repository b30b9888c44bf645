"""Where the printed statements fail: instances that can be run.

- `uneven_keys`: the key Σ v_i of lemma B.2 and its R, on three vectors with Δ < 1/s: one of three positions is ignored
  (ERR-H12).
- `no_key`: 2s vectors with Δ = 1/(2s - 1), less than the printed 1/s, of which no key selects the first s, dual or not.
- `silent_heads`: W_V into e_2 and W_C from e_1, as printed for s heads (ERR-H8).
- `printed_bump`: the bump of lemma B.8, which is 0 where it should be 1 (ERR-H10).
- `narrow_plateau`: δ = γ/8 as printed in lemma B.5, with the bump repaired (ERR-H11).
- `printed_first_layer`: W_1 of lemma B.8, whose biases exceed its printed bound.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from lengthwise.sparse.boolean.arrays import BooleanError, Floats
from lengthwise.sparse.boolean.bases import Basis, orthonormal
from lengthwise.sparse.boolean.construction import Construction
from lengthwise.sparse.boolean.functions import conjunction
from lengthwise.sparse.boolean.represent import deterministic, with_memory
from lengthwise.sparse.boolean.transformer import Head, memory


@dataclass(frozen=True, eq=False)
class Broken:
    """A construction as printed and a string on which it fails."""

    construction: Construction
    string: str

    @property
    def error(self) -> float:
        """How far the heads are from their target on that string."""
        found = self.construction.model.attended(self.string) - self.construction.wanted(self.string)
        return float(np.abs(found).max())

    @property
    def allowed(self) -> float:
        """γ/4: what the lemma promises."""
        return self.construction.allowed_error


def uneven_keys(coherence: float = 0.3) -> Broken:
    """Three vectors, v_1 · v_2 = Δ and v_3 · v_1 = v_3 · v_2 = -Δ, all of them in I: logits R, R and R(1 - 2Δ)."""
    if not 0 < coherence < 1 / 3:
        raise BooleanError(f"the lemma is about Δ < 1/3, not {coherence!r}")
    products = np.array([[1, coherence, -coherence], [coherence, 1, -coherence], [-coherence, -coherence, 1]])
    basis = Basis(np.linalg.cholesky(products))
    return Broken(deterministic([1, 2, 3], basis, keys="printed"), "110")


def no_key(sparsity: int) -> Basis:
    """2s unit vectors with |v_i · v_j| = 1/(2s - 1) for i ≠ j, and Σ_{i <= s} v_i = Σ_{i > s} v_i.

    They are the corners of a simplex, half of them negated. The logits κ · v_t of the first s positions have the same
    mean as those of the others, whatever the key κ: where the former are alike, the others' weights add up to no less.
    """
    if sparsity < 2:
        raise BooleanError("from two positions on")
    count = 2 * sparsity
    corners = np.eye(count) - 1 / count
    corners /= np.linalg.norm(corners, axis=1, keepdims=True)
    corners[sparsity:] *= -1
    return Basis(corners)


def silent_heads(construction: Construction) -> Construction:
    """The same with k = 2 and the printed W_V = (E_1 - E_0) e_2^T, W_C = e_1 e_h^T: heads that say 0 on every input."""
    heads = tuple(
        Head(
            query=np.pad(head.query, ((0, 0), (0, 1))),
            key=np.pad(head.key, ((0, 0), (0, 1))),
            value=np.pad(head.value, ((0, 0), (1, 0))),
            mix=np.pad(head.mix, ((0, 1), (0, 0))),
        )
        for head in construction.model.heads
    )
    return replace(construction, model=replace(construction.model, heads=heads))


def printed_bump(u: Fraction) -> Fraction:
    """(u + 2)_+ - (u + 1)_+ - (2 - u)_+ + (1 - u)_+, u being the distance from the centre in units of δ."""
    ramps = [(1, u + 2), (-1, u + 1), (-1, 2 - u), (1, 1 - u)]
    return sum((sign * max(ramp, Fraction(0)) for sign, ramp in ramps), Fraction(0))


@dataclass(frozen=True, eq=False)
class Narrow:
    """Heads that keep what lemma B.2 promises, and a network behind them with plateaus of γ/8."""

    construction: Construction
    string: str

    @property
    def output(self) -> float:
        """What comes out."""
        return float(self.construction.model(self.string))

    @property
    def wanted(self) -> float:
        """What should."""
        return float(self.construction.function(self.string)) if self.construction.function else math.nan


def narrow_plateau(length: int = 40) -> Narrow:
    """The bit b_1 with γ = 1: against all others heads are off by nearly γ/4, which is on the ramp of such a bump."""
    heads = deterministic([1], orthonormal(length), gamma=1.0)
    return Narrow(with_memory(heads, conjunction([1]), delta=heads.gamma / 8), "1" + "0" * (length - 1))


def printed_first_layer(centres: Floats, delta: float) -> tuple[float, float]:
    """The largest entry of W_1 and its printed bound max(1, B)/δ: biases are up to B/δ + 2."""
    bound = max(1.0, float(np.abs(centres).max())) / delta
    return float(np.abs(memory(centres, np.zeros(len(centres)), delta).first).max()), bound
