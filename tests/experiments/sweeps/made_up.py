"""Summaries of runs whose losses are made up, for verdicts on claims."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lengthwise.runs.config import RunConfig
from lengthwise.runs.resampling import Resampling
from lengthwise.runs.store.run_directory import SeedSummary
from lengthwise.runs.store.summary import AtLength, Summary

FEW = Resampling(times=300)
TRAIN_LENGTHS = (8, 16, 32, 64)
FALLS = {"kind": "falls", "with": "train_length"}
RISES = {"kind": "rises", "with": "train_length"}
PLATEAU = {"kind": "plateau"}
LINEAR = {"kind": "linear", "with": "parameters.omega", "loss": 1e-2}
COLLAPSE = {"kind": "collapse", "with": "parameters.omega"}


def measured(losses: Sequence[Any], n: int = 8, omega: float = 2, **settings: Any) -> Summary:
    """A config with the losses of its seeds, at one test length or, for a list of lists, at 8N, 16N, …."""
    by_length = [list(at) for at in losses] if losses and isinstance(losses[0], list | np.ndarray) else [list(losses)]
    seeds = len(by_length[0])
    task = {"task": "simple-task", "parameters": {"omega": omega}}
    lengths = [2 ** (3 + place) * n for place in range(len(by_length))]
    config = RunConfig(**{**task, "train_length": n, "test_lengths": lengths, "seeds": max(seeds, 1), **settings})
    return Summary(
        config,
        ("0123456789abcdef",) if seeds else (),
        tuple(SeedSummary(seed, 100, "loss", 1e-5) for seed in range(seeds)),
        tuple(AtLength(at, tuple(found), None, 8) for at, found in zip(config.test_lengths, by_length, strict=True))
        if seeds
        else (),
    )


def sweep(
    loss: Callable[[float, float], float],
    omegas: Sequence[float] = (2, 3, 4),
    seeds: int = 8,
    noise: float = 0.1,
    train_lengths: Sequence[int] = TRAIN_LENGTHS,
) -> list[Summary]:
    """Configs whose losses scatter around a function of N and ω."""
    rng = np.random.default_rng(7)
    return [
        measured((loss(n, omega) * np.exp(noise * rng.standard_normal(seeds))).tolist(), n, omega)
        for n in train_lengths
        for omega in omegas
    ]
