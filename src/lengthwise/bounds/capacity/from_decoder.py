"""The norms of a `lengthwise.nn.Decoder`, from its weights as arrays and its settings as plain data.

Every weight of the decoder is part of the class: embeddings and positions, what is added to scores, all matrices.
Gains of layer norms stand before a map and are made part of it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from lengthwise.bounds.capacity.maps import Arrays, Map, array, head_norms
from lengthwise.bounds.capacity.norms import MapNorms, matrix
from lengthwise.bounds.capacity.requirements import CapacityError
from lengthwise.bounds.capacity.residual import GELU_LIPSCHITZ, AttentionNorms, BlockNorms, ResidualNorms

SLOPES = {"relu": 1.0, "gelu": GELU_LIPSCHITZ}
"""The largest slope of each activation."""
POSITIONS = ("none", "learned", "periodic", "relative", "limit")
"""Position schemes that add vectors to embeddings or numbers to scores, and do nothing else."""


def from_decoder(state: Mapping[str, npt.ArrayLike], config: Mapping[str, Any], seed: int = 0) -> ResidualNorms:
    """Of a decoder with this state dict, as arrays with the seeds as first axis, and `decoder.config.as_json()`.

    `seed` is the place of a seed among those that were trained together.

    Args:
        state: The weights of a decoder by name, as arrays with the seeds as first axis.
        config: The settings of the decoder, `decoder.config.as_json()`.
        seed: The place of a seed among those that were trained together.

    Returns:
        The norms that bounds are made of.

    Raises:
        CapacityError: The decoder has a part that the bound does not know.

    Example:
        >>> from lengthwise.nn import Decoder, DecoderConfig
        >>> model = Decoder(DecoderConfig(vocabulary=3, outputs=1), seeds=[0])
        >>> state = {name: weight.numpy() for name, weight in model.state_dict().items()}
        >>> from_decoder(state, model.config.as_json()).width
        16

    """
    if config["position"] not in POSITIONS:
        raise CapacityError(
            f"positions of the kind {config['position']!r} are not known to the bound; it knows {', '.join(POSITIONS)}"
        )
    if config["activation"] not in SLOPES:
        raise CapacityError(
            f"the largest slope of {config['activation']!r} is not known to the bound; it knows {', '.join(SLOPES)}"
        )
    if config.get("tied"):
        raise CapacityError("a model that embeds and unembeds with one matrix is not known to the bound")
    if config["log_scaling"] != "none":
        raise CapacityError("scores that are multiplied with the logarithm of the length have no norm of their own")
    weights = {name: _of_seed(name, weight, seed) for name, weight in state.items()}
    tables = [array(weights, "embedding"), *(weights[name] for name in weights if name.endswith(".vectors"))]
    readout = Map.read(weights, "unembedding", "unembedding_bias")
    if config["layer_norm"]:
        readout = readout.behind_norm(weights, "final_norm.gain", "final_norm.gain_bias")
    return ResidualNorms(
        width=int(config["width"]),
        blocks=tuple(_block(weights, config, number) for number in range(int(config["layers"]))),
        readout=readout.norms(),
        input_norm=float(sum(np.linalg.norm(table, axis=1).max() for table in tables)),
        embeddings=tuple(MapNorms.of("embedding", matrix("embedding", table).T) for table in tables),
        lipschitz=SLOPES[str(config["activation"])],
        normalisation="before" if config["layer_norm"] else "none",
        final_norm=bool(config["layer_norm"]),
    )


def _of_seed(name: str, weight: npt.ArrayLike, seed: int) -> npt.NDArray[np.float64]:
    found = np.asarray(weight)
    if not found.ndim or not 0 <= seed < len(found):
        raise CapacityError(f"{name} has no seed number {seed}; the first axis of a decoder's weights is its seeds'")
    return np.asarray(found[seed], dtype=np.float64)


def _block(weights: Arrays, config: Mapping[str, Any], number: int) -> BlockNorms:
    prefix = f"layers.{number}"

    def read(name: str, norm: str | None = None) -> Map:
        found = Map.read(weights, f"{prefix}.{name}", f"{prefix}.{name}_bias")
        if norm is None or not config["layer_norm"]:
            return found
        return found.behind_norm(weights, f"{prefix}.{norm}.gain", f"{prefix}.{norm}.gain_bias")

    heads, units = _of_layer(config["heads"], number), _of_layer(config["hidden"], number)
    attention: list[AttentionNorms] = []
    if heads:
        query, key, value = (read(name, "attention_norm") for name in ("query", "key", "value"))
        mix = read("mix") if config["output_matrix"] else None
        width = len(query.weight) // heads
        scale = {"head": 1 / width, "root": 1 / math.sqrt(width), "one": 1.0}[str(config["attention_scale"])]
        for head in range(heads):
            values = value.piece(head, heads)
            values = values if mix is None else mix.after(values, head, heads)
            pair = (query.piece(head, heads), key.piece(head, heads))
            attention.append(head_norms(*pair, values, scale, _bias(weights, number, head)))
    if not units:
        return BlockNorms(tuple(attention))
    return BlockNorms(tuple(attention), read("hidden", "mlp_norm").norms(), read("output").norms())


def _of_layer(setting: Any, number: int) -> int:
    return int(setting[number] if isinstance(setting, list | tuple) else setting)


def _bias(weights: Arrays, layer: int, head: int) -> float:
    """The norm of φ of a head; 0 without one."""
    for name, weight in weights.items():
        if name.endswith(f".phi_{layer}"):
            return float(np.linalg.norm(weight[head]))
    return 0.0
