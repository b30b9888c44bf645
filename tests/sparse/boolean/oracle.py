"""What a transformer of appendix B computes, in loops and in fractions; truth tables; bases with a given coherence."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from lengthwise.sparse.boolean import Basis, BooleanTransformer, Memory
from lengthwise.sparse.boolean.transformer import EmbeddedBits

Floats = npt.NDArray[np.float64]
Pattern = tuple[int, ...]


def strings(length: int) -> Iterator[Pattern]:
    yield from itertools.product((0, 1), repeat=length)


def rows(model: BooleanTransformer, string: Sequence[int]) -> list[Floats]:
    """X: p_t + E_b or b v_t, then [CLS]."""
    inputs = model.inputs
    if isinstance(inputs, EmbeddedBits):
        found = [place + inputs.tokens[bit] for place, bit in zip(inputs.rows, string, strict=True)]
    else:
        found = [bit * vector for vector, bit in zip(inputs.rows, string, strict=True)]
    return [*found, inputs.cls]


def attended(model: BooleanTransformer, string: Sequence[int], order: Sequence[int] | None = None) -> list[float]:
    """softmax(v_CLS^T W_Q W_K^T X^T) X W_V W_C, summed over heads, its first coordinates; rows of X in any order."""
    x = rows(model, string)
    x = x if order is None else [x[place] for place in order]
    total = [0.0] * model.outputs
    for head in model.heads:
        query = model.inputs.cls @ head.query
        logits = [float(query @ (row @ head.key)) for row in x]
        weights = [math.exp(logit - max(logits)) for logit in logits]
        for row, weight in zip(x, weights, strict=True):
            said = (row @ head.value) @ head.mix
            total = [old + weight / math.fsum(weights) * float(new) for old, new in zip(total, said, strict=False)]
    return total


def remembered(network: Memory, point: Sequence[Fraction]) -> Fraction:
    """The network's value at a point, its weights being the exact numbers that they are in floating point."""
    read = _relu_layer(network.second, _relu_layer(network.first, point))
    return sum((value * Fraction(weight) for value, weight in zip(read, network.last, strict=True)), Fraction(0))


def _relu_layer(matrix: Floats, values: Sequence[Fraction]) -> list[Fraction]:
    found = [Fraction(bias) for bias in matrix[-1]]
    for row, value in zip(matrix[:-1], values, strict=True):
        for place in np.flatnonzero(row):
            found[place] += Fraction(row[place]) * value
    return [max(each, Fraction(0)) for each in found]


def coherent(length: int, coherence: float, seed: int) -> Basis:
    """Random unit vectors whose products are at most `coherence`, one of them that large."""
    rng = np.random.default_rng(seed)
    products = np.asarray(np.triu(rng.uniform(-1, 1, (length, length)), 1), dtype=np.float64)
    products *= coherence / np.abs(products).max()
    return Basis(np.asarray(np.linalg.cholesky(products + products.T + np.eye(length)), dtype=np.float64))


def with_products(products: Mapping[tuple[int, int], float], length: int) -> Basis:
    """Unit vectors with these products, by pairs counted from 0."""
    gram = [[1.0 if i == j else products[min(i, j), max(i, j)] for j in range(length)] for i in range(length)]
    return Basis(np.linalg.cholesky(np.array(gram)))
