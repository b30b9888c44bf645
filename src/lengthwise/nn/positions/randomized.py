"""Randomized positions: ids are a random subset of a context, in increasing order (Ruoss et al., 2023).

A word of length n has n different ids from 1..N, and every set of them is as likely as any other. So training on short
words meets all ids and all distances that longer words may have. The authors draw ids when a model is tested as well,
and share one set among the words of a batch; here every word has its own.

`at_test` says which ids tested words have: `random` as in the paper, `even` spreads them over the context, ⌈iN/n⌉, and
`first` is 1, 2, 3, …, distances that are rare in training. Both do without chance.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from lengthwise.nn.config import DecoderConfig
from lengthwise.nn.positions.inner import WithInner
from lengthwise.nn.positions.registry import register_position
from lengthwise.nn.positions.scheme import Ids, PositionError

AT_TEST = ("random", "even", "first")


@register_position("randomized")
class RandomizedPositions(WithInner):
    """`context` N, the `inner` scheme, and `at_test`."""

    parameters_wanted: ClassVar[Mapping[str, int | str | None]] = {
        "context": None,
        "inner": "learned",
        "at_test": "random",
    }

    def __init__(self, config: DecoderConfig, seeds: int, settings: Mapping[str, Any]) -> None:
        super().__init__(config, seeds, settings)
        self.context, self.at_test = int(settings["context"]), settings["at_test"]
        if self.at_test not in AT_TEST:
            raise PositionError(
                f"'at_test' of the position scheme {self.name!r} is one of {', '.join(AT_TEST)}, not {self.at_test!r}"
            )

    def training_places(self, length: int, batch: int, rng: np.random.Generator, given: Ids | None = None) -> Ids:
        """A random subset for every word."""
        self.require_no_ids(given)
        self.require_room(length, self.context)
        return subsets(self.context, length, batch, rng)

    def test_places(self, length: int, batch: int, rng: np.random.Generator, given: Ids | None = None) -> Ids:
        """As `at_test` says."""
        self.require_no_ids(given)
        self.require_room(length, self.context)
        if self.at_test == "random":
            return subsets(self.context, length, batch, rng)
        counted = np.arange(1, length + 1)
        return np.tile(counted if self.at_test == "first" else -(-counted * self.context // length), (batch, 1))


def subsets(universe: int, size: int, batch: int, rng: np.random.Generator) -> Ids:
    """Random subsets of 1..universe in increasing order, one a row; all of this size are equally likely."""
    shuffled = rng.permuted(np.broadcast_to(np.arange(1, universe + 1), (batch, universe)), axis=1)
    return np.sort(shuffled[:, :size], axis=1)
