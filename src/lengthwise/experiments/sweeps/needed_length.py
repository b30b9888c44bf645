"""The training length that is needed for a loss, read off plateaus that were measured at a few training lengths.

A plateau is the test loss at the longest test length. The needed length is the smallest N from which the plateau stays
at most the given loss: a curve that dips below it and rises again has not got there yet. Between neighbouring training
lengths the curve is a power law, a straight line of log plateau over log N (Izzo et al., workshop version, Figure 1,
right: N for a loss of 10⁻² against ω).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from lengthwise.errors import LengthwiseError

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
