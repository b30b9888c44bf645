"""Compiled weights as decoders: Limit Transformers and the ordinary transformers made from them.

They differ from trained models in that logits and weights of attention are rounded as their precision regime says,
and in that hidden units may be Heaviside steps. The rest is a `Decoder` with one seed, in float64.
"""

from __future__ import annotations

import math
import os
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from lengthwise.alphabet import Word
from lengthwise.limit.certificate import Certificate
from lengthwise.limit.evaluation.regimes import (
    FLUSH_SLACK,
    TIE,
    UNROUNDED_FROM,
    Hardmax,
    Huang,
    IzzoFinite,
    IzzoInfinite,
)
from lengthwise.limit.files import LIMIT, kind_of, load, load_transformer
from lengthwise.limit.model import LimitTransformer, ModelError, require_certified, require_finite
from lengthwise.limit.quantities.overflow import require_no_overflow
from lengthwise.limit.transformers.transformer import Transformer
from lengthwise.nn.config import DecoderConfig
from lengthwise.nn.model import Decoder, Layer


class CompiledLayer(Layer):
    """A layer in which some hidden units are Heaviside steps."""

    def __init__(self, config: DecoderConfig, number: int, seeds: int) -> None:
        super().__init__(config, number, seeds)
        self.heaviside: Tensor
        self.register_buffer("heaviside", torch.zeros(self.units, dtype=torch.bool))

    def mlp(self, stream: Tensor) -> Tensor:
        """B ψ(A y + b), ψ unit by unit."""
        before = self.linear("hidden", stream)
        return self.linear("output", torch.where(self.heaviside, (before >= 0).to(before.dtype), before.relu()))


class CompiledDecoder(Decoder):
    """The decoder of a compiled model. Outputs are those at all positions, the start symbol's included.

    Args:
        source: A compiled model.

    Example:
        >>> import lengthwise as lw
        >>> CompiledDecoder(lw.compile("dyck1").model).config.layers
        3

    """

    layer_type: ClassVar[type[Layer]] = CompiledLayer

    def __init__(self, source: LimitTransformer | Transformer) -> None:
        super().__init__(_config(source), [0], torch.float64)
        self.source = source
        self.requires_grad_(False)
        self.load_state_dict(_state(source))

    @property
    def certificate(self) -> Certificate | None:
        """The source's certificate, as long as this decoder has the source's weights in float64; else None.

        Certificates are about float64, so a decoder in float32 has none, and neither has one whose weights were
        trained, edited or loaded anew.
        """
        certificate = self.source.certificate
        if certificate is None:
            return None
        mine, state = self.state_dict(), _state(self.source)
        same = mine.keys() == state.keys() and all(
            mine[name].dtype == weight.dtype and torch.equal(mine[name].cpu(), weight) for name, weight in state.items()
        )
        return certificate if same else None

    def attend(self, queries: Tensor, keys: Tensor, values: Tensor, phi: Tensor | None, causal: bool) -> Tensor:
        """Averages with the attention weights of the model's precision regime; 0 where all of them vanish."""
        length = keys.shape[-2]
        logits = queries @ keys.transpose(-1, -2)
        exponents = self._exponents(logits, torch.zeros_like(logits) if phi is None else phi)
        exponents = exponents.masked_fill(torch.ones(length, length, dtype=torch.bool).triu(1), -math.inf)
        weights = self._rounded_weights(exponents, exponents.amax(-1, keepdim=True))
        total = weights.sum(-1, keepdim=True)
        return torch.where(total == 0, 0.0, weights @ values / torch.where(total == 0, 1.0, total))

    def _exponents(self, content: Tensor, phi: Tensor) -> Tensor:
        """Logarithms of attention weights before rounding, binary ones for `Huang` (see `limit.regimes`)."""
        length = content.shape[-1]
        match self.source.regime:
            case Huang(bits):
                return math.log2(length) * _rounded(content + phi, bits)
            case IzzoFinite():
                return math.log(length) * (content + phi)
            case IzzoInfinite():
                asked_at = torch.arange(1, length + 1, dtype=content.dtype)
                return content + asked_at.log().unsqueeze(1) * phi
            case Hardmax():
                return content + phi

    def _rounded_weights(self, exponents: Tensor, largest: Tensor) -> Tensor:
        match self.source.regime:
            case Huang(bits, shift=True):
                return _rounded(torch.exp2(exponents - largest), bits)
            case Huang(bits):
                # Divided by the largest weight if that exceeds 1; large weights are whole numbers already.
                scale = largest.clamp(min=0.0)
                small = _rounded(torch.exp2(exponents.clamp(max=UNROUNDED_FROM)), bits) * torch.exp2(-scale)
                return torch.where(exponents > UNROUNDED_FROM, torch.exp2(exponents - scale), small)
            case IzzoFinite(bits):
                relative = exponents - largest
                kept = (relative > -bits * math.log(2.0) + FLUSH_SLACK) | (relative == 0)
                return torch.where(kept, relative.exp(), 0.0)
            case IzzoInfinite():
                return (exponents - largest).exp()
            case Hardmax():
                return (exponents >= largest - TIE).to(exponents.dtype)

    def read_word(self, word: Word, offset: int = 0) -> npt.NDArray[np.float64]:
        """The outputs at the positions of a word, as the source gives them; an offset is one into its context."""
        if isinstance(self.source, Transformer):
            tokens, limit = self.source.tokens(word, offset), self.source.at(offset)
        elif offset:
            raise ModelError("a Limit Transformer has no context into which inputs could be shifted")
        else:
            tokens, limit = self.source.tokens(word), self.source
        certificate = self.certificate
        require_certified(certificate, len(tokens) - self.source.has_start)
        if certificate is None:
            require_no_overflow(limit)
        if not len(tokens):
            return self.source(word)
        places = torch.arange(1 + offset, 1 + offset + len(tokens))
        outputs: npt.NDArray[np.float64] = self(torch.tensor(tokens).unsqueeze(0), places)[0, 0].numpy()
        return require_finite(outputs[int(self.source.has_start) :])


