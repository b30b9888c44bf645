"""Phase transitions of loss curves: when a trial stops guessing, and how long it takes to know.

A curve guesses while its loss is near that of a coin, and knows from the first loss below a threshold on (Edelman et
al., Figure 3: "abrupt phase transitions from random guessing to perfect classification"). The width of a transition is
the number of steps from the last guess before it to the first loss below the threshold, as a share of the steps up to
it: near 0 for a sudden one, near 1 for a loss that falls from the beginning on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lengthwise.experiments.probes.cell import Curve
from lengthwise.runs.resampling import Resampling, interval

KNOWS = 0.1
"""A loss (in nats) below this is that of a trial that has found the function."""
GUESSES = 0.9
"""The share of the loss of a constant guess above which a trial still guesses."""


@dataclass(frozen=True)
class Transition:
    """Where one curve falls."""

    trial: int
    step: int | None
    """The first with a loss below the threshold; None if there is none."""
    last_guess: int | None
    """The last step before it at which the trial still guessed; None if there is no transition, or never a guess."""

    @property
    def width(self) -> float:
        """The share of the steps up to the transition that it took; NaN without one."""
        if self.step is None:
            return math.nan
        return 1.0 if self.last_guess is None or not self.step else (self.step - self.last_guess) / self.step


@dataclass(frozen=True)
class Transitions:
    """The transitions of several trials."""

    each: tuple[Transition, ...]
    learned: float
    """The share of trials that have one."""
    median: float
    """The median step over all trials, infinite if most never got there."""
    low: float
    """The 95 % interval of the median, from resampled trials."""
    high: float
    width: float
    """The median width of those there are; NaN if there is none."""


def transition(curve: Curve, threshold: float = KNOWS, guess: float = math.log(2)) -> Transition:
    """The first loss of a curve below the threshold, and the last guess before it."""
    losses, steps = np.array(curve.losses), curve.steps
    below = np.flatnonzero(losses < threshold)
    if not below.size:
        return Transition(curve.trial, None, None)
    first = int(below[0])
    guesses = np.flatnonzero(losses[:first] > GUESSES * guess)
    return Transition(curve.trial, steps[first], steps[int(guesses[-1])] if guesses.size else None)


def transitions(
    curves: Sequence[Curve],
    threshold: float = KNOWS,
    guess: float = math.log(2),
    resampling: Resampling | None = None,
) -> Transitions:
    """The transitions of curves; `guess` is the loss of a constant guess, one bit for labels that are fair coins."""
    found = tuple(transition(curve, threshold, guess) for curve in curves)
    steps = np.array([math.inf if each.step is None else each.step for each in found])
    value = _median(steps)
    draws = (resampling or Resampling()).draws([steps])[0] if len(steps) else np.empty((0, 0))
    low, high = interval(value, np.array([_median(row) for row in draws])) if len(draws) else (math.nan, math.nan)
    widths = [each.width for each in found if each.step is not None]
    learned = len(widths) / len(found) if found else math.nan
    return Transitions(found, learned, value, low, high, float(np.median(widths)) if widths else math.nan)


def _median(steps: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
    """The upper median: halfway between a number and infinity there is none."""
    return float(np.sort(steps)[len(steps) // 2]) if len(steps) else math.nan
