"""Rotary positions: queries and keys are turned by angles proportional to their positions, so that logits depend on
distances (RoPE, Su et al. 2021).

Coordinate m is paired with coordinate m + k/2; the pair turns by base^(-2m/k) for every position.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor

from lengthwise.nn.config import DecoderConfig
from lengthwise.nn.positions.registry import register_position
from lengthwise.nn.positions.scheme import PositionError, PositionScheme


@register_position("rope")
class RotaryPositions(PositionScheme):
    """No weights; `base` is that of the angles."""

    parameters_wanted: ClassVar[Mapping[str, int | float | None]] = {"base": 10000.0}
    rotates = True

    def __init__(self, config: DecoderConfig, seeds: int, settings: Mapping[str, Any]) -> None:
        super().__init__(config, seeds, settings)
        if settings["base"] < 1:
            raise PositionError(f"the base of rotary positions is at least 1, not {settings['base']!r}")
        for width in map(config.key_width, range(config.layers)):
            if width % 2:
                raise PositionError(f"rotary positions turn pairs of coordinates, so heads of width {width} cannot be")
        self.base = float(settings["base"])

    def rotate(self, vectors: Tensor, positions: Tensor) -> Tensor:
        """Every pair of coordinates turned by its own angle times the position."""
        half = vectors.shape[-1] // 2
        # In float64: at position 10^6 a float32 angle is off by a tenth.
        speeds = self.base ** (-torch.arange(half, dtype=torch.float64, device=positions.device) / half)
        angles = positions.to(torch.float64)[..., None, None] * speeds
        cosine, sine = angles.cos().to(vectors.dtype), angles.sin().to(vectors.dtype)
        first, second = vectors[..., :half], vectors[..., half:]
        return torch.cat([first * cosine - second * sine, first * sine + second * cosine], dim=-1)
