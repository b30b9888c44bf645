"""What a run costs, by a formula: how steps and test words grow with the model, the length and the task.

Its unit is a second on a virtual core of an AMD EPYC, measured once. `lengthwise.study.cost` measures what a second of
another machine is.

A step costs the calls that it makes, whatever they are about; the numbers that are computed at every position and the
products of matrices that they come from, a third of which is the forward pass; and the words that are drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import mean

from lengthwise.runs.config import RunConfig
from lengthwise.runs.training.train import folding_pays
from lengthwise.tasks.acceptance_task import AcceptanceTask
from lengthwise.tasks.program_task import ProgramTask
from lengthwise.tasks.started_task import StartedTask
from lengthwise.tasks.task import Task

PER_RUN = 0.1
"""Seconds to make a model and to write the files of a run."""
PER_PART = 1.7e-3
"""Seconds of the calls for each part of a batch, and …"""
PER_LAYER = 3e-3
"""… for each layer that it goes through."""
PER_NUMBER = 5.1e-9
"""Seconds for a number of the residual stream, the hidden units or the attention, forwards and backwards."""
PER_PRODUCT = 9.4e-11
"""Seconds for a multiplication of the matrices, forwards and backwards."""
FORWARD = 1 / 3
"""The share of the forward pass in the two above."""
COUNTS_STEP = 3.1e-3
"""Seconds of a step on counts, and …"""
COUNTS_UNIT = 8e-9
"""… for each hidden unit of each word."""
PER_ACCEPTANCE = 1.3e-7
"""Seconds to draw a symbol for an accepting program, for each of its operations."""
PER_POSITION = 4e-6
"""Seconds to draw a position of all words that follow a program, for each of its operations."""


@dataclass(frozen=True)
class Cost:
    """The parts of what all seeds of a config cost together, in cpu-seconds."""

    start: float
    step: float
    """One step of training."""
    word: float
    """One test word at each of the test lengths."""

    def total(self, steps: int, words: int) -> float:
        """The cost of that many steps and test words."""
        return self.start + steps * self.step + words * self.word


def cost(config: RunConfig) -> Cost:
    """What a config costs, whatever its step limit and number of test words."""
    task, seeds, batch = config.get_task(), len(config.seeds), config.optimizer.batch
    if folding_pays(config):
        # Words are counts, whose length does not matter, and all seeds share the calls.
        word = COUNTS_UNIT * sum(_by_layer(config.model.hidden, config.model.layers))
        return Cost(PER_RUN, COUNTS_STEP + seeds * batch * word, seeds * len(config.test_lengths) * FORWARD * word)
    parts = config.optimizer.parts if config.optimizer.lengths == "per-word" else 1
    calls = parts * (PER_PART + config.model.layers * PER_LAYER)
    words = batch * mean(
        _computed(config, task, length) + _drawn(task, length, batch) for length in config.training_lengths()
    )
    tested = sum(
        FORWARD * _computed(config, task, length) + _drawn(task, length, config.evaluation.batch)
        for length in config.test_lengths
    )
    return Cost(seeds * PER_RUN, seeds * (calls + words), seeds * tested)


def estimated(config: RunConfig) -> float:
    """The cpu-seconds of all seeds of a config, if none of them stops before the step limit."""
    return cost(config).total(config.stopping.steps, config.evaluation.words)


def _computed(config: RunConfig, task: Task, length: int) -> float:
    """Seconds for one word in a step of one seed."""
    model = config.model
    by_layer = zip(*(_by_layer(each, model.layers) for each in (model.heads, model.hidden)), strict=True)
    numbers = products = 0.0
    for layer, (heads, hidden) in enumerate(by_layer, 1):
        inner = model.width if model.output_matrix else heads * model.width
        if task.loss == "regression" and layer == model.layers:
            # One question at the last position.
            numbers += length * 3 * model.width
            products += length * 2 * inner
        else:
            numbers += length * (4 * model.width + 4 * inner + 2 * hidden) + heads * length**2
            products += length * model.width * (4 * inner + 2 * hidden) + inner * length**2
    return numbers * PER_NUMBER + products * PER_PRODUCT


def _drawn(task: Task, length: int, batch: int) -> float:
    """Seconds to draw one of the words of a batch; for languages they are among those of the calls."""
    if isinstance(task, StartedTask):
        return _drawn(task.task, length, batch)
    if isinstance(task, AcceptanceTask):
        return length * task.program.size * PER_ACCEPTANCE
    return length * task.program.size * PER_POSITION / batch if isinstance(task, ProgramTask) else 0.0


def _by_layer(numbers: int | tuple[int, ...], layers: int) -> tuple[int, ...]:
    return (numbers,) * layers if isinstance(numbers, int) else numbers
