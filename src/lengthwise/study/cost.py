"""How fast this machine is: a short probe, in multiples of what the formula of `lengthwise.runs.cost` says.

A probe takes a few steps of a model of the study and tests it on a few words on this machine, now; what it takes over
what the formula says is the factor that all other costs are multiplied by. A plan is made once and kept (`plan`), so a
later probe never changes it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lengthwise.runs.config import RunConfig
from lengthwise.runs.cost import cost
from lengthwise.runs.training.train import folding_pays

PROBE_STEPS, PROBE_WORDS = 12, 32
"""Steps that a probe takes, the first few of which are not counted, and words that it is tested on."""
WARM = 4
"""Steps before the clock is read; of the others the fastest counts, which other work disturbs least."""
GRID = 1.15
"""Speeds are powers of this."""


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
        The speed, rounded up to a power of `GRID`, so that one machine measures the same again and again, and machines
        alike make the same plan.

    """
    found = {config.train_length: _probed(config) for config in configs}
    return Speed({length: each[0] for length, each in found.items()}, found[max(found)][1])


def _probed(config: RunConfig) -> tuple[float, float]:
    """What a step and a test word take, over what the formula says."""
    import torch

    from lengthwise.nn import Rates, groups
    from lengthwise.nn.optimizer import FoldedAdam
    from lengthwise.runs.training.feeds import feed
    from lengthwise.runs.training.questions import questions
    from lengthwise.runs.training.streams import CHECKING, stream
    from lengthwise.runs.training.train import numerics

    run = config if folding_pays(config) else config.with_seeds(config.seeds[:1])
    device = torch.device("cuda" if run.device != "cpu" and torch.cuda.is_available() else "cpu")
    clock = time.process_time if device.type == "cpu" else time.perf_counter
    with numerics(run):
        task = run.get_task()
        model = run.make_model().to(device)
        asked = questions(run, task, model, device)
        batches = feed(run, asked, model)
        optimizer = FoldedAdam(
            groups(model, Rates(**run.optimizer.learning_rate.model_dump())),
            run.optimizer.betas,
        )
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
    return _on_the_grid(min(taken[WARM:]) / cost(run).step), _on_the_grid(max(tested, 1e-6) / expected)


def _on_the_grid(factor: float) -> float:
    return float(f"{GRID ** math.ceil(math.log(factor, GRID)):.4g}")
