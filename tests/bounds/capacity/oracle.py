"""What the bounds are about, written anew: heads and networks as loops over tokens, exact where that matters."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import mpmath
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Matrices = tuple[Floats, Floats, Floats]
"""A layer of the paper's network: W_QK, which scores x_τ^T W_QK x, W_V and W_C."""


def zhang(size: float, radius: float, scale: float, points: int) -> mpmath.mpf:
    """36 (c/x)² log(2 ⌈4r/x + 2⌉ N + 1) in fifty digits."""
    with mpmath.workdps(50):
        ratio = 4 * mpmath.mpf(radius) / mpmath.mpf(scale)
        near = mpmath.nint(ratio)
        whole = near if abs(ratio - near) < mpmath.mpf(10) ** -20 * ratio else mpmath.ceil(ratio)
        count = 2 * (whole + 2) * points + 1
        return 36 * (mpmath.mpf(size) / mpmath.mpf(scale)) ** 2 * mpmath.log(count)


def weights_of(scores: Sequence[float]) -> list[float]:
    top = max(scores)
    powers = [math.exp(score - top) for score in scores]
    return [power / sum(powers) for power in powers]


def head(tokens: Floats, query_key: Floats, value: Floats, asking: int) -> Floats:
    """ReLU(W_V^T X^T softmax(X W_QK^T x_τ))."""
    scores = [float(tokens[asking] @ query_key @ token) for token in tokens]
    mean = sum(weight * token for weight, token in zip(weights_of(scores), tokens, strict=True))
    return np.maximum(np.asarray(mean) @ value, 0.0)


def clipped(vector: Floats) -> Floats:
    size = float(np.linalg.norm(vector))
    return vector if size <= 1 else vector / size


def streams(layers: Sequence[Matrices], tokens: Floats) -> list[tuple[Floats, Floats]]:
    """For each layer the tokens that enter it and what its W_C is applied to; the last entry is what comes out."""
    found: list[tuple[Floats, Floats]] = []
    for query_key, value, mix in layers:
        inner = []
        for asking in range(len(tokens)):
            scores = [float(tokens[asking] @ query_key @ token) for token in tokens]
            mean = sum(weight * token for weight, token in zip(weights_of(scores), tokens, strict=True))
            inner.append(np.maximum(clipped(np.asarray(mean) @ value), 0.0))
        found.append((tokens, np.stack(inner)))
        tokens = np.stack([clipped(row @ mix) for row in inner])
    return [*found, (tokens, tokens)]


def longest(rows: Floats) -> float:
    return max(float(np.sqrt((row * row).sum())) for row in rows)


def of_norm(rng: np.random.Generator, rows: int, columns: int, size: float) -> Floats:
    """A random matrix with this spectral norm."""
    drawn = rng.normal(size=(rows, columns))
    return np.asarray(size * drawn / np.linalg.svd(drawn, compute_uv=False)[0])


def tokens_of(rng: np.random.Generator, length: int, width: int, size: float = 1.0) -> Floats:
    """Random tokens of exactly this norm."""
    drawn = rng.normal(size=(length, width))
    return np.asarray(size * drawn / np.linalg.norm(drawn, axis=1, keepdims=True))


def packing(functions: Floats, epsilon: float) -> int:
    """How many of the functions, given by their values (functions, inputs, outputs), a greedy search finds more than
    2ε apart somewhere: every cover at scale ε has at least as many functions."""
    chosen: list[Floats] = []
    for function in functions:
        if all(np.sqrt(((function - other) ** 2).sum(axis=-1)).max() > 2 * epsilon for other in chosen):
            chosen.append(function)
    return len(chosen)


def greedy_cover(functions: Floats, epsilon: float) -> int:
    """How many balls of radius ε around functions of the set a greedy search needs for all of them."""
    left, count = functions, 0
    while len(left):
        distance = np.sqrt(((left - left[0]) ** 2).sum(axis=-1)).max(axis=-1)
        left, count = left[distance > epsilon], count + 1
    return count


def lowest(cost: Callable[[float], float], shares: Sequence[float]) -> float:
    return min(cost(share) for share in shares)
