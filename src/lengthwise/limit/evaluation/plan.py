"""A model's weights without what does nothing: zero rows and columns, idle units, heads that attend alike.

Compiled models are almost empty: most heads read one linear form and write one coordinate, most units look at three or
four. What is left after cutting out the zeros is what has to be computed.

Activations are arrays of shape (features, words, positions), words being of equal length.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from lengthwise.limit.evaluation.regimes import Floats
from lengthwise.limit.model import Head, Layer

Rows: TypeAlias = slice | npt.NDArray[np.intp]

SINGLE_THREADED = 1 << 18
"""Matrix products with more multiplications may be shared between threads, whose meeting costs more than they save."""


def chosen(flags: npt.NDArray[np.bool_]) -> Rows:
    """The flagged rows, as a slice (which copies nothing) if they are neighbours."""
    rows = np.flatnonzero(flags)
    if len(rows) and rows[-1] - rows[0] + 1 == len(rows):
        return slice(int(rows[0]), int(rows[-1]) + 1)
    return rows


def apply(matrix: Floats, columns: Floats) -> Floats:
    """The matrix times every column of an array of shape (features, words, positions)."""
    flat = columns.reshape(len(columns), columns.shape[1] * columns.shape[2])
    product = np.empty((len(matrix), flat.shape[1]))
    size = max(64, SINGLE_THREADED // max(matrix.size, 1))
    for start in range(0, flat.shape[1], size):
        np.matmul(matrix, flat[:, start : start + size], out=product[:, start : start + size])
    return product.reshape(len(matrix), *columns.shape[1:])


class HeadPlan:
    """What a head looks at, averages and writes."""

    def __init__(self, key_query: Floats, value: Floats, phi: Floats) -> None:
        self.phi: Floats = np.trim_zeros(phi, "b")
        self.span = len(self.phi)
        """How many distances, from 0 on, φ tells apart from the rest: τ + 1, or 0 if φ vanishes."""
        from_key, from_query = (key_query != 0).any(axis=1), (key_query != 0).any(axis=0)
        self._key_rows, self._query_rows = chosen(from_key), chosen(from_query)
        self._project: Floats = key_query[from_key][:, from_query].T.copy()
        self._largest = float(np.abs(key_query).max(initial=0.0))
        read, written = (value != 0).any(axis=0), (value != 0).any(axis=1)
        self._read = chosen(read)
        self.written = chosen(written)
        """The rows of the stream the head adds to."""
        self._value: Floats = value[written][:, read].copy()
        # V may be applied to the values or to their average: whichever leaves fewer numbers to sum.
        self._value_last = self._value.shape[1] < self._value.shape[0]
        self.features, self.summed = len(self._project), min(self._value.shape)
        """How many numbers make up a key, and a value."""

    @property
    def is_uniform(self) -> bool:
        """Whether all keys always have the same weight."""
        return not self.features and not self.span

    def queries(self, stream: Floats) -> Floats:
        """What the head sees of the queries; their inner product with a key is the content logit."""
        return stream[self._query_rows]

    def keys(self, stream: Floats) -> Floats:
        """What the head sees of the keys: KQ^T y."""
        return apply(self._project, stream[self._key_rows])

    def sizes(self, stream: Floats) -> Floats:
        """The magnitude of the terms that make up each key."""
        if not self.features:
            return np.zeros(stream.shape[1:])
        return np.asarray(np.abs(stream[self._key_rows]).max(axis=0) * self._largest)

    def values(self, stream: Floats) -> Floats:
        """What is averaged."""
        return stream[self._read] if self._value_last else apply(self._value, stream[self._read])

    def result(self, averaged: Floats) -> Floats:
        """What is added to the rows `written`."""
        return apply(self._value, averaged) if self._value_last else averaged


class LayerPlan:
    """The heads and the MLP of a layer; heads with equal KQ and φ are one that adds up their values."""

    def __init__(self, layer: Layer) -> None:
        alike: dict[tuple[bytes, bytes], tuple[Head, Floats]] = {}
        for head in layer.heads:
            key = ((head.key_query + 0.0).tobytes(), (np.trim_zeros(head.phi, "b") + 0.0).tobytes())  # -0.0 is 0.0
            first, value = alike.get(key, (head, np.zeros_like(head.value)))
            alike[key] = (first, value + head.value)
        self.heads = [HeadPlan(head.key_query, value, head.phi) for head, value in alike.values() if value.any()]
        used = np.flatnonzero((layer.output != 0).any(axis=0))
        units = used[np.argsort(layer.heaviside[used], kind="stable")]  # ReLU units first
        read, written = (layer.hidden[units] != 0).any(axis=0), (layer.output != 0).any(axis=1)
        self._units, self._relus = len(units), int((~layer.heaviside[units]).sum())
        self._read, self._written = chosen(read), chosen(written)
        self._hidden: Floats = layer.hidden[units][:, read].copy()
        self._bias: Floats = layer.bias[units, None, None]
        self._output: Floats = layer.output[written][:, units].copy()

    def add_mlp(self, stream: Floats) -> None:
        """Add B ψ(A y + b) to every column."""
        if self._units:
            units = apply(self._hidden, stream[self._read])
            units += self._bias
            np.maximum(units[: self._relus], 0.0, out=units[: self._relus])
            np.greater_equal(units[self._relus :], 0.0, out=units[self._relus :])
            stream[self._written] += apply(self._output, units)
