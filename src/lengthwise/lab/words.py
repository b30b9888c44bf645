"""The words that models are trained and tested on, and how a model is asked about them.

Every seed draws its words from a stream of its own, which depends on the seed and on nothing else: not on the other
seeds of a run, nor on how many have stopped. Test words are the same for all models.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from lengthwise.tasks.task import CountBatch, CountedTask, Task

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from lengthwise.lab.config import RunConfig
    from lengthwise.nn.model import Decoder

TRAINING, LENGTHS, TESTING, CHECKING = range(4)
"""What a stream of random numbers is for."""
SYMBOLS_AT_ONCE = 2**22
"""Numbers in the vectors of all symbols that are evaluated at once, for each seed."""


def stream(seed: int, *purpose: int) -> np.random.Generator:
    """Random numbers for a seed and a purpose."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=purpose))


class Questions(Protocol):
    """How a model is asked about words of a task."""

    own_lengths: bool
    """Whether the words of different seeds may have different lengths."""

    def losses(self, model: Decoder, lengths: Sequence[int], words: int, rngs: Sequence[np.random.Generator]) -> Tensor:
        """The loss of every seed on new words of its length, drawn from its stream."""
        ...

    def scores(self, model: Decoder, length: int, words: int, rng: np.random.Generator) -> Scores:
        """Loss and accuracy of every seed on new words, the same for all."""
        ...

    def at_once(self, model: Decoder, length: int) -> int:
        """How many words of a length are a bearable batch; whatever the number of seeds, so that it does not show."""
        ...


@dataclass(frozen=True)
class Scores:
    """What each seed got."""

    losses: list[float]
    accuracies: list[float] | None
    """The shares of words that are right at every scored position; None for regression."""


class CountQuestions:
    """Asks about counts of symbols."""

    own_lengths = True

    def __init__(self, task: CountedTask, device: torch.device) -> None:
        self._task, self._device = task, device

    def losses(self, model: Decoder, lengths: Sequence[int], words: int, rngs: Sequence[np.random.Generator]) -> Tensor:
        """The loss of every seed on new words of its length, drawn from its stream."""
        drawn = [self._task.sample_counts(length, words, rng) for length, rng in zip(lengths, rngs, strict=True)]
        return self._losses(model, drawn)

    def scores(self, model: Decoder, length: int, words: int, rng: np.random.Generator) -> Scores:
        """Loss of every seed on new words, the same for all; counts have regression targets."""
        drawn = [self._task.sample_counts(length, words, rng)] * model.seed_count
        return Scores(self._losses(model, drawn).tolist(), None)

    def at_once(self, model: Decoder, length: int) -> int:
        """As many as for words of one symbol: long words cost no more than short ones."""
        return SYMBOLS_AT_ONCE // model.config.width

    def _losses(self, model: Decoder, drawn: list[CountBatch]) -> Tensor:
        from lengthwise.nn import counts
        from lengthwise.nn.batches import fold_counts
        from lengthwise.nn.loss import losses

        batch = fold_counts(drawn)
        outputs = counts.outputs(model, batch.counts.to(self._device), batch.last.to(self._device), batch.lengths)
        return losses(self._task.loss, outputs, batch.targets.to(self._device))


class TokenQuestions:
    """Asks about whole words."""

    own_lengths = False

    def __init__(self, task: Task, device: torch.device) -> None:
        self._task, self._device = task, device

    def losses(self, model: Decoder, lengths: Sequence[int], words: int, rngs: Sequence[np.random.Generator]) -> Tensor:
        """The loss of every seed on new words drawn from its stream, all of the first one's length."""
        from lengthwise.nn.batches import fold
        from lengthwise.nn.loss import losses

        batch = fold([self._task.sample(lengths[0], words, rng) for rng in rngs])
        places = model.shifted_places(lengths[0], words, rngs) if batch.positions is None else batch.positions
        outputs = self._outputs(model, batch.tokens, places)
        return losses(self._task.loss, outputs, batch.targets.to(self._device), batch.mask.to(self._device))

    def scores(self, model: Decoder, length: int, words: int, rng: np.random.Generator) -> Scores:
        """Loss and accuracy of every seed on new words, the same for all."""
        from lengthwise.nn.batches import fold
        from lengthwise.nn.loss import losses

        batch = fold([self._task.sample(length, words, rng)])
        outputs = self._outputs(model, batch.tokens[0], batch.positions)
        targets, mask = (
            each.to(self._device).expand(model.seed_count, *each.shape[1:]) for each in (batch.targets, batch.mask)
        )
        found = losses(self._task.loss, outputs, targets, mask).tolist()
        return Scores(found, None if self._task.loss == "regression" else _right(outputs, targets, mask))

    def at_once(self, model: Decoder, length: int) -> int:
        """So many that the vectors of their symbols fit into memory."""
        return max(1, SYMBOLS_AT_ONCE // (model.config.width * length))

    def _outputs(self, model: Decoder, tokens: Tensor, places: Tensor | None) -> Tensor:
        found: Tensor = model(tokens.to(self._device), None if places is None else places.to(self._device))
        return found


def _right(outputs: Tensor, targets: Tensor, mask: Tensor) -> list[float]:
    """For every seed the share of words that are right wherever they are scored."""
    # Ids of the next token, or truth values for sets of them.
    found = (outputs > 0).eq(targets).all(-1) if targets.dim() == outputs.dim() else outputs.argmax(-1).eq(targets)
    right = (found | ~mask).all(-1)
    return [float(each) for each in right.double().mean(-1)]


def questions(config: RunConfig, task: Task, model: Decoder, device: torch.device) -> Questions:
    """The quickest way to ask a model about a task."""
    from lengthwise.nn import counts

    if config.optimizer.inputs == "auto" and isinstance(task, CountedTask) and counts.why_not(model) is None:
        period = model.positions.period
        if period is not None and task.period % period == 0:
            return CountQuestions(task, device)
    return TokenQuestions(task, device)
