"""Norms of matrices, and the norms of heads and layers that are given as arrays.

Matrices are those of the paper, applied from the right: W_Q, W_K and W_V are d × k, W_C is k × d, and tokens are rows.
The (2,∞) norms are of what is applied to a token, which is where the printed definitions differ (ERR-H4).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lengthwise.bounds.capacity.depth import LayerNorms
from lengthwise.bounds.capacity.head import HeadNorms
from lengthwise.bounds.capacity.requirements import CapacityError

Floats = npt.NDArray[np.float64]


def matrix(name: str, values: npt.ArrayLike) -> Floats:
    """A matrix of finite numbers."""
    found = np.asarray(values, dtype=np.float64)
    if found.ndim != 2 or not found.size:
        raise CapacityError(f"{name} is a matrix, not an array of shape {found.shape}")
    if not np.isfinite(found).all():
        raise CapacityError(f"{name} holds numbers that are not finite")
    return found


def spectral_norm(values: Floats) -> float:
    """The largest singular value."""
    return float(np.linalg.norm(values, 2))


def column_norms(values: Floats) -> Floats:
    """The Euclidean norm of every column."""
    return np.asarray(np.linalg.norm(values, axis=0))


@dataclass(frozen=True)
class MapNorms:
    """The norms of a linear map, its constant included as one more input, always 1.

    Attributes:
        spectral: The spectral norm.
        has_constant: Whether it has a constant.

    """

    outputs: int
    """How many linear functions it is made of."""
    spectral: float
    largest: float
    """The largest norm of one of its linear functions."""
    has_constant: bool = False

    @classmethod
    def of(cls, name: str, weight: npt.ArrayLike, constant: npt.ArrayLike | None = None) -> MapNorms:
        """Of x ↦ W x + b, W given with a row for each output."""
        rows = matrix(name, weight)
        if constant is not None:
            rows = np.concatenate([rows, matrix(f"the constant of {name}", np.reshape(constant, (-1, 1)))], axis=1)
        return cls(len(rows), spectral_norm(rows), float(column_norms(rows.T).max()), constant is not None)


def head_norms(query: npt.ArrayLike, key: npt.ArrayLike, value: npt.ArrayLike) -> HeadNorms:
    """Of a head with W_Q, W_K and W_V, all d × k.

    Args:
        query: W_Q (d, k).
        key: W_K (d, k).
        value: W_V (d, k).

    Returns:
        The norms that bounds are made of.

    Example:
        >>> head_norms(np.eye(3), np.eye(3), 2 * np.eye(3)).value
        2.0

    """
    joined, values = _joined(query, key), matrix("the value matrix", value)
    return HeadNorms(
        value=spectral_norm(values),
        value_columns=float(column_norms(values).max()),
        query_key_rows=float(column_norms(joined.T).max()),
        query_key=spectral_norm(joined),
    )


def layer_norms(query: npt.ArrayLike, key: npt.ArrayLike, value: npt.ArrayLike, mix: npt.ArrayLike) -> LayerNorms:
    """Of a layer with W_Q, W_K and W_V, all d × k, and W_C, k × d.

    Args:
        query: W_Q (d, k).
        key: W_K (d, k).
        value: W_V (d, k).
        mix: W_C (k, d).

    Returns:
        The norms that bounds are made of.

    Example:
        >>> layer_norms(np.eye(3), np.eye(3), np.eye(3), 2 * np.eye(3)).mix
        2.0

    """
    attention, mixing = head_norms(query, key, value), matrix("the mixing matrix", mix)
    return LayerNorms(
        query_key=attention.query_key or 0.0,
        query_key_rows=attention.query_key_rows,
        value=attention.value,
        value_columns=attention.value_columns,
        mix=spectral_norm(mixing),
        mix_columns=float(column_norms(mixing).max()),
    )


def _joined(query: npt.ArrayLike, key: npt.ArrayLike) -> Floats:
    queries, keys = matrix("the query matrix", query), matrix("the key matrix", key)
    if queries.shape != keys.shape:
        raise CapacityError(f"queries and keys have matrices of one shape, not {queries.shape} and {keys.shape}")
    return queries @ keys.T
