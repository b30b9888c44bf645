"""Predictive position coupling: the model itself says which id comes next (PPC; Golowich et al., section 5.2).

Coupled positions must be known in advance. Where they depend on the input, as on the way through a chain of variables,
that would give part of the answer away. So a second head, beside the one for symbols, predicts the id of the next
symbol, and generation feeds both back (`nn.generation`). Ids are those of `coupled`, shifted alike in training.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from torch import Tensor

from lengthwise.nn.config import DecoderConfig
from lengthwise.nn.position_head import PositionHead
from lengthwise.nn.positions.coupled import CoupledPositions
from lengthwise.nn.positions.registry import register_position


@register_position("predictive")
class PredictivePositions(CoupledPositions):
    """`context` N: vectors p_0..p_N, and a head for the ids 0..N."""

    predicts: ClassVar[bool] = True

    def __init__(self, config: DecoderConfig, seeds: int, settings: Mapping[str, Any]) -> None:
        super().__init__(config, seeds, settings)
        self.head = PositionHead(config, seeds, self.context)

    def next_ids(self, final: Tensor) -> Tensor:
        """What the head says."""
        said: Tensor = self.head(final)
        return said
