"""Activations of hidden units.

`gelu-tanh` is GPT-2's z (1 + tanh u) / 2 with u = √(2/π) (z + 0.044715 z³). It is z σ(2u) as well, and the logistic
function is three times as quick as torch's tanh; that matters, as with a width of 64 the activation took as long as the
products around it. Its slope is kept instead of z, so that backward is one product.
"""

from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import Tensor

FIRST = 2 * math.sqrt(2 / math.pi)
THIRD = 0.044715 * FIRST
"""2u = FIRST z + THIRD z³."""


def activated(before: Tensor, activation: str) -> Tensor:
    """ψ of the numbers, with a gradient."""
    match activation:
        case "relu":
            return F.relu(before)
        case "gelu":
            return F.gelu(before)
    if not torch.is_grad_enabled():
        return before * _share(before)
    found: Tensor = _GeluTanh.apply(before)  # type: ignore[no-untyped-call]
    return found


def _share(before: Tensor) -> Tensor:
    """The numbers σ(2u)."""
    return (before * before).mul_(THIRD).add_(FIRST).mul_(before).sigmoid_()


def gelu_tanh(before: Tensor) -> tuple[Tensor, Tensor]:
    """The numbers z σ(2u), and the slope there."""
    slope = (before * before).mul_(THIRD)
    share = (slope + FIRST).mul_(before).sigmoid_()
    value = before * share
    # σ + z σ (1 - σ) (2u)'
    slope.mul_(3).add_(FIRST).mul_(value)
    return value, slope.sub_(slope * share).add_(share)


class _GeluTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, before: Tensor) -> Tensor:
        value, slope = gelu_tanh(before)
        ctx.save_for_backward(slope)
        return value

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        slope: Tensor = ctx.saved_tensors[0]
        return gradients[0] * slope
