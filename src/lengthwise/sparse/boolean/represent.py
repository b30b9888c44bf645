"""From a sparse function to weights that compute it exactly (Edelman et al., lemmas B.5 and B.6, repaired).

A head brings the relevant bits together up to γ/4, and a network around the values it tends to says f: symmetric
functions need one scalar and s + 1 points, others s coordinates and 2^s points. The network's plateaus have the radius
δ = γ/4 of what heads may be off; as printed, γ/8, they are too narrow (ERR-H11).

Heads select positions by their embeddings (lemmas B.2 and B.3, repaired). One head with the key Σ u_i attends to all of
I alike, and its value E_1 - E_0 makes that the mean sign of their bits. With s heads, one for each position of I, every
sign is a coordinate of its own. Trainable positions may be zero outside I, and then Δ does not matter.

Where the vectors are not orthogonal the printed key Σ v_i has different logits on I, and softmax makes much of it
(ERR-H12). Dual vectors have the same; each of the s heads selects only one position, so there Σ v_i = v_h will do. As
printed W_V and W_C of these heads had the product 0 (ERR-H8).

Or one head finds the bits of I in a bag of vectors (lemma B.4, repaired). Where a bit is 0 there is nothing to attend
to, so [CLS] competes as well: attention is uniform on [CLS] and on the r positions of I whose bit is 1. [CLS] has the
value -1 in each of s coordinates, position i has 1 in its own: together (b_i - 1)/(r + 1), from which the whole pattern
can be read, with one head. W_C adds the coordinates up, or keeps them.

Dual vectors serve as keys and as values: nothing of I reaches the coordinate of another position, and `leak` is what
positions outside I could put there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from lengthwise.sparse.boolean.arrays import BooleanError, Floats, checked_whole
from lengthwise.sparse.boolean.bases import Basis, orthonormal
from lengthwise.sparse.boolean.construction import (
    Construction,
    Keys,
    bag_count,
    bag_pattern,
    checked_gamma,
    checked_selection,
    least_sharpness,
    mean_sign,
    signs,
)
from lengthwise.sparse.boolean.functions import SparseFunction
from lengthwise.sparse.boolean.transformer import BooleanTransformer, EmbeddedBits, Head, bag, embedded, memory


def deterministic(
    indices: Sequence[int],
    basis: Basis,
    *,
    patterns: bool = False,
    gamma: float | None = None,
    keys: Keys = "dual",
    sharpness: float | None = None,
) -> Construction:
    """Lemma B.2: the mean sign of the bits in I with one head, or with `patterns` all signs with s heads.

    Without a given `sharpness`, R is the least one that is proved for this basis; with printed keys the printed one.
    """
    chosen = checked_selection(indices, basis.length)
    target = (signs if patterns else mean_sign)(len(chosen))
    gamma = checked_gamma(gamma, target)
    vectors = basis.dual(chosen) if keys == "dual" else basis.chosen(chosen)
    selecting = vectors if patterns else vectors.sum(axis=0, keepdims=True)
    if sharpness is None:
        off = float(np.abs(basis.others(chosen) @ selecting.T).max(initial=0.0))
        gap = 1 - off if keys == "dual" else 1 - len(chosen) * basis.coherence
        sharpness = least_sharpness(basis.length, gamma, gap)
    inputs = embedded(basis.vectors, trainable=False)
    model = BooleanTransformer(inputs, _heads(inputs, selecting, sharpness), target.outputs)
    return Construction("B.2", model, chosen, target, gamma, sharpness, basis.coherence)


def trainable(
    indices: Sequence[int],
    length: int,
    *,
    patterns: bool = False,
    gamma: float | None = None,
    sharpness: float | None = None,
) -> Construction:
    """Lemma B.3: the same with positions of our choice, p_i = e_1 (with `patterns` e_n(i)) on I and 0 elsewhere."""
    chosen = checked_selection(indices, checked_whole("a length", length))
    target = (signs if patterns else mean_sign)(len(chosen))
    gamma = checked_gamma(gamma, target)
    sharpness = least_sharpness(length, gamma, 1.0) if sharpness is None else sharpness
    positions = np.zeros((length, target.outputs))
    positions[[index - 1 for index in chosen]] = np.eye(target.outputs) if patterns else 1.0
    inputs = embedded(positions, trainable=True)
    model = BooleanTransformer(inputs, _heads(inputs, np.eye(target.outputs), sharpness), target.outputs)
    return Construction("B.3", model, chosen, target, gamma, sharpness, 0.0)


def _heads(inputs: EmbeddedBits, selecting: Floats, sharpness: float) -> tuple[Head, ...]:
    """A head for each row of `selecting`, with k = 1, which writes into the coordinate of its number."""
    if not np.isfinite(sharpness):
        raise BooleanError(f"a sharpness is a finite number, not {sharpness!r}")
    zero, one = inputs.tokens
    padding = inputs.width - selecting.shape[1]
    return tuple(
        Head(
            query=sharpness * inputs.cls[:, None],
            key=np.pad(vector, (0, padding))[:, None],
            value=(one - zero)[:, None],
            mix=np.eye(1, inputs.width, number),
        )
        for number, vector in enumerate(selecting)
    )


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


Inputs = Literal["deterministic", "trainable", "bag"]
INPUTS: tuple[Inputs, ...] = ("deterministic", "trainable", "bag")


def select(
    indices: Sequence[int],
    *,
    length: int | None = None,
    inputs: Inputs = "deterministic",
    basis: Basis | None = None,
    patterns: bool = False,
    gamma: float | None = None,
) -> Construction:
    """Attention alone: heads within γ/4 of a scalar that increases with the ones in I, or with `patterns` of a vector.

    The vectors of positions are a `basis`, or coordinate vectors for a `length`; trainable positions need no basis.
    """
    if inputs not in INPUTS:
        raise BooleanError(f"inputs are {', '.join(INPUTS)}, not {inputs!r}")
    if (length is None) == (basis is None):
        raise BooleanError("give a length or a basis, which has one; not both")
    if inputs == "trainable":
        if length is None:
            raise BooleanError("trainable positions are chosen here; give a length and no basis")
        return trainable(indices, length, patterns=patterns, gamma=gamma)
    lemma = deterministic if inputs == "deterministic" else bag_of_vectors
    return lemma(indices, basis or orthonormal(length or 0), patterns=patterns, gamma=gamma)


def represent(
    function: SparseFunction,
    *,
    length: int | None = None,
    inputs: Inputs = "deterministic",
    basis: Basis | None = None,
    patterns: bool | None = None,
    gamma: float | None = None,
) -> Construction:
    """Weights that compute the function exactly on all of {0, 1}^T.

    By counting ones if it is symmetric (lemma B.5), else from `patterns` (lemma B.6), which can be asked for as well.
    """
    patterns = function.by_count is None if patterns is None else patterns
    heads = select(function.indices, length=length, inputs=inputs, basis=basis, patterns=patterns, gamma=gamma)
    return with_memory(heads, function)


def with_memory(heads: Construction, function: SparseFunction, delta: float | None = None) -> Construction:
    """Heads with a network behind them that says f, exactly if they are within δ of their target; δ is γ/4."""
    if function.indices != heads.indices:
        raise BooleanError("heads and function are about different positions")
    if heads.target.counts_only and function.by_count is None:
        raise BooleanError("the function is not symmetric, so the number of ones does not decide it; ask for patterns")
    patterns = heads.target.patterns
    network = memory(
        heads.target.of_patterns(patterns),
        function.of_patterns(patterns),
        heads.allowed_error if delta is None else delta,
    )
    return replace(heads, model=replace(heads.model, memory=network), function=function)
