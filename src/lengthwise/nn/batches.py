"""Batches of several seeds as tensors with an axis of seeds in front."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from lengthwise.errors import LengthwiseError
from lengthwise.nn.positions.scheme import PositionScheme
from lengthwise.tasks.task import Batch, CountBatch

Array: TypeAlias = npt.NDArray[Any]

_IN_WORDS = {"positions": "position ids", "answers": "answers", "next_positions": "ids that come next"}


@dataclass(frozen=True, eq=False)
class FoldedBatch:
    """`Batch` for several seeds.

    Attributes:
        tokens: (seeds, batch, length): symbol ids.
        targets: The targets of `Batch`, with a first axis of seeds.
        mask: (seeds, batch, length): which positions are scored.
        positions: (seeds, batch, length): position ids; None for 1, 2, 3, ….
        next_positions: (seeds, batch, length): the position id of the symbol that comes next, where models predict it.

    """

    tokens: Tensor
    targets: Tensor
    mask: Tensor
    positions: Tensor | None
    answers: Tensor
    """The mask, or the part of it that decides whether a word is right."""
    next_positions: Tensor | None = None


@dataclass(frozen=True, eq=False)
class FoldedCounts:
    """`CountBatch` for several seeds.

    Attributes:
        counts: (seeds, batch, symbols, period): how often each symbol stands at each residue of the position.
        last: (seeds, batch): the last symbol.
        lengths: (seeds, batch): how many symbols the words have.
        targets: (seeds, batch, outputs).

    """

    counts: Tensor
    last: Tensor
    lengths: Tensor
    targets: Tensor


def fold(batches: Sequence[Batch]) -> FoldedBatch:
    """One batch for each seed, all of one shape."""
    _check_shapes([each.tokens.shape for each in batches])
    placed, following = _all_or_none("folded", batches, "positions", "next_positions")
    return FoldedBatch(
        tokens=torch.from_numpy(np.stack([each.tokens for each in batches])),
        targets=_numbers(np.stack([each.targets for each in batches])),
        mask=torch.from_numpy(np.stack([each.mask for each in batches])),
        positions=torch.from_numpy(np.stack(placed)) if placed else None,
        answers=torch.from_numpy(
            np.stack([each.mask if each.answers is None else each.answers & each.mask for each in batches])
        ),
        next_positions=torch.from_numpy(np.stack(following)) if following else None,
    )


def joined(batches: Sequence[Batch]) -> Batch:
    """Batches of words of several lengths as one, from the shortest words on; shorter ones are padded.

    Nothing is asked where they are padded (`padded`), so that a causal model says the same about them as before.
    """
    if not batches:
        raise LengthwiseError("there are no batches to be joined")
    length = max(each.tokens.shape[1] for each in batches)
    parts = [padded(each, length) for each in sorted(batches, key=lambda each: each.tokens.shape[1])]
    placed, decided, following = _all_or_none("joined", parts, "positions", "answers", "next_positions")
    return Batch(
        tokens=np.concatenate([each.tokens for each in parts]),
        targets=np.concatenate([each.targets for each in parts]),
        mask=np.concatenate([each.mask for each in parts]),
        positions=np.concatenate(placed) if placed else None,
        answers=np.concatenate(decided) if decided else None,
        next_positions=np.concatenate(following) if following else None,
    )


def padded(batch: Batch, length: int) -> Batch:
    """A batch with words of this length: behind them stand symbols 0 at their last position, which are not scored."""
    missing = length - batch.tokens.shape[1]
    if batch.targets.shape[:2] != batch.mask.shape:
        raise LengthwiseError("only words that are scored at each position can be padded; regression is at the last")
    if missing < 0:
        raise LengthwiseError(f"words of {batch.tokens.shape[1]} symbols cannot be padded to {length}")

    def longer(array: Array, mode: Literal["constant", "edge"] = "constant") -> Array:
        return np.pad(array, ((0, 0), (0, missing), *((0, 0),) * (array.ndim - 2)), mode=mode)

    return Batch(
        tokens=longer(batch.tokens),
        targets=longer(batch.targets),
        mask=longer(batch.mask),
        positions=None if batch.positions is None else longer(batch.positions, "edge"),
        answers=None if batch.answers is None else longer(batch.answers),
        next_positions=None if batch.next_positions is None else longer(batch.next_positions),
    )


def placed_for_training(batch: Batch, scheme: PositionScheme, rng: np.random.Generator) -> Batch:
    """A batch with the position ids with which a scheme trains on it; the ids that come next go along.

    A scheme that moves ids does so with those of a word and those that come next at once, so that they fit together.
    """
    words, length = batch.tokens.shape
    given, following = batch.positions, batch.next_positions
    if given is None or following is None:
        ids = scheme.training_places(length, words, rng, given)
        return batch if ids is None else replace(batch, positions=ids)
    both = scheme.training_places(2 * length, words, rng, np.concatenate([given, following], axis=1))
    if both is None:
        return batch
    return replace(batch, positions=both[:, :length], next_positions=both[:, length:])


def fold_counts(batches: Sequence[CountBatch]) -> FoldedCounts:
    """One batch for each seed, all of one size."""
    _check_shapes([each.counts.shape for each in batches])
    return FoldedCounts(
        counts=torch.from_numpy(np.stack([each.counts for each in batches])),
        last=torch.from_numpy(np.stack([each.last for each in batches])),
        lengths=torch.from_numpy(np.stack([each.lengths for each in batches])),
        targets=_numbers(np.stack([each.targets for each in batches])),
    )


def _all_or_none(done: str, batches: Sequence[Batch], *names: str) -> list[list[Array]]:
    """What batches have under these names, which must be all of them or none."""
    found = [[each for each in (getattr(batch, name) for batch in batches) if each is not None] for name in names]
    for name, each in zip(names, found, strict=True):
        if len(each) not in (0, len(batches)):
            raise LengthwiseError(f"either all batches that are {done} have {_IN_WORDS[name]} or none has")
    return found


def _numbers(targets: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> Tensor:
    """Floating-point targets in the precision of the weights, others as they are."""
    tensor = torch.from_numpy(targets)
    return tensor.to(torch.get_default_dtype()) if tensor.is_floating_point() else tensor


def _check_shapes(shapes: Sequence[tuple[int, ...]]) -> None:
    if len(set(shapes)) != 1:
        raise LengthwiseError(f"batches that are folded have one shape, got {', '.join(map(str, shapes)) or 'none'}")
