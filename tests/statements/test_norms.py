"""Two statements of Huang et al. about norms, on random instances."""

import numpy as np
import pytest


@pytest.mark.parametrize("seed", range(50))
def test_a_spectral_norm_is_at_least_the_nuclear_norm_of_products_divided_by_their_number(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size, number = rng.integers(1, 9, 2)
    vectors = rng.normal(size=(number, size))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    matrix = rng.normal(size=(size, size))
    products = vectors @ matrix @ vectors.T
    assert np.linalg.norm(matrix, 2) >= np.linalg.norm(products, "nuc") / number - 1e-9


def test_orthonormal_vectors_and_the_identity_attain_it() -> None:
    assert np.linalg.norm(np.eye(5), 2) == np.linalg.norm(np.eye(5), "nuc") / 5


@pytest.mark.parametrize("number", [8, 32, 128])
def test_new_positions_as_wide_as_the_context_have_a_term_of_about_one_half_whatever_the_length(number: int) -> None:
    # With variances 1/d, a product of two different positions has mean square 1/d, that of one with itself 1/d + 2/d²:
    # (1/N) Σ_{i ≤ j} has the mean (N + 1)/(2d) + 2/d².
    rng = np.random.default_rng(0)
    draws = []
    for _ in range(2_000 // number + 20):
        positions = rng.normal(size=(number, number)) / np.sqrt(number)
        matrix = rng.normal(size=(number, number)) / np.sqrt(number)
        products = positions @ matrix @ positions.T
        draws.append(np.sum(np.tril(products) ** 2) / number)
    mean = (number + 1) / (2 * number) + 2 / number**2
    error = np.std(draws) / np.sqrt(len(draws))
    assert abs(np.mean(draws) - mean) < 4 * error < 0.2
