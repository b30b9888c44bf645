"""`WordSupply`: training batches whose words have lengths of their own, independent and uniform (Huang et al., E.3).

A sampler draws words of one length at a time, so a batch of 64 words would take some forty calls. Many batches are
drawn together instead, and shared out at random. Words of a batch come in the order of their lengths, padded to the
longest, as `asked.outputs` likes them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from lengthwise.nn.batches import joined, placed_for_training
from lengthwise.nn.positions.scheme import PositionScheme
from lengthwise.tasks.task import Batch, Task

AHEAD = 64
"""Batches that are drawn at a time."""


class WordSupply:
    """Batches of a task with this many words, whose lengths are uniform among `lengths`."""

    def __init__(
        self,
        task: Task,
        lengths: Sequence[int],
        words: int,
        rng: np.random.Generator,
        scheme: PositionScheme | None = None,
    ) -> None:
        """`scheme`: chooses the position ids of training, if it is given."""
        self._task, self._lengths, self._words, self._rng, self._scheme = task, tuple(lengths), words, rng, scheme
        self._ahead: list[Batch] = []

    def batch(self) -> Batch:
        """A new batch."""
        if not self._ahead:
            self._ahead = self._drawn()
        return self._ahead.pop()

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
