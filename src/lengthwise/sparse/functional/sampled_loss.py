"""The expected loss of a hypothesis, estimated from samples, where words are too many for exact sums."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from lengthwise.sparse.ensembles.ensemble import Ensemble
from lengthwise.sparse.ensembles.labels import largest_entry, sum_of_entries
from lengthwise.sparse.functional.attention import SparseAttention
from lengthwise.sparse.functional.fit import require_fit
from lengthwise.sparse.functional.lookup import HypothesisError


@dataclass(frozen=True)
class SampledLoss:
    """A mean over samples, and its standard error."""

    mean: float
    error: float
    each: npt.NDArray[np.float64] = field(repr=False, compare=False)
    """The loss on each word."""


def sampled_losses(
    members: Mapping[str, SparseAttention], ensemble: Ensemble, length: int, count: int, rng: np.random.Generator
) -> dict[str, SampledLoss]:
    """The losses of all hypotheses on the same words, so that their differences are less noisy than each of them."""
    if count < 2:
        raise HypothesisError(f"a standard error takes at least 2 samples, not {count}")
    for member in members.values():
        require_fit(member, ensemble)
    sample = ensemble.sample(length, count, rng)
    found = {}
    for name, member in members.items():
        losses = _norms(ensemble, member.outputs(sample.tokens) - sample.labels)
        found[name] = SampledLoss(float(losses.mean()), float(losses.std(ddof=1)) / math.sqrt(count), losses)
    return found


def _norms(ensemble: Ensemble, differences: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    if ensemble.norm is largest_entry:
        return np.asarray(np.abs(differences).max(axis=1))
    if ensemble.norm is sum_of_entries:
        return np.asarray(np.abs(differences).sum(axis=1))
    raise HypothesisError("samples are measured in the maximum or the sum of entries; use exact losses for other norms")
