"""`PositionScheme`: the ways in which a model may know where its symbols stand.

A scheme adds vectors to the embeddings, turns queries and keys, or adds numbers to attention logits; what it does not
do is left as it is here. Position ids come as (seeds, batch, length), or (1, 1, length) if all inputs share them.

A scheme also decides which ids symbols have: 1, 2, 3, … or those that a task gives, unless it shifts, draws or scales
them in training (`training_places`) or when a model is tested (`test_places`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt
from torch import Tensor

from lengthwise.errors import LengthwiseError
from lengthwise.nn.config import DecoderConfig
from lengthwise.nn.parameters import Folded

Ids: TypeAlias = npt.NDArray[np.int64]
"""Position ids (batch, length)."""
Parameter: TypeAlias = int | float | str
"""What a parameter of a scheme may be."""


class PositionError(LengthwiseError):
    """A position scheme that does not exist or cannot be used like this."""


def no_room(length: int, context: int) -> PositionError:
    """The error of inputs that are longer than a context."""
    return PositionError(
        f"inputs of length {length} do not fit into a context of {context} positions; {room_for(length)}"
    )


def room_for(length: int) -> str:
    """What to do about inputs that are longer than a context."""
    return (
        f"set model.position_parameters.context={length} or more, or let the task's input_length() say how long its "
        "inputs get"
    )


class PositionScheme(Folded):
    """What a scheme may do; parameters of the scheme are whole numbers, numbers or texts by name.

    Args:
        config: The model.
        seeds: How many seeds it has.
        settings: All parameters of the scheme.

    Example:
        >>> from lengthwise.nn import DecoderConfig
        >>> from lengthwise.nn.positions import build
        >>> config = DecoderConfig(vocabulary=3, outputs=1, position="learned", position_parameters={"context": 8})
        >>> build(config, seeds=1).rotates
        False

    """

    parameters_wanted: ClassVar[Mapping[str, Parameter | None]] = {}
    """The scheme's parameters with their defaults; None: it must be given, as a whole number. These are at least 1."""
    rotates: bool = False
    """Whether `rotate` does anything."""
    predicts: ClassVar[bool] = False
    """Whether the model says which id comes next (`next_ids`)."""

    def __init__(self, config: DecoderConfig, seeds: int, settings: Mapping[str, Any]) -> None:
        super().__init__(seeds)

    @classmethod
    def wanted(cls, parameters: Mapping[str, Any]) -> Mapping[str, Parameter | None]:
        """The parameters with their defaults, as far as they depend on those that are given."""
        return cls.parameters_wanted

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

    @property
    def adds_to_logits(self) -> bool:
        """Whether `phi` does anything."""
        return type(self).phi is not PositionScheme.phi

    def next_ids(self, final: Tensor) -> Tensor:
        """For a scheme that predicts: a number for each id 0, 1, 2, … of the next symbol (seeds, …, ids).

        `final` is the residual stream (seeds, …, width) that outputs are read from, normed.
        """
        raise PositionError("this position scheme does not predict position ids")

    def offsets(self, length: int, batch: int, rng: np.random.Generator) -> npt.NDArray[np.int64] | None:
        """How far inputs are shifted in training, one number for each; None if the scheme does not shift."""
        return None

    def training_places(
        self, length: int, batch: int, rng: np.random.Generator, given: Ids | None = None
    ) -> Ids | None:
        """Ids (batch, length) for training; None for 1, 2, 3, …. `given` are those of the task, if it has any.

        By default they stay as they are, and others are shifted by the offsets.
        """
        if given is not None:
            return given
        offsets = self.offsets(length, batch, rng)
        return None if offsets is None else offsets[:, None] + np.arange(1, length + 1)

    def test_places(
        self, length: int, batch: int, rng: np.random.Generator, given: Ids | None = None
    ) -> Ids | npt.NDArray[np.float64] | None:
        """Ids (batch, length) for inputs that a model is tested on; None for 1, 2, 3, …. They may be fractions.

        By default those of the task, if it has any.
        """
        return given
