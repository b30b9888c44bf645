"""How a model is asked about words: by the counts of their symbols where these tell it all, and else by the words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lengthwise.runs.config import ConfigError
from lengthwise.runs.training.answers import Answers, Outputs, OutputsWithIds
from lengthwise.runs.training.scoring import Predictions
from lengthwise.tasks.request import input_length
from lengthwise.tasks.task import Batch, CountBatch, CountedTask, Task, is_counted

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from lengthwise.nn.batches import FoldedBatch
    from lengthwise.nn.model import Decoder
    from lengthwise.runs.config import RunConfig

    Ids = npt.NDArray[np.int64] | npt.NDArray[np.float64]

AT_ONCE = 2**22
"""Numbers in the vectors of all symbols that are evaluated at once, for each seed."""


@dataclass(frozen=True)
class Scores:
    """What each seed got."""

    losses: list[float]
    accuracies: list[float] | None
    """The shares of words that are right at every position that decides on it; None for regression."""
    predictions: Predictions | None = None
    """All predictions on these words; None for regression."""


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

    def __init__(self, task: Task, device: torch.device, where_asked: bool = False) -> None:
        """`where_asked`: outputs are only computed where they are scored."""
        self.task, self._device, self._where_asked = task, device, where_asked

    def losses(self, model: Decoder, batches: Sequence[Batch]) -> Tensor:
        """The loss of every seed on a batch of its own, which has the position ids of training."""
        from lengthwise.nn.batches import fold

        return self._answers(model, fold(batches)).losses()

    def scores(self, model: Decoder, length: int, words: int, rng: np.random.Generator) -> Scores:
        """Loss and accuracy of every seed on new words, the same for all."""
        from lengthwise.nn.batches import fold

        batch = self.task.sample(length, words, rng)
        folded = fold([batch])
        ids = model.positions.test_places(batch.tokens.shape[1], words, rng, batch.positions)
        answers = self._answers(model, folded, ids)
        found = answers.losses().tolist()
        if self.task.loss == "regression":
            return Scores(found, None)
        predictions = Predictions(
            batch.tokens,
            batch.mask,
            folded.answers[0].numpy(),
            answers.right().numpy(force=True),
            batch.targets,
            answers.predicted().numpy(force=True),
        )
        return Scores(found, answers.accuracies(), predictions)

    def bearable(self, model: Decoder, length: int) -> int:
        """How many words fit into memory at once; whatever the number of seeds, so that results do not depend on it."""
        return max(1, AT_ONCE // (model.config.width * input_length(self.task, length)))

    def _answers(self, model: Decoder, batch: FoldedBatch, ids: Ids | None = None) -> Answers:
        """What all seeds say to a batch of their own, or to a common one with these position ids."""
        import torch

        from lengthwise.nn import asked, position_head

        common = len(batch.tokens) < model.seed_count or ids is not None
        tokens = (batch.tokens[0] if common else batch.tokens).to(self._device)
        places = batch.positions if ids is None else torch.from_numpy(ids)
        places = None if places is None else places.to(self._device)
        targets, mask, decisive = (
            each.to(self._device).expand(model.seed_count, *each.shape[1:])
            for each in (batch.targets, batch.mask, batch.answers)
        )
        if model.positions.predicts:
            if places is None or batch.next_positions is None:
                raise ConfigError(f"{self.task.name} gives no position ids, which this model has to predict")
            following = batch.next_positions.to(self._device).expand(model.seed_count, *mask.shape[1:])
            both = (
                asked.outputs_with_ids(model, tokens, mask, places)
                if self._where_asked
                else position_head.outputs(model, tokens, places)
            )
            return OutputsWithIds(both, targets, following, mask, decisive)
        if self._where_asked:
            return Outputs(self.task.loss, asked.outputs(model, tokens, mask, places), targets, mask, decisive)
        outputs: Tensor = model(tokens, places)
        return Outputs(self.task.loss, outputs, targets, mask, decisive)


Questions = CountQuestions | TokenQuestions


def questions(config: RunConfig, task: Task, model: Decoder, device: torch.device) -> Questions:
    """The quickest way to ask a model about a task."""
    from lengthwise.nn import counts

    if config.optimizer.inputs == "auto" and is_counted(task) and counts.why_not(model) is None:
        period = model.positions.period
        if period is not None and task.period % period == 0:
            return CountQuestions(task, device)
    return TokenQuestions(task, device, where_asked=config.optimizer.lengths == "independent")
