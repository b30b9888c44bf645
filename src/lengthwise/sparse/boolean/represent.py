"""From a sparse function to weights that compute it exactly (Edelman et al., lemmas B.5 and B.6, repaired).

A head brings the relevant bits together up to γ/4, and a network around the values it tends to says f: symmetric
functions need one scalar and s + 1 points, others s coordinates and 2^s points. The network's plateaus have the radius
δ = γ/4 of what heads may be off; as printed, γ/8, they are too narrow (ERR-H11).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from lengthwise.sparse.boolean.arrays import BooleanError
from lengthwise.sparse.boolean.bag_head import bag_of_vectors
from lengthwise.sparse.boolean.bases import Basis, orthonormal
from lengthwise.sparse.boolean.construction import Construction
from lengthwise.sparse.boolean.embedded_heads import deterministic, trainable
from lengthwise.sparse.boolean.functions import SparseFunction
from lengthwise.sparse.boolean.memory import memory

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
