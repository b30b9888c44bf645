"""PoSE: positional skip-wise training (Zhu et al., 2024, as in Golowich et al., section 2.2).

A word of length n is cut into c chunks at random places, and each chunk has consecutive ids that begin anywhere behind
the chunk before it, within a context of N. So training on short words meets all ids and all distances up to N. Tested
words have the ids 1, 2, 3, ….

With c = 2, the chunks have lengths n_1 uniform on 1..n - 1 and n - n_1, and J_0, J_1 are uniform on 1..N - n + 1: the
first chunk begins at min J, the second at max J + n_1. The paper prints 1..N - n, by which N would never be an id. For
other c there are c - 1 different cuts, all sets of which are equally likely, and c numbers J in increasing order; words
with fewer symbols than chunks have a chunk for each symbol.

Golowich et al. call this essentially the scheme of Zhu et al., whose first chunk always begins with the first id and
has half of the word at most, and whose skip is uniform; here the skip is the difference of two uniform numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from lengthwise.nn.config import DecoderConfig
from lengthwise.nn.positions.inner import WithInner
from lengthwise.nn.positions.randomized import subsets
from lengthwise.nn.positions.registry import register_position
from lengthwise.nn.positions.scheme import Ids


@register_position("pose")
class PoSE(WithInner):
    """`context` N, how many `chunks` there are, and the `inner` scheme."""

    parameters_wanted: ClassVar[Mapping[str, int | str | None]] = {"context": None, "chunks": 2, "inner": "rope"}

    def __init__(self, config: DecoderConfig, seeds: int, settings: Mapping[str, Any]) -> None:
        super().__init__(config, seeds, settings)
        self.context, self.chunks = int(settings["context"]), int(settings["chunks"])

    def training_places(self, length: int, batch: int, rng: np.random.Generator, given: Ids | None = None) -> Ids:
        """Consecutive ids in each chunk, with random skips between chunks."""
        self.require_no_ids(given)
        self.require_room(length, self.context)
        chunks = min(self.chunks, length)
        cuts = subsets(length - 1, chunks - 1, batch, rng)
        begins = np.sort(rng.integers(1, self.context - length + 2, (batch, chunks)), axis=1)
        places = np.arange(length)
        chunk = (places[None, :, None] >= cuts[:, None, :]).sum(2)
        return places + np.take_along_axis(begins, chunk, axis=1)

    def test_places(self, length: int, batch: int, rng: np.random.Generator, given: Ids | None = None) -> None:
        """1, 2, 3, …."""
        self.require_no_ids(given)
