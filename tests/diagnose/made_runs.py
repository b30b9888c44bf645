"""Runs whose models are made by hand, so that their attention is known beforehand."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from lengthwise.nn import Decoder
from lengthwise.runs.config import RunConfig
from lengthwise.runs.store.draft import Draft
from lengthwise.runs.store.run_directory import Result, RunDirectory, SeedSummary

Weights = dict[str, npt.NDArray[Any]]


def config(**changes: Any) -> RunConfig:
    """ModPTask(5, 2) with small models."""
    settings: dict[str, Any] = {
        "task": "mod-p-task",
        "parameters": {"period": 5, "residue": 2},
        "train_length": 8,
        "test_lengths": ["N"],
        "seeds": 8,
        "model": {"position": "periodic", "width": 4, "hidden": 3},
        "dtype": "float64",
    }
    return RunConfig(**{**settings, **changes})


def untrained(config: RunConfig) -> Weights:
    """The weights that training starts with."""
    model = Decoder(config.decoder(), config.seeds, getattr(torch, config.dtype))
    return {name: weight.numpy() for name, weight in model.state_dict().items()}


def attending(config: RunConfig, logits: list[float], symbol: float = 0.0) -> Weights:
    """Models that give a position ≡ k a logit, one for each seed, and others 0; a symbol 1 has `symbol` more."""
    weights = {name: np.zeros_like(weight) for name, weight in untrained(config).items()}
    width, residue = config.model.width, config.parameters["residue"]
    # Coordinate 0 is 1 everywhere, coordinate 1 is 1 at positions ≡ k, coordinate 2 is the symbol.
    weights["positions.vectors"][:, :, 0] = 1
    weights["positions.vectors"][:, residue, 1] = 1
    weights["embedding"][:, 1, 2] = 1
    weights["layers.0.key"][:] = np.eye(width)
    # µP divides logits by the width.
    weights["layers.0.query"][:, 1, 0] = np.array(logits) * width
    weights["layers.0.query"][:, 2, 0] = symbol * width
    return weights


def save(config: RunConfig, runs: Path, weights: Weights) -> RunDirectory:
    """A run with these weights; its losses are of no interest."""
    with Draft(runs, config) as draft:
        draft.save_environment({"made": "by hand"})
        draft.save_model(weights)
        seeds = tuple(SeedSummary(seed, 1, "loss", 0.0) for seed in config.seeds)
        results = tuple(Result(seed, length, 0.5, None, 8) for seed in config.seeds for length in config.test_lengths)
        return draft.finish(seeds, results, 0.0)
