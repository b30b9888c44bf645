"""The claim that curves of the plateau over N fall onto one another when N is measured in units of a setting.

For two settings, the distance of their curves is the mean square of the difference of log plateaus, over all log N (or
log N / setting) that both curves reach, with straight lines between measured lengths. The statistic is the logarithm of
the mean distance over N / setting, divided by that over N, of all pairs that overlap both ways. It is below 0 if
rescaling brings the curves together: reproduced if its interval is, not reproduced if all of the interval is above.

The mean is an integral and not a sum over measured lengths: at equal N these coincide, and a curve between its points
is smoother than at them, so that a sum would find noise alone to be less after rescaling.

Izzo et al., workshop version, Figure 2, right: the curves for different Δ "approximately overlap".
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from lengthwise.experiments.finding import Judgement, Verdict, estimate, nothing
from lengthwise.experiments.sweeps.cells import Cell, Curve, curves
from lengthwise.experiments.sweeps.needed_length import LEAST
from lengthwise.runs.config import ConfigError
from lengthwise.runs.resampling import AVERAGES, Resampling, median

Floats = npt.NDArray[np.float64]

STATISTIC = "log ratio of distances"


def distance(one: tuple[Floats, Floats], other: tuple[Floats, Floats]) -> Floats:
    """The mean square of the difference of two curves over what both reach, which is a range and not a point.

    A curve is its places, in ascending order, and heights, `heights[..., i]` at `places[i]`; NaN for one that is not
    finite.
    """
    begin, end = shared(one[0], other[0])
    knots = np.unique(np.clip(np.concatenate([one[0], other[0]]), begin, end))
    difference = _at(knots, *one) - _at(knots, *other)
    before, after = difference[..., :-1], difference[..., 1:]
    # The integral of the square of a straight line.
    parts = (before**2 + before * after + after**2) / 3 * np.diff(knots)
    return np.asarray(parts.sum(axis=-1) / (end - begin))


def shared(one: Floats, other: Floats) -> tuple[float, float]:
    """Where the places of both begin and end; the end comes first if there are none."""
    return float(max(one[0], other[0])), float(min(one[-1], other[-1]))


def collapse(grid: Sequence[Cell], setting: str, resampling: Resampling) -> Judgement:
    """Are curves over N / setting closer together than curves over N?"""
    rows = [curve for curve in curves(grid, setting) if len(curve.places) > 1]
    least = min((row.setting for row in rows), default=1.0)
    if least <= 0:
        raise ConfigError(f"N can be measured in units of positive settings, but {setting} has {least:g}")
    pairs = [
        pair
        for pair in itertools.combinations(rows, 2)
        if pair[0].stratum == pair[1].stratum and all(_overlap(*pair, scaled) for scaled in (False, True))
    ]
    if not pairs:
        return nothing(STATISTIC, f"No two curves of different {setting} have lengths N and N / {setting} in common.")
    cells = [grid[place] for place in sorted({place for pair in pairs for curve in pair for place in curve.places})]

    def distances(averages: Floats, scaled: bool) -> Floats:
        finite = np.isfinite(averages)
        heights = np.where(finite, np.log(np.maximum(np.where(finite, averages, 1.0), LEAST)), np.nan)
        found = [distance(*((_places(curve, scaled), heights[..., curve.places]) for curve in pair)) for pair in pairs]
        return np.asarray(np.mean(found, axis=0))

    plateaus = [cell.plateaus for cell in grid]
    draws = resampling.draws(plateaus)
    estimates = []
    for name, average in AVERAGES.items():
        both = [np.stack([average(losses) for losses in some], axis=-1) for some in (plateaus, draws)]
        with np.errstate(divide="ignore", invalid="ignore"):
            value, resampled = (np.log(distances(some, True)) - np.log(distances(some, False)) for some in both)
        estimates.append(estimate(f"{STATISTIC}, {name}", float(value), resampled, cells, collapse_verdict))
    medians = np.stack([median(losses) for losses in plateaus], axis=-1)
    over_ratio, over_length = (float(distances(medians, scaled)) for scaled in (True, False))
    if np.isfinite(over_length):
        detail = (
            f"In {len(pairs)} pairs of curves, the mean squared distance of log plateaus is {over_ratio:.3g} over "
            f"N / {setting} and {over_length:.3g} over N."
        )
    else:
        detail = "Where the median seed of a cell diverged, curves have no distance."
    return Judgement(tuple(estimates), detail, tuple(cells))


def collapse_verdict(low: float, high: float) -> Verdict:
    """What the interval of the logarithm says."""
    if high < 0:
        return "reproduced"
    return "not reproduced" if low > 0 else "undecided"


def _places(curve: Curve, scaled: bool) -> Floats:
    return np.asarray(np.log(curve.train_lengths / (curve.setting if scaled else 1.0)))


def _overlap(one: Curve, other: Curve, scaled: bool) -> bool:
    begin, end = shared(_places(one, scaled), _places(other, scaled))
    # More than a rounding error: curves that touch in one point have no distance on average.
    return end - begin > 1e-9


def _at(knots: Floats, places: Floats, heights: Floats) -> Floats:
    """The heights of a curve at other places."""
    left = np.clip(np.searchsorted(places, knots, side="right") - 1, 0, len(places) - 2)
    share = (knots - places[left]) / np.diff(places)[left]
    return np.asarray(heights[..., left] * (1 - share) + heights[..., left + 1] * share)
