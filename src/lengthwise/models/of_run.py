"""A seed of one of our own runs as an answerer, asked as when the run was tested."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from lengthwise.models.answering import NONE, Answer, ModelError
from lengthwise.runs import Run
from lengthwise.runs.labels import run_label
from lengthwise.tasks.started_task import StartedTask, behind_start
from lengthwise.tasks.task import Batch, Task


class RunModel:
    """The model of a run's seed; its tokens are the symbols of the task that it was trained on."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.title = run_label(run.config.with_seeds((run.seed,)))

    @cached_property
    def _own(self) -> Task:
        return self.run.config.get_test_task()

    def require_fits(self, task: Task) -> None:
        """Refuse a task with other symbols, or another kind of answer."""
        for symbol in task.alphabet.symbols:
            if symbol not in self._own.alphabet.symbols:
                known = " ".join(self._own.alphabet.symbols)
                raise ModelError(f"{self.title} has no symbol {symbol!r}, which {task.name} has; it has {known}")
        kinds = [(each.loss, each.outputs > 1) for each in (task, self._own)]
        if kinds[0] != kinds[1] or (task.loss == "regression" and task.outputs != self._own.outputs):
            raise ModelError(
                f"{self.title} was trained on {self._own.name}, whose answers are of another kind than those of "
                f"{task.name}"
            )

    def answer(self, task: Task, batch: Batch, rng: np.random.Generator) -> Answer:
        """What the model says to the words, with the position ids that it is tested with."""
        import torch

        from lengthwise.nn.batches import fold
        from lengthwise.runs.training.answers import Outputs, OutputsWithIds
        from lengthwise.runs.training.questions import TokenQuestions
        from lengthwise.runs.training.train import numerics

        own, model = self._own, self.run.model
        behind = isinstance(own, StartedTask) and own.alphabet.symbols[-1] not in task.alphabet
        if behind:  # it reads the words behind its start symbol
            task, batch = StartedTask(task), behind_start(batch, len(task.alphabet))
        symbols = np.array([own.alphabet.index(symbol) for symbol in task.alphabet.symbols])
        tokens = symbols[batch.tokens]
        targets: Any = batch.targets
        if task.loss == "next-set":
            targets = np.zeros((*tokens.shape, own.outputs), dtype=bool)
        asked = TokenQuestions(own, torch.device("cpu"))
        length = tokens.shape[1]
        ids = model.positions.test_places(length, len(tokens), rng, batch.positions)
        rows = asked.bearable(model, max(1, length))
        said, right = [], []
        with torch.no_grad(), numerics(self.run.config):
            for begin in range(0, len(tokens), rows):
                piece = slice(begin, begin + rows)
                part = _cut(replace(batch, tokens=tokens, targets=targets), piece)
                answers = asked._answers(model, fold([part]), None if ids is None else ids[piece])
                if isinstance(answers, Outputs) and task.loss == "regression":
                    said.append(answers.outputs[0].double().numpy())
                    continue
                said.append(answers.predicted()[0].numpy())
                if isinstance(answers, OutputsWithIds):
                    right.append(answers.right()[0].numpy())
        found = np.concatenate(said)
        if task.loss == "next-set":
            columns = [*symbols[: task.outputs - 1], own.outputs - 1]  # a start symbol is never what comes next
            found = found[:, :, columns]
        elif task.loss == "next-token":
            back = np.full(len(own.alphabet), NONE)
            back[symbols] = np.arange(len(symbols))
            found = back[found]
        judged = np.concatenate(right) if right else None
        if behind:
            found, judged = found[:, 1:], None if judged is None else judged[:, 1:]
        return Answer(found, right=judged)


def _cut(batch: Batch, piece: slice) -> Batch:
    """Some of the words."""
    parts = {
        name: None if (value := getattr(batch, name)) is None else value[piece]
        for name in ("tokens", "targets", "mask", "positions", "answers", "next_positions")
    }
    return Batch(**parts)  # type: ignore[arg-type]
