"""µP: where weights start and how fast they learn, such that the width does not matter (Yang et al., 2022).

With Adam, a matrix between hidden vectors starts with variance 1/fan_in and learns at η/d; the unembedding starts with
variance 1/fan_in² and learns at η/d; vectors (embeddings, positions, biases) start and learn independently of d. Izzo
et al., appendix C, train with η = 10^-2 (for two layers 3 · 10^-2 where it is divided by d). They do not say how biases
learn, so that is a rate of its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING

import torch
from torch import nn

from lengthwise.errors import LengthwiseError
from lengthwise.nn.optimizer import ParameterGroup
from lengthwise.nn.parameters import Role, described

if TYPE_CHECKING:
    from lengthwise.nn.model import Decoder


@dataclass(frozen=True)
class Rates:
    """Learning rates η by what weights do; those of matrices are divided by the width."""

    embedding: float = 1e-2
    """Embeddings of symbols and positions."""
    hidden: float = 1e-2
    """Matrices between hidden vectors; divided by d."""
    readout: float = 1e-2
    """The unembedding; divided by d."""
    bias: float = 1e-2
    """Biases, gains of layer norms."""
    phi: float = 1e-2
    """The numbers that relative positions add to logits."""

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
                raise LengthwiseError(f"the learning rate {each.name!r} is a number from 0 on, not {value!r}")

    def of(self, role: Role, width: int) -> float:
        """The learning rate of weights with this role in a model of this width."""
        match role:
            case "hidden":
                return self.hidden / width
            case "readout":
                return self.readout / width
            case "gain":
                return self.bias
        return float(asdict(self)[role])


def groups(model: Decoder, rates: Rates | None = None) -> list[ParameterGroup]:
    """The weights of a model by role, each group with its learning rate."""
    rates = rates or Rates()
    found: dict[Role, list[nn.Parameter]] = {}
    for _, weight, role, _ in described(model):
        found.setdefault(role, []).append(weight)
    return [ParameterGroup(role, tuple(each), rates.of(role, model.config.width)) for role, each in found.items()]


def initialise(module: nn.Module, seeds: Sequence[int]) -> None:
    """Starting weights for every seed.

    They come from a generator of this seed and this weight's name alone. So they do not depend on the other seeds, and
    models that differ, say, in their positions start with the same matrices.
    """
    with torch.no_grad():
        for name, weight, role, scale in described(module):
            for place, seed in enumerate(seeds):
                if role == "gain":
                    weight[place] = 1.0
                elif role == "bias":
                    weight[place] = 0.0
                else:
                    noise = torch.randn(weight.shape[1:], generator=_generator(seed, name))
                    weight[place] = noise * (scale * _deviation(role, weight.shape[-1]))


def _deviation(role: Role, fan_in: int) -> float:
    match role:
        case "hidden":
            return float(fan_in**-0.5)
        case "readout":
            return 1 / fan_in
    return 1.0


def _generator(seed: int, name: str) -> torch.Generator:
    digest = hashlib.sha256(f"{seed} {name}".encode()).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest[:4], "big"))
