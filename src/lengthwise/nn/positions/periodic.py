"""Periodic absolute positions: Δ vectors; position i gets the one numbered i mod Δ (Izzo et al., section 3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from torch import Tensor

from lengthwise.nn.config import DecoderConfig
from lengthwise.nn.positions.registry import register_position
from lengthwise.nn.positions.scheme import PositionScheme
from lengthwise.nn.seedwise import pick


@register_position("periodic")
class PeriodicPositions(PositionScheme):
    """`period` vectors, added to the embeddings."""

    parameters_wanted: ClassVar[Mapping[str, int | float | None]] = {"period": None}

    def __init__(self, config: DecoderConfig, seeds: int, settings: Mapping[str, Any]) -> None:
        super().__init__(config, seeds, settings)
        self.add_weight("vectors", "embedding", int(settings["period"]), config.width, scale=config.embedding_scale)

    @property
    def period(self) -> int:
        """Δ."""
        return self.weight("vectors").shape[1]

    def embed(self, stream: Tensor, positions: Tensor) -> Tensor:
        """Plus p[i mod Δ] at position i."""
        return stream + pick(self.weight("vectors"), positions % self.period)
