"""Colours and markers of lines: neighbouring values get neighbouring colours, and everyone can tell them apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lengthwise.drawing.style import COLOURS, MARKERS, pyplot

RAMP = "viridis"
"""Rises evenly in lightness, also for the colour-blind and in grey."""
LIGHTEST = 0.88
"""The part of the ramp that is used; beyond it yellow vanishes on white."""
FEW = 4
"""So many values still have colours of their own."""


def colours(values: Sequence[Any]) -> list[Any]:
    """A colour for each value: from a ramp if they are more than a few numbers, else those of all our figures."""
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    if (numbers and len(values) > FEW) or len(values) > len(COLOURS):
        ramp = pyplot().get_cmap(RAMP)
        return [ramp(LIGHTEST * place / (len(values) - 1)) for place in range(len(values))]
    return list(COLOURS[: len(values)])


def markers(values: Sequence[Any]) -> list[str]:
    """A marker for each value."""
    return [MARKERS[place % len(MARKERS)] for place in range(len(values))]
