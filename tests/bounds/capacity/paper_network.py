"""The network of Theorem A.17, as numbers: what it computes, and what the theorem says about two of them.

`changes` measures how far the matrices of two networks act differently on the tokens that the second has at each layer,
and `largest_change` is what Lemmas A.15 and A.16 make of it: no outputs are further apart. With the gains of the later
layers that is true; with those of the earlier ones, as printed, it is not (ERR-H5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from lengthwise.bounds.capacity.depth import LayerNorms
from lengthwise.bounds.capacity.norms import Floats, layer_norms
from lengthwise.bounds.capacity.requirements import CapacityError


@dataclass(frozen=True, eq=False)
class PaperLayer:
    """W_Q, W_K, W_V (d × k) and W_C (k × d)."""

    query: Floats
    key: Floats
    value: Floats
    mix: Floats

    def norms(self) -> LayerNorms:
        """The norms that the theorem wants."""
        return layer_norms(self.query, self.key, self.value, self.mix)

    def attended(self, tokens: Floats) -> Floats:
        """Π(softmax(Z W_Q W_K^T Z^T) Z W_V), then ReLU."""
        scores = tokens @ self.query @ (tokens @ self.key).T
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        return np.maximum(projected(weights @ tokens @ self.value), 0.0)

    def __call__(self, tokens: Floats) -> Floats:
        """The tokens behind the layer."""
        return projected(self.attended(tokens) @ self.mix)


def projected(tokens: Floats) -> Floats:
    """Π: every row that is longer than 1 is made as long as 1."""
    return np.asarray(tokens / np.maximum(1.0, np.linalg.norm(tokens, axis=1, keepdims=True)))


def output(layers: Sequence[PaperLayer], readout: Floats, tokens: Floats) -> float:
    """The number w · Z_[CLS], [CLS] being the first token; the activation is ReLU."""
    for layer in layers:
        tokens = layer(tokens)
    return float(tokens[0] @ readout)


@dataclass(frozen=True)
class LayerChange:
    """How far apart two layers are at most, over the tokens of the second network."""

    score: float
    """||(W_QK - Ŵ_QK) z||."""
    value: float
    """||(W_V - Ŵ_V)^T z||."""
    mix: float
    """||(W_C - Ŵ_C)^T σ(…)||."""


def changes(layers: Sequence[PaperLayer], others: Sequence[PaperLayer], tokens: Floats) -> tuple[LayerChange, ...]:
    """Layer by layer, what the second network's tokens see of the difference."""
    found = []
    for one, other in zip(layers, others, strict=True):
        scores = tokens @ (one.query @ one.key.T - other.query @ other.key.T).T
        values = tokens @ (one.value - other.value)
        mixed = other.attended(tokens) @ (one.mix - other.mix)
        found.append(LayerChange(*(float(np.linalg.norm(each, axis=1).max()) for each in (scores, values, mixed))))
        tokens = other(tokens)
    return tuple(found)


def largest_change(
    norms: Sequence[LayerNorms],
    measured: Sequence[LayerChange],
    gains: Sequence[Decimal],
    *,
    readout: float = 1.0,
    lipschitz: float = 1.0,
) -> float:
    """B_w Σ_i α_i (ε_C + 2 L_σ B_C B_V ε_QK + L_σ B_C ε_V), for inputs in the unit ball and one readout.

    `norms` are those of the first network, `gains` the α_i: `later_gains`, or `printed_gains` to see the printed claim
    fail.
    """
    if not len(norms) == len(measured) == len(gains):
        raise CapacityError("norms, changes and gains are given for the same layers")
    total = 0.0
    for layer, change, gain in zip(norms, measured, gains, strict=True):
        mixed = lipschitz * layer.mix
        total += float(gain) * (change.mix + 2 * mixed * layer.value * change.score + mixed * change.value)
    return readout * total


def as_triples(layers: Sequence[PaperLayer]) -> list[tuple[Floats, Floats, Floats]]:
    return [(layer.query @ layer.key.T, layer.value, layer.mix) for layer in layers]
