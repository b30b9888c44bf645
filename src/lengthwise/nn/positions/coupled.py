"""Coupled positions: learned vectors at the ids that a task gives (Golowich et al., sections 2.1 and 5.2).

Symbols that belong together share an id, such as a digit of a sum and those it is the sum of. Ids go from 1 to N, the
context, and are shifted in training, all ids of a word by one offset, uniform among those with which no id is beyond N;
so every id is trained. Symbols that belong to nothing, such as separators, have the id 0. It has a vector as well, and
is not shifted; the paper does not say whether it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from torch import Tensor

from lengthwise.nn.config import DecoderConfig
from lengthwise.nn.positions.registry import register_position
from lengthwise.nn.positions.scheme import Ids, PositionError, PositionScheme
from lengthwise.nn.seedwise import pick


@register_position("coupled")
class CoupledPositions(PositionScheme):
    """`context` N: vectors p_0..p_N, added to the embeddings."""

    parameters_wanted: ClassVar[Mapping[str, int | float | None]] = {"context": None}

    def __init__(self, config: DecoderConfig, seeds: int, settings: Mapping[str, Any]) -> None:
        super().__init__(config, seeds, settings)
        self.name, self.context = config.position, int(settings["context"])
        self.add_weight("vectors", "embedding", self.context + 1, config.width, scale=config.embedding_scale)

    def embed(self, stream: Tensor, positions: Tensor) -> Tensor:
        """Plus p_i at id i."""
        if positions.numel() and (int(positions.min()) < 0 or int(positions.max()) > self.context):
            bad = int(positions.max()) if int(positions.max()) > self.context else int(positions.min())
            raise PositionError(f"position id {bad} is outside the context of 0 to {self.context}")
        return stream + pick(self.weight("vectors"), positions)

    def vectors_by_place(self) -> Tensor:
        """p_1..p_N."""
        return self.weight("vectors")[:, 1:]

    def training_places(self, length: int, batch: int, rng: np.random.Generator, given: Ids | None = None) -> Ids:
        """The ids of the task, shifted."""
        ids = self._given(given)
        offsets = rng.integers(0, self.context - ids.max(axis=1) + 1)
        return np.where(ids > 0, ids + offsets[:, None], ids)

    def test_places(self, length: int, batch: int, rng: np.random.Generator, given: Ids | None = None) -> Ids:
        """The ids of the task."""
        return self._given(given)

    def _given(self, given: Ids | None) -> Ids:
        if given is None:
            raise PositionError(
                f"the position scheme {self.name!r} takes the position ids of a task, and this task gives none; take "
                "the scheme 'learned'"
            )
        if given.max() > self.context:
            raise PositionError(f"position ids up to {given.max()} do not fit into a context of {self.context}")
        return given
