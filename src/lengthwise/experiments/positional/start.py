"""Where products start: vectors p (positions, d) and the matrices K and Q (d, d), drawn for each trial alone.

| name | p | K, Q |
|---|---|---|
| `uniform` | uniform between -1 and 1 | the same, divided by √d |
| `normal` | standard normal | the same, divided by √d |
| `narrow` | normal with variance 1/d | the same |

Appendix G.2 of Huang et al. says "randomly"; the code they published has `uniform`. `narrow` is what their appendix G.1
assumes, where untrained products p K^T Q p stay near 0 for large d.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from lengthwise.experiments.positional.cell import START, Cell

if TYPE_CHECKING:
    from torch import Tensor


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
