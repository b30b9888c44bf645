"""Attention of a few queries to many keys, where a key may stand for any number of equal ones.

Keys come in groups, so that only the logarithms of the weights are ever held for all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lengthwise.limit.evaluation.regimes import Floats, Regime, average, exponents, weights


class Group(NamedTuple):
    """Keys by what the head sees of them, of shape (features, words, keys)."""

    projections: Floats
    sums: Floats
    """The sum of the values of the keys that a key stands for."""
    counts: Floats
    """How many that are."""
    phi: Floats
    """φ for each pair, (keys, queries)."""
    unseen: npt.NDArray[np.bool_] | None = None
    """The pairs that do not exist, (keys, queries)."""


def attended(regime: Regime, length: int, queries: Floats, positions: Floats, groups: Sequence[Group]) -> Floats:
    """The weighted averages of all values, one for each query; `length` is that of the input.

    Every query must see at least one key.
    """
    asked = np.moveaxis(queries, 0, 1)
    by_group = []
    for group in groups:
        content = np.moveaxis(group.projections, 0, 2) @ asked
        exponent = exponents(regime, content, group.phi, positions, length)
        if group.unseen is not None:
            exponent[:, group.unseen] = -np.inf
        by_group.append(exponent)
    largest = np.max([exponent.max(axis=1, keepdims=True, initial=-np.inf) for exponent in by_group], axis=0)
    numerator, denominator = np.zeros((len(asked), len(groups[0].sums), len(positions))), np.zeros_like(largest)
    for group, exponent in zip(groups, by_group, strict=True):
        weight = weights(regime, exponent, largest)
        numerator += np.moveaxis(group.sums, 0, 1) @ weight
        denominator += (group.counts @ weight)[:, None]
    return np.moveaxis(average(numerator, denominator), 1, 0)
