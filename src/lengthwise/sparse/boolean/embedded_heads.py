"""Heads that select positions by their embeddings (Edelman et al., lemmas B.2 and B.3, repaired).

One head with the key Σ u_i attends to all of I alike, and its value E_1 - E_0 makes that the mean sign of their bits.
With s heads, one for each position of I, every sign is a coordinate of its own. Trainable positions may be zero outside
I, and then Δ does not matter.

Where the vectors are not orthogonal the printed key Σ v_i has different logits on I, and softmax makes much of it
(ERR-H12). Dual vectors have the same; each of the s heads selects only one position, so there Σ v_i = v_h will do. As
printed W_V and W_C of these heads had the product 0 (ERR-H8).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lengthwise.sparse.boolean.arrays import BooleanError, Floats, checked_whole
from lengthwise.sparse.boolean.bases import Basis
from lengthwise.sparse.boolean.construction import (
    Construction,
    Keys,
    checked_gamma,
    checked_selection,
    least_sharpness,
)
from lengthwise.sparse.boolean.inputs import EmbeddedBits, embedded
from lengthwise.sparse.boolean.targets import mean_sign, signs
from lengthwise.sparse.boolean.transformer import BooleanTransformer, Head


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
