"""NoPE: no position encodings. A causal model still sees how many symbols there are before a position."""

from __future__ import annotations

from lengthwise.nn.positions.registry import register_position
from lengthwise.nn.positions.scheme import PositionScheme


@register_position("none")
class NoPositions(PositionScheme):
    """Nothing at all."""

    @property
    def period(self) -> int:
        """All positions look alike."""
        return 1
