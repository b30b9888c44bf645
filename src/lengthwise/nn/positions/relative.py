"""A bias for short distances: φ[i - j] is added to logits, and is zero beyond the window τ (the limit model's φ).

Every head of every layer has its own φ.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import Tensor

from lengthwise.nn.config import DecoderConfig
from lengthwise.nn.positions.registry import register_position
from lengthwise.nn.positions.scheme import PositionScheme
from lengthwise.nn.seedwise import pick


@register_position("relative")
class RelativeBias(PositionScheme):
    """`window` τ: the largest distance at which φ may differ from 0; `scale`: its standard deviation at the start."""

    parameters_wanted: ClassVar[Mapping[str, int | float | None]] = {"window": None, "scale": 0.0}

    def __init__(self, config: DecoderConfig, seeds: int, settings: Mapping[str, Any]) -> None:
        super().__init__(config, seeds, settings)
        self.window = int(settings["window"])
        for layer, heads in enumerate(config.heads_by_layer):
            self.add_weight(f"phi_{layer}", "phi", heads, self.window + 1, scale=float(settings["scale"]))

    def phi(self, layer: int, queries: Tensor, keys: Tensor) -> Tensor:
        """φ at the distances of queries and keys; 0 beyond the window and for keys behind the query."""
        distance = queries.unsqueeze(-1) - keys.unsqueeze(-2)
        beyond = self.window + 1
        place = torch.where(distance < 0, beyond, distance.clamp(max=beyond))
        table = F.pad(self.weight(f"phi_{layer}"), (0, 1)).transpose(1, 2)
        return pick(table, place).movedim(-1, -3)
