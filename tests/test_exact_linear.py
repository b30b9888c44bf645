"""Null spaces against SymPy."""

import random
from fractions import Fraction

import pytest
import sympy

from lengthwise import exact_linear
from lengthwise.exact_linear import Row, in_span, null_space


def random_rows(rng: random.Random, rows: int, columns: int, largest: int) -> list[Row]:
    found = []
    for _ in range(rows):
        chosen = rng.sample(range(columns), rng.randint(1, min(4, columns)))
        found.append({column: rng.choice([-1, 1]) * rng.randint(1, largest) for column in chosen})
    return found


def dense(rows: list[Row], columns: int) -> sympy.Matrix:
    return sympy.Matrix(len(rows), columns, lambda r, c: rows[r].get(c, 0))


@pytest.mark.parametrize("largest", [1, 7, 10**12])
def test_the_null_space_has_the_right_dimension_and_annihilates_every_row(largest: int) -> None:
    rng = random.Random(largest)
    for _ in range(60):
        columns = rng.randint(1, 8)
        rows = random_rows(rng, rng.randint(0, 9), columns, largest)
        basis = null_space(rows, columns)
        rank = dense(rows, columns).rank() if rows else 0
        assert len(basis) == columns - rank
        assert all(sum(value * vector[place] for place, value in row.items()) == 0 for row in rows for vector in basis)
        if basis:
            assert sympy.Matrix(basis).rank() == len(basis)


def test_a_rank_that_drops_modulo_the_prime_does_not_drop_here() -> None:
    rows = [{0: 1, 1: 1}, {0: 1, 1: 1 + exact_linear.PRIME}]
    assert null_space(rows, 2) == []


def test_vectors_too_large_to_lift_from_residues_come_out_exactly() -> None:
    big = 2**80 + 1
    assert null_space([{0: big, 1: -3}], 2) in ([(3, big)], [(-3, -big)])


def test_a_combination_is_found_exactly_when_there_is_one() -> None:
    rng = random.Random(5)
    found = 0
    for _ in range(150):
        columns = rng.randint(1, 6)
        rows = random_rows(rng, rng.randint(1, 6), columns, 3)
        target = random_rows(rng, 1, columns, 3)[0]
        coefficients = in_span(target, rows)
        expected = dense(rows, columns).rank() == dense([*rows, target], columns).rank()
        assert (coefficients is not None) == expected
        if coefficients is not None:
            found += 1
            for place in range(columns):
                total = sum(
                    (factor * row.get(place, 0) for factor, row in zip(coefficients, rows, strict=True)), Fraction()
                )
                assert total == target.get(place, 0)
    assert 20 < found < 130
