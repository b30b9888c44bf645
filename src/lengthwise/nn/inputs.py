"""What a model reads, checked and with an axis of seeds."""

from __future__ import annotations

import torch
from torch import Tensor

from lengthwise.errors import LengthwiseError


class InputError(LengthwiseError):
    """Inputs a model cannot read."""


def checked_tokens(tokens: Tensor, seeds: int, vocabulary: int) -> Tensor:
    """Symbol ids (seeds, batch, length), from ids in this shape or (batch, length)."""
    tokens = tokens.expand(seeds, *tokens.shape) if tokens.dim() == 2 else tokens
    if tokens.dim() != 3 or len(tokens) != seeds or not tokens.numel():
        raise InputError(
            f"expected symbol ids in the shape (batch, length) or ({seeds}, batch, length), none of them 0, "
            f"got {tuple(tokens.shape)}"
        )
    smallest, largest = int(tokens.min()), int(tokens.max())
    if smallest < 0 or largest >= vocabulary:
        bad = smallest if smallest < 0 else largest
        raise InputError(f"{bad} is not a symbol id of this model; it has ids 0 to {vocabulary - 1}")
    return tokens


def checked_places(places: Tensor | None, tokens: Tensor) -> Tensor:
    """Position ids that broadcast over the tokens (seeds, batch, length): those given, or 1, 2, 3, …."""
    if places is None:
        return torch.arange(1, tokens.shape[2] + 1, device=tokens.device).view(1, 1, -1)
    aligned = places[(None,) * (3 - places.dim())] if places.dim() < 3 else places
    sizes = zip(aligned.shape, tokens.shape, strict=False)
    if aligned.dim() != 3 or aligned.shape[2] != tokens.shape[2] or any(size not in (1, want) for size, want in sizes):
        raise InputError(
            f"position ids of shape {tuple(places.shape)} do not fit symbol ids of shape {tuple(tokens.shape)}"
        )
    return aligned
