"""Long inputs, by sampling; and that mistakes are found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lengthwise.sparse.boolean import (
    Basis,
    BooleanError,
    conjunction,
    from_formula,
    majority,
    orthonormal,
    parity,
    polynomial,
    represent,
    select,
    verify,
)
from lengthwise.sparse.boolean.represent import Inputs
from lengthwise.sparse.boolean.verify import hostile

LENGTH = 2000
FORMULA = "x17 & (x500 | !x1999)"


@pytest.fixture(scope="module")
def narrow() -> Basis:
    """2000 vectors in 169 dimensions."""
    return polynomial(LENGTH, 0.19)


def truth(string: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> bool:
    return bool(string[16] and (string[499] or not string[1998]))


@pytest.mark.parametrize("inputs", ["deterministic", "trainable", "bag"])
def test_functions_of_three_of_two_thousand_bits_are_exact(inputs: Inputs, narrow: Basis) -> None:
    basis, length = (None, LENGTH) if inputs == "trainable" else (narrow, None)
    for function in (from_formula(FORMULA), parity([17, 500, 1999])):
        construction = represent(function, basis=basis, length=length, inputs=inputs)
        checked = verify(construction, samples=64)
        assert checked.passed
        assert not checked.exhaustive
        assert checked.strings == 64
        sampled = hostile(construction, 64, np.random.default_rng(1))
        outputs = construction.model(sampled)
        for string, output in zip(sampled, outputs, strict=True):
            right = truth(string) if function.by_count is None else bool(string[16] ^ string[499] ^ string[1998])
            assert output == pytest.approx(float(right), abs=1e-12)


def test_coordinate_vectors_serve_for_two_thousand_bits_as_well() -> None:
    basis = orthonormal(LENGTH)
    assert verify(represent(from_formula(FORMULA), basis=basis), samples=32).passed
    assert verify(represent(from_formula(FORMULA), basis=basis, inputs="bag"), samples=32).passed


def test_symmetric_functions_of_fifty_bits_are_exact() -> None:
    indices = range(3, 1003, 20)
    for function in (conjunction(indices), majority(indices), parity(indices)):
        construction = represent(function, length=LENGTH, inputs="trainable")
        assert construction.sparsity == 50
        assert verify(construction, samples=102).passed


def test_samples_meet_every_pattern_with_all_others_0_and_all_others_1() -> None:
    construction = select([2, 4], length=6)
    found = {tuple(row) for row in hostile(construction, 16, np.random.default_rng(0)).astype(int).tolist()}
    for rest in (0, 1):
        for pattern in ((0, 0), (0, 1), (1, 0), (1, 1)):
            assert (rest, pattern[0], rest, pattern[1], rest, rest) in found


def test_what_is_wrong_is_counted() -> None:
    construction = represent(conjunction([1, 2]), length=4)
    model = construction.model
    weak = tuple(replace(head, query=head.query / 4) for head in model.heads)
    checked = verify(replace(construction, model=replace(model, heads=weak)))
    assert checked.attention_error > checked.allowed_error
    assert checked.mistakes > 0
    assert not checked.passed
    other = verify(replace(construction, function=parity([1, 2])))
    assert other.attention_error <= other.allowed_error
    assert other.output_error == pytest.approx(1.0)
    # AND and parity differ unless both bits are 0.
    assert other.mistakes == 12


def test_attention_alone_is_verified_without_outputs() -> None:
    checked = verify(select([1, 3], length=5, patterns=True))
    assert checked.output_error is None
    assert checked.passed
    assert len(checked.worst) == 5


def test_too_many_strings_are_not_tried() -> None:
    with pytest.raises(BooleanError, match=r"there are 2\^40 strings, too many to try; say how many samples"):
        verify(select([1], length=40, inputs="trainable"))
    with pytest.raises(BooleanError, match="at least one string, not 0"):
        verify(select([1], length=4), samples=0)
