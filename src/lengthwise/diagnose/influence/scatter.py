"""The scatter of Figures 4 and 6 in numbers, with intervals: is what all far tokens are worth owed to a few of them?

Every window is a point: x is what the chosen tokens are worth, L_short - L_short,sparse, and y what all far tokens are,
L_short - L_long (as the figures have it; the text of the paper has the axes the other way round).

- `correlation`: Pearson's of x and y. The paper looks at it by eye. It is positive for nearly any choice of tokens, as
  L_short is part of both, so it is to be compared with that of tokens chosen at random.
- `explained`: 1 - Σ(x - y)² / Σy², 1 if every point is on the line x = y, 0 if x is always 0. This is what "roughly
  equal" says, and a constant part of both does not help.
- `recovered`: Σx / Σy, the part of the mean gain that the chosen tokens have. Above 1, the others do harm.

Windows of one file are alike. So files are resampled, not windows, and an interval needs several of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from lengthwise.diagnose.influence.text_model import Floats, Ints
from lengthwise.runs.resampling import Resampling, interval

COUNT, X, Y, XX, YY, XY, GAPS = range(7)
"""What is summed up over the windows of a file."""


def correlation(sums: Floats) -> Floats:
    """Pearson's correlation from sums (…, 7)."""
    count = sums[..., COUNT]
    covariance = count * sums[..., XY] - sums[..., X] * sums[..., Y]
    variances = [count * sums[..., squares] - sums[..., plain] ** 2 for squares, plain in ((XX, X), (YY, Y))]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(covariance / np.sqrt(np.maximum(variances[0], 0.0) * np.maximum(variances[1], 0.0)))


def explained(sums: Floats) -> Floats:
    """1 - Σ(x - y)² / Σy²."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(1 - sums[..., GAPS] / sums[..., YY])


def recovered(sums: Floats) -> Floats:
    """Σx / Σy."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(sums[..., X] / sums[..., Y])


def mean_gain(sums: Floats) -> Floats:
    """The mean of y: what far tokens are worth, in nats."""
    return np.asarray(sums[..., Y] / sums[..., COUNT])


STATISTICS: Mapping[str, Callable[[Floats], Floats]] = {
    "correlation": correlation,
    "explained": explained,
    "recovered": recovered,
    "gain": mean_gain,
}


@dataclass(frozen=True, eq=False)
class Measured:
    """A number with its 95 % interval, which is NaN if there are too few files."""

    value: float
    low: float
    high: float
    files: int
    draws: Floats = field(repr=False)
    """The values of resampled files; the same files in the same place for all numbers of the same windows."""

    def minus(self, other: Measured) -> Measured:
        """The difference of two numbers of the same windows."""
        return measured(self.value - other.value, self.draws - other.draws, self.files)


def measured(value: float, draws: Floats, files: int) -> Measured:
    """A number with the interval of its draws."""
    low, high = interval(value, draws) if files > 1 and np.isfinite(value) else (np.nan, np.nan)
    return Measured(float(value), low, high, files, draws)


def by_file(values: Floats, files: Ints) -> Floats:
    """Sums of values (windows, …) over the windows of each file."""
    _, numbers = np.unique(files, return_inverse=True)
    sums = np.zeros((int(numbers.max(initial=-1)) + 1, *values.shape[1:]))
    np.add.at(sums, numbers, values)
    return sums


def resampled(sums: Floats, resampling: Resampling | None = None) -> Floats:
    """Sums over resampled files (times, …), from the sums of each file."""
    how, files = resampling or Resampling(), len(sums)
    counts = how.generator().multinomial(files, np.full(files, 1 / files), size=how.times)
    return np.asarray(counts @ sums)


def scatter(x: Floats, y: Floats, files: Ints, resampling: Resampling | None = None) -> dict[str, Measured]:
    """All statistics of points."""
    points = np.stack([np.ones_like(x), x, y, x * x, y * y, x * y, (x - y) ** 2], axis=1)
    sums = by_file(points, files)
    whole, drawn = sums.sum(axis=0), resampled(sums, resampling)
    return {
        name: measured(float(statistic(whole)), statistic(drawn), len(sums)) for name, statistic in STATISTICS.items()
    }
