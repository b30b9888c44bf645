"""The training length that is needed for a loss, read off a few plateaus, and the claim that a setting multiplies it.

A plateau is the test loss at the longest test length. The needed length is the smallest N from which the plateau stays
at most the given loss: a curve that dips below it and rises again has not got there yet. Between neighbouring training
lengths the curve is a power law, a straight line of log plateau over log N (Izzo et al., workshop version, Figure 1,
right: N for a loss of 10⁻² against ω).

The claim is that the needed length is proportional to a setting: the exponent of its growth is 1. That is the slope of
log needed N over log setting. Settings at which N is not bracketed by training lengths that were measured are left out,
in the data as in every resample. Reproduced if the interval contains 1 and lies within 1 ± 0.5; not reproduced if it
does not contain 1. A needed length with an offset, a + b · setting, is not proportional, and its exponent is below 1
for a > 0 and above 1 for a < 0.

Izzo et al., workshop version, Figure 1, right: N for a loss of 10⁻² "increases linearly with ω".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from lengthwise.errors import LengthwiseError
from lengthwise.experiments.finding import Judgement, Verdict, estimate
from lengthwise.experiments.sweeps.cells import Cell, curves
from lengthwise.runs.config import ConfigError
from lengthwise.runs.resampling import AVERAGES, Resampling, median

Floats = npt.NDArray[np.float64]

LEAST = float(np.finfo(np.float64).tiny)
"""What stands for a loss of 0, which has no logarithm."""


@dataclass(frozen=True)
class Needed:
    """A needed training length, or on which side of the measured ones it lies."""

    length: float
    side: Literal["between", "at most", "more than"]
    """`between` two measured lengths; `at most` the smallest one, whose plateau is low enough already; `more than` the
    largest one, whose plateau is still too high."""

    @property
    def bracketed(self) -> bool:
        """Whether measured lengths on both sides make it a number."""
        return self.side == "between"

    def __str__(self) -> str:
        return {"between": "", "at most": "≤ ", "more than": "> "}[self.side] + f"{self.length:.3g}"


def needed_length(train_lengths: Sequence[float], plateaus: Sequence[float], loss: float) -> Needed:
    """The least training length whose plateau, and that of all longer ones, is at most `loss`.

    A plateau that is NaN or infinite is too high.
    """
    lengths, curve = np.asarray(train_lengths, dtype=np.float64), np.asarray(plateaus, dtype=np.float64)
    if lengths.ndim != 1 or lengths.shape != curve.shape or not lengths.size:
        raise LengthwiseError(
            f"a needed length is read off one plateau for each training length, "
            f"got {curve.size} plateaus for {lengths.size} lengths"
        )
    if not (lengths > 0).all() or not loss > 0:
        raise LengthwiseError(f"training lengths and the loss that is aimed at are positive, got {lengths} and {loss}")
    found = float(needed_lengths(lengths, curve, loss))
    if found == -np.inf:
        return Needed(float(lengths.min()), "at most")
    if found == np.inf:
        return Needed(float(lengths.max()), "more than")
    return Needed(found, "between")


def needed_lengths(train_lengths: Floats, curves: Floats, loss: float) -> Floats:
    """The needed length of every curve, where `curves[..., i]` is a plateau at `train_lengths[i]`.

    -inf where the smallest training length is enough, inf where the largest is not.
    """
    order = np.argsort(train_lengths, kind="stable")
    lengths = np.log(train_lengths[order])
    curves = np.where(np.isnan(curves), np.inf, curves)[..., order]
    above = curves > loss
    behind = np.where(above.any(axis=-1), above.shape[-1] - above[..., ::-1].argmax(axis=-1), 0)
    before = np.clip(behind - 1, 0, None)
    at = np.clip(behind, None, len(lengths) - 1)
    heights = np.log(np.maximum(curves, LEAST))
    upper, lower = (np.take_along_axis(heights, place[..., None], axis=-1)[..., 0] for place in (before, at))
    bracketed = (behind > 0) & (behind < len(lengths))
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(bracketed, (upper - np.log(loss)) / (upper - lower), 0.0)
    # Coming down from an infinite loss takes the whole way to the next training length.
    share = np.where(np.isfinite(upper), share, 1.0)
    between = np.exp(lengths[before] + share * (lengths[at] - lengths[before]))
    return np.where(behind == 0, -np.inf, np.where(behind == len(lengths), np.inf, between))


NEAR = 0.5
"""How far from 1 the interval of an exponent may reach that is called linear."""


def exponent(settings: Floats, lengths: Floats, groups: npt.NDArray[np.intp]) -> Floats:
    """The exponent b of `lengths[..., i] ~ settings[i] ** b`, by least squares of logarithms.

    Every group has a factor of its own. Lengths that are infinite are left out; NaN where no group has lengths at two
    different settings.
    """
    known = np.isfinite(lengths)
    heights = np.log(np.where(known, lengths, 1.0))
    above, below = np.zeros(lengths.shape[:-1]), np.zeros(lengths.shape[:-1])
    for group in np.unique(groups):
        use = known & (groups == group)
        places = np.where(use, np.log(settings), 0.0)
        centre = places.sum(axis=-1, keepdims=True) / np.maximum(use.sum(axis=-1, keepdims=True), 1)
        along = np.where(use, places - centre, 0.0)
        above += (along * heights).sum(axis=-1)
        below += (along**2).sum(axis=-1)
    several = below > 1e-12
    return np.where(several, above / np.where(several, below, 1.0), np.nan)


def linear(grid: Sequence[Cell], setting: str, loss: float, resampling: Resampling) -> Judgement:
    """Is the training length that is needed for a loss proportional to the setting?"""
    rows = curves(grid, setting)
    settings = np.array([row.setting for row in rows])
    if not (settings > 0).all():
        raise ConfigError(f"an exponent needs positive settings, but {setting} has {min(settings):g}")
    groups = np.array([row.stratum for row in rows])

    def exponents(averages: Floats) -> Floats:
        needed = [needed_lengths(row.train_lengths, averages[..., row.places], loss) for row in rows]
        return exponent(settings, np.stack(needed, axis=-1), groups)

    plateaus = [cell.plateaus for cell in grid]
    draws = resampling.draws(plateaus)
    estimates = []
    for name, average in AVERAGES.items():
        value, resampled = (
            exponents(np.stack([average(losses) for losses in some], axis=-1)) for some in (plateaus, draws)
        )
        estimates.append(estimate(f"exponent, {name}", float(value), resampled, grid, linear_verdict))
    medians = [float(median(losses)) for losses in plateaus]
    needed = [needed_length(row.train_lengths.tolist(), [medians[place] for place in row.places], loss) for row in rows]
    inside, outside = (
        ", ".join(
            f"{row.setting:g}: {each}" for row, each in zip(rows, needed, strict=True) if each.bracketed == wanted
        )
        for wanted in (True, False)
    )
    detail = f"The training length needed for a loss of {loss:g}, by {setting}: {inside or 'none is bracketed'}"
    detail += f"; not bracketed and left out: {outside}." if outside else "."
    return Judgement(tuple(estimates), detail, tuple(grid))


def linear_verdict(low: float, high: float) -> Verdict:
    """What the interval of an exponent says."""
    if not low <= 1 <= high:
        return "not reproduced"
    return "reproduced" if low >= 1 - NEAR and high <= 1 + NEAR else "undecided"
