"""FIRE: a learned function of the distance, as a share of how far back a query can look (Li et al., 2024).

    φ_h(i, j) = f_h(ψ(i - j) / ψ(max(L, i))),   ψ(x) = log(c x + 1)

f is a network with one hidden layer of ReLU units and one output for each head; c > 0 and the threshold L > 0 are
learned too; each layer has its own. Distances up to any length become shares from 0 to 1, so that longer inputs ask for
no numbers that training has not met, once i is beyond L.

Learned are logarithms, c = c_0 e^u and L = L_0 e^v from u = v = 0 on, which keeps both positive; the authors take
absolute values. The network starts as theirs does, but normal instead of uniform, with the same deviations. It has no
bias at its outputs: the same number for all keys of a query changes nothing. They start L at 512, a quarter of the
length they train at; for shorter words it should be smaller. As in ALiBi, i - j is a distance.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor

from lengthwise.nn.config import DecoderConfig
from lengthwise.nn.positions.registry import register_position
from lengthwise.nn.positions.scheme import PositionError, PositionScheme
from lengthwise.nn.seedwise import mlp


@register_position("fire")
class FIRE(PositionScheme):
    """`units` of the hidden layer; where `c` and the `threshold` L start."""

    parameters_wanted: ClassVar[Mapping[str, int | float | None]] = {"units": 32, "c": 0.1, "threshold": 512.0}

    def __init__(self, config: DecoderConfig, seeds: int, settings: Mapping[str, Any]) -> None:
        super().__init__(config, seeds, settings)
        self.c, self.threshold = float(settings["c"]), float(settings["threshold"])
        for name in ("c", "threshold"):
            if settings[name] <= 0:
                raise PositionError(f"{name!r} of the position scheme 'fire' is a positive number, not 0")
        units = int(settings["units"])
        for layer, heads in enumerate(config.heads_by_layer):
            if heads:
                self.add_weight(f"log_c_{layer}", "phi", 1, scale=0.0)
                self.add_weight(f"log_threshold_{layer}", "phi", 1, scale=0.0)
                self.add_weight(f"hidden_{layer}", "phi", units, 1, scale=3**-0.5)
                self.add_weight(f"hidden_bias_{layer}", "phi", units, scale=3**-0.5)
                self.add_weight(f"heads_{layer}", "phi", heads, units, scale=(3 * units) ** -0.5)

    def phi(self, layer: int, queries: Tensor, keys: Tensor) -> Tensor:
        """What f is at the shares of queries and keys."""
        shares = self._shares(layer, queries, keys).unsqueeze(-1)
        hidden, bias, heads = (self.weight(f"{name}_{layer}") for name in ("hidden", "hidden_bias", "heads"))
        return mlp(shares, hidden, bias, heads, "relu").movedim(-1, 2)

    def _shares(self, layer: int, queries: Tensor, keys: Tensor) -> Tensor:
        """ψ(i - j) / ψ(max(L, i)) for each seed (seeds, batch or 1, queries, keys)."""
        all_c = self.c * self.weight(f"log_c_{layer}").exp()
        all_thresholds = self.threshold * self.weight(f"log_threshold_{layer}").exp()
        distances = (queries.unsqueeze(-1) - keys.unsqueeze(-2)).abs().to(all_c.dtype)
        asked_at = queries.unsqueeze(-1).to(all_c.dtype)
        shared = len(distances) == 1
        found = []
        # Seed by seed: logarithms may round differently at the end of a tensor than within.
        for seed, (c, threshold) in enumerate(zip(all_c.unbind(), all_thresholds.unbind(), strict=True)):
            distance, at = (each[0 if shared else seed] for each in (distances, asked_at))
            found.append(torch.log1p(c * distance) / torch.log1p(c * torch.maximum(threshold, at)))
        return torch.stack(found)
