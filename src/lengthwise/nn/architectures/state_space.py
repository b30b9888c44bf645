"""A diagonal state-space model with a selective scan, as in Mamba (Gu and Dao, 2023), without its convolution.

    Δ_t = softplus(D x_t + d);  h_t = exp(-Δ_t e^A) h_(t-1) + Δ_t (B x_t) x_t;  y_t = (C x_t) · h_t + s x_t

per channel with a few states each; a layer adds G (y_t silu(Z x_t)) to the residual stream. The gates exp(-Δ e^A)
depend on the input and lie between 0 and 1. With such gates and finite precision, these models recognise the star-free
languages and no other regular ones, whatever their width and depth (Sarrof et al., 2024).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import Tensor, nn

from lengthwise.nn.architectures.registry import register_model
from lengthwise.nn.architectures.scan import scan


class ScanLayer(nn.Module):
    """What a scan over the symbols read so far adds to the residual stream."""

    def __init__(self, width: int, states: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.step = nn.Linear(width, width)
        self.rates = nn.Parameter(torch.arange(1.0, states + 1).log().expand(width, states).clone())
        self.write = nn.Linear(width, states, bias=False)
        self.read = nn.Linear(width, states, bias=False)
        self.skip = nn.Parameter(torch.ones(width))
        self.gate = nn.Linear(width, width, bias=False)
        self.out = nn.Linear(width, width, bias=False)

    def recurrence(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """The gates and what is added to the states, (words, length, channels, states), for normed vectors x."""
        step = F.softplus(self.step(x)).unsqueeze(-1)
        return torch.exp(-step * self.rates.exp()), step * x.unsqueeze(-1) * self.write(x).unsqueeze(-2)

    def forward(self, stream: Tensor) -> Tensor:
        """The residual stream with what this layer adds."""
        x = self.norm(stream)
        states = scan(*self.recurrence(x))
        read = (states * self.read(x).unsqueeze(-2)).sum(-1) + self.skip * x
        added: Tensor = self.out(read * F.silu(self.gate(x)))
        return stream + added


@register_model("state-space")
class StateSpace(nn.Module):
    """A diagonal selective state-space model with non-negative gates, without positions."""

    def __init__(self, vocabulary: int, outputs: int, width: int = 32, layers: int = 2, states: int = 8) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.layers = nn.Sequential(*(ScanLayer(width, states) for _ in range(layers)))
        self.norm = nn.LayerNorm(width)
        self.readout = nn.Linear(width, outputs)

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits (words, length, outputs)."""
        logits: Tensor = self.readout(self.norm(self.layers(self.embedding(tokens))))
        return logits
