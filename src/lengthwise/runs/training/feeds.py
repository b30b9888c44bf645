"""Fresh training batches for all seeds of a run, with lengths that are uniform among those up to the training length.

On counts, every word may have a length of its own. Whole words must have one length to be asked about together, so a
batch of them has a few parts, with lengths spread evenly over all; or they are padded to the longest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lengthwise.runs.training.questions import CountQuestions, Questions, TokenQuestions
from lengthwise.runs.training.streams import LENGTHS, TRAINING, stream
from lengthwise.tasks.drawn_ahead import DrawnAhead
from lengthwise.tasks.task import CountBatch, CountedTask

if TYPE_CHECKING:
    from torch import Tensor

    from lengthwise.nn.model import Decoder
    from lengthwise.runs.config import RunConfig

AHEAD = 64
"""Batches of counts that are drawn at a time: drawing costs by the call, and a call is for one length."""


class CountFeed:
    """Batches of counts; each seed draws its words and their lengths."""

    def __init__(self, config: RunConfig, asked: CountQuestions) -> None:
        self.lengths = config.training_lengths()
        self._asked = asked
        per_word, words = config.optimizer.lengths == "per-word", config.optimizer.batch
        self._supplies = [
            Supply(asked.task, self.lengths, words, per_word, stream(seed, TRAINING)) for seed in config.seeds
        ]

    def losses(self, model: Decoder) -> Tensor:
        """The loss of every seed on a batch of its own."""
        return self._asked.losses(model, [supply.batch() for supply in self._supplies])

    def keep(self, places: Sequence[int]) -> None:
        """Go on with the seeds at these places."""
        self._supplies = [self._supplies[place] for place in places]

    def state(self) -> Any:
        """Where the streams of batches are, as plain data."""
        return [supply.state() for supply in self._supplies]

    def restore(self, state: Any) -> None:
        """Go to where the streams of as many seeds were."""
        for supply, found in zip(self._supplies, state, strict=True):
            supply.restore(found)


class TokenFeed:
    """Batches of words; each seed draws its words, but of lengths that all have in common."""

    def __init__(self, config: RunConfig, asked: TokenQuestions, model: Decoder) -> None:
        self.lengths = config.training_lengths()
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

    def state(self) -> Any:
        """Where the random numbers are, as plain data."""
        return [each.bit_generator.state for each in (self._common, *self._rngs)]

    def restore(self, state: Any) -> None:
        """Go to where the random numbers of as many seeds were."""
        for each, found in zip((self._common, *self._rngs), state, strict=True):
            each.bit_generator.state = found

    def _part(self, model: Decoder, length: int) -> Tensor:
        from lengthwise.nn.batches import padded, placed_for_training

        drawn = [self._asked.task.sample(length, self._words, rng) for rng in self._rngs]
        placed = [
            placed_for_training(batch, model.positions, rng) for batch, rng in zip(drawn, self._rngs, strict=True)
        ]
        longest = max(batch.tokens.shape[1] for batch in placed)
        if any(batch.tokens.shape[1] < longest for batch in placed):
            # A task whose answers vary in length may draw a longer one for one seed than for another.
            placed = [padded(batch, longest) for batch in placed]
        return self._asked.losses(model, placed)


class FilledFeed:
    """Batches of words that are padded; each seed draws its words, their lengths and their offsets."""

    def __init__(self, config: RunConfig, asked: TokenQuestions, model: Decoder) -> None:
        from lengthwise.nn.batches import WordSupply

        self.lengths = config.training_lengths()
        self._asked, words = asked, config.optimizer.batch
        self._supplies = [
            WordSupply(asked.task, self.lengths, words, stream(seed, TRAINING), model.positions)
            for seed in config.seeds
        ]

    def losses(self, model: Decoder) -> Tensor:
        """The loss of every seed on a batch of its own."""
        from lengthwise.nn.batches import padded

        drawn = [supply.batch() for supply in self._supplies]
        longest = max(each.tokens.shape[1] for each in drawn)
        return self._asked.losses(model, [padded(each, longest) for each in drawn])

    def keep(self, places: Sequence[int]) -> None:
        """Go on with the seeds at these places."""
        self._supplies = [self._supplies[place] for place in places]

    def state(self) -> Any:
        """Where the streams of batches are, as plain data."""
        return [supply.state() for supply in self._supplies]

    def restore(self, state: Any) -> None:
        """Go to where the streams of as many seeds were."""
        for supply, found in zip(self._supplies, state, strict=True):
            supply.restore(found)


Feed = CountFeed | TokenFeed | FilledFeed


def feed(config: RunConfig, asked: Questions, model: Decoder) -> Feed:
    """The batches for a way of asking a model."""
    if isinstance(asked, CountQuestions):
        return CountFeed(config, asked)
    return (FilledFeed if config.optimizer.lengths == "independent" else TokenFeed)(config, asked, model)


class Supply(DrawnAhead[CountBatch]):
    """Counts of words whose lengths are independent and uniform, word by word or batch by batch.

    Many batches are drawn at a time from one stream.
    """

    def __init__(
        self, task: CountedTask, lengths: Sequence[int], words: int, per_word: bool, rng: np.random.Generator
    ) -> None:
        super().__init__(rng)
        self._task, self._lengths, self._words, self._per_word = task, lengths, words, per_word

    def _drawn(self) -> list[CountBatch]:
        if not self._per_word:
            chosen = self._rng.integers(len(self._lengths), size=AHEAD)
            return [self._task.sample_counts(self._lengths[place], self._words, self._rng) for place in chosen]
        total = self._words * AHEAD
        shares = self._rng.multinomial(total, np.full(len(self._lengths), 1 / len(self._lengths)))
        drawn = [
            self._task.sample_counts(length, int(share), self._rng)
            for length, share in zip(self._lengths, shares, strict=True)
            if share
        ]
        order = self._rng.permutation(total).reshape(AHEAD, self._words)
        counts, last, lengths, targets = (
            np.concatenate([getattr(each, name) for each in drawn])[order]
            for name in ("counts", "last", "lengths", "targets")
        )
        return [CountBatch(*each) for each in zip(counts, last, lengths, targets, strict=True)]
