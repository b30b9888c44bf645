"""Fresh training batches for all seeds of a run, with lengths that are uniform among those up to the training length.

On counts, every word may have a length of its own: nothing but the residue of its length and, with scaled logits, the
length itself enters the model, so words that agree in these are asked about together. Whole words must have one length
to be asked about together, so a batch has a few parts, with lengths spread evenly over all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from lengthwise.lab.questions import CountQuestions, Questions, TokenQuestions
from lengthwise.lab.streams import LENGTHS, TRAINING, stream
from lengthwise.tasks.request import lengths
from lengthwise.tasks.task import CountBatch, CountedTask

if TYPE_CHECKING:
    from torch import Tensor

    from lengthwise.lab.config import RunConfig
    from lengthwise.nn.model import Decoder

AHEAD = 64
"""Batches of counts that are drawn at a time: drawing costs by the call, and a call is for one length."""


class CountFeed:
    """Batches of counts; each seed draws its words and their lengths."""

    def __init__(self, config: RunConfig, asked: CountQuestions, model: Decoder) -> None:
        self.lengths = lengths(asked.task, config.train_length)
        self._asked, self._words = asked, config.optimizer.batch
        self._per_word = config.optimizer.lengths == "per-word"
        self._rngs = [stream(seed, TRAINING) for seed in config.seeds]
        alike = _alike(model.positions.period or 1, model.config.log_scaling == "length")
        self._supplies = [Supply(asked.task, self.lengths, self._words, alike, rng) for rng in self._rngs]

    def losses(self, model: Decoder) -> Tensor:
        """The loss of every seed on a batch of its own."""
        if not self._per_word:
            return self._asked.losses(model, [self._drawn(rng) for rng in self._rngs])
        parts = zip(*(supply.batch() for supply in self._supplies), strict=True)
        shares = [(self._asked.losses(model, part), len(part[0].last) / self._words) for part in parts]
        return sum((loss * share for loss, share in shares[1:]), shares[0][0] * shares[0][1])

    def keep(self, places: Sequence[int]) -> None:
        """Go on with the seeds at these places."""
        self._rngs = [self._rngs[place] for place in places]
        self._supplies = [self._supplies[place] for place in places]

    def _drawn(self, rng: np.random.Generator) -> CountBatch:
        return self._asked.task.sample_counts(self.lengths[int(rng.integers(len(self.lengths)))], self._words, rng)


class TokenFeed:
    """Batches of words; each seed draws its words, but of lengths that all have in common."""

    def __init__(self, config: RunConfig, asked: TokenQuestions) -> None:
        self.lengths = lengths(asked.task, config.train_length)
        self._asked = asked
        self._parts = config.optimizer.parts if config.optimizer.lengths == "per-word" else 1
        self._words = config.optimizer.batch // self._parts
        self._rngs = [stream(seed, TRAINING) for seed in config.seeds]
        # The same whichever seeds there are.
        self._common = stream(0, LENGTHS)

    def losses(self, model: Decoder) -> Tensor:
        """The loss of every seed on a batch of its own."""
        begin = self._common.random()
        places = [int((begin + part) / self._parts * len(self.lengths)) for part in range(self._parts)]
        found = [self._part(model, self.lengths[place]) for place in places]
        return sum(found[1:], found[0]) / self._parts

    def keep(self, places: Sequence[int]) -> None:
        """Go on with the seeds at these places."""
        self._rngs = [self._rngs[place] for place in places]

    def _part(self, model: Decoder, length: int) -> Tensor:
        drawn = [self._asked.task.sample(length, self._words, rng) for rng in self._rngs]
        return self._asked.losses(model, drawn, self._rngs)


Feed = CountFeed | TokenFeed


def feed(config: RunConfig, asked: Questions, model: Decoder) -> Feed:
    """The batches for a way of asking a model."""
    return CountFeed(config, asked, model) if isinstance(asked, CountQuestions) else TokenFeed(config, asked)


class Supply:
    """Counts of words whose lengths are independent and uniform, drawn many batches at a time from one stream."""

    def __init__(
        self,
        task: CountedTask,
        lengths: Sequence[int],
        words: int,
        alike: Callable[[int], int],
        rng: np.random.Generator,
    ) -> None:
        """Batches of a number of words, in parts of words whose lengths are `alike`.

        Parts have fixed sizes, as near to the number of their lengths as whole words allow, so that the parts of
        several seeds can be asked about together.
        """
        self._task, self._rng = task, rng
        kinds: dict[int, list[int]] = {}
        for length in lengths:
            kinds.setdefault(alike(length), []).append(length)
        ends = np.rint(np.cumsum([len(kind) for kind in kinds.values()]) / len(lengths) * words).astype(int)
        sizes = np.diff(ends, prepend=0).tolist()
        self._kinds = [(kind, size) for kind, size in zip(kinds.values(), sizes, strict=True) if size]
        self._ahead: list[list[CountBatch]] = []

    def batch(self) -> list[CountBatch]:
        """The parts of a new batch."""
        if not self._ahead:
            parts = [self._drawn(kind, size) for kind, size in self._kinds]
            self._ahead = [list(each) for each in zip(*parts, strict=True)]
        return self._ahead.pop()

    def _drawn(self, kind: list[int], size: int) -> list[CountBatch]:
        """One part of each of several batches."""
        shares = self._rng.multinomial(size * AHEAD, np.full(len(kind), 1 / len(kind)))
        drawn = [
            self._task.sample_counts(length, int(share), self._rng)
            for length, share in zip(kind, shares, strict=True)
            if share
        ]
        order = self._rng.permutation(size * AHEAD).reshape(AHEAD, size)
        counts, last, targets = (
            np.concatenate([getattr(each, name) for each in drawn])[order] for name in ("counts", "last", "targets")
        )
        return [CountBatch(counts[place], last[place], kind[0], targets[place]) for place in range(AHEAD)]


def _alike(period: int, by_length: bool) -> Callable[[int], int]:
    """What of a length enters a model."""
    return (lambda length: length) if by_length else (lambda length: length % period)
