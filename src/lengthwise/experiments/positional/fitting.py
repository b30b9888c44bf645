"""Fitting products p_j^T K^T Q p_i of a query i and a key j to a function φ(i, j) on short windows (appendix G.2).

One step needs every product (200 × 200) once, however many windows its batch has: the loss is a sum over pairs of
positions with weights that say in how many windows they are (`windows`). Its gradient is written out below. Trials of a
cell are done at once, each with its own start and its own windows.

At test length n the loss is the mean over all windows of length n of the mean squared error at their causal entries.

Vectors p (positions, d) and the matrices K and Q (d, d) are drawn for each trial alone:

| name | p | K, Q |
|---|---|---|
| `uniform` | uniform between -1 and 1 | the same, divided by √d |
| `normal` | standard normal | the same, divided by √d |
| `narrow` | normal with variance 1/d | the same |

Appendix G.2 of Huang et al. says "randomly"; the code they published has `uniform`. `narrow` is what their appendix G.1
assumes, where untrained products p K^T Q p stay near 0 for large d.

A window that begins at s has the positions s, …, s + n - 1. A query i sees a key j ≤ i in it if s ≤ j and i < s + n,
that is, if the window begins at j or before, but not at i - n or before. So the number of windows in which i sees j is
the difference of two running counts of beginnings, one at j and one at i - n, as long as i - j < n. The mean squared
error over all windows of a batch is a sum over pairs (i, j) with these numbers as weights: no window is ever built.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lengthwise.experiments.positional.cell import OFFSETS, START, Cell, Fit, Fits, Look
from lengthwise.runs.training.one_thread import one_thread

if TYPE_CHECKING:
    from torch import Tensor

Ints = npt.NDArray[np.int64]

DRAWN = 500
"""Steps whose windows are drawn at a time."""


def fit(cell: Cell) -> Fits:
    """The tests of all trials of a cell."""
    with one_thread():
        return Fits(cell, tuple(fitted(cell, range(cell.trials))))


def fitted(cell: Cell, trials: Sequence[int]) -> list[Fit]:
    """The tests of some trials, trained at once."""
    import torch

    vectors, matrices = (torch.nn.Parameter(each) for each in started(cell, trials))
    # Fused: one pass over the weights in place of ten.
    optimizer = torch.optim.Adam([vectors, matrices], lr=cell.rate, betas=cell.betas, fused=True)
    target = torch.from_numpy(cell.height * cell.positional_function.table(cell.positions)).float()
    pairs = Pairs(cell.positions, cell.window, vectors)
    looks: list[list[Look]] = [[] for _ in trials]
    for step, beginnings in enumerate(batches(cell, trials), 1):
        weights = pairs.weights(beginnings)
        vectors.grad, matrices.grad = gradients(vectors.detach(), matrices.detach(), weights, target, cell.penalty)
        optimizer.step()
        if step % cell.check_every == 0 or step == cell.steps:
            tested = losses_by_length(cell, vectors.detach(), matrices.detach())
            for found, losses in zip(looks, tested, strict=True):
                found.append(Look(step, losses))
    return [Fit(trial, tuple(found)) for trial, found in zip(trials, looks, strict=True)]


def batches(cell: Cell, trials: Sequence[int]) -> Iterator[Tensor]:
    """Running counts of where the windows of each step begin: (trials, positions)."""
    import torch

    streams = [cell.stream(trial, OFFSETS) for trial in trials]
    for done in range(0, cell.steps, DRAWN):
        size = (min(DRAWN, cell.steps - done), cell.batch)
        starts = [rng.integers(cell.positions - cell.window + 1, size=size) for rng in streams]
        yield from torch.from_numpy(begun(np.stack(starts, axis=1), cell.positions)).float()


def products(vectors: Tensor, matrices: Tensor) -> Tensor:
    """p_j^T K^T Q p_i for every query i (a row) and key j (a column) of each trial."""
    keys, queries = (vectors @ matrices.mT).chunk(2, dim=-1)
    return queries @ keys.mT


def loss(vectors: Tensor, matrices: Tensor, weights: Tensor, target: Tensor, penalty: float) -> Tensor:
    """What a batch costs each trial: the weighted squared error, and the mean squared entries of p, K and Q."""
    errors = (weights * (products(vectors, matrices) - target).square()).sum((-2, -1))
    sizes = vectors.square().mean((-2, -1)) + 2 * matrices.square().mean((-2, -1))
    return errors + penalty * sizes


def gradients(
    vectors: Tensor, matrices: Tensor, weights: Tensor, target: Tensor, penalty: float
) -> tuple[Tensor, Tensor]:
    """The derivatives of `loss` by the vectors and by K above Q; `weights` is used as scratch memory."""
    import torch

    projected = vectors @ matrices.mT
    keys, queries = projected.chunk(2, dim=-1)
    slope = weights.mul_((queries @ keys.mT).sub_(target)).mul_(2)
    back = torch.cat([slope.mT @ queries, slope @ keys], dim=-1)
    by_vectors = (back @ matrices).add_(vectors, alpha=2 * penalty / vectors[0].numel())
    # Twice the mean over K and Q together: the mean over each of them.
    by_matrices = (back.mT @ vectors).add_(matrices, alpha=4 * penalty / matrices[0].numel())
    return by_vectors, by_matrices


def losses_by_length(cell: Cell, vectors: Tensor, matrices: Tensor) -> list[tuple[float, ...]]:
    """The loss of each trial at every test length, averaged over all windows there are."""
    import torch

    target = torch.from_numpy(cell.height * cell.positional_function.table(cell.positions))
    errors = (products(vectors.double(), matrices.double()) - target).square()
    found = [(average_weights(cell.positions, length) * errors).sum((-2, -1)).tolist() for length in cell.test_lengths]
    return [tuple(losses) for losses in zip(*found, strict=True)]


def average_weights(positions: int, length: int) -> Tensor:
    """The share of each pair (queries, keys) in the mean over all windows of this length."""
    import torch

    beginnings = torch.from_numpy(begun(all_offsets(positions, length), positions)).double()
    return Pairs(positions, length, beginnings).weights(beginnings)


def started(cell: Cell, trials: Sequence[int]) -> tuple[Tensor, Tensor]:
    """Vectors (trials, positions, d), and K above Q (trials, 2 d, d)."""
    import torch

    drawn = [_drawn(cell, trial) for trial in trials]
    vectors, matrices = (torch.from_numpy(np.stack(part)).float() for part in zip(*drawn, strict=True))
    return vectors, matrices


def _drawn(cell: Cell, trial: int) -> tuple[np.ndarray, np.ndarray]:
    rng, width = cell.stream(trial, START), cell.width
    shapes = (cell.positions, width), (2 * width, width)
    if cell.initialisation == "uniform":
        vectors, matrices = (rng.uniform(-1, 1, shape) for shape in shapes)
    else:
        vectors, matrices = (rng.standard_normal(shape) for shape in shapes)
    small = 1 / math.sqrt(width)
    return vectors * (small if cell.initialisation == "narrow" else 1.0), matrices * small


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
