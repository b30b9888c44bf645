"""Results of trials that were never trained, with a truth that is known."""

import math
from collections.abc import Callable, Sequence
from itertools import product

import numpy as np

from lengthwise.experiments.probes import Cell, Outcome, Outcomes


def result(context: int, samples: int, trials: Sequence[bool], **settings: object) -> Outcomes:
    cell = Cell(context=context, samples=samples, trials=len(trials), **settings)  # type: ignore[arg-type]
    endings = ["success" if success else "steps" for success in trials]
    outcomes = [Outcome(trial, (1, 2, 3), ending, 10, 0.1) for trial, ending in enumerate(endings)]  # type: ignore[arg-type]
    return Outcomes(cell, tuple(outcomes))


def shares(context: int, by_size: dict[int, float], trials: int = 50) -> list[Outcomes]:
    return [
        result(context, size, [trial < round(share * trials) for trial in range(trials)])
        for size, share in by_size.items()
    ]


def synthetic(law: Callable[[int], float], contexts: Sequence[int], seed: int, trials: int = 50) -> list[Outcomes]:
    """Trials that succeed with a logistic probability, one half at m = law(T)."""
    rng = np.random.default_rng(seed)
    found = []
    for context, size in product(contexts, range(20, 420, 20)):
        probability = 1 / (1 + math.exp(-(size - law(context)) / 15))
        found.append(result(context, size, [bool(each) for each in rng.random(trials) < probability]))
    return found
