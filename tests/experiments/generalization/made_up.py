"""Runs that were never trained: their accuracies and ends are made up, in run directories like any other."""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from lengthwise.runs.config import RunConfig
from lengthwise.runs.store.draft import Draft
from lengthwise.runs.store.run_directory import Ending, Result, RunDirectory, SeedSummary

Accuracies = tuple[float, ...]


def trainer(
    accuracies: Callable[[RunConfig, int], Accuracies],
    trained: list[tuple[str, int]] | None = None,
    ending: Ending | None = None,
) -> Callable[[RunConfig, Path], RunDirectory]:
    """A trainer that gives each seed the accuracies of a function; without `ending`, the first decides how it ends."""

    def train(config: RunConfig, runs: Path) -> RunDirectory:
        with Draft(runs, config) as draft:
            draft.save_environment({"made": "up"})
            draft.save_model({"weight": np.zeros(1)})
            seeds, results = [], []
            for seed in config.seeds:
                found = accuracies(config, seed)
                if trained is not None:
                    trained.append((config.settings_id, seed))
                seeds.append(SeedSummary(seed, 10, ending or ("accuracy" if found[0] == 1.0 else "steps"), 0.5))
                results += [
                    Result(seed, length, 0.5, accuracy, 100)
                    for length, accuracy in zip(config.test_lengths, found, strict=True)
                ]
            return draft.finish(tuple(seeds), tuple(results), 0.1)

    return train


def by_seed(table: Mapping[int, Accuracies]) -> Callable[[RunConfig, int], Accuracies]:
    """The same for every config."""
    return lambda config, seed: table[seed]
