"""The norms of a model from its weights as arrays: one that lengthwise trained, or a `torch.nn.TransformerEncoder`.

A `Map` is x ↦ W x + b as it stands in a file, before its norms are taken. Of a `lengthwise.nn.Decoder` every weight is
part of the class: embeddings and positions, what is added to scores, all matrices. Gains of layer norms stand before a
map and are made part of it. For a `torch.nn.TransformerEncoder`, or one of its layers,

    {name: tensor.numpy() for name, tensor in model.state_dict().items()}

gives the arrays, and so does `safetensors.numpy.load_file`; torch itself is not needed. What a state dict does not say
has to be given.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from lengthwise.bounds.capacity.norms import Floats, MapNorms, matrix
from lengthwise.bounds.capacity.requirements import CapacityError, norm, whole
from lengthwise.bounds.capacity.residual import GELU_LIPSCHITZ, AttentionNorms, BlockNorms, ResidualNorms

Arrays = Mapping[str, npt.NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Map:
    """A linear map with a row for each output, and its constants if it has any."""

    name: str
    weight: Floats
    constant: Floats | None = None

    @classmethod
    def read(cls, weights: Arrays, name: str, constant: str) -> Map:
        """The map of this name; that its constants are missing is no mistake."""
        return cls(name, matrix(name, array(weights, name)), array(weights, constant) if constant in weights else None)

    def behind_norm(self, weights: Arrays, gain: str, shift: str) -> Map:
        """The map with the gains and constants of the layer norm before it made part of it."""
        constant = self.constant
        if shift in weights:
            moved = self.weight @ array(weights, shift)
            constant = moved if constant is None else constant + moved
        return replace(self, weight=self.weight * array(weights, gain), constant=constant)

    def piece(self, number: int, count: int) -> Map:
        """One of so many equal pieces of its outputs."""
        size = len(self.weight) // count
        rows = slice(number * size, (number + 1) * size)
        return replace(self, weight=self.weight[rows], constant=None if self.constant is None else self.constant[rows])

    def after(self, first: Map, number: int, count: int) -> Map:
        """What becomes of a piece of its inputs, which `first` makes; the constants go with the first piece."""
        size = self.weight.shape[1] // count
        columns = self.weight[:, number * size : (number + 1) * size]
        constant = None if first.constant is None else columns @ first.constant
        if number == 0 and self.constant is not None:
            constant = self.constant if constant is None else constant + self.constant
        return replace(first, weight=columns @ first.weight, constant=constant)

    def norms(self) -> MapNorms:
        """Its norms, constants included."""
        return MapNorms.of(self.name, self.weight, self.constant)

    def with_column(self) -> Floats:
        """The matrix with one more column for its constants."""
        constant = np.zeros(len(self.weight)) if self.constant is None else self.constant
        return np.column_stack([self.weight, constant])


def array(weights: Arrays, name: str) -> Floats:
    """The weight of this name."""
    if name not in weights:
        known = ", ".join(sorted(weights)[:4])
        raise CapacityError(f"there is no weight {name!r}; there are {known}, …")
    return np.asarray(weights[name], dtype=np.float64)


def head_norms(query: Map, key: Map, value: Map, scale: float, bias: float = 0.0) -> AttentionNorms:
    """Of a head that scores with `scale` times the product of queries and keys, and adds its values to the stream."""
    has_constant = query.constant is not None or key.constant is not None
    queries, keys = (query.with_column(), key.with_column()) if has_constant else (query.weight, key.weight)
    scores = MapNorms.of(query.name, scale * queries.T @ keys)
    return AttentionNorms(replace(scores, has_constant=has_constant), value.norms(), bias)


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
        blocks=tuple(_decoder_block(weights, config, number) for number in range(int(config["layers"]))),
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


def _decoder_block(weights: Arrays, config: Mapping[str, Any], number: int) -> BlockNorms:
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
        blocks=tuple(_encoder_block(weights, prefix, heads, norm_first) for prefix in prefixes),
        readout=last,
        input_norm=norm("input_norm", input_norm),
        lipschitz=SLOPES[activation],
        normalisation="before" if norm_first else "after",
        final_norm="norm.weight" in weights,
    )


def _in_order(prefix: str) -> tuple[int, str]:
    """`layers.9.` comes before `layers.10.`."""
    return len(prefix), prefix


def _encoder_block(weights: Arrays, prefix: str, heads: int, norm_first: bool) -> BlockNorms:
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
    """Of the gains and constants after a layer norm."""
    gains = np.diag(array(weights, f"{name}.weight"))
    return MapNorms.of(name, gains, array(weights, f"{name}.bias") if f"{name}.bias" in weights else None)
