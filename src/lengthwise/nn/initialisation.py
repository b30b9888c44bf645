"""Where weights start and how fast they learn: µP (Yang et al., 2022), where the width does not matter, or as in GPT-2.

µP: with Adam, a matrix between hidden vectors starts with variance 1/fan_in and learns at η/d; the unembedding starts
with variance 1/fan_in² and learns at η/d; vectors (embeddings, positions, biases) start and learn independently of d.
Izzo et al., appendix C, train with η = 10^-2 (for two layers 3 · 10^-2 where it is divided by d). They do not say how
biases learn, so that is a rate of its own.

Huang et al. do without: all weights learn at one rate, `Rates.plain(1e-3)`.

Gains start at 1, biases at 0, all else normal with a deviation that follows from what a weight does. That of the
initialisation `mup` is µP's, that of `gpt2` is GPT-2's as Hugging Face has it: 0.02 everywhere, divided by √(2 ·
layers) for the two matrices of a layer that write to the residual stream, whose sum has as many terms (Radford et al.,
2019).
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import torch
from torch import nn

from lengthwise.errors import LengthwiseError
from lengthwise.nn.optimizer import ParameterGroup
from lengthwise.nn.parameters import Role, described

if TYPE_CHECKING:
    from lengthwise.nn.model import Decoder

RateScaling = Literal["mup", "plain"]
Decaying = Literal["all", "matrices"]
_ROLES = ("embedding", "hidden", "readout", "bias", "phi")
_MATRICES: tuple[Role, ...] = ("embedding", "hidden", "readout")


@dataclass(frozen=True)
class Rates:
    """Learning rates η by what weights do, and which weights decay; those of matrices are divided by the width."""

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
    scaling: RateScaling = "mup"
    """`mup`: divided by d as said; `plain`: no rate is divided by anything."""
    decaying: Decaying = "all"
    """What weight decay is for: all weights, or all but biases, gains and φ, as in the Trainer of Hugging Face."""

    def __post_init__(self) -> None:
        for name in _ROLES:
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
                raise LengthwiseError(f"the learning rate {name!r} is a number from 0 on, not {value!r}")
        for name, choices in (("scaling", get_args(RateScaling)), ("decaying", get_args(Decaying))):
            if getattr(self, name) not in choices:
                raise LengthwiseError(
                    f"{name!r} of learning rates is one of {', '.join(choices)}, not {getattr(self, name)!r}"
                )

    @classmethod
    def plain(cls, rate: float, decaying: Decaying = "all") -> Rates:
        """One rate for all weights, whatever they do and whatever the width."""
        return cls(rate, rate, rate, rate, rate, "plain", decaying)

    def of(self, role: Role, width: int) -> float:
        """The learning rate of weights with this role in a model of this width."""
        rate = float(getattr(self, "bias" if role == "gain" else role))
        return rate / width if role in ("hidden", "readout") and self.scaling == "mup" else rate

    def decays(self, role: Role) -> bool:
        """Whether weight decay is for weights with this role."""
        return self.decaying == "all" or role in _MATRICES


def groups(model: Decoder, rates: Rates | None = None) -> list[ParameterGroup]:
    """The weights of a model by role, each group with its learning rate.

    Args:
        model: The model.
        rates: The learning rates by what weights do; else those of µP by default.

    Returns:
        The weights in groups, each with its learning rate.

    Example:
        >>> from lengthwise.nn import Decoder, DecoderConfig
        >>> sorted({group.name for group in groups(Decoder(DecoderConfig(vocabulary=3, outputs=1), seeds=[0]))})
        ['bias', 'embedding', 'hidden', 'readout']

    """
    rates = rates or Rates()
    found: dict[Role, list[nn.Parameter]] = {}
    for _, weight, role, _ in described(model):
        found.setdefault(role, []).append(weight)
    width = model.config.width
    return [
        ParameterGroup(role, tuple(each), rates.of(role, width), rates.decays(role)) for role, each in found.items()
    ]


def deviation(role: Role, fan_in: int) -> float:
    """The standard deviation with which weights start."""
    match role:
        case "hidden":
            return float(fan_in**-0.5)
        case "readout":
            return 1 / fan_in
    return 1.0


GPT2_DEVIATION = 0.02
RESIDUAL = ("mix", "output")
"""The matrices that write to the residual stream, by the names they have in a layer."""


def start(model: Decoder) -> None:
    """Starting weights for every seed.

    They come from a generator of this seed and this weight's name alone. So they do not depend on the other seeds, and
    models that differ, say, in their positions start with the same matrices.
    """
    with torch.no_grad():
        for name, weight, role, scale in described(model):
            if role in ("gain", "bias"):
                weight.fill_(1.0 if role == "gain" else 0.0)
                continue
            deviation = scale * _deviation(model, name, role, weight.shape[-1])
            for place, seed in enumerate(model.seeds):
                weight[place] = torch.randn(weight.shape[1:], generator=_generator(seed, name)) * deviation


def _deviation(model: Decoder, name: str, role: Role, fan_in: int) -> float:
    if model.config.initialisation == "mup" or role == "phi":
        return deviation(role, fan_in)
    residual = name.rpartition(".")[2] in RESIDUAL
    return GPT2_DEVIATION / math.sqrt(2 * model.config.layers) if residual else GPT2_DEVIATION


def _generator(seed: int, name: str) -> torch.Generator:
    digest = hashlib.sha256(f"{seed} {name}".encode()).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest[:4], "big"))
