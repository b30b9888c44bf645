"""`Cell`: everything that decides how well products at one width d fit one function; and `Fits`, what came of it.

The defaults are those of Huang et al., appendix G.2: 200 positions, windows of 50, Adam at 10⁻³ on 64 windows a step,
15,000 steps, and 0.01 times the mean squared entry of each of the three matrices, added up. A condition that holds has
the value 2 log 50. The paper trains one product for each function and width; here there are several trials.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import field_validator, model_validator

from lengthwise.experiments.kept import Number, Result
from lengthwise.experiments.positional.function import PositionalFunction, function_of
from lengthwise.runs.settings import Decay, Hashed, Natural, Positive, PositiveReal, Rate

START, OFFSETS = range(2)
"""What a stream of random numbers is for."""


class Cell(Hashed):
    """Trials with one function and one width."""

    hashed_with: ClassVar = {"format": 1, "kind": "positional"}

    function: str
    """As in `function`: `j = i - 5`."""
    width: Positive
    """d: the length of the vectors p."""
    positions: Positive = 200
    """How many vectors there are."""
    window: Positive = 50
    """How many positions in a row are seen together in training."""
    test_lengths: tuple[Positive, ...] = (50, 100, 150)
    trials: Positive = 3
    seed: Natural = 0
    """Trials of another seed start elsewhere and see other windows."""
    initialisation: Literal["uniform", "normal", "narrow"] = "uniform"
    """How the three matrices are drawn (`start`). The paper says "randomly"; its public code draws uniformly."""
    batch: Positive = 64
    """Windows in a step, each at a random offset."""
    steps: Positive = 15_000
    rate: PositiveReal = 1e-3
    betas: tuple[Decay, Decay] = (0.9, 0.999)
    penalty: Rate = 0.01
    """Of the mean squared entry of each matrix."""
    check_every: Positive = 3000
    """Steps between tests; there is one after the last step in any case."""

    @field_validator("function")
    @classmethod
    def _known(cls, text: str) -> str:
        function_of(text)
        return text

    @field_validator("test_lengths")
    @classmethod
    def _rising(cls, lengths: tuple[int, ...]) -> tuple[int, ...]:
        if not lengths or list(lengths) != sorted(set(lengths)):
            raise ValueError("test lengths are one number or more, from the smallest on")
        return lengths

    @model_validator(mode="after")
    def _fits(self) -> Self:
        longest = max(self.window, *self.test_lengths)
        if longest > self.positions:
            raise ValueError(f"a window of {longest} is longer than the {self.positions} positions there are")
        return self

    @property
    def positional_function(self) -> PositionalFunction:
        """φ, in units of the height."""
        return function_of(self.function)

    @property
    def height(self) -> float:
        """The value of a condition that holds: enough for softmax over a window to see little else."""
        return 2 * math.log(self.window)

    def stream(self, trial: int, purpose: int) -> np.random.Generator:
        """Random numbers for a trial and a purpose, which depend on no other trial, function or width."""
        name = int.from_bytes(hashlib.sha256(self.function.encode()).digest()[:8], "big")
        entropy = [self.seed, self.width, name, trial]
        return np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=(purpose,)))


@dataclass(frozen=True)
class Look:
    """A test of one trial after so many steps."""

    step: int
    losses: tuple[Number, ...]
    """The mean squared error over all windows of each test length; NaN if the trial diverged."""


@dataclass(frozen=True)
class Fit:
    """The tests of one trial; the last one counts."""

    trial: int
    looks: tuple[Look, ...]

    @property
    def losses(self) -> tuple[float, ...]:
        """By test length, after the last step."""
        return self.looks[-1].losses


@dataclass(frozen=True)
class Fits(Result):
    """A cell with its trials, in their order."""

    cell: Cell
    trials: tuple[Fit, ...]

    @property
    def told(self) -> str:
        """Which cell it is and what came of it, in a few words."""
        at = self.cell.test_lengths[-1]
        last = ", ".join(f"{trial.losses[-1]:.3g}" for trial in self.trials)
        return f"{self.cell.function}, d = {self.cell.width}: loss {last} at length {at}"
