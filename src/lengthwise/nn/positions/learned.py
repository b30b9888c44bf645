"""Learned absolute positions: a vector for every place of a context (APE).

Inputs are shorter than the context, so in training they are shifted by random offsets: every place is met (Huang et
al., section 2). An input of length n has the offsets 0..N - n. Between two places, which interpolation asks for, lies
what lies between their vectors.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from torch import Tensor

from lengthwise.nn.config import DecoderConfig
from lengthwise.nn.positions.registry import register_position
from lengthwise.nn.positions.scheme import PositionError, PositionScheme, no_room, room_for
from lengthwise.nn.seedwise import pick


@register_position("learned")
class LearnedPositions(PositionScheme):
    """`context` vectors p_1..p_N, added to the embeddings."""

    parameters_wanted: ClassVar[Mapping[str, int | float | None]] = {"context": None}

    def __init__(self, config: DecoderConfig, seeds: int, settings: Mapping[str, Any]) -> None:
        super().__init__(config, seeds, settings)
        self.context = int(settings["context"])
        self.add_weight("vectors", "embedding", self.context, config.width, scale=config.embedding_scale)

    def embed(self, stream: Tensor, positions: Tensor) -> Tensor:
        """Plus p_i at position i."""
        if positions.is_floating_point():
            return stream + self._between(positions)
        if positions.numel() and (int(positions.min()) < 1 or int(positions.max()) > self.context):
            bad = int(positions.max()) if int(positions.max()) > self.context else int(positions.min())
            hint = f"; {room_for(bad)}" if bad > self.context else ""
            raise PositionError(f"position {bad} is outside the context of 1 to {self.context} learned positions{hint}")
        return stream + pick(self.weight("vectors"), positions - 1)

    def _between(self, positions: Tensor) -> Tensor:
        """(1 - w) p_i + w p_(i+1) at i + w; before the first place its vector."""
        if positions.numel() and not 0 < float(positions.min()) <= float(positions.max()) <= self.context:
            raise PositionError(
                f"positions from {float(positions.min()):g} to {float(positions.max()):g} are not within the context "
                f"of {self.context} learned positions"
            )
        below = positions.floor()
        vectors, share = self.weight("vectors"), (positions - below).unsqueeze(-1).to(self.weight("vectors").dtype)
        lower, upper = (pick(vectors, each.long().clamp(min=1) - 1) for each in (below, positions.ceil()))
        return (1 - share) * lower + share * upper

    def vectors_by_place(self) -> Tensor:
        """p_1..p_N."""
        return self.weight("vectors")

    def offsets(self, length: int, batch: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """Uniform in 0..N - length."""
        if length > self.context:
            raise no_room(length, self.context)
        return rng.integers(0, self.context - length + 1, batch)
