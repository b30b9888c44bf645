"""All that a batch of windows says: in how many of them each query sees each key.

A window that begins at s has the positions s, …, s + n - 1. A query i sees a key j ≤ i in it if s ≤ j and i < s + n,
that is, if the window begins at j or before, but not at i - n or before. So the number of windows in which i sees j is
the difference of two running counts of beginnings, one at j and one at i - n, as long as i - j < n. The mean squared
error over all windows of a batch is a sum over pairs (i, j) with these numbers as weights: no window is ever built.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from torch import Tensor

Ints = npt.NDArray[np.int64]


def entries(window: int) -> int:
    """The pairs of a query and a key within one window."""
    return window * (window + 1) // 2


def begun(starts: Ints, positions: int) -> Ints:
    """How many windows of each batch (…, batch) begin at each position or before it: (…, positions)."""
    batches = starts.reshape(-1, starts.shape[-1])
    places = (np.arange(len(batches))[:, None] * positions + batches).ravel()
    counts = np.bincount(places, minlength=len(batches) * positions).reshape(*starts.shape[:-1], positions)
    return counts.cumsum(axis=-1)


class Pairs:
    """The weights of pairs of positions for windows of one length."""

    def __init__(self, positions: int, window: int, like: Tensor) -> None:
        """`like` has the number type and the device of what is computed."""
        import torch

        places = torch.arange(positions, device=like.device)
        distances = places[:, None] - places[None, :]
        self.seen = ((distances >= 0) & (distances < window)).to(like.dtype)
        """1 where a query (a row) and a key (a column) can be in one window."""
        self.window = window

    def weights(self, beginnings: Tensor) -> Tensor:
        """The share of each pair (…, queries, keys) in the mean over all entries of the windows of a batch.

        `beginnings` (…, positions) are running counts of where windows begin (`begun`).
        """
        import torch

        earlier = torch.zeros_like(beginnings)
        earlier[..., self.window :] = beginnings[..., : -self.window]
        windows = beginnings[..., -1, None, None]
        counts = beginnings[..., None, :] - earlier[..., :, None]
        return counts.mul_(self.seen).div_(windows * entries(self.window))


def all_offsets(positions: int, window: int) -> Ints:
    """The beginnings of all windows there are."""
    return np.arange(positions - window + 1)
