"""The claim that the needed training length is proportional to a setting: the exponent of its growth is 1.

The exponent is the slope of log needed N over log setting. Settings at which N is not bracketed by training lengths
that were measured are left out, in the data as in every resample. Reproduced if the interval contains 1 and lies within
1 ± 0.5; not reproduced if it does not contain 1. A needed length with an offset, a + b · setting, is not proportional,
and its exponent is below 1 for a > 0 and above 1 for a < 0.

Izzo et al., workshop version, Figure 1, right: N for a loss of 10⁻² "increases linearly with ω".
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from lengthwise.experiments.claims.finding import Verdict
from lengthwise.experiments.claims.judgement import Judgement, estimate
from lengthwise.experiments.sweeps.cells import Cell, curves
from lengthwise.experiments.sweeps.needed_length import needed_length, needed_lengths
from lengthwise.runs.config import ConfigError
from lengthwise.runs.resampling import AVERAGES, Resampling, median

Floats = npt.NDArray[np.float64]

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
