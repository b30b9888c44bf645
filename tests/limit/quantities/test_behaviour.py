"""What the largest φ says about long inputs, and the checks of PERIODIC and LOCAL."""

import numpy as np
import pytest

from lengthwise.alphabet import Alphabet
from lengthwise.errors import LengthwiseError
from lengthwise.limit import Head, Huang, IzzoInfinite, Layer, LimitTransformer, ModelError
from lengthwise.limit.evaluation import naive
from lengthwise.limit.quantities.behaviour import (
    Behaviour,
    behaviours,
    check_local,
    check_periodic,
    check_translation_invariant,
    head_behaviour,
)


def share_of_the_window(phi: list[float], length: int) -> float:
    """How much of the attention goes to the last symbol, the only b, if all content logits are 1."""
    value = np.zeros((3, 3))
    value[2, 1] = 1.0
    head = Head(np.pad(np.ones((2, 2)), (0, 1)), value, np.array(phi))
    model = LimitTransformer(
        Alphabet(("a", "b")),
        np.eye(2, 3),
        np.zeros((1, 3)),
        (Layer.attention_only([head], 3),),
        np.eye(3)[2:],
        ("share",),
        regime=IzzoInfinite(),
    )
    return float(naive.outputs(model, np.array([0] * (length - 1) + [1]))[-1, 0])


@pytest.mark.parametrize(
    ("phi", "behaviour"),
    [
        ([0.5], Behaviour.TOKEN_DOMINANT),
        ([-3.0], Behaviour.TOKEN_DOMINANT),
        ([1.0, 0.5], Behaviour.BALANCED),
        ([1.5, 0.2], Behaviour.POSITION_DOMINANT),
    ],
)
def test_the_largest_phi_decides_what_becomes_of_the_window(phi: list[float], behaviour: Behaviour) -> None:
    head = Head(np.zeros((1, 1)), np.zeros((1, 1)), np.array(phi))
    assert head_behaviour(head) is behaviour
    shares = [share_of_the_window(phi, length) for length in (10, 100, 1000)]
    match behaviour:
        case Behaviour.TOKEN_DOMINANT:
            assert shares[0] > 1.7 * shares[1] > 3 * shares[2]
        case Behaviour.BALANCED:
            assert shares[2] == pytest.approx(0.5, abs=0.02)
        case Behaviour.POSITION_DOMINANT:
            assert shares[0] < shares[1] < shares[2]
            assert shares[2] > 0.95


def test_behaviours_are_told_head_by_head_and_only_where_phi_alone_is_scaled() -> None:
    zero = np.zeros((1, 1))
    layers = [
        Layer.attention_only([Head(zero, zero, np.array(phi)) for phi in phis], 1)
        for phis in ([[0.0, 2.0], [0.0]], [[0.1 + 0.2 + 0.7]])
    ]
    model = LimitTransformer(Alphabet(("a",)), zero, zero, tuple(layers), zero, ("x",), regime=IzzoInfinite())
    expected = ((Behaviour.POSITION_DOMINANT, Behaviour.TOKEN_DOMINANT), (Behaviour.BALANCED,))
    assert behaviours(model) == expected
    with pytest.raises(ModelError, match="this model's is huang"):
        behaviours(model.with_regime(Huang(8)))


def test_a_sequence_is_periodic_if_it_repeats_as_far_as_it_goes() -> None:
    assert check_periodic([1, 2, 3, 1, 2, 3, 1], 3)
    assert check_periodic([1, 2, 3, 1, 2, 3, 1], 6)
    assert not check_periodic([1, 2, 3, 1, 2, 3, 1], 2)
    assert check_periodic([1, 2], 5), "nothing contradicts a period longer than the sequence"
    assert check_periodic(np.tile(np.eye(3), (4, 1)), 3)
    assert not check_periodic([0.0, 1.0, 1e-7], 2)
    assert check_periodic([0.0, 1.0, 1e-7], 2, tolerance=1e-6)
    with pytest.raises(LengthwiseError, match="positive number of positions, got 0"):
        check_periodic([1], 0)


def test_translation_invariance_is_asked_of_keys_before_the_query_only() -> None:
    rows, columns = np.indices((6, 6))
    matrix = np.sin(rows - columns) * 1.0
    matrix[rows < columns] = np.nan
    assert check_translation_invariant(matrix)
    matrix[5, 2] += 1e-3
    assert not check_translation_invariant(matrix)
    assert check_translation_invariant(matrix, tolerance=1e-2)
    with pytest.raises(LengthwiseError, match="square matrix"):
        check_translation_invariant(np.zeros((2, 3)))


def test_a_local_matrix_vanishes_beyond_its_window() -> None:
    rows, columns = np.indices((6, 6))
    matrix = np.where((rows - columns >= 0) & (rows - columns <= 2), 1.0, 0.0)
    assert [check_local(matrix, window) for window in (1, 2, 3)] == [False, True, True]
    matrix[0, 5] = 1.0  # a later key
    assert check_local(matrix, 2)


def test_the_tables_of_a_limit_transformer_written_out_are_periodic_and_local() -> None:
    rng = np.random.default_rng(0)
    table, phi = rng.normal(size=(3, 2)), rng.normal(size=4)
    encodings = table[np.arange(1, 30) % 3]
    assert check_periodic(encodings, 3)
    distance = np.subtract.outer(np.arange(12), np.arange(12))
    matrix = np.where((distance >= 0) & (distance < 4), phi[np.clip(distance, 0, 3)], 0.0)
    assert check_translation_invariant(matrix)
    assert check_local(matrix, 3)
    assert not check_local(matrix, 2)
