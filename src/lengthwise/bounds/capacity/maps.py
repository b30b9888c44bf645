"""`Map`: x ↦ W x + b as it stands in a file, before its norms are taken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from lengthwise.bounds.capacity.norms import Floats, MapNorms, matrix
from lengthwise.bounds.capacity.requirements import CapacityError
from lengthwise.bounds.capacity.residual import AttentionNorms

Arrays = Mapping[str, npt.NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Map:
    """A linear map with a row for each output, and its constants if it has any."""

    name: str
    weight: Floats
    constant: Floats | None = None

    @classmethod
    def read(cls, weights: Arrays, name: str, constant: str) -> Map:
        """The map of this name; that its constants are missing is no mistake."""
        return cls(name, matrix(name, array(weights, name)), array(weights, constant) if constant in weights else None)

    def behind_norm(self, weights: Arrays, gain: str, shift: str) -> Map:
        """The map with the gains and constants of the layer norm before it made part of it."""
        constant = self.constant
        if shift in weights:
            moved = self.weight @ array(weights, shift)
            constant = moved if constant is None else constant + moved
        return replace(self, weight=self.weight * array(weights, gain), constant=constant)

    def piece(self, number: int, count: int) -> Map:
        """One of so many equal pieces of its outputs."""
        size = len(self.weight) // count
        rows = slice(number * size, (number + 1) * size)
        return replace(self, weight=self.weight[rows], constant=None if self.constant is None else self.constant[rows])

    def after(self, first: Map, number: int, count: int) -> Map:
        """What becomes of a piece of its inputs, which `first` makes; the constants go with the first piece."""
        size = self.weight.shape[1] // count
        columns = self.weight[:, number * size : (number + 1) * size]
        constant = None if first.constant is None else columns @ first.constant
        if number == 0 and self.constant is not None:
            constant = self.constant if constant is None else constant + self.constant
        return replace(first, weight=columns @ first.weight, constant=constant)

    def norms(self) -> MapNorms:
        """Its norms, constants included."""
        return MapNorms.of(self.name, self.weight, self.constant)

    def with_column(self) -> Floats:
        """The matrix with one more column for its constants."""
        constant = np.zeros(len(self.weight)) if self.constant is None else self.constant
        return np.column_stack([self.weight, constant])


def array(weights: Arrays, name: str) -> Floats:
    """The weight of this name."""
    if name not in weights:
        known = ", ".join(sorted(weights)[:4])
        raise CapacityError(f"there is no weight {name!r}; there are {known}, …")
    return np.asarray(weights[name], dtype=np.float64)


def head_norms(query: Map, key: Map, value: Map, scale: float, bias: float = 0.0) -> AttentionNorms:
    """Of a head that scores with `scale` times the product of queries and keys, and adds its values to the stream."""
    has_constant = query.constant is not None or key.constant is not None
    queries, keys = (query.with_column(), key.with_column()) if has_constant else (query.weight, key.weight)
    scores = MapNorms.of(query.name, scale * queries.T @ keys)
    return AttentionNorms(replace(scores, has_constant=has_constant), value.norms(), bias)
