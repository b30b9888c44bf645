"""The claim that a test loss levels off as the test length grows: its growth per doubling of the length.

The growth is the slope of log₂ loss over log₂ T: 0 on a plateau, 1 for a loss proportional to the length. It is taken
over the tail of the test lengths, as a loss that plateaus may well rise before it does: the last half of the doublings
from the shortest to the longest length, or the last two if these are more, and never less than two lengths.

The statistic is the median over cells of the growth of each: by medians, that of its middle seed; by means, that of its
mean loss. Reproduced if its interval lies within ±0.1, which is 7 % per doubling; not reproduced if it lies outside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from lengthwise.experiments.finding import Judgement, Verdict, estimate, nothing, number
from lengthwise.experiments.sweeps.cells import Cell
from lengthwise.experiments.sweeps.needed_length import LEAST
from lengthwise.experiments.sweeps.trend import rank_correlation
from lengthwise.runs.resampling import Resampling, mean, median

Floats = npt.NDArray[np.float64]

OCTAVES = 2.0
"""The doublings that a tail has at least, where lengths allow."""
FLAT = 0.1
"""The most growth that is called a plateau."""
STATISTIC = "growth per doubling"


def tail(lengths: Floats) -> slice:
    """Which of the lengths, given in ascending order, belong to the tail."""
    octaves = np.log2(lengths)
    begin = octaves[-1] - max(OCTAVES, (octaves[-1] - octaves[0]) / 2)
    # Lengths that are meant to be powers of two apart may miss the border by a rounding error.
    first = int(np.searchsorted(octaves, begin - 1e-9))
    return slice(max(0, min(first, len(lengths) - 2)), None)


def growth(lengths: Floats, losses: Floats) -> Floats:
    """The slope of log₂ `losses[..., i]` over log₂ `lengths[i]` by least squares, at two or more different lengths.

    Infinite for a curve with an infinite loss: a seed that diverged has no plateau.
    """
    finite = np.asarray(np.isfinite(losses).all(axis=-1, keepdims=True))
    along = np.log2(lengths) - np.log2(lengths).mean()
    heights = np.log2(np.maximum(np.where(finite, losses, 1.0), LEAST))
    return np.where(finite[..., 0], heights @ along / (along @ along), np.inf)


def plateau(grid: Sequence[Cell], resampling: Resampling) -> Judgement:
    """Does the loss level off as the test length grows?"""
    cells = [cell for cell in grid if len(cell.lengths) > 1]
    if not cells:
        return nothing(STATISTIC, "No cell has two test lengths.")
    parts = [tail(cell.lengths) for cell in cells]
    lengths = [cell.lengths[part] for cell, part in zip(cells, parts, strict=True)]
    curves = [cell.losses[part] for cell, part in zip(cells, parts, strict=True)]
    draws = resampling.draws(curves)
    estimates = []
    for name, of_cell in GROWTHS.items():
        own, resampled = (
            np.stack([of_cell(at, losses) for at, losses in zip(lengths, some, strict=True)], axis=-1)
            for some in (curves, draws)
        )
        value = float(median(own))
        estimates.append(estimate(f"{STATISTIC}, {name}", value, median(resampled), cells, plateau_verdict))
    detail = _detail(cells, lengths, curves)
    return Judgement(tuple(estimates), detail, tuple(cells))


def plateau_verdict(low: float, high: float) -> Verdict:
    """What the interval of a growth says."""
    if low >= -FLAT and high <= FLAT:
        return "reproduced"
    return "not reproduced" if low > FLAT or high < -FLAT else "undecided"


def _of_median_seed(lengths: Floats, losses: Floats) -> Floats:
    return median(growth(lengths, np.swapaxes(losses, -1, -2)))


def _of_mean_loss(lengths: Floats, losses: Floats) -> Floats:
    return growth(lengths, mean(losses))


GROWTHS: Mapping[str, Callable[[Floats, Floats], Floats]] = {"medians": _of_median_seed, "means": _of_mean_loss}
"""The growth of a cell with `losses[..., length, seed]`."""


def _detail(cells: Sequence[Cell], lengths: Sequence[Floats], curves: Sequence[Floats]) -> str:
    own = np.array([_of_median_seed(at, losses) for at, losses in zip(lengths, curves, strict=True)])
    farthest = int(np.abs(own).argmax())
    medians, tails = np.concatenate([median(losses) for losses in curves]), np.concatenate(lengths).tolist()
    order = rank_correlation(medians, tails, [place for place, at in enumerate(lengths) for _ in at])
    return (
        f"From {_range([at[0] for at in lengths])} to {_range([at[-1] for at in lengths])} symbols, "
        f"{(np.abs(own) <= FLAT).sum()} of {len(cells)} cells change by at most 7 % per doubling; the farthest, "
        f"{cells[farthest].name}, has growth {number(own[farthest])}; the rank correlation of loss and length is "
        f"{number(float(order))}."
    )


def _range(lengths: Sequence[float]) -> str:
    least, most = min(lengths), max(lengths)
    return f"{least:g}" if least == most else f"{least:g}–{most:g}"
