"""Norms against the bounds of the lemmas, which are written out here once more."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lengthwise.sparse.boolean import (
    BooleanError,
    Construction,
    Norm,
    bag_of_vectors,
    deterministic,
    from_table,
    hidden_units,
    norms,
    represent,
    select,
    symmetric,
)
from lengthwise.sparse.boolean.represent import Inputs
from tests.sparse.boolean.oracle import coherent

INPUTS: list[Inputs] = ["deterministic", "trainable", "bag"]


def by_weight(construction: Construction) -> dict[str, Norm]:
    return {norm.weight: norm for norm in norms(construction)}


@pytest.mark.parametrize("inputs", INPUTS)
@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_with_orthonormal_vectors_all_norms_are_within_the_printed_bounds(inputs: Inputs, size: int) -> None:
    indices, values = range(1, size + 1), np.linspace(-2, 3, 2**size).tolist()
    for construction in (
        represent(from_table(indices, values), length=9, inputs=inputs, patterns=True),
        represent(symmetric(indices, values[: size + 1]), length=9, inputs=inputs),
    ):
        for norm in norms(construction):
            assert norm.within_printed, str(norm)
            assert norm.within_repaired, str(norm)


@pytest.mark.parametrize("patterns", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_coherent_vectors_keep_the_repaired_bounds(seed: int, patterns: bool) -> None:
    for size, coherence in ((2, 0.15), (3, 0.13), (4, 0.1)):
        basis = coherent(8, coherence, seed)
        for lemma in (deterministic, bag_of_vectors):
            construction = lemma(range(1, size + 1), basis, patterns=patterns)
            found = norms(construction)
            assert len(found) == 4
            assert all(norm.within_repaired for norm in found), [str(norm) for norm in found]


def test_the_bounds_are_those_that_the_lemmas_write_down() -> None:
    coherence, length, gamma = 0.1, 8, 0.5
    basis = coherent(length, coherence, 0)
    found = by_weight(deterministic([1, 2, 3], basis, gamma=gamma))
    logarithm = math.log(8 * length / gamma)
    assert found["W_Q"].printed == pytest.approx(logarithm / (1 - 3 * coherence))
    assert found["W_Q"].repaired == pytest.approx(logarithm * (1 - 2 * coherence) / (1 - 5 * coherence))
    assert (found["W_K"].printed, found["W_V"].printed, found["W_C"].printed) == (3, 2, 1)
    assert found["W_K"].repaired == pytest.approx(math.sqrt(3 / (1 - 2 * coherence)))
    heads = by_weight(deterministic([1, 2, 3], basis, gamma=gamma, patterns=True))
    assert heads["W_Q"].repaired == pytest.approx(logarithm * (1 - 2 * coherence) / (1 - 3 * coherence))
    assert (heads["W_K"].printed, heads["W_V"].printed, heads["W_C"].printed) == (1, 2, 1)
    bag = by_weight(bag_of_vectors([1, 2], coherent(length, 0.1, 0), gamma=gamma))
    assert bag["W_Q"].printed == pytest.approx(math.log(8 * length * 2 * 1.1 / (gamma - 0.2)) / (1 - 0.2))
    assert (bag["W_K"].printed, bag["W_V"].printed, bag["W_C"].printed) == (3, 4, 2)
    chosen = by_weight(represent(from_table([1, 3], [0, 4, -9, 1]), length=length, inputs="trainable", gamma=gamma))
    assert chosen["P"].value == chosen["P"].printed == 2
    assert chosen["W_Q"].value == pytest.approx(logarithm)
    assert (chosen["W_1"].printed, chosen["W_2"].printed, chosen["w"].printed) == (16, 32, 9)
    assert chosen["W_1"].repaired == 4 / gamma + 2


@pytest.mark.parametrize("size", [2, 3, 4])
def test_heads_for_single_positions_exceed_the_printed_key_norm_with_dual_keys_and_keep_it_with_printed_ones(
    size: int,
) -> None:
    basis = coherent(7, 0.12, size)
    dual = by_weight(deterministic(range(1, size + 1), basis, patterns=True))
    printed = by_weight(deterministic(range(1, size + 1), basis, patterns=True, keys="printed"))
    assert dual["W_K"].value > 1
    assert dual["W_K"].within_printed is False
    assert dual["W_Q"].within_printed
    assert all(norm.within_printed for norm in printed.values())


def test_keys_of_one_head_keep_the_printed_norm_up_to_the_printed_coherence() -> None:
    # √(s / (1 - (s - 1)Δ)) < s for every Δ < 1/s.
    for size in range(2, 7):
        coherence = 0.999 / size
        products = np.full((size, size), -coherence) + np.eye(size) * (1 + coherence)
        dual = np.linalg.inv(np.linalg.cholesky(products)) @ np.ones(size)
        assert np.linalg.norm(dual) == pytest.approx(math.sqrt(size / (1 - (size - 1) * coherence)))
        assert np.linalg.norm(dual) < size


def test_where_a_lemma_does_not_apply_there_is_no_bound() -> None:
    basis = coherent(3, 0.45, 0)
    found = by_weight(deterministic([1, 2], basis))
    assert found["W_Q"].repaired is None
    assert found["W_Q"].within_repaired is None
    assert found["W_Q"].printed is not None
    assert "repaired bound none" in str(found["W_Q"])
    bag = by_weight(bag_of_vectors([1, 2], coherent(4, 0.3, 0)))
    assert bag["W_K"].printed is None
    assert bag["W_K"].within_printed is None


def test_hidden_layers_have_the_stated_sizes() -> None:
    counting = represent(symmetric([1, 2, 3], [1, 0, 0, 2]), length=5)
    telling = represent(from_table([1, 2], [1, 2, 3, 4]), length=5)
    assert hidden_units(counting) == ((16, 4), (16, 8))
    assert hidden_units(telling) == ((32, 4), (32, 8))
    with pytest.raises(BooleanError, match="attention alone has no hidden units"):
        hidden_units(select([1], length=2))
