"""All that a Limit Transformer knows of positions: vectors with a period, and φ within a window."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from torch import Tensor

from lengthwise.nn.config import DecoderConfig
from lengthwise.nn.positions.periodic import PeriodicPositions
from lengthwise.nn.positions.registry import register_position
from lengthwise.nn.positions.relative import RelativeBias
from lengthwise.nn.positions.scheme import PositionScheme


@register_position("limit")
class LimitPositions(PositionScheme):
    """`period` Δ, `window` τ, and `scale`, the standard deviation of φ at the start."""

    parameters_wanted: ClassVar[Mapping[str, int | float | None]] = {"period": None, "window": None, "scale": 0.0}

    def __init__(self, config: DecoderConfig, seeds: int, settings: Mapping[str, Any]) -> None:
        super().__init__(config, seeds, settings)
        self.periodic = PeriodicPositions(config, seeds, settings)
        self.relative = RelativeBias(config, seeds, settings)

    def embed(self, stream: Tensor, positions: Tensor) -> Tensor:
        """Plus p[i mod Δ] at position i."""
        return self.periodic.embed(stream, positions)

    def phi(self, layer: int, queries: Tensor, keys: Tensor) -> Tensor:
        """φ at the distances of queries and keys."""
        return self.relative.phi(layer, queries, keys)
