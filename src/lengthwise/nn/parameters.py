"""Weights with an axis of seeds in front, each with the role that decides its start and its learning rate."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import torch
from torch import Tensor, nn

from lengthwise.nn.seedwise import linear

Role = Literal["embedding", "hidden", "readout", "bias", "gain", "phi"]
"""What a weight does: vectors for symbols or positions; matrices between hidden vectors; the unembedding; biases;
the gains of layer norms; numbers added to attention logits."""


class Folded(nn.Module):
    """A module whose weights have the shape (seeds, …)."""

    def __init__(self, seeds: int) -> None:
        super().__init__()
        self.seed_count = seeds
        self.roles: dict[str, Role] = {}
        self.scales: dict[str, float] = {}

    def add_weight(self, name: str, role: Role, *shape: int, scale: float = 1.0) -> None:
        """A weight of this shape for each seed, zero for the time being; `scale` widens where it will start."""
        self.register_parameter(name, nn.Parameter(torch.zeros(self.seed_count, *shape)))
        self.roles[name], self.scales[name] = role, scale

    def weight(self, name: str) -> Tensor:
        """A weight by name."""
        weight: Tensor = getattr(self, name)
        return weight

    def linear(self, name: str, vectors: Tensor) -> Tensor:
        """A linear map of vectors (seeds, …, in), with its bias `<name>_bias` if it has one."""
        return self.add_bias(name, linear(vectors, self.weight(name)))

    def add_bias(self, name: str, vectors: Tensor) -> Tensor:
        """The vectors plus the bias of the map `name`, if it has one."""
        return vectors + self.spread(f"{name}_bias", vectors) if f"{name}_bias" in self.roles else vectors

    def spread(self, name: str, vectors: Tensor) -> Tensor:
        """A weight (seeds, d) in a shape that broadcasts over vectors (seeds, …, d)."""
        weight = self.weight(name)
        return weight.view(len(weight), *(1,) * (vectors.dim() - 2), -1)


def described(module: nn.Module) -> Iterator[tuple[str, nn.Parameter, Role, float]]:
    """All weights in a module with their names, roles and scales."""
    for prefix, part in module.named_modules():
        if isinstance(part, Folded):
            for name, role in part.roles.items():
                yield f"{prefix}.{name}" if prefix else name, part.get_parameter(name), role, part.scales[name]
