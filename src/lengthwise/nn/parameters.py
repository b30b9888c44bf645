"""Weights with an axis of seeds in front, each with the role that decides its start and its learning rate."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn

from lengthwise.nn.seedwise import matmul

Role = Literal["embedding", "hidden", "readout", "bias", "gain", "phi"]
"""What a weight does: vectors for symbols or positions; matrices between hidden vectors; the unembedding; biases;
the gains of layer norms; numbers added to attention logits."""


class Folded(nn.Module):
    """A module whose weights have the shape (seeds, …)."""

    def __init__(self, seeds: int) -> None:
        super().__init__()
        self.seed_count = seeds
        self.roles: dict[str, Role] = {}

    def add_weight(self, name: str, role: Role, *shape: int) -> None:
        """A weight of this shape for each seed, zero for the time being."""
        self.register_parameter(name, nn.Parameter(torch.zeros(self.seed_count, *shape)))
        self.roles[name] = role

    def weight(self, name: str) -> Tensor:
        """A weight by name."""
        return self.get_parameter(name)

    def linear(self, name: str, vectors: Tensor) -> Tensor:
        """A linear map of vectors (seeds, …, in), with its bias `<name>_bias` if there is one."""
        return self.add_bias(name, matmul(vectors, self.weight(name).transpose(1, 2)))

    def add_bias(self, name: str, vectors: Tensor) -> Tensor:
        """The vectors plus the bias of the linear map `name`, if it has one."""
        if f"{name}_bias" not in self.roles:
            return vectors
        bias = self.weight(f"{name}_bias")
        return vectors + bias.view(bias.shape[0], *(1,) * (vectors.dim() - 2), bias.shape[1])


def roles(module: nn.Module) -> dict[str, Role]:
    """The roles of all weights in a module by the names of `named_parameters`."""
    found: dict[str, Role] = {}
    for prefix, part in module.named_modules():
        if isinstance(part, Folded):
            found.update({f"{prefix}.{name}" if prefix else name: role for name, role in part.roles.items()})
    return found
