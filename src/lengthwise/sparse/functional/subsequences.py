"""The plain mean of g1 over all sets of k positions, without visiting them.

Where a key ignores every set, attention is uniform over all C(L, k) sets (Definition 3.3, its footnote). How many of
them carry a given tuple is the number of ways to embed it as a subsequence: O(L k) for each tuple of the value table.
"""

from __future__ import annotations

from math import comb

import numpy as np
import numpy.typing as npt

from lengthwise.sparse.functional.values import ValueTable


def embeddings(words: npt.NDArray[np.int64], tuples: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """How often each tuple (row) occurs as a subsequence of each word (row), neighbours or not."""
    count, length = words.shape
    width = tuples.shape[1]
    found = np.zeros((count, len(tuples), width + 1))
    found[:, :, 0] = 1
    for place in range(length):
        matches = words[:, place, None, None] == tuples[None]
        # Longer beginnings first: one position must not serve twice.
        for size in range(width, 0, -1):
            found[:, :, size] += found[:, :, size - 1] * matches[:, :, size - 1]
    return found[:, :, width]


def plain_mean(value: ValueTable, words: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """The mean of g1 over all sets of k positions of each word."""
    _, listed = value.rows
    tuples = np.array(list(value.table), dtype=np.int64).reshape(-1, value.sparsity)
    shares = embeddings(words, tuples) / comb(words.shape[1], value.sparsity)
    return np.asarray(listed[-1] + shares @ (listed[:-1] - listed[-1]))