def load_compiled(path: str | os.PathLike[str]) -> CompiledDecoder:
    """The decoder of a compiled model in a file that `lengthwise compile` or `limit.save` wrote.

    Args:
        path: A safetensors file that `lengthwise compile` wrote.

    Returns:
        The model as a PyTorch module.

    Example:
        >>> import pathlib, tempfile
        >>> import lengthwise as lw
        >>> directory = tempfile.TemporaryDirectory()
        >>> file = pathlib.Path(directory.name, "model.safetensors")
        >>> made = lw.compile("dyck1", out=file)
        >>> load_compiled(file).config.layers
        3
        >>> directory.cleanup()

    """
    return CompiledDecoder(load(path) if kind_of(path) == LIMIT else load_transformer(path))


def _config(source: LimitTransformer | Transformer) -> DecoderConfig:
    return DecoderConfig(
        vocabulary=len(source.embedding),
        outputs=len(source.unembedding),
        width=source.width,
        layers=len(source.layers),
        heads=tuple(len(layer.heads) for layer in source.layers),
        hidden=tuple(len(layer.bias) for layer in source.layers),
        position="learned" if isinstance(source, Transformer) else "limit",
        position_parameters=_position_parameters(source),
        read="all",
        attention_scale="one",
    )


def _position_parameters(source: LimitTransformer | Transformer) -> dict[str, int]:
    if isinstance(source, Transformer):
        return {"context": source.context}
    return {"period": source.period, "window": max(source.window, 1)}


def _state(source: LimitTransformer | Transformer) -> dict[str, Tensor]:
    """The state of a decoder with the source's weights."""
    state = {name: torch.tensor(weight).unsqueeze(0) for name, weight in _weights(source).items()}
    for number, layer in enumerate(source.layers):
        state[f"layers.{number}.heaviside"] = torch.tensor(layer.heaviside)
    return state


def _weights(source: LimitTransformer | Transformer) -> dict[str, npt.NDArray[np.float64]]:
    """The source's weights under the names they have in a decoder."""
    vectors = "positions.vectors" if isinstance(source, Transformer) else "positions.periodic.vectors"
    weights = {"embedding": source.embedding, vectors: source.positions, "unembedding": source.unembedding}
    for number, layer in enumerate(source.layers):
        name = f"layers.{number}"
        if layer.heads:
            # The logit y_j^T KQ y_i is the product of the query KQ y_i and the key y_j.
            weights[f"{name}.query"] = np.concatenate([head.key_query for head in layer.heads])
            weights[f"{name}.key"] = np.concatenate([np.eye(source.width)] * len(layer.heads))
            weights[f"{name}.value"] = np.concatenate([head.value for head in layer.heads])
        if isinstance(source, LimitTransformer):
            phi = np.zeros((len(layer.heads), max(source.window, 1) + 1))
            for row, head in zip(phi, layer.heads, strict=True):
                row[: head.window + 1] = head.phi[: head.window + 1]
            weights[f"positions.relative.phi_{number}"] = phi
        if len(layer.bias):
            weights[f"{name}.hidden"], weights[f"{name}.hidden_bias"] = layer.hidden, layer.bias
            weights[f"{name}.output"] = layer.output
    return weights


def _rounded(values: Tensor, bits: int) -> Tensor:
    """The nearest multiples of 2^-bits, ties to even."""
    scaled = values * 2.0**bits
    return torch.where(scaled.abs() >= 2.0**52, values, scaled.round() / 2.0**bits)
