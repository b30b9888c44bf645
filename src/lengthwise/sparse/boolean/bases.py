"""Approximately orthogonal vectors, one for each position, and the dual vectors that tell some of them apart.

With |v_i · v_j| <= Δ for i ≠ j, far more than d vectors fit into d dimensions. The price is that v_i answers to other
vectors, too. Dual vectors do not: u_i is the combination of the chosen vectors with v_j · u_i = 1[i = j] for all chosen
j, and only vectors that were not chosen answer to it a little. Edelman et al., appendix B.1; ERR-H12.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lengthwise.sparse.boolean.arrays import BooleanError, Floats, checked_indices, checked_whole, matrix

UNIT = 1e-12
"""How far the norm of a unit vector may be from 1."""
LARGEST_CONDITION = 1e8
"""Dual vectors of chosen vectors that are closer to dependent than this are refused."""


@dataclass(frozen=True, eq=False)
class Basis:
    """Unit vectors v_1, …, v_T."""

    vectors: Floats
    """One row for each position."""
    coherence: float = -1.0
    """Δ: the largest |v_i · v_j| of two of them; measured unless it is given."""

    def __post_init__(self) -> None:
        vectors = matrix("a basis", self.vectors)
        if np.abs(np.einsum("ij,ij->i", vectors, vectors) - 1).max() > UNIT:
            raise BooleanError("the vectors of a basis have norm 1; divide each by its norm")
        object.__setattr__(self, "vectors", vectors)
        if self.coherence < 0:
            products = np.abs(vectors @ vectors.T)
            np.fill_diagonal(products, 0.0)
            object.__setattr__(self, "coherence", float(products.max()))

    @property
    def length(self) -> int:
        """T: how many positions there are."""
        return len(self.vectors)

    @property
    def dimension(self) -> int:
        """How many numbers each vector has."""
        return int(self.vectors.shape[1])

    def chosen(self, indices: Sequence[int]) -> Floats:
        """The vectors of some positions, in their order."""
        return np.asarray(self.vectors[[index - 1 for index in checked_indices(indices)]])

    def dual(self, indices: Sequence[int]) -> Floats:
        """The dual vectors u_i of some positions, in their order: v_j · u_i = 1[i = j] for all of them."""
        vectors = self.chosen(indices)
        products = vectors @ vectors.T
        if np.linalg.cond(products) > LARGEST_CONDITION:
            raise BooleanError(
                "vectors that depend on one another have no dual vectors; take a basis of less coherence"
            )
        return np.asarray(np.linalg.solve(products, vectors), dtype=np.float64)

    def others(self, indices: Sequence[int]) -> Floats:
        """The vectors of all other positions."""
        kept = np.ones(self.length, dtype=np.bool_)
        kept[[index - 1 for index in indices]] = False
        return np.asarray(self.vectors[kept])


def orthonormal(length: int) -> Basis:
    """Coordinate vectors: Δ = 0, in as many dimensions as there are positions."""
    return Basis(np.eye(checked_whole("a length", length)), coherence=0.0)


def random_signs(length: int, dimension: int, rng: np.random.Generator) -> Basis:
    """Vectors of random signs: Δ is about √(4 log T / d) (Johnson and Lindenstrauss)."""
    shape = checked_whole("a length", length), checked_whole("a dimension", dimension)
    signs = rng.choice([-1.0, 1.0], shape)
    return Basis(signs / math.sqrt(dimension))


def polynomial(length: int, coherence: float) -> Basis:
    """Graphs of polynomials over a prime field: Δ at most `coherence`, without chance, in few dimensions.

    The vector of a polynomial p of degree at most D over the field of q elements has 1/√q at (x, p(x)) for all x. Two
    polynomials agree at up to D points, so Δ <= D/q; there are q^(D + 1) of them in q² dimensions. q is the least prime
    for which some D does it (DeVore, 2007). Coordinate vectors if these need no more dimensions.
    """
    checked_whole("a length", length)
    if not 0 < coherence < 1:
        raise BooleanError(f"a coherence is between 0 and 1, not {coherence!r}; for 0 take an orthonormal basis")
    q = 2
    while not (_is_prime(q) and q ** (_largest_degree(q, coherence) + 1) >= length):
        q += 1
    if q * q >= length:
        return orthonormal(length)
    # The fewest coefficients that give enough polynomials: agreements are then fewest, too.
    degree = next(D for D in range(q) if q ** (D + 1) >= length)
    coefficients = np.arange(length, dtype=np.int64)[:, None] // q ** np.arange(degree + 1, dtype=np.int64) % q
    points = np.arange(q, dtype=np.int64)
    values = np.zeros((length, q), dtype=np.int64)
    for coefficient in coefficients.T[::-1]:
        values = (values * points + coefficient[:, None]) % q
    vectors = np.zeros((length, q, q))
    vectors[np.arange(length)[:, None], points, values] = 1 / math.sqrt(q)
    return Basis(vectors.reshape(length, q * q))


def _largest_degree(q: int, coherence: float) -> int:
    return min(q - 1, math.floor(coherence * q * (1 + 1e-12)))


def _is_prime(number: int) -> bool:
    return all(number % divisor for divisor in range(2, math.isqrt(number) + 1))
