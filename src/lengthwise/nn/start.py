"""Where weights start: gains at 1, biases at 0, all else normal with a deviation that follows from what a weight does.

`mup` is µP's (`nn.mup`). `gpt2` is that of GPT-2 as Hugging Face has it: 0.02 everywhere, divided by √(2 · layers) for
the two matrices of a layer that write to the residual stream, whose sum has as many terms (Radford et al., 2019).
"""

from __future__ import annotations

import hashlib
import math
from typing import TYPE_CHECKING

import torch

from lengthwise.nn import mup
from lengthwise.nn.parameters import Role, described

if TYPE_CHECKING:
    from lengthwise.nn.model import Decoder

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
        return mup.deviation(role, fan_in)
    residual = name.rpartition(".")[2] in RESIDUAL
    return GPT2_DEVIATION / math.sqrt(2 * model.config.layers) if residual else GPT2_DEVIATION


def _generator(seed: int, name: str) -> torch.Generator:
    digest = hashlib.sha256(f"{seed} {name}".encode()).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest[:4], "big"))
