"""Decoders of all kinds with random weights, as modules and as arrays."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import torch

from lengthwise.nn import Decoder, DecoderConfig

torch.set_num_threads(1)

Arrays = dict[str, np.ndarray[Any, Any]]

PLAIN = DecoderConfig(vocabulary=4, outputs=3, width=5, layers=2, hidden=6, read="all", biases="none")
CONFIGS = {
    "plain": PLAIN,
    "biases": replace(PLAIN, biases="all", attention_scale="root"),
    "heads": replace(PLAIN, heads=(2, 1), activation="gelu", attention_scale="one"),
    "mixed heads": replace(PLAIN, width=6, heads=2, output_matrix=True, biases="all"),
    "no mlp": replace(PLAIN, hidden=0, layers=3),
    "positions": replace(PLAIN, position="limit", position_parameters={"period": 3, "window": 2, "scale": 0.3}),
    "context": replace(PLAIN, position="learned", position_parameters={"context": 9}, causal=False),
    "layer norm": replace(PLAIN, layer_norm=True, biases="all", layers=1),
}


def arrays(module: torch.nn.Module) -> Arrays:
    return {name: tensor.detach().numpy().copy() for name, tensor in module.state_dict().items()}


def drawn(config: DecoderConfig, seed: int, size: float = 0.4) -> Decoder:
    """A decoder with weights of this size, gains and constants among them."""
    torch.manual_seed(seed)
    model = Decoder(config, [0], torch.float64)
    with torch.no_grad():
        for weight in model.parameters():
            weight.copy_(size * torch.randn(weight.shape, dtype=torch.float64))
    return model


def outputs(model: Decoder, words: torch.Tensor) -> np.ndarray[Any, Any]:
    with torch.no_grad():
        return np.asarray(model(words)[0])


def spectral(values: np.ndarray[Any, Any]) -> float:
    return float(np.linalg.svd(np.atleast_2d(values), compute_uv=False)[0])
