"""The forward pass of a Limit Transformer, read off its definition: quadratic, an oracle for tests and benchmarks."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lengthwise.limit.evaluation.regimes import Floats, Regime, average, exponents, weights
from lengthwise.limit.model import Head, LimitTransformer


def residual_streams(model: LimitTransformer, tokens: npt.NDArray[np.int64]) -> list[Floats]:
    """The residual stream before the first layer and after each layer, one row per position; `tokens` as read."""
    length = len(tokens)
    residues = np.arange(1, length + 1) % model.period
    stream = model.embedding[tokens] + model.positions[residues]
    streams = [stream]
    for layer in model.layers:
        middle = stream + sum(
            (attended(head, model.regime, stream) for head in layer.heads), start=np.zeros_like(stream)
        )
        stream = middle + layer.activate(middle @ layer.hidden.T + layer.bias) @ layer.output.T
        streams.append(stream)
    return streams


def attended(head: Head, regime: Regime, stream: Floats) -> Floats:
    """What a head adds at every position."""
    length = len(stream)
    if not length:
        return np.zeros_like(stream)
    content = stream @ head.key_query.T @ stream.T  # content[i, j] = y_j^T KQ y_i
    distance = np.arange(length)[:, None] - np.arange(length)[None, :]
    causal = distance >= 0
    padded = np.concatenate([head.phi, [0.0]])
    phi = padded[np.clip(distance, 0, len(head.phi))]
    queries = np.arange(1, length + 1, dtype=np.float64)[:, None]
    exponent = np.where(causal, exponents(regime, content, phi, queries, length), -np.inf)
    weight = np.where(causal, weights(regime, exponent, exponent.max(axis=1, keepdims=True)), 0.0)
    return average(weight @ (stream @ head.value.T), weight.sum(axis=1, keepdims=True))


def outputs(model: LimitTransformer, tokens: npt.NDArray[np.int64]) -> Floats:
    """The outputs at every position, the start symbol's included."""
    return residual_streams(model, tokens)[-1] @ model.unembedding.T
