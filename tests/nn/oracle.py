"""What a decoder computes, in loops over numbers read off the formulas; and configurations worth comparing."""

from __future__ import annotations

from dataclasses import replace
from math import cos, erf, exp, log, pi, sin, sqrt, tanh
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from lengthwise.nn import Decoder, DecoderConfig

Floats = npt.NDArray[np.float64]

SMALL = DecoderConfig(vocabulary=3, outputs=2, width=6, hidden=5, read="all")
SCHEMES: dict[str, dict[str, Any]] = {
    "none": {},
    "learned": {"context": 12},
    "periodic": {"period": 3},
    "relative": {"window": 2, "scale": 1.0},
    "rope": {"base": 50.0},
    "limit": {"period": 2, "window": 1, "scale": 1.0},
    "alibi": {},
    "fire": {"units": 4, "c": 0.7, "threshold": 2.5},
    "randomized": {"context": 12},
    "interpolation": {"context": 12, "base": 50.0},
    "pose": {"context": 12, "base": 50.0},
    "coupled": {"context": 12},
    "predictive": {"context": 12},
}
ROTARY = ("rope", "interpolation", "pose")
SHAPES: dict[str, dict[str, Any]] = {
    "one layer": {},
    "two layers, unlike heads": {"layers": 2, "heads": (2, 1), "hidden": (0, 5)},
    "narrow heads": {"layers": 2, "heads": 3, "output_matrix": True, "attention_scale": "root"},
    "layer norm and biases": {"layers": 2, "heads": 2, "layer_norm": True, "biases": "all", "activation": "gelu"},
    "GPT-2": {
        "layers": 2, "heads": 3, "output_matrix": True, "attention_scale": "root", "layer_norm": True, "biases": "all",
        "activation": "gelu-tanh", "tied": True, "initialisation": "gpt2",
    },
    "no biases, log N": {"biases": "none", "log_scaling": "length", "attention_scale": "one"},
    "log i": {"heads": 2, "log_scaling": "suffix", "head_width": 4},
    "all see all": {"causal": False},
}  # fmt: skip


def config(shape: str, scheme: str, **changes: Any) -> DecoderConfig:
    return replace(SMALL, **{**SHAPES[shape], "position": scheme, "position_parameters": SCHEMES[scheme], **changes})


def randomised(config: DecoderConfig, seeds: int = 2, dtype: torch.dtype = torch.float64) -> Decoder:
    """A decoder whose biases, gains and numbers that start at 0 are random as well."""
    model = Decoder(config, range(seeds), dtype)
    generator = torch.Generator().manual_seed(5)
    for name, weight in model.named_parameters():
        if any(part in name for part in ("bias", "gain", "log_c", "log_threshold")):
            weight.data += 0.5 * torch.randn(weight.shape, generator=generator, dtype=dtype)
    return model


def random_tokens(*shape: int, symbols: int = 3, seed: int = 0) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(seed).integers(0, symbols, shape))


def by_definition(model: Decoder, seed: int, tokens: list[int], places: list[int] | None = None) -> Floats:
    """The outputs at all positions of one word, for one seed."""
    config = model.config
    w = {name: weight[seed].detach().double().numpy() for name, weight in model.named_parameters()}
    if config.tied:
        w["unembedding"] = w["embedding"][: config.outputs]
    places = places or list(range(1, len(tokens) + 1))
    stream = [w["embedding"][token] + position(config, w, place) for token, place in zip(tokens, places, strict=True)]
    for layer in range(config.layers):
        name = f"layers.{layer}."
        stream = [y + attended(config, w, layer, stream, places, i) for i, y in enumerate(stream)]
        if config.hidden_by_layer[layer]:
            stream = [y + mlp(config, w, name, normed(w, name + "mlp_norm.", y)) for y in stream]
    return np.array([affine(w, "unembedding", normed(w, "final_norm.", y)) for y in stream])


def position(config: DecoderConfig, w: dict[str, Floats], place: int) -> Floats:
    if config.position in ("learned", "randomized"):
        inner = "" if config.position == "learned" else "inner."
        return np.asarray(w[f"positions.{inner}vectors"][place - 1])
    if config.position in ("coupled", "predictive"):
        return np.asarray(w["positions.vectors"][place])
    if config.position == "periodic":
        return np.asarray(w["positions.vectors"][place % SCHEMES["periodic"]["period"]])
    if config.position == "limit":
        return np.asarray(w["positions.periodic.vectors"][place % SCHEMES["limit"]["period"]])
    return np.zeros(config.width)


def affine(w: dict[str, Floats], name: str, vector: Floats) -> Floats:
    mapped = np.array([sum(a * b for a, b in zip(row, vector, strict=True)) for row in w[name]])
    return mapped + w.get(f"{name}_bias", np.zeros(len(mapped)))


