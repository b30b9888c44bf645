"""How a model is asked about words: by the counts of their symbols where these tell it all, and else by the words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lengthwise.tasks.request import input_length
from lengthwise.tasks.task import Batch, CountBatch, CountedTask, Task

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from lengthwise.lab.config import RunConfig
    from lengthwise.nn.model import Decoder

AT_ONCE = 2**22
"""Numbers in the vectors of all symbols that are evaluated at once, for each seed."""


@dataclass(frozen=True)
class Scores:
    """What each seed got."""

    losses: list[float]
    accuracies: list[float] | None
    """The shares of words that are right at every position that decides on it; None for regression."""


class CountQuestions:
    """Asks about counts of symbols."""

    name = "counts"

    def __init__(self, task: CountedTask, device: torch.device) -> None:
        self.task, self._device = task, device

    def losses(self, model: Decoder, batches: Sequence[CountBatch]) -> Tensor:
        """The loss of every seed on a batch of its own."""
        from lengthwise.nn import counts
        from lengthwise.nn.batches import fold_counts
        from lengthwise.nn.loss import losses

        batch = fold_counts(batches)
        given, last, lengths = (each.to(self._device) for each in (batch.counts, batch.last, batch.lengths))
        outputs = counts.outputs(model, given, last, lengths)
        return losses(self.task.loss, outputs, batch.targets.to(self._device))

    def scores(self, model: Decoder, length: int, words: int, rng: np.random.Generator) -> Scores:
        """The loss of every seed on new words, the same for all; counts have numbers as targets, so no accuracy."""
        batch = self.task.sample_counts(length, words, rng)
        return Scores(self.losses(model, [batch] * model.seed_count).tolist(), None)

    def bearable(self, model: Decoder, length: int) -> int:
        """How many words fit into memory at once: as many long ones as short ones."""
        return AT_ONCE // model.config.width


class TokenQuestions:
    """Asks about whole words."""

    name = "tokens"

    def __init__(self, task: Task, device: torch.device) -> None:
        self.task, self._device = task, device

    def losses(self, model: Decoder, batches: Sequence[Batch], rngs: Sequence[np.random.Generator]) -> Tensor:
        """The loss of every seed on a batch of its own; positions may be shifted at random."""
        from lengthwise.nn.batches import fold
        from lengthwise.nn.loss import losses

        batch = fold(batches)
        places = batch.positions
        if places is None:
            places = model.shifted_places(batch.tokens.shape[2], batch.tokens.shape[1], rngs)
        outputs = self._outputs(model, batch.tokens, places)
        return losses(self.task.loss, outputs, batch.targets.to(self._device), batch.mask.to(self._device))

    def scores(self, model: Decoder, length: int, words: int, rng: np.random.Generator) -> Scores:
        """Loss and accuracy of every seed on new words, the same for all."""
        from lengthwise.nn.batches import fold
        from lengthwise.nn.loss import losses

        batch = fold([self.task.sample(length, words, rng)])
        outputs = self._outputs(model, batch.tokens[0], batch.positions)
        targets, mask, answers = (
            each.to(self._device).expand(model.seed_count, *each.shape[1:])
            for each in (batch.targets, batch.mask, batch.answers)
        )
        found = losses(self.task.loss, outputs, targets, mask).tolist()
        return Scores(found, None if self.task.loss == "regression" else _right(outputs, targets, answers))

    def bearable(self, model: Decoder, length: int) -> int:
        """How many words fit into memory at once; whatever the number of seeds, so that results do not depend on it."""
        return max(1, AT_ONCE // (model.config.width * input_length(self.task, length)))

    def _outputs(self, model: Decoder, tokens: Tensor, places: Tensor | None) -> Tensor:
        found: Tensor = model(tokens.to(self._device), None if places is None else places.to(self._device))
        return found


Questions = CountQuestions | TokenQuestions


def questions(config: RunConfig, task: Task, model: Decoder, device: torch.device) -> Questions:
    """The quickest way to ask a model about a task."""
    from lengthwise.nn import counts

    if config.optimizer.inputs == "auto" and isinstance(task, CountedTask) and counts.why_not(model) is None:
        period = model.positions.period
        if period is not None and task.period % period == 0:
            return CountQuestions(task, device)
    return TokenQuestions(task, device)


def _right(outputs: Tensor, targets: Tensor, answers: Tensor) -> list[float]:
    """For every seed the share of words that are right at all positions that decide on it."""
    # Targets are truth values for each output, or the id of the right one.
    found = (outputs > 0).eq(targets).all(-1) if targets.dim() == outputs.dim() else outputs.argmax(-1).eq(targets)
    return [float(share) for share in (found | ~answers).all(-1).double().mean(-1)]
