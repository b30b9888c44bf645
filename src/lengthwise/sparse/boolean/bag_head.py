"""A head that finds the bits of I in a bag of vectors (Edelman et al., lemma B.4, repaired).

Where a bit is 0 there is nothing to attend to, so [CLS] competes as well: attention is uniform on [CLS] and on the r
positions of I whose bit is 1. [CLS] has the value -1 in each of s coordinates, position i has 1 in its own: together
(b_i - 1)/(r + 1), from which the whole pattern can be read, with one head. W_C adds the coordinates up, or keeps them.

Dual vectors serve as keys and as values: nothing of I reaches the coordinate of another position, and `leak` is what
positions outside I could put there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lengthwise.sparse.boolean.arrays import BooleanError
from lengthwise.sparse.boolean.bases import Basis
from lengthwise.sparse.boolean.construction import (
    Construction,
    Keys,
    checked_gamma,
    checked_selection,
    least_sharpness,
)
from lengthwise.sparse.boolean.inputs import bag
from lengthwise.sparse.boolean.targets import bag_count, bag_pattern
from lengthwise.sparse.boolean.transformer import BooleanTransformer, Head


def bag_of_vectors(
    indices: Sequence[int],
    basis: Basis,
    *,
    patterns: bool = False,
    gamma: float | None = None,
    keys: Keys = "dual",
    sharpness: float | None = None,
) -> Construction:
    """Lemma B.4: (r - s)/(r + 1), or with `patterns` the vector of (b_i - 1)/(r + 1); one head either way.

    Without a given `sharpness`, R is the least one that is proved for this basis; with printed keys the printed one.
    """
    chosen = checked_selection(indices, basis.length)
    size = len(chosen)
    target = (bag_pattern if patterns else bag_count)(size)
    gamma = checked_gamma(gamma, target)
    vectors = basis.dual(chosen) if keys == "dual" else basis.chosen(chosen)
    if sharpness is None:
        answers = np.abs(basis.others(chosen) @ vectors.T)
        together = np.abs(basis.others(chosen) @ vectors.sum(axis=0))
        if keys == "dual":
            leak = answers.max(initial=0.0) if patterns else together.max(initial=0.0)
            rows = basis.length * ((1 if patterns else size) + float(leak))
            sharpness = least_sharpness(rows, gamma, 1 - float(together.max(initial=0.0)))
        else:
            sharpness = printed_sharpness(basis.length, size, gamma, basis.coherence)
    inputs = bag(basis.vectors)
    selecting = np.pad(vectors, ((0, 0), (0, 1)))
    head = Head(
        query=sharpness * inputs.cls[:, None] * np.eye(1, size),
        key=(selecting.sum(axis=0) + inputs.cls)[:, None] * np.eye(1, size),
        value=selecting.T - inputs.cls[:, None],
        mix=np.eye(size, inputs.width) if patterns else np.ones((size, 1)) * np.eye(1, inputs.width),
    )
    model = BooleanTransformer(inputs, (head,), target.outputs)
    return Construction("B.4", model, chosen, target, gamma, sharpness, basis.coherence)


def printed_sharpness(length: int, sparsity: int, gamma: float, coherence: float) -> float:
    """R as printed, for which sΔ must be less than γ and than 1."""
    spread = sparsity * coherence
    if not spread < min(gamma, 1.0):
        raise BooleanError(f"the printed lemma wants sΔ < γ, but sΔ is {spread:g} and γ is {gamma:g}")
    return math.log(8 * length * sparsity * (1 + coherence) / (gamma - spread)) / (1 - spread)
