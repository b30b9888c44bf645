"""Batches of several seeds as tensors with an axis of seeds in front."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from lengthwise.errors import LengthwiseError
from lengthwise.tasks.task import Batch, CountBatch


@dataclass(frozen=True, eq=False)
class FoldedBatch:
    """`Batch` for several seeds."""

    tokens: Tensor
    targets: Tensor
    mask: Tensor
    positions: Tensor | None
    answers: Tensor
    """The mask, or the part of it that decides whether a word is right."""


@dataclass(frozen=True, eq=False)
class FoldedCounts:
    """`CountBatch` for several seeds."""

    counts: Tensor
    last: Tensor
    lengths: Tensor
    targets: Tensor


def fold(batches: Sequence[Batch]) -> FoldedBatch:
    """One batch for each seed, all of one shape."""
    _check_shapes([each.tokens.shape for each in batches])
    placed = [each.positions for each in batches if each.positions is not None]
    if placed and len(placed) != len(batches):
        raise LengthwiseError("either all batches that are folded have position ids or none")
    return FoldedBatch(
        tokens=torch.from_numpy(np.stack([each.tokens for each in batches])),
        targets=_numbers(np.stack([each.targets for each in batches])),
        mask=torch.from_numpy(np.stack([each.mask for each in batches])),
        positions=torch.from_numpy(np.stack(placed)) if placed else None,
        answers=torch.from_numpy(
            np.stack([each.mask if each.answers is None else each.answers & each.mask for each in batches])
        ),
    )


def fold_counts(batches: Sequence[CountBatch]) -> FoldedCounts:
    """One batch for each seed, all of one size."""
    _check_shapes([each.counts.shape for each in batches])
    return FoldedCounts(
        counts=torch.from_numpy(np.stack([each.counts for each in batches])),
        last=torch.from_numpy(np.stack([each.last for each in batches])),
        lengths=torch.from_numpy(np.stack([each.lengths for each in batches])),
        targets=_numbers(np.stack([each.targets for each in batches])),
    )


def _numbers(targets: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> Tensor:
    """Floating-point targets in the precision of the weights, others as they are."""
    tensor = torch.from_numpy(targets)
    return tensor.to(torch.get_default_dtype()) if tensor.is_floating_point() else tensor


def _check_shapes(shapes: Sequence[tuple[int, ...]]) -> None:
    if len(set(shapes)) != 1:
        raise LengthwiseError(f"batches that are folded have one shape, got {', '.join(map(str, shapes)) or 'none'}")
