"""Studies without training: a plan of small runs, and a trainer that pretends, with curves to order."""

import hashlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lengthwise.lab.config import RunConfig
from lengthwise.lab.draft import Draft
from lengthwise.lab.engines import Serial
from lengthwise.lab.run_directory import Result, RunDirectory, SeedSummary
from lengthwise.lab.store import Store
from lengthwise.lab.sweep import run_sweep
from lengthwise.report.study import Study, measured, outlook

Curve = Callable[[float], float]
"""The score at a multiple of the training length."""
ENVIRONMENT = {
    "lengthwise": "0.1.0",
    "commit": "0123456789abcdef0123456789abcdef01234567",
    "python": "3.12.0",
    "packages": {"numpy": "2.0.0", "torch": "2.6.0"},
    "system": "Linux",
    "machine": "x86_64",
    "processor": "a processor",
    "cores": 2,
    "device": "cpu",
    "threads": 1,
}
CURVES: dict[str, Curve] = {
    "generalizes": lambda _: 0.999,
    "fails": lambda multiple: 0.998 if multiple == 1 else 0.1 / multiple,
    "unclear": lambda multiple: 0.999 - 0.03 * (multiple - 1),
    "not learned": lambda _: 0.6,
}


@dataclass(frozen=True)
class SmallPlan:
    """The runs of a study."""

    configs: Mapping[str, list[RunConfig]]


def small_plan(
    task: str,
    seeds: int = 3,
    lengths: tuple[int, ...] = (4, 8, 16),
    period: int | None = None,
    stopping: Mapping[str, Any] | None = None,
    **parameters: Any,
) -> SmallPlan:
    """Three training lengths for each scheme: none, the one that the task is really studied with, and a period's."""
    schemes: dict[str, dict[str, Any]] = {"nope": {"position": "none"}}
    if task == "k-gram":
        schemes["relative"] = {"position": "relative", "position_parameters": {"window": 2}, "layers": 2}
    else:
        schemes["ape"] = {"position": "periodic" if task == "mod-p-task" else "learned"}
    if period is not None:
        schemes["periodic"] = {"position": "periodic", "position_parameters": {"period": period}}
    return SmallPlan(
        {
            scheme: [
                RunConfig(
                    task=task,
                    parameters=parameters,
                    train_length=length,
                    test_lengths=["N", "2N", "4N", "8N"],
                    seeds=seeds,
                    model=model,
                    stopping=stopping or {},
                )
                for length in lengths
            ]
            for scheme, model in schemes.items()
        }
    )


def pretender(
    nope: str, other: str, unlearned: int | None = None, periodic: str | None = None
) -> Callable[[RunConfig, Path], RunDirectory]:
    """A trainer whose models have the curves of these names: without positions, with any, and with periodic ones.

    From the training length `unlearned` on, nothing is learned.
    """

    def train(config: RunConfig, runs: Path) -> RunDirectory:
        name = {"none": nope, "periodic": periodic or other}.get(config.model.position, other)
        name = "not learned" if unlearned is not None and config.train_length >= unlearned else name
        numbers = config.get_task().loss == "regression"
        with Draft(runs, config) as draft:
            draft.save_environment(ENVIRONMENT)
            draft.log(step=0, loss=1.0)
            draft.save_model({"weight": np.zeros(1)})
            ending: Any = "steps" if name == "not learned" or config.stopping.loss is None else "loss"
            seeds = tuple(SeedSummary(seed, 100 + seed, ending, 1e-5) for seed in config.seeds)
            results = []
            for seed in config.seeds:
                for length in config.test_lengths:
                    score = CURVES[name](length / config.train_length)
                    score -= (1 - score) * 0.6 * _noise(config, seed, length)
                    loss = (1 - score) * (0.3 if numbers else 1.0)
                    results.append(Result(seed, length, loss, None if numbers else max(0.0, score), 64))
            return draft.finish(seeds, tuple(results), 0.0)

    return train


def pretended_study(
    store: Path,
    subject: str,
    nope: str,
    other: str,
    seeds: int = 3,
    plan: SmallPlan | None = None,
    unlearned: int | None = None,
    periodic: str | None = None,
    **parameters: Any,
) -> Study:
    """The study of a subject whose models have these curves."""
    known = outlook(subject, parameters)
    chosen = small_plan(subject, seeds, **parameters) if plan is None else plan
    kept = Store(store)
    configs = [config for each in chosen.configs.values() for config in each]
    assert not run_sweep(configs, kept, Serial(), pretender(nope, other, unlearned, periodic)).failed
    return measured(known, chosen, kept, 3, seeds)


def _noise(config: RunConfig, seed: int, length: int) -> float:
    digest = hashlib.sha256(f"{config.settings_id} {seed} {length}".encode()).digest()
    return math.sqrt(int.from_bytes(digest[:4]) / 2**32)
