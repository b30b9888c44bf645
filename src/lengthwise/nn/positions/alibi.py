"""ALiBi: logits fall in a line with the distance, in each head with a slope of its own (Press et al., 2022).

φ_h(i, j) = -m_h (i - j). For H heads, a power of 2, m_h = 2^(-8h/H), h = 1..H. For other H the slopes are those of the
largest power of 2 below, H', and then the first, third, fifth, … of 2H', as the authors' program has it.

Nothing is learned. Where ids do not grow from left to right, which a task's coupling may bring about, a key may have a
larger id than the query; what counts is the distance |i - j|.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from lengthwise.nn.config import DecoderConfig
from lengthwise.nn.positions.registry import register_position
from lengthwise.nn.positions.scheme import PositionScheme


@register_position("alibi")
class ALiBi(PositionScheme):
    """No weights, and no parameters."""

    def __init__(self, config: DecoderConfig, seeds: int, settings: Mapping[str, Any]) -> None:
        super().__init__(config, seeds, settings)
        for layer, heads in enumerate(config.heads_by_layer):
            # In float64 until the model is given its precision; not a weight, so not saved with them.
            numbers = torch.tensor(slopes(heads), dtype=torch.float64)
            self.register_buffer(f"slopes_{layer}", numbers, persistent=False)

    def phi(self, layer: int, queries: Tensor, keys: Tensor) -> Tensor:
        """The distance times the slope of each head, with a minus sign."""
        distance = (queries.unsqueeze(-1) - keys.unsqueeze(-2)).abs()
        numbers = self.get_buffer(f"slopes_{layer}")
        phi = distance.unsqueeze(2).to(numbers.dtype) * -numbers.view(-1, 1, 1)
        return phi.expand(self.seed_count, *phi.shape[1:])


def slopes(heads: int) -> list[float]:
    """m_1, …, m_H."""
    if heads == 0:
        return []
    power = 1 << (heads.bit_length() - 1)
    between = [2.0 ** (-8 * number / (2 * power)) for number in range(1, 2 * power, 2)]
    return [2.0 ** (-8 * number / power) for number in range(1, power + 1)] + between[: heads - power]
