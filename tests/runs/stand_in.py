"""A trainer that pretends: the files of a run at once, with numbers that follow from the settings alone."""

import hashlib
import os
import signal
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from lengthwise.runs.config import RunConfig
from lengthwise.runs.engines.engine import get_engine
from lengthwise.runs.store.draft import Draft
from lengthwise.runs.store.run_directory import Result, RunDirectory, SeedSummary
from lengthwise.runs.store.store import Row, Store
from lengthwise.runs.sweep import run_sweep


def config(**changes: Any) -> RunConfig:
    """A small config."""
    settings: dict[str, Any] = {"task": "simple-task", "train_length": 4, "test_lengths": ["N", "2N"], "seeds": 2}
    return RunConfig(**{**settings, **changes})


def configs(number: int) -> list[RunConfig]:
    """Different configs."""
    return [config(parameters={"omega": 1 + place}) for place in range(number)]


def pretended(config: RunConfig, runs: Path, seconds: float = 0.0) -> RunDirectory:
    """A run of the kind that training makes."""
    with Draft(runs, config) as draft:
        draft.save_environment({"pretended": True})
        for step in range(5):
            draft.log(step=step, loss={seed: loss(config, seed, step) for seed in config.seeds})
            time.sleep(seconds / 5)
        draft.save_model({"weight": np.array([loss(config, seed, 0) for seed in config.seeds])})
        seeds = tuple(SeedSummary(seed, 5, "steps", loss(config, seed, 4)) for seed in config.seeds)
        results = tuple(
            Result(seed, length, loss(config, seed, -length), None, 8)
            for seed in config.seeds
            for length in config.test_lengths
        )
        return draft.finish(seeds, results, 0.0)


def loss(config: RunConfig, seed: int, place: int) -> float:
    """A number that looks random."""
    digest = hashlib.sha256(f"{config.settings_id} {seed} {place}".encode()).digest()
    return int.from_bytes(digest[:4]) / 2**32


def numbers(rows: list[Row]) -> list[tuple[Any, ...]]:
    """What two equal sweeps have in common, whichever runs their seeds were in."""
    return [
        (row.config.settings_id, row.seed, row.test_length, row.loss, row.accuracy, row.words, row.steps, row.ending)
        for row in rows
    ]


def kill_own_process_once(mark: Path, config: RunConfig, runs: Path) -> RunDirectory:
    """A run whose first attempt kills its worker."""
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return pretended(config, runs)


if __name__ == "__main__":
    _, store, engine, number, seconds = sys.argv
    train = partial(pretended, seconds=float(seconds))
    processes = 2 if engine == "local" else None
    run_sweep(configs(int(number)), Store(store), get_engine(engine, processes), train)
