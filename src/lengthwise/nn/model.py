"""`Decoder`: a small transformer, or rather one for each of several seeds, trained side by side.

    y = E[x] + p;  y <- y + Σ_heads V Σ softmax(scale · q·k + φ) y;  y <- y + B ψ(A y + b);  output = U y

Weights and everything computed from them have the seeds as their first axis, and a seed's numbers have the same bits
whatever other seeds there are (`seedwise`). Where outputs are wanted at the last position only, the last layer asks one
question instead of T. With a Limit Transformer's weights this computes what that does (`loading`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar, cast, overload

import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import Tensor, nn

from lengthwise.nn import positions, seedwise
from lengthwise.nn.config import DecoderConfig
from lengthwise.nn.initialisation import start
from lengthwise.nn.inputs import InputError, checked_places, checked_tokens
from lengthwise.nn.parameters import Folded


class Norm(Folded):
    """Layer norm, or nothing."""

    def __init__(self, config: DecoderConfig, seeds: int) -> None:
        super().__init__(seeds)
        if config.layer_norm:
            self.add_weight("gain", "gain", config.width)
            if config.biases == "all":
                self.add_weight("gain_bias", "bias", config.width)

    def forward(self, stream: Tensor) -> Tensor:
        """The vectors normed, then scaled by each seed's gains."""
        if "gain" not in self.roles:
            return stream
        normed = F.layer_norm(stream, stream.shape[-1:])
        return self.add_bias("gain", normed * self.spread("gain", stream))


class Layer(Folded):
    """Attention (query, key, value, mix) and MLP (hidden, output)."""

    def __init__(self, config: DecoderConfig, number: int, seeds: int) -> None:
        super().__init__(seeds)
        self.number, self.activation = number, config.activation
        self.heads, self.units = config.heads_by_layer[number], config.hidden_by_layer[number]
        width, keys = config.width, config.key_width(number)
        values = keys if config.output_matrix else width
        shapes: dict[str, tuple[int, int]] = {}
        if self.heads:
            for name, size in (("query", keys), ("key", keys), ("value", values)):
                shapes[name] = (self.heads * size, width)
            if config.output_matrix:
                shapes["mix"] = (width, self.heads * values)
        if self.units:
            shapes |= {"hidden": (self.units, width), "output": (width, self.units)}
        for name, shape in shapes.items():
            self.add_weight(name, "hidden", *shape)
            if config.biases == "all" or (config.biases == "hidden" and name == "hidden"):
                self.add_weight(f"{name}_bias", "bias", shape[0])
        self.attention_norm, self.mlp_norm = Norm(config, seeds), Norm(config, seeds)

    def split(self, name: str, stream: Tensor) -> Tensor:
        """Queries, keys or values (seeds, …, heads, k)."""
        return self.linear(name, stream).view(*stream.shape[:-1], self.heads, -1)

    def by_head(self, name: str) -> tuple[Tensor, ...]:
        """The matrices (seeds, k, d) of each head."""
        weight = self.weight(name)
        return weight.view(len(weight), self.heads, -1, weight.shape[-1]).unbind(1)

    def mixed(self, heads: Tensor) -> Tensor:
        """What heads (seeds, …, heads, v) add to the residual stream."""
        return self.linear("mix", heads.flatten(-2)) if "mix" in self.roles else heads.sum(-2)

    def after_mlp(self, stream: Tensor) -> Tensor:
        """The residual stream behind the MLP, if there is one."""
        return stream + self.mlp(self.mlp_norm(stream)) if self.units else stream

    def mlp(self, stream: Tensor) -> Tensor:
        """What the MLP adds to the residual stream."""
        hidden, output = self.weight("hidden"), self.weight("output")
        bias = self.weight("hidden_bias") if "hidden_bias" in self.roles else hidden.new_zeros(hidden.shape[:2])
        return self.add_bias("output", seedwise.mlp(stream, hidden, bias, output, self.activation))


