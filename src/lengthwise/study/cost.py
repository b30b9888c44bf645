"""What a run costs: a formula for ratios, and a short probe for the speed of this machine.

The formula says how a step and a test word grow with the model, the length and the task. Its unit is a second on a
virtual core of an AMD EPYC, measured once. A probe takes a few steps of a model of the study and tests it on a few
words on this machine, now; what it takes over what the formula says is the factor that all other costs are multiplied
by. A plan is made once and kept (`plan`), so a later probe never changes it.

A step costs the calls that it makes, whatever they are about; the numbers that are computed at every position and the
products of matrices that they come from, a third of which is the forward pass; and the words that are drawn.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean, median
from typing import Any

from lengthwise.lab.config import RunConfig
from lengthwise.lab.train import folding_pays
from lengthwise.tasks.acceptance_task import AcceptanceTask
from lengthwise.tasks.program_task import ProgramTask
from lengthwise.tasks.started_task import StartedTask
from lengthwise.tasks.task import Task

PROBE_STEPS, PROBE_WORDS = 12, 32
"""Steps that a probe takes, the first few of which are not counted, and words that it is tested on."""
WARM = 4
"""Steps before the clock is read."""
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


@dataclass(frozen=True)
class Speed:
    """How long steps and test words take on a machine, in multiples of what the formula says."""

    step: Mapping[int, float] = field(default_factory=dict)
    """By training length; others are as the nearest one."""
    word: float = 1.0

    def seconds(self, config: RunConfig, steps: int | None = None) -> list[float]:
        """The seconds of each run of a config on one core: one for all seeds where these are trained together.

        Args:
            config: The settings and the seeds.
            steps: How many steps each takes; else the step limit.

        Returns:
            A number for each run.

        """
        runs = [config] if folding_pays(config) else [config.with_seeds((seed,)) for seed in config.seeds]
        taken = config.stopping.steps if steps is None else steps
        # All seeds cost the same.
        return [self._run(runs[0], taken)] * len(runs)

    def _run(self, run: RunConfig, steps: int) -> float:
        found = cost(run)
        looks = 0 if run.stopping.accuracy is None else steps // run.stopping.check_every
        # A look at the accuracy is a test on words of training lengths.
        look = cost(run.model_copy(update={"test_lengths": (run.train_length,)})).word / 2
        tested = self.word * run.evaluation.words * (found.word + looks * look)
        return found.start + self._factor(run.train_length) * steps * found.step + tested

    def _factor(self, train_length: int) -> float:
        if not self.step:
            return 1.0
        return self.step[min(self.step, key=lambda length: (abs(length - train_length), length))]

    def as_json(self) -> dict[str, Any]:
        """Plain data, as plans keep it."""
        return {"step": {str(length): factor for length, factor in self.step.items()}, "word": self.word}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Speed:
        """What `as_json` wrote."""
        return cls({int(length): float(factor) for length, factor in data["step"].items()}, float(data["word"]))


def probe(configs: Sequence[RunConfig]) -> Speed:
    """Measure this machine with a few steps and test words of some configs, on one thread.

    On the CPU its own time is counted, so that other work of the machine does not make a plan smaller for good.

    Args:
        configs: Runs of the study, one for each training length; the first of their seeds is used.

    Returns:
        The speed, rounded to two digits so that machines alike make the same plan.

    """
    found = {config.train_length: _probed(config) for config in configs}
    return Speed({length: each[0] for length, each in found.items()}, found[max(found)][1])


def _probed(config: RunConfig) -> tuple[float, float]:
    """What a step and a test word take, over what the formula says."""
    import torch

    from lengthwise.lab.feeds import feed
    from lengthwise.lab.questions import questions
    from lengthwise.lab.streams import CHECKING, stream
    from lengthwise.lab.train import numerics
    from lengthwise.nn import mup
    from lengthwise.nn.model import Decoder
    from lengthwise.nn.optimizer import FoldedAdam

    run = config if folding_pays(config) else config.with_seeds(config.seeds[:1])
    device = torch.device("cuda" if run.device != "cpu" and torch.cuda.is_available() else "cpu")
    clock = time.process_time if device.type == "cpu" else time.perf_counter
    with numerics(run):
        task = run.get_task()
        model = Decoder(run.decoder(), run.seeds, getattr(torch, run.dtype)).to(device)
        asked = questions(run, task, model, device)
        batches = feed(run, asked, model)
        optimizer = FoldedAdam(mup.groups(model, mup.Rates(**run.optimizer.rates.model_dump())), run.optimizer.betas)
        taken = []
        for _ in range(PROBE_STEPS):
            begin = clock()
            losses = batches.losses(model)
            losses.tolist()
            optimizer.zero_grad()
            losses.sum().backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            taken.append(clock() - begin)
        longest = max(run.training_lengths())
        with torch.no_grad():
            begin = clock()
            asked.scores(model, longest, PROBE_WORDS, stream(0, CHECKING, longest))
            tested = clock() - begin
    expected = PROBE_WORDS * cost(run.model_copy(update={"test_lengths": (longest,)})).word
    return _digits(median(taken[WARM:]) / cost(run).step), _digits(max(tested, 1e-6) / expected)


def _digits(value: float) -> float:
    return float(f"{value:.2g}")


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
