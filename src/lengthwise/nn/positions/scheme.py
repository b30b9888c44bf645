"""`PositionScheme`: the ways in which a model may know where its symbols stand.

A scheme adds vectors to the embeddings, turns queries and keys, or adds numbers to attention logits; what it does not
do is left as it is here. Position ids come as (seeds, batch, length), or (1, 1, length) if all inputs share them, and
are 1, 2, 3, … unless offsets or a task's coupling change them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from torch import Tensor

from lengthwise.errors import LengthwiseError
from lengthwise.nn.config import DecoderConfig
from lengthwise.nn.parameters import Folded


class PositionError(LengthwiseError):
    """A position scheme that does not exist or cannot be used like this."""


class PositionScheme(Folded):
    """What a scheme may do; parameters of the scheme are whole numbers or numbers by name."""

    parameters_wanted: ClassVar[Mapping[str, int | float | None]] = {}
    """The scheme's parameters with their defaults; None: it must be given. Whole numbers are at least 1."""
    rotates: ClassVar[bool] = False
    """Whether `rotate` does anything."""

    def __init__(self, config: DecoderConfig, seeds: int, settings: Mapping[str, Any]) -> None:
        super().__init__(seeds)

    @property
    def period(self) -> int | None:
        """The period with which positions repeat, all that is known of them; None if more is known."""
        return None

    def embed(self, stream: Tensor, positions: Tensor) -> Tensor:
        """The embeddings (seeds, batch, length, width) with what is known of their positions."""
        return stream

    def vectors_by_place(self) -> Tensor | None:
        """The vectors p_1, p_2, … (seeds, places, width) that are added to embeddings; None if there are none."""
        return None

    def rotate(self, vectors: Tensor, positions: Tensor) -> Tensor:
        """Queries or keys (seeds, batch, length, heads, k), turned as their positions say."""
        return vectors

    def phi(self, layer: int, queries: Tensor, keys: Tensor) -> Tensor | None:
        """What is added to a layer's logits (seeds, batch or 1, heads, queries, keys), given position ids."""
        return None

    def offsets(self, length: int, batch: int, rng: np.random.Generator) -> npt.NDArray[np.int64] | None:
        """How far inputs are shifted in training, one number for each; None if the scheme does not shift."""
        return None
