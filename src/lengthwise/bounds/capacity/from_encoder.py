"""The norms of a `torch.nn.TransformerEncoder`, or of one of its layers, from its state dict as arrays.

    {name: tensor.numpy() for name, tensor in model.state_dict().items()}

gives such arrays, and so does `safetensors.numpy.load_file`; torch itself is not needed. What a state dict does not say
has to be given.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from lengthwise.bounds.capacity.from_decoder import SLOPES
from lengthwise.bounds.capacity.maps import Arrays, Map, array, head_norms
from lengthwise.bounds.capacity.norms import MapNorms
from lengthwise.bounds.capacity.requirements import CapacityError, norm, whole
from lengthwise.bounds.capacity.residual import BlockNorms, ResidualNorms

MARKER = "self_attn.in_proj_weight"
"""What every layer of an encoder has."""


def from_encoder(
    state: Mapping[str, npt.ArrayLike],
    heads: int,
    *,
    input_norm: float = 1.0,
    readout: float = 1.0,
    norm_first: bool = False,
    activation: str = "relu",
) -> ResidualNorms:
    """Of an encoder with this state dict and so many heads in each layer.

    `input_norm` is the largest norm of a token that enters it, `readout` that of the linear function that makes a
    number of its output; both are not part of the encoder. `norm_first` and `activation` are as it was built.

    Args:
        state: The weights of a `torch.nn.TransformerEncoder` by name.
        heads: The heads of each layer.
        input_norm: The largest norm of a token that enters it.
        readout: The norm of the linear function that makes a number of its output.
        norm_first: Whether layer norm comes first, as it was built.
        activation: `relu` or `gelu`, as it was built.

    Returns:
        The norms that bounds are made of.

    Raises:
        CapacityError: These are not the weights of an encoder, or the activation is another one.

    Example:
        >>> import torch
        >>> layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        >>> encoder = torch.nn.TransformerEncoder(layer, num_layers=1)
        >>> state = {name: weight.numpy() for name, weight in encoder.state_dict().items()}
        >>> len(from_encoder(state, heads=2).blocks)
        1

    """
    whole("heads", heads)
    if activation not in SLOPES:
        raise CapacityError(f"activation is one of {', '.join(SLOPES)}, not {activation!r}")
    weights: Arrays = {name: np.asarray(weight) for name, weight in state.items()}
    prefixes = sorted((name.removesuffix(MARKER) for name in weights if name.endswith(MARKER)), key=_in_order)
    if not prefixes:
        raise CapacityError(
            f"these are not the weights of a torch.nn.TransformerEncoder: no name ends in {MARKER}; for a model that "
            "lengthwise trained, give the directory of its run"
        )
    last = MapNorms(1, norm("readout", readout), readout)
    if "norm.weight" in weights:
        # Behind the last norm there is w·(g x + b): as a linear function with its constant it is at most this long.
        shift = np.linalg.norm(array(weights, "norm.bias")) if "norm.bias" in weights else 0.0
        largest = readout * math.hypot(float(np.abs(array(weights, "norm.weight")).max()), float(shift))
        last = MapNorms(1, largest, largest, has_constant=True)
    return ResidualNorms(
        width=array(weights, f"{prefixes[0]}self_attn.out_proj.weight").shape[0],
        blocks=tuple(_block(weights, prefix, heads, norm_first) for prefix in prefixes),
        readout=last,
        input_norm=norm("input_norm", input_norm),
        lipschitz=SLOPES[activation],
        normalisation="before" if norm_first else "after",
        final_norm="norm.weight" in weights,
    )


def _in_order(prefix: str) -> tuple[int, str]:
    """`layers.9.` comes before `layers.10.`."""
    return len(prefix), prefix


def _block(weights: Arrays, prefix: str, heads: int, norm_first: bool) -> BlockNorms:
    def read(name: str, before: str | None = None) -> Map:
        found = Map.read(weights, f"{prefix}{name}weight", f"{prefix}{name}bias")
        if before is None or not norm_first:
            return found
        return found.behind_norm(weights, f"{prefix}{before}.weight", f"{prefix}{before}.bias")

    joined, mix = read("self_attn.in_proj_", "norm1"), read("self_attn.out_proj.")
    width = joined.weight.shape[1]
    if width % heads:
        raise CapacityError(f"{heads} heads do not divide a width of {width} evenly")
    query, key, value = (joined.piece(number, 3) for number in range(3))
    attention = tuple(
        head_norms(
            query.piece(number, heads),
            key.piece(number, heads),
            mix.after(value.piece(number, heads), number, heads),
            1 / math.sqrt(width // heads),
        )
        for number in range(heads)
    )
    block = BlockNorms(attention, read("linear1.", "norm2").norms(), read("linear2.").norms())
    if norm_first:
        return block
    return replace(
        block,
        attention_gain=_gain(weights, f"{prefix}norm1"),
        mlp_gain=_gain(weights, f"{prefix}norm2"),
    )


def _gain(weights: Arrays, name: str) -> MapNorms:
    """Of the gains and constants behind a layer norm."""
    gains = np.diag(array(weights, f"{name}.weight"))
    return MapNorms.of(name, gains, array(weights, f"{name}.bias") if f"{name}.bias" in weights else None)
