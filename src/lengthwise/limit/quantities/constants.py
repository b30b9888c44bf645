"""The constants of the training-length theorems: how large outputs get and how fast they move with the input.

One layer (Theorems 4.1 and 4.2): the output is a Lipschitz function of the attention weights. Two layers (Theorem 5.2):
the output of layer 1 is a function of the last τ + 1 symbols, the histogram of the prefix and the position; three
constants say how large it is and how it moves with the latter two. Every matrix norm is spectral.
Izzo et al., section 4 and Lemma B.1; corrections ERR-B2 to ERR-B8.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from lengthwise.limit.evaluation.regimes import IzzoInfinite
from lengthwise.limit.model import Head, LimitTransformer, ModelError
from lengthwise.limit.quantities.complexity import row_norm, spectral_norm
from lengthwise.limit.quantities.margins import occurring_types, positional_margin

NORM_SLACK = 1e-9
"""How far above 1 the norm of an embedding may lie, for floating point's sake."""


@dataclass(frozen=True)
class OneLayerConstants:
    """What the one-layer theorems need to know of a model with ReLU units and one head."""

    mlp_lipschitz: float
    """L^MLP = ||U|| (1 + ||A|| ||B||): how fast outputs move with the activations before the MLP."""
    largest_value: float
    """M^V = max ||V (E_s + p_r)||."""
    largest_input: float
    """M^E = max ||E_s + p_r||."""
    largest_output: float
    """M_f = ||U|| [(1 + ||A|| ||B||)(M^E + M^V) + ||B|| ||b||], a bound on ||f|| (ERR-B2)."""
    attention_sensitivity: float
    """Λ_f = L^MLP M^V: outputs move at most this fast with the attention weights in ℓ1."""
    printed_sensitivity: float
    """L_f = L^MLP max(||V (E_s + p_r)|| + ||E_s + p_r|| + ||b||) as printed; it enters no bound of ours."""


@dataclass(frozen=True)
class TwoLayerConstants:
    """What Theorem 5.2 needs to know of layer 1, whose output at position i is q(window, histogram, i)."""

    largest_activation: float
    """G_f = β (1 + Σ v_h) + ||B|| ||b|| with β = 1 + ||B|| ||A||: a bound on ||q||."""
    histogram_sensitivity: float
    """L_f = 2 √S β Σ v_h exp(4 k_h): q is L_f-Lipschitz in the histogram, for Euclidean distance."""
    length_sensitivity: float
    """H_f = β (2τ + 3)² Σ v_h exp(4 k_h): ||q(·, i) - q(·, j)|| <= H_f min(i, j)^-γ for i, j > τ (ERR-B8)."""
    positional_margin: float
    """γ, the rate at which q settles."""


def one_layer_constants(model: LimitTransformer) -> OneLayerConstants:
    """The constants of a model with one layer, one head and no Heaviside units, in any regime."""
    if len(model.layers) != 1:
        raise ModelError(f"the one-layer constants are those of one layer, and this model has {len(model.layers)}")
    _refuse_heaviside(model)
    layer = model.layers[0]
    if len(layer.heads) != 1:
        raise ModelError(f"the one-layer theorems are proved for one head, and this model has {len(layer.heads)}")
    inputs = np.array(
        [model.embedding[symbol] + model.positions[residue] for symbol, residue in occurring_types(model)]
    )
    input_norms = np.linalg.norm(inputs, axis=1)
    value_norms = np.linalg.norm(inputs @ layer.heads[0].value.T, axis=1)
    unembedding, output = spectral_norm(model.unembedding), spectral_norm(layer.output)
    stretch = 1 + spectral_norm(layer.hidden) * output
    bias = float(np.linalg.norm(layer.bias))
    largest_input, largest_value = float(input_norms.max()), float(value_norms.max())
    return OneLayerConstants(
        mlp_lipschitz=unembedding * stretch,
        largest_value=largest_value,
        largest_input=largest_input,
        largest_output=unembedding * (stretch * (largest_input + largest_value) + output * bias),
        attention_sensitivity=unembedding * stretch * largest_value,
        printed_sensitivity=unembedding * stretch * (float((value_norms + input_norms).max()) + bias),
    )


def two_layer_constants(model: LimitTransformer) -> TwoLayerConstants:
    """The constants of layer 1 of a two-layer model of Definition 5.1, in the regime izzo_infinite."""
    _require_two_layer_class(model)
    layer = model.layers[0]
    output = spectral_norm(layer.output)
    stretch = 1 + output * spectral_norm(layer.hidden)
    values = [spectral_norm(head.value) for head in layer.heads]
    softmax = sum(
        value * _exponential(4 * spectral_norm(head.key_query)) for value, head in zip(values, layer.heads, strict=True)
    )
    window = max((head.window for head in layer.heads), default=0)
    return TwoLayerConstants(
        largest_activation=stretch * (1 + sum(values)) + output * float(np.linalg.norm(layer.bias)),
        histogram_sensitivity=2 * math.sqrt(len(model.embedding)) * stretch * softmax,
        length_sensitivity=stretch * (2 * window + 3) ** 2 * softmax,
        positional_margin=positional_margin(model),
    )


def _require_two_layer_class(model: LimitTransformer) -> None:
    """Refuse what Definition 5.1, with the hypotheses its proof uses, does not cover."""
    if len(model.layers) != 2:
        raise ModelError(f"the two-layer constants are those of two layers, and this model has {len(model.layers)}")
    _refuse_heaviside(model)
    if not isinstance(model.regime, IzzoInfinite):
        raise ModelError(
            f"the two-layer constants hold in the regime izzo_infinite, and this model's is {model.regime}"
        )
    if np.any(model.positions):
        raise ModelError(
            "the two-layer theorem is proved without positional encodings, and this model has some (p ≠ 0)"
        )
    if row_norm(model.embedding) > 1 + NORM_SLACK:
        largest = row_norm(model.embedding)
        raise ModelError(f"the two-layer constants need embeddings of norm at most 1, and the largest is {largest:.6g}")
    first, second = model.layers
    if any(np.any(head.phi < 0) for head in first.heads):
        raise ModelError("the two-layer constants need φ >= 0, and a head of layer 1 has a negative value")
    if len(second.heads) != 1:
        raise ModelError(
            f"the two-layer theorem is proved for one head in layer 2, and this model has {len(second.heads)}"
        )
    if any(_has_phi(head) for head in second.heads):
        raise ModelError("the two-layer theorem is proved for a second layer without φ, and this model's has one")


def _has_phi(head: Head) -> bool:
    return bool(np.any(head.phi))


def _refuse_heaviside(model: LimitTransformer) -> None:
    if model.uses_heaviside:
        raise ModelError("Heaviside units are not Lipschitz, so no bound of this kind covers the model (ERR-B4)")


def _exponential(value: float) -> float:
    """e^value, infinite where float64 ends."""
    return math.exp(value) if value < 709 else math.inf
