"""What models of trials say to strings of bits: by `nn.bits`, and token by token where that runs out of digits.

`nn.bits` takes all exponentials of a head relative to its largest logit, so that a string far below it has no average,
and says NaN. A trial that has found its function may attend so sharply that this happens: it is no divergence, and the
model has an answer. Strings without one are asked as tokens, each relative to its own largest logit. That is slow, and
rare.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

    from lengthwise.nn.model import Decoder

SLICE = 50
"""Strings that are asked as tokens at once: all tokens of all of them are in memory."""


def answers(model: Decoder, chosen: Tensor) -> Tensor:
    """Outputs (trials, strings, 2) at [CLS] for strings given by their `choices`; NaN only if the weights are."""
    import torch

    from lengthwise.nn import bits

    found = bits.outputs(model, chosen)
    lost = torch.isnan(found.detach()).any(dim=2, keepdim=True)
    if not lost.any():
        return found
    # Again without them: NaN times a gradient of 0 is NaN. A string with all vectors at once, which there is none, has
    # the largest logit among them.
    found = bits.outputs(model, torch.where(lost, torch.ones_like(chosen), chosen))
    lost &= torch.isfinite(found.detach()).all(dim=2, keepdim=True)  # weights that are NaN have no answer either way
    parts = []
    # Slices are the same whichever strings are lost, so that a trial's numbers do not depend on the other trials.
    for begin in range(0, chosen.shape[1], SLICE):
        part, missing = (each[:, begin : begin + SLICE] for each in (found, lost))
        if missing.any():
            part = torch.where(missing, model(_tokens(chosen[:, begin : begin + SLICE])), part)
        parts.append(part)
    return torch.cat(parts, dim=1)


def _tokens(chosen: Tensor) -> Tensor:
    """Strings with [CLS] behind them, from their choices."""
    import torch

    from lengthwise.nn.bits import CLS

    strings = chosen[..., chosen.shape[2] // 2 : -1].long()
    return torch.cat([strings, torch.full_like(strings[..., :1], CLS)], dim=2)