def normed(w: dict[str, Floats], name: str, vector: Floats) -> Floats:
    if f"{name}gain" not in w:
        return vector
    variance = sum((vector - vector.mean()) ** 2) / len(vector)
    scaled = w[f"{name}gain"] * (vector - vector.mean()) / sqrt(variance + 1e-5)
    return np.asarray(scaled + w.get(f"{name}gain_bias", 0.0))


def mlp(config: DecoderConfig, w: dict[str, Floats], name: str, vector: Floats) -> Floats:
    before = affine(w, f"{name}hidden", vector)
    functions = {
        "relu": lambda z: max(z, 0.0),
        "gelu": lambda z: z * (1 + erf(z / sqrt(2))) / 2,
        "gelu-tanh": lambda z: z * (1 + tanh(sqrt(2 / pi) * (z + 0.044715 * z**3))) / 2,
    }
    return affine(w, f"{name}output", np.array([functions[config.activation](z) for z in before]))


def turned(vector: Floats, place: int) -> Floats:
    """The vector in the plane of coordinates m and m + k/2, turned by place · base^(-2m/k)."""
    half, result = len(vector) // 2, np.zeros(len(vector))
    for m in range(half):
        angle = place * SCHEMES["rope"]["base"] ** (-2 * m / len(vector))
        result[m] = cos(angle) * vector[m] - sin(angle) * vector[m + half]
        result[m + half] = sin(angle) * vector[m] + cos(angle) * vector[m + half]
    return result


SLOPES = {1: [1 / 256], 2: [1 / 16, 1 / 256], 3: [1 / 16, 1 / 256, 1 / 4], 4: [1 / 4, 1 / 16, 1 / 64, 1 / 256]}
"""Of ALiBi, by the number of heads; those of 3 are those of 2 and the first of 4."""


def fire(w: dict[str, Floats], layer: int, head: int, distance: int, place: int) -> float:
    """f(log(c distance + 1) / log(c max(L, place) + 1)) of FIRE."""
    c = SCHEMES["fire"]["c"] * exp(w[f"positions.log_c_{layer}"][0])
    threshold = SCHEMES["fire"]["threshold"] * exp(w[f"positions.log_threshold_{layer}"][0])
    share = log(c * distance + 1) / log(c * max(threshold, place) + 1)
    units = zip(
        w[f"positions.hidden_{layer}"][:, 0],
        w[f"positions.hidden_bias_{layer}"],
        w[f"positions.heads_{layer}"][head],
        strict=True,
    )
    return float(sum(out * max(0.0, slope * share + bias) for slope, bias, out in units))


def attended(
    config: DecoderConfig, w: dict[str, Floats], layer: int, stream: list[Floats], places: list[int], i: int
) -> Floats:
    """What attention adds at the i-th position, counted from 0."""
    name, heads, keys = f"layers.{layer}.", config.heads_by_layer[layer], config.key_width(layer)
    seen = [normed(w, name + "attention_norm.", y) for y in stream]
    scale = {"head": 1 / keys, "root": 1 / sqrt(keys), "one": 1.0}[config.attention_scale]
    phi = w.get(f"positions.phi_{layer}", w.get(f"positions.relative.phi_{layer}"))
    results = []
    for head in range(heads):
        part = slice(head * keys, (head + 1) * keys)
        query = affine(w, f"{name}query", seen[i])[part]
        total, weights = np.zeros(len(w[f"{name}value"]) // heads), 0.0
        for j in range(i + 1 if config.causal else len(stream)):
            key = affine(w, f"{name}key", seen[j])[part]
            turns = config.position in ROTARY
            logit = scale * sum((turned(query, places[i]) * turned(key, places[j])) if turns else query * key)
            distance = places[i] - places[j]
            bias = float(phi[head, distance]) if phi is not None and 0 <= distance < phi.shape[1] else 0.0
            if config.position == "alibi":
                bias = -SLOPES[heads][head] * abs(distance)
            if config.position == "fire":
                bias = fire(w, layer, head, abs(distance), places[i])
            if config.log_scaling == "suffix":
                bias *= log(i + 1)
            if config.log_scaling == "length":
                logit, bias = logit * log(len(stream)), bias * log(len(stream))
            weight = exp(logit + bias)
            value = affine(w, f"{name}value", seen[j]).reshape(heads, -1)[head]
            total, weights = total + weight * value, weights + weight
        results.append(total / weights)
    return (
        affine(w, f"{name}mix", np.concatenate(results))
        if config.output_matrix
        else sum(results, np.zeros(config.width))
    )
