"""Schemes that only choose position ids, and leave to an inner scheme what a model makes of them.

The parameter `inner` names it; its parameters are given beside those of the outer scheme.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from lengthwise.nn.config import DecoderConfig
from lengthwise.nn.positions import registry
from lengthwise.nn.positions.scheme import Ids, Parameter, PositionError, PositionScheme, no_room


class WithInner(PositionScheme):
    """Everything as the inner scheme does it, apart from the ids.

    Args:
        config: The model.
        seeds: How many seeds it has.
        settings: All parameters of the scheme; `inner` names the scheme that it wraps.

    Example:
        >>> from lengthwise.nn import DecoderConfig
        >>> from lengthwise.nn.positions import build
        >>> config = DecoderConfig(vocabulary=3, outputs=1, position="randomized", position_parameters={"context": 8})
        >>> build(config, 1).inner_name
        'learned'

    """

    def __init__(self, config: DecoderConfig, seeds: int, settings: Mapping[str, Any]) -> None:
        super().__init__(config, seeds, settings)
        self.name, self.inner_name = config.position, str(settings["inner"])
        self.inner = registry.get(self.inner_name)(config, seeds, settings)
        self.rotates = self.inner.rotates

    @classmethod
    def wanted(cls, parameters: Mapping[str, Any]) -> Mapping[str, Parameter | None]:
        """Its own parameters, then those of the inner scheme."""
        inner = parameters.get("inner", cls.parameters_wanted["inner"])
        if not isinstance(inner, str):
            return cls.parameters_wanted
        scheme = registry.get(inner)
        plain = PositionScheme.training_places, PositionScheme.test_places
        if (scheme.training_places, scheme.test_places) != plain:
            raise PositionError(f"the inner position scheme {inner!r} chooses position ids itself; take a plain one")
        return {**cls.parameters_wanted, **scheme.wanted({}), **cls.parameters_wanted}

    @property
    def adds_to_logits(self) -> bool:
        """Whether the inner scheme does."""
        return self.inner.adds_to_logits

    def embed(self, stream: Tensor, positions: Tensor) -> Tensor:
        """As the inner scheme does."""
        return self.inner.embed(stream, positions)

    def vectors_by_place(self) -> Tensor | None:
        """Those of the inner scheme."""
        return self.inner.vectors_by_place()

    def rotate(self, vectors: Tensor, positions: Tensor) -> Tensor:
        """As the inner scheme does."""
        return self.inner.rotate(vectors, positions)

    def phi(self, layer: int, queries: Tensor, keys: Tensor) -> Tensor | None:
        """That of the inner scheme."""
        return self.inner.phi(layer, queries, keys)

    def require_no_ids(self, given: Ids | None) -> None:
        """Refuse the ids of a task, which would be drawn over."""
        if given is not None:
            raise PositionError(
                f"the position scheme {self.name!r} draws position ids itself, and this task gives some; take a task "
                "without them, or the scheme 'coupled'"
            )

    def require_room(self, length: int, context: int) -> None:
        """Refuse inputs that are longer than the context."""
        if length > context:
            raise no_room(length, context)
