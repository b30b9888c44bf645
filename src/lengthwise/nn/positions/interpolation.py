"""Linear position interpolation: ids of longer inputs are scaled down into those that were trained (Chen et al., 2023).

An input of length n beyond the trained context N has the ids iN/n, i = 1..n, when a model is tested; shorter ones have
1, 2, 3, …. Rotary positions turn by fractions as by whole numbers. Learned vectors have others between them in a line;
ids below 1 have the first. What a task gives is scaled by its largest id in the place of n.

The authors fix the scale for all inputs by the context that is wanted, and train on at that scale; without that, as
here, all lengths up to N keep what was learned.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from lengthwise.nn.config import DecoderConfig
from lengthwise.nn.positions.inner import WithInner
from lengthwise.nn.positions.registry import register_position
from lengthwise.nn.positions.scheme import Ids, Parameter, PositionError

INNER = ("rope", "learned", "alibi", "fire")
"""Schemes that know what lies between whole numbers."""


@register_position("interpolation")
class InterpolatedPositions(WithInner):
    """`context` N, the ids that are trained, and the `inner` scheme."""

    parameters_wanted: ClassVar[Mapping[str, int | str | None]] = {"context": None, "inner": "rope"}

    def __init__(self, config: DecoderConfig, seeds: int, settings: Mapping[str, Any]) -> None:
        super().__init__(config, seeds, settings)
        self.context = int(settings["context"])

    @classmethod
    def wanted(cls, parameters: Mapping[str, Any]) -> Mapping[str, Parameter | None]:
        """Its own parameters, then those of the inner scheme, which must know fractions."""
        wanted = super().wanted(parameters)
        inner = parameters.get("inner", "rope")
        if isinstance(inner, str) and inner not in INNER:
            raise PositionError(f"only {', '.join(INNER)} can be interpolated; {inner!r} knows whole positions alone")
        return wanted

    def offsets(self, length: int, batch: int, rng: np.random.Generator) -> Ids | None:
        """Those of the inner scheme."""
        return self.inner.offsets(length, batch, rng)

    def test_places(
        self, length: int, batch: int, rng: np.random.Generator, given: Ids | None = None
    ) -> Ids | npt.NDArray[np.float64] | None:
        """Scaled down to the context; None if nothing is beyond it."""
        ids = np.broadcast_to(np.arange(1, length + 1), (batch, length)) if given is None else given
        largest = ids.max(axis=1, keepdims=True)
        if largest.max() <= self.context:
            return given
        scaled: npt.NDArray[np.float64] = ids * self.context / np.maximum(largest, self.context)
        return scaled
