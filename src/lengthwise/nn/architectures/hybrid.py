"""A hybrid of scan and attention: each layer lets the selective scan of `state_space` write, and then causal attention.

Attention looks up what a state has no room for, and the scan orders what attention without positions cannot tell apart.
No theorem says which languages such models learn at all lengths.
"""

from __future__ import annotations

import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import Tensor, nn

from lengthwise.nn.architectures.registry import ArchitectureError, register_model
from lengthwise.nn.architectures.state_space import ScanLayer


class AttentionLayer(nn.Module):
    """What causal attention without positions adds to the residual stream."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        if width % heads:
            raise ArchitectureError(f"{heads} heads do not divide the width {width} evenly; choose others")
        self.heads = heads
        self.norm = nn.LayerNorm(width)
        self.asked = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, stream: Tensor) -> Tensor:
        """The residual stream with what this layer adds."""
        words, length, width = stream.shape
        parts = self.asked(self.norm(stream)).view(words, length, 3, self.heads, width // self.heads)
        query, key, value = parts.transpose(1, 3).unbind(2)
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        added: Tensor = self.out(mixed.transpose(1, 2).reshape(words, length, width))
        return stream + added


@register_model("hybrid")
class Hybrid(nn.Module):
    """Layers of a selective scan and of causal attention in turn, without positions."""

    def __init__(
        self, vocabulary: int, outputs: int, width: int = 32, layers: int = 1, states: int = 8, heads: int = 2
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        both = (layer for _ in range(layers) for layer in (ScanLayer(width, states), AttentionLayer(width, heads)))
        self.layers = nn.Sequential(*both)
        self.norm = nn.LayerNorm(width)
        self.readout = nn.Linear(width, outputs)

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits (words, length, outputs)."""
        logits: Tensor = self.readout(self.norm(self.layers(self.embedding(tokens))))
        return logits
