"""How fast predictive position coupling trains: what it is worth to compute outputs only where they are scored.

Training steps per cpu-second on one thread, with the models of the `quick` presets of Golowich et al., Figures 2 and 3.
`everywhere` fills words up to one length and computes symbols and ids at every position; `where asked`, which is what
`lengthwise train` does, leaves out what no answer depends on. `×everywhere` are ratios of speeds in this run; the
variants take turns, and the best round of each counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import torch

from benchmarks.timing import cpu_seconds
from lengthwise.experiments.catalogue import find
from lengthwise.nn import Decoder, FoldedAdam, Rates, groups
from lengthwise.runs.config import RunConfig
from lengthwise.runs.training.feeds import FilledFeed
from lengthwise.runs.training.questions import TokenQuestions

FIGURES = {"golowich-fig2": "", "golowich-fig3": "predictive"}
"""Figures with the names of their sweeps."""
VARIANTS = {"everywhere": False, "where asked": True}


@dataclass(frozen=True)
class Speed:
    """One row of the table."""

    figure: str
    variant: str
    steps: float
    """Training steps per cpu-second."""
    ratio: float
    """Against everywhere."""


def training_step(config: RunConfig, where_asked: bool) -> Callable[[], None]:
    """A training step of the first seed."""
    model = Decoder(config.decoder(), [0])
    questions = TokenQuestions(config.get_task(), torch.device("cpu"), where_asked)
    batches = FilledFeed(config, questions, model)
    batches.keep([0])
    optimizer = FoldedAdam(groups(model, Rates(**config.optimizer.learning_rate.model_dump())))

    def step() -> None:
        optimizer.zero_grad()
        torch.autograd.backward(batches.losses(model).sum())
        optimizer.step()

    return step


def measure(quick: bool = False) -> list[Speed]:
    """All rows; `quick` has fewer rounds."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return [row for figure in FIGURES for row in _figure(figure, rounds=3 if quick else 8)]
    finally:
        torch.set_num_threads(threads)


def _figure(figure: str, rounds: int) -> list[Speed]:
    published: Any = find(figure)
    config = published.configs("quick")[FIGURES[figure]][0]
    steps = {variant: training_step(config, where_asked) for variant, where_asked in VARIANTS.items()}
    best = dict.fromkeys(steps, float("inf"))
    for _ in range(rounds):
        for variant, step in steps.items():
            best[variant] = min(best[variant], cpu_seconds(step))
    return [Speed(figure, variant, 1 / taken, best["everywhere"] / taken) for variant, taken in best.items()]


def table(rows: list[Speed]) -> str:
    """The rows as aligned text."""
    lines = [f"{'figure':13}  {'variant':11}  steps per cpu-second  ×everywhere"]
    lines += [f"{row.figure:13}  {row.variant:11}  {row.steps:20.1f}  {row.ratio:11.1f}" for row in rows]
    return "\n".join(lines)


def as_records(rows: list[Speed]) -> list[dict[str, Any]]:
    """The rows as plain data."""
    return [asdict(row) for row in rows]


if __name__ == "__main__":
    print(table(measure()))