class Decoder(Folded):
    """`Decoder(config, seeds)`: decoders with a seed in common start it with the same weights (`start`).

    Args:
        config: The sizes and parts of the model.
        seeds: The seeds of the models that are trained side by side.
        dtype: The type of the weights.

    Raises:
        InputError: There is no seed.

    Example:
        >>> model = Decoder(DecoderConfig(vocabulary=3, outputs=1), seeds=range(8))
        >>> model(torch.tensor([[0, 1, 2, 2]])).shape
        torch.Size([8, 1, 1])

    """

    layer_type: ClassVar[type[Layer]] = Layer
    embedding: nn.Parameter

    def __init__(self, config: DecoderConfig, seeds: Sequence[int], dtype: torch.dtype = torch.float32) -> None:
        super().__init__(len(seeds))
        if not seeds:
            raise InputError("a model needs at least one seed")
        self.config, self.seeds = config, tuple(int(seed) for seed in seeds)
        rows = max(config.vocabulary, config.outputs) if config.tied else config.vocabulary
        self.add_weight("embedding", "embedding", rows, config.width, scale=config.embedding_scale)
        self.positions = positions.build(config, len(seeds))
        numbers = range(config.layers)
        self.layers = cast(Sequence[Layer], nn.ModuleList(self.layer_type(config, n, len(seeds)) for n in numbers))
        self.final_norm = Norm(config, len(seeds))
        if not config.tied:
            self.add_weight("unembedding", "readout", config.outputs, config.width)
            if config.biases == "all":
                self.add_weight("unembedding_bias", "bias", config.outputs)
        start(self)
        self.to(dtype)

    def forward(self, tokens: Tensor, places: Tensor | None = None) -> Tensor:
        """Outputs for symbol ids (seeds, batch, length), or (batch, length) for all seeds alike.

        (seeds, batch, outputs) for read = "last", else (seeds, batch, length, outputs). `places` are position ids in
        the shape of the tokens, or (length,); without them 1, 2, 3, ….
        """
        tokens = checked_tokens(tokens, self.seed_count, self.config.vocabulary)
        places = checked_places(places, tokens)
        stream = self.positions.embed(seedwise.pick(self.embedding, tokens), places)
        reads_last = self.config.read == "last"
        for layer in self.layers:
            last_only = reads_last and layer.number == self.config.layers - 1
            after = stream[:, :, -1:] if last_only else stream
            if layer.heads:
                after = after + self.attention(layer, after, stream, places)
            stream = layer.after_mlp(after)
        return self.unembed(stream[:, :, -1] if reads_last else stream)

    def attention(self, layer: Layer, asking: Tensor, stream: Tensor, places: Tensor) -> Tensor:
        """What the heads add to the residual stream where it is `asking`: everywhere, or at the last position."""
        last_only = asking is not stream
        seen = layer.attention_norm(stream)
        asking, asked_at = (layer.attention_norm(asking), places[..., -1:]) if last_only else (seen, places)
        queries = self.positions.rotate(layer.split("query", asking), asked_at) * self.scale(layer, stream.shape[2])
        phi = self._phi(layer, asked_at, places)
        if last_only and not self.positions.rotates:
            return layer.mixed(self._from_last(layer, queries, seen, phi))
        keys, values = self.positions.rotate(layer.split("key", seen), places), layer.split("value", seen)
        queries, keys, values = queries.transpose(2, 3), keys.transpose(2, 3), values.transpose(2, 3)
        means = self.attend(queries, keys, values, phi, self.config.causal and not last_only)
        return layer.mixed(means.transpose(2, 3))

    def _from_last(self, layer: Layer, queries: Tensor, stream: Tensor, phi: Tensor | None) -> Tensor:
        """Heads at the last position without keys and values of all others: q·K y = (K^T q)·y and Σ w V y = V Σ w y.

        All heads then ask the same vectors y, and are to `attend` what positions are otherwise.
        """
        key, value = layer.by_head("key"), layer.by_head("value")
        asked = torch.stack([seedwise.matmul(q, k) for q, k in zip(queries.unbind(3), key, strict=True)], dim=3)
        seen = stream.unsqueeze(2)
        means = self.attend(asked, seen, seen, None if phi is None else phi.transpose(2, 3), False).unbind(3)
        heads = [seedwise.linear(mean, v) for mean, v in zip(means, value, strict=True)]
        return layer.add_bias("value", torch.cat(heads, dim=-1)).view(*queries.shape[:-1], -1)

    def attend(self, queries: Tensor, keys: Tensor, values: Tensor, phi: Tensor | None, causal: bool) -> Tensor:
        """Softmax averages of the values (seeds, batch, heads, keys, v), one for each query."""
        return seedwise.attend(queries, keys, values, phi, causal)

    def attention_factor(self, layer: Layer) -> float:
        """What the logits of a layer are multiplied by, whatever the length."""
        width = self.config.key_width(layer.number)
        return {"head": 1 / width, "root": 1 / math.sqrt(width), "one": 1.0}[self.config.attention_scale]

    @overload
    def scale(self, layer: Layer, length: int) -> float: ...
    @overload
    def scale(self, layer: Layer, length: Tensor) -> float | Tensor: ...

    def scale(self, layer: Layer, length: int | Tensor) -> float | Tensor:
        """What the logits of a layer are multiplied by, for one length or several."""
        scale = self.attention_factor(layer)
        if self.config.log_scaling != "length":
            return scale
        if isinstance(length, Tensor):
            return scale * length.to(self.embedding.dtype).log()
        return scale * math.log(length)

    def _phi(self, layer: Layer, asked_at: Tensor, places: Tensor) -> Tensor | None:
        """φ as it is added to the logits, for queries at all positions or at the last."""
        phi, length = self.positions.phi(layer.number, asked_at, places), places.shape[-1]
        match self.config.log_scaling:
            case "length" if phi is not None:
                return phi * math.log(length)
            case "suffix" if phi is not None:
                asked = torch.arange(length - asked_at.shape[-1] + 1, length + 1, dtype=phi.dtype, device=phi.device)
                return phi * asked.log().unsqueeze(1)
        return phi

    def unembed(self, stream: Tensor) -> Tensor:
        """Outputs from the residual stream behind the last layer."""
        normed = self.final_norm(stream)
        if self.config.tied:
            return seedwise.linear(normed, self.weight("embedding")[:, : self.config.outputs])
        return self.linear("unembedding", normed)

    def subset(self, chosen: Sequence[int]) -> Decoder:
        """A copy with some of the seeds, given by their places; it goes on as they would have here."""
        smaller = Decoder(self.config, [self.seeds[place] for place in chosen], self.embedding.dtype)
        smaller.load_state_dict({name: weight[list(chosen)] for name, weight in self.state_dict().items()})
        return smaller.to(self.embedding.device)
