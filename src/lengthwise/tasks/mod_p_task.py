"""ModPTask(p, k): the share of 1s at every p-th position (Izzo et al., section 6 and appendix C).

The paper draws a probability q_r uniformly from [0, 1] for each residue r (its text once writes p_k for it) and makes
the symbols at positions i ≡ r independent, 1 with probability q_r. So the number of 1s at the n_r positions of a
residue is uniform on 0, …, n_r, independently of other residues: counts are drawn directly. The last position, of
residue T mod p, has a 1 with probability (its 1s) / n_r.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lengthwise.alphabet import Alphabet
from lengthwise.errors import LengthwiseError
from lengthwise.tasks.registry import register_task
from lengthwise.tasks.request import only_the_last, require_drawable
from lengthwise.tasks.task import Batch, CountBatch, Loss
from lengthwise.tasks.uniform_rows import uniform_rows


@register_task("mod-p-task")
@dataclass(frozen=True)
class ModPTask:
    """The share of 1s among the symbols at positions congruent to `residue` modulo `period`, for words over 0, 1."""

    period: int = 3
    """p, the paper's Δ; it has 3 to 8."""
    residue: int = 0
    """k, from 0 to p - 1; positions count from 1."""

    name = "mod-p-task"
    alphabet = Alphabet(("0", "1"))
    outputs = 1
    program = None
    language = None

    def __post_init__(self) -> None:
        if self.period < 1:
            raise LengthwiseError(f"a period is a positive number of positions, got {self.period}")
        if not 0 <= self.residue < self.period:
            raise LengthwiseError(f"a residue modulo {self.period} is from 0 to {self.period - 1}, got {self.residue}")

    @property
    def loss(self) -> Loss:
        """One number at the last position."""
        return "regression"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Period and residue."""
        return {"period": self.period, "residue": self.residue}

    @property
    def min_length(self) -> int:
        """The first position that counts; shorter words have no target."""
        return self.residue or self.period

    def targets(self, tokens: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.float64]:
        """The target of every row of at least `min_length` symbol ids."""
        chosen = tokens[:, self.min_length - 1 :: self.period]
        return np.asarray(chosen.sum(axis=1, keepdims=True) / chosen.shape[1])

    def sample(self, length: int, batch: int, rng: np.random.Generator) -> Batch:
        """Words as the paper draws them."""
        require_drawable(self, length, batch)
        chances = rng.random((batch, self.period))
        residues = np.arange(1, length + 1) % self.period
        tokens = np.empty((batch, length), dtype=np.int64)
        for rows, drawn in uniform_rows(batch, length, rng):
            tokens[rows] = drawn < chances[rows][:, residues]
        return Batch(tokens, self.targets(tokens), only_the_last(tokens))

    def sample_counts(self, length: int, batch: int, rng: np.random.Generator) -> CountBatch:
        """The same words, as their counts and last symbols: counts[:, s, r] is how often s stands at i ≡ r."""
        require_drawable(self, length, batch)
        fewest, here = divmod(length, self.period)
        places = np.full(self.period, fewest)
        places[1 : here + 1] += 1
        # Drawn in two parts, as one bound for all is several times quicker than one for each column.
        ones = np.empty((batch, self.period), dtype=np.int64)
        ones[:, 1 : here + 1] = rng.integers(fewest + 2, size=(batch, here))
        ones[:, np.r_[0, here + 1 : self.period]] = rng.integers(fewest + 1, size=(batch, self.period - here))
        last = (rng.integers(places[here], size=batch) < ones[:, here]).astype(np.int64)
        counts = np.stack([places - ones, ones], axis=1)
        return CountBatch(counts, last, np.full(batch, length), ones[:, [self.residue]] / places[self.residue])
