"""Batches of several seeds as tensors with an axis of seeds in front.

Words of a `WordSupply` have lengths of their own, independent and uniform (Huang et al., E.3). A sampler draws words of
one length at a time, so a batch of 64 words would take some forty calls. Many batches are drawn together instead, and
shared out at random. Words of a batch come in the order of their lengths, padded to the longest, as `asked.outputs`
likes them.
"""

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
from lengthwise.tasks.drawn_ahead import DrawnAhead
from lengthwise.tasks.task import Batch, CountBatch, Task

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
    """One batch for each seed, all of one shape.

    Args:
        batches: A batch for each seed.

    Returns:
        One batch, with a first axis of seeds.

    Example:
        >>> from lengthwise import tasks
        >>> drawn = [tasks.get("simple-task").sample(8, 16, np.random.default_rng(seed)) for seed in range(3)]
        >>> fold(drawn).tokens.shape
        torch.Size([3, 16, 8])

    """
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

    Args:
        batches: Batches of words, each of one length.

    Returns:
        One batch; shorter words are padded, and nothing is scored at the padding.

    Raises:
        LengthwiseError: There is no batch.

    Example:
        >>> import lengthwise as lw
        >>> task = lw.Subject.of("(ab)*").as_task()
        >>> joined([task.sample(length, 2, np.random.default_rng(0)) for length in (4, 8)]).tokens.shape
        (4, 8)

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
    """One batch for each seed, all of one size.

    Args:
        batches: A batch of counts for each seed.

    Returns:
        One batch, with a first axis of seeds.

    Example:
        >>> from lengthwise import tasks
        >>> drawn = [tasks.get("simple-task").sample_counts(8, 16, np.random.default_rng(seed)) for seed in range(3)]
        >>> fold_counts(drawn).counts.shape
        torch.Size([3, 16, 3, 1])

    """
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


AHEAD = 64
"""Batches that are drawn at a time."""


class WordSupply(DrawnAhead[Batch]):
    """Batches of a task with this many words, whose lengths are uniform among `lengths`.

    Args:
        task: The task.
        lengths: The lengths of words.
        words: How many words a batch has.
        rng: The random numbers.
        scheme: The position scheme, which chooses position ids for training; None if there are none.

    Example:
        >>> import lengthwise as lw
        >>> task = lw.Subject.of("(ab)*").as_task()
        >>> WordSupply(task, [4, 8], 16, np.random.default_rng(0)).batch().tokens.shape
        (16, 8)

    """

    def __init__(
        self,
        task: Task,
        lengths: Sequence[int],
        words: int,
        rng: np.random.Generator,
        scheme: PositionScheme | None = None,
    ) -> None:
        """`scheme`: chooses the position ids of training, if it is given."""
        super().__init__(rng)
        self._task, self._lengths, self._words, self._scheme = task, tuple(lengths), words, scheme

    def _drawn(self) -> list[Batch]:
        total = self._words * AHEAD
        shares = self._rng.multinomial(total, np.full(len(self._lengths), 1 / len(self._lengths)))
        parts = [
            self._placed(self._task.sample(length, int(share), self._rng))
            for length, share in zip(self._lengths, shares, strict=True)
            if share
        ]
        whole = joined(parts)
        inputs = np.repeat([each.tokens.shape[1] for each in parts], [len(each.tokens) for each in parts])
        inputs.sort()
        order = np.sort(self._rng.permutation(total).reshape(AHEAD, self._words), axis=1)
        return [_some(whole, rows, int(inputs[rows[-1]])) for rows in order]

    def _placed(self, batch: Batch) -> Batch:
        return batch if self._scheme is None else placed_for_training(batch, self._scheme, self._rng)


def _some(whole: Batch, rows: npt.NDArray[np.int64], length: int) -> Batch:
    """Some words of a batch, as far as the longest of them goes."""
    return Batch(
        tokens=whole.tokens[rows, :length],
        targets=whole.targets[rows, :length],
        mask=whole.mask[rows, :length],
        positions=None if whole.positions is None else whole.positions[rows, :length],
        answers=None if whole.answers is None else whole.answers[rows, :length],
        next_positions=None if whole.next_positions is None else whole.next_positions[rows, :length],
    )
