"""Studies without training: a trainer that pretends, with curves to order, behind a plan that asks no clock."""

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lengthwise.runs.config import RunConfig
from lengthwise.runs.engines.engine import Engine, Serial
from lengthwise.runs.store.draft import Draft
from lengthwise.runs.store.run_directory import Result, RunDirectory, SeedSummary
from lengthwise.runs.store.store import Store
from lengthwise.runs.sweep import Sweep, run_sweep
from lengthwise.runs.training.scoring import ErrorExample, PositionRange
from lengthwise.study import Plan, Request, Study, look_ahead, plan_of, report, train
from lengthwise.study import plan as plans
from lengthwise.study.cost import Speed
from lengthwise.tasks.request import input_length

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
    "fades": lambda multiple: 1.0 if multiple <= 1.5 else max(0.0, 1 - 0.25 * (multiple - 1)),
    "not learned": lambda _: 0.6,
}
Curves = Mapping[str, str] | Callable[[RunConfig, int], str]
"""The name of a curve by position scheme; or what gives it for a config and a seed."""


def curve_of(curves: Curves, config: RunConfig, seed: int) -> str:
    """The name of the curve of a seed."""
    return curves(config, seed) if callable(curves) else curves[config.model.position]


def pretender(curves: Curves) -> Callable[[RunConfig, Path], RunDirectory]:
    """A trainer whose models have these curves."""

    def made(config: RunConfig, runs: Path) -> RunDirectory:
        task = config.get_task()
        numbers = task.loss == "regression"
        with Draft(runs, config) as draft:
            draft.save_environment(ENVIRONMENT)
            draft.log(step=0, loss=1.0)
            draft.save_model({"weight": np.zeros(1)})
            seeds, results = [], []
            for seed in config.seeds:
                name = curve_of(curves, config, seed)
                ending: Any = "steps" if name == "not learned" else "loss" if numbers else "accuracy"
                steps = config.stopping.steps if name == "not learned" else min(500 + seed, config.stopping.steps)
                seeds.append(SeedSummary(seed, steps, ending, 1e-5))
                shown = False
                for length in config.test_lengths:
                    score = CURVES[name](length / config.train_length)
                    score -= (1 - score) * 0.6 * _noise(config, seed, length)
                    loss = (1 - score) * (0.3 if numbers else 1.0)
                    if numbers:
                        results.append(Result(seed, length, loss, None, 64))
                        continue
                    wrong = score < 1 and length > config.train_length and not shown
                    shown = shown or wrong
                    error = _error(task, length, seed) if wrong else None
                    columns = input_length(task, length)
                    ranges = tuple(
                        PositionRange(end, round(100 * (1 - (1 - score) * end / columns)), 100)
                        for end in range(9, columns, 10)
                    )
                    accuracy = max(0.0, score)
                    results.append(Result(seed, length, loss, accuracy, 64, 1 - (1 - accuracy) / 8, ranges, error))
            return draft.finish(tuple(seeds), tuple(results), 0.0)

    return made


def _error(task: Any, length: int, seed: int) -> ErrorExample:
    """A word of the task, wrong at its last scored position."""
    rng = np.random.default_rng(seed)
    lengths = getattr(task, "lengths", lambda up_to: range(task.min_length, up_to + 1))
    batch = task.sample(max(lengths(length)), 1, rng)
    place = int(np.flatnonzero(batch.mask[0])[-1])
    if task.loss == "next-set":
        right = tuple(int(each) for each in np.flatnonzero(batch.targets[0, place]))
        said = tuple(each for each in range(task.outputs) if each not in right)
    else:
        right = (int(batch.targets[0, place]),)
        said = ((right[0] + 1) % task.outputs,)
    return ErrorExample(tuple(batch.tokens[0].tolist()), (place,), (right,), (said,))


def pretended_study(
    store: Path,
    subject: object,
    curves: Curves,
    minutes: float = 10_000.0,
    seeds: int = 3,
    *,
    parameters: Mapping[str, Any] | None = None,
    **options: Any,
) -> Study:
    """The study of a subject whose models have these curves; with much time, so that all of the plan is made."""
    known = look_ahead(subject, parameters or {})
    request = Request.of(known.subject, minutes, seeds, **options)
    kept = Store(store)
    plan = timeless(lambda: plan_of(known, request, kept, 2))
    train(plan, kept, Serial(), sweeper(curves))
    return report(known, plan, kept)


def sweeper(curves: Curves) -> Callable[[Sequence[RunConfig], Store, Engine], Sweep]:
    """What makes runs by pretending."""
    return lambda configs, store, engine: run_sweep(configs, store, engine, pretender(curves))


def timeless(make: Callable[[], Plan], speed: Speed | None = None) -> Plan:
    """A plan that is made without a look at the clock."""
    before = plans.probe  # type: ignore[attr-defined]
    plans.probe = lambda configs: speed or Speed()  # type: ignore[attr-defined]
    try:
        return make()
    finally:
        plans.probe = before  # type: ignore[attr-defined]


def _noise(config: RunConfig, seed: int, length: int) -> float:
    digest = hashlib.sha256(f"{config.settings_id} {seed} {length}".encode()).digest()
    return math.sqrt(int.from_bytes(digest[:4]) / 2**32)
