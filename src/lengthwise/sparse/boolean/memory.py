"""A network that says f(x_i) all around x_i: two hidden layers of ReLUs (Edelman et al., Lemma B.8, repaired).

    ψ(u) = (u + 2)_+ - (u + 1)_+ - (u - 1)_+ + (u - 2)_+,    u = (x_j - x_ij) / δ

is 1 for |u| <= 1 and 0 for |u| >= 2. The unit (Σ_j ψ_j - d_f + 1)_+ is 1 within δ of the point x_i, in every
coordinate, and 0 within δ of all others if these are 4δ away. Printed are a bump that is 0 at its centre (ERR-H10) and
two thresholds for each point where one unit does.

The four biases of a bump are rounded to multiples of 2^-30, so that they differ by exactly 1 and 2 in floating point:
the weights themselves, not only the formula, are exact around each point, on a ball of `radius` that is all but δ.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from lengthwise.sparse.boolean.arrays import BooleanError, Floats, matrix

GRID = 2.0**30
"""Biases are multiples of 1 / GRID."""
LARGEST_BIAS = 2.0**20
"""Biases beyond this one would not be exact."""
LARGEST_NETWORK = 2**24
"""The most numbers its second matrix may hold."""
SIGNS, SHIFTS = np.array([1.0, -1.0, -1.0, 1.0]), np.array([2.0, 1.0, -1.0, -2.0])
"""ψ(u) = Σ sign · (u + shift)_+."""


@dataclass(frozen=True, eq=False)
class Memory:
    """x ↦ (([x 1] W_1)_+ 1] W_2)_+ w."""

    first: Floats
    """W_1 (d_f + 1, 4 n d_f); the last row are biases."""
    second: Floats
    """W_2 (4 n d_f + 1, n); the last row are biases."""
    last: Floats
    """w (n,)."""
    centres: Floats
    """The points x_i (n, d_f)."""
    delta: float

    def __call__(self, points: npt.ArrayLike) -> Floats:
        """The values (…) at points (…, d_f)."""
        found = np.asarray(points, dtype=np.float64)
        hidden = np.maximum(found @ self.first[:-1] + self.first[-1], 0.0)
        return np.asarray(np.maximum(hidden @ self.second[:-1] + self.second[-1], 0.0) @ self.last)

    @property
    def units(self) -> tuple[int, int]:
        """The sizes of the hidden layers."""
        return self.first.shape[1], self.second.shape[1]

    @property
    def radius(self) -> Fraction:
        """How far from x_i, in every coordinate, the value is f(x_i) with these very weights; no rounding is in it."""
        slope, nearest = Fraction(self.first[:-1].max()), Fraction(1)
        biases = self.first[-1].reshape(4, *self.centres.shape)[1] - 1.0
        for bias, centre in zip(biases.flat, self.centres.flat, strict=True):
            nearest = min(nearest, 1 - abs(slope * Fraction(centre) + Fraction(bias)))
        return nearest / slope


def memory(centres: npt.ArrayLike, values: npt.ArrayLike, delta: float) -> Memory:
    """The network with the given value within δ of each of the points (n, d_f), which are 4δ apart."""
    points, wanted = matrix("the centres", centres), np.asarray(values, dtype=np.float64)
    count, size = points.shape
    if wanted.shape != (count,) or not np.isfinite(wanted).all():
        raise BooleanError(f"{count} points have {count} finite values, not an array of shape {wanted.shape}")
    if not delta > 0 or np.abs(points).max() / delta + 2 > LARGEST_BIAS:
        raise BooleanError(f"δ = {delta!r} is too small, or not positive, for points of this size")
    if 4 * count**2 * size > LARGEST_NETWORK:
        raise BooleanError(
            f"a network for {count} points of {size} numbers has a matrix of {4 * count * size} × {count} numbers; "
            f"at most {LARGEST_NETWORK} are allowed"
        )
    _check_apart(points, delta)
    # Indexed by (which of four, point, coordinate), as in the paper.
    slopes = np.tile(np.eye(size), 4 * count) / delta
    biases = SHIFTS[:, None, None] + np.rint(-points / delta * GRID) / GRID
    joins = np.einsum("h,ik,j->hijk", SIGNS, np.eye(count), np.ones(size)).reshape(4 * count * size, count)
    return Memory(
        first=np.vstack([slopes, biases.reshape(1, -1)]),
        second=np.vstack([joins, np.full(count, 1.0 - size)]),
        last=wanted,
        centres=points,
        delta=float(delta),
    )


def _check_apart(points: Floats, delta: float) -> None:
    for place, point in enumerate(points[:-1]):
        nearest = np.abs(points[place + 1 :] - point).max(axis=1).min()
        if nearest < 4 * delta * (1 - 1e-9):
            raise BooleanError(f"two points are {nearest:g} apart, less than 4δ = {4 * delta:g}")
