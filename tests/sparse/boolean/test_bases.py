"""Approximately orthogonal vectors and their dual vectors."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from lengthwise.sparse.boolean import Basis, BooleanError, orthonormal, polynomial, random_signs
from tests.sparse.boolean.oracle import coherent


def measured(basis: Basis) -> float:
    pairs = itertools.combinations(basis.vectors, 2)
    return max((abs(float(one @ other)) for one, other in pairs), default=0.0)


@pytest.mark.parametrize("seed", range(3))
def test_the_coherence_is_the_largest_product_of_two_vectors(seed: int) -> None:
    basis = random_signs(9, 30, np.random.default_rng(seed))
    assert basis.coherence == pytest.approx(measured(basis), abs=1e-12)
    assert coherent(6, 0.15, seed).coherence == pytest.approx(0.15)
    assert orthonormal(5).coherence == measured(orthonormal(5)) == 0


@pytest.mark.parametrize(("length", "coherence"), [(200, 0.5), (120, 0.3), (500, 0.25)])
def test_polynomials_give_more_vectors_than_dimensions_below_the_coherence(length: int, coherence: float) -> None:
    basis = polynomial(length, coherence)
    assert basis.length == length > basis.dimension
    assert measured(basis) <= coherence + 1e-12
    q = round(basis.dimension**0.5)
    assert all(q % divisor for divisor in range(2, q))
    assert Fraction(round(basis.coherence * q), q) <= Fraction(coherence)


def test_two_thousand_vectors_for_three_relevant_positions_fit_into_169_dimensions() -> None:
    basis = polynomial(2000, 0.19)
    assert (basis.length, basis.dimension) == (2000, 169)
    assert basis.coherence == pytest.approx(2 / 13)
    assert basis.coherence < 1 / 5


def test_where_polynomials_save_nothing_vectors_are_orthonormal() -> None:
    assert polynomial(7, 0.19).dimension == 7


@pytest.mark.parametrize("seed", range(4))
def test_dual_vectors_are_combinations_of_the_chosen_ones_that_tell_these_apart(seed: int) -> None:
    basis, chosen = coherent(8, 0.12, seed), [7, 2, 5]
    dual, vectors = basis.dual(chosen), np.array([basis.vectors[6], basis.vectors[1], basis.vectors[4]])
    for i, j in itertools.product(range(3), repeat=2):
        assert float(vectors[j] @ dual[i]) == pytest.approx(float(i == j), abs=1e-12)
    combined, *_ = np.linalg.lstsq(vectors.T, dual.T, rcond=None)
    np.testing.assert_allclose(vectors.T @ combined, dual.T, atol=1e-12)


def test_bases_that_are_none_are_refused() -> None:
    with pytest.raises(BooleanError, match="have norm 1"):
        Basis(np.array([[1.0, 1.0]]))
    with pytest.raises(BooleanError, match="a matrix of finite numbers"):
        Basis(np.array([1.0]))
    with pytest.raises(BooleanError, match="have no dual vectors"):
        Basis(np.array([[1.0, 0.0], [1.0, 0.0]])).dual([1, 2])
    with pytest.raises(BooleanError, match="between 0 and 1, not 0"):
        polynomial(10, 0)
    with pytest.raises(BooleanError, match="a length is a whole number from 1 on, not 0"):
        orthonormal(0)
