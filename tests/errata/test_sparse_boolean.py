"""The printed statements where they fail, and ours beside them."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import get_args

import numpy as np
import pytest

from lengthwise.sparse.boolean import (
    Basis,
    BooleanError,
    bag_of_vectors,
    deterministic,
    orthonormal,
    parity,
    represent,
    verify,
)
from lengthwise.sparse.boolean.construction import Keys
from tests.errata.sparse_boolean import (
    narrow_plateau,
    no_key,
    printed_bump,
    printed_first_layer,
    silent_heads,
    uneven_keys,
)
from tests.sparse.boolean.oracle import Floats, strings, with_products


def test_the_printed_key_ignores_a_position_where_the_dual_one_does_not() -> None:
    broken = uneven_keys(0.3)
    assert broken.construction.coherence == pytest.approx(0.3)
    assert 3 * broken.construction.coherence < 1  # as the lemma wants it
    # The mean of +1, +1 and -1 is 1/3; without the third it is 1.
    assert broken.error == pytest.approx(2 / 3, abs=1e-6)
    assert broken.allowed == pytest.approx(1 / 6)
    basis = with_products({(0, 1): 0.18, (0, 2): -0.18, (1, 2): -0.18}, 3)
    assert verify(deterministic([1, 2, 3], basis)).passed
    assert not verify(deterministic([1, 2, 3], basis, keys="printed")).passed
    with pytest.raises(BooleanError, match="Δ < 1/3"):
        uneven_keys(0.4)


def test_a_search_over_the_signs_of_all_products_finds_printed_keys_far_off_and_dual_keys_never() -> None:
    """Four positions with products ±Δ, three of them relevant."""
    coherence, kinds = 0.19, get_args(Keys)
    worst, uneven = dict.fromkeys(kinds, 0.0), {}
    for chosen in itertools.product((-coherence, coherence), repeat=6):
        pairs = dict(zip(itertools.combinations(range(4), 2), chosen, strict=True))
        basis = with_products(pairs, 4)
        for keys in kinds:
            checked = verify(deterministic([1, 2, 3], basis, keys=keys))
            share = checked.attention_error / checked.allowed_error
            if share > worst[keys]:
                worst[keys] = share
                uneven[keys] = pairs
    assert worst["dual"] <= 1
    assert worst["printed"] > 3
    # At worst the products within I do not have one sign, so that logits differ by 2Δ R.
    assert abs(sum(uneven["printed"][pair] for pair in ((0, 1), (0, 2), (1, 2)))) == pytest.approx(coherence)


def head_error(basis: Basis, size: int, key: Floats) -> float:
    """How far softmax attention with this key is from the mean sign of the first positions, at worst over all bits."""
    logits = np.append(basis.vectors @ key, 0.0)
    weights = np.exp(logits - logits.max())
    weights /= weights.sum()
    ideal = np.append(np.repeat([1 / size, 0.0], [size, basis.length - size]), 0.0)
    return float(np.abs(weights - ideal)[:-1].sum())


@pytest.mark.parametrize("size", [2, 3, 4])
def test_at_the_coherence_where_our_condition_ends_no_key_at_all_selects(size: int) -> None:
    basis = no_key(size)
    assert basis.coherence == pytest.approx(1 / (2 * size - 1))
    assert basis.coherence < 1 / size  # as the printed lemma wants it
    np.testing.assert_allclose(basis.vectors[:size].sum(axis=0), basis.vectors[size:].sum(axis=0), atol=1e-12)
    rng = np.random.default_rng(size)
    allowed = (2 / size) / 4
    # Climb down from several keys, the dual and the printed one among them.
    starts = [np.zeros(2 * size), basis.chosen(range(1, size + 1)).sum(axis=0), rng.standard_normal(2 * size)]
    for start in starts:
        key, error = start, head_error(basis, size, start)
        for turn in range(400):
            other = key + rng.standard_normal(2 * size) * 2.0 ** (2 - turn % 8)
            if (found := head_error(basis, size, other)) < error:
                key, error = other, found
        assert error > 1.5 * allowed
    with pytest.raises(BooleanError, match="take a basis of less coherence"):
        deterministic(range(1, size + 1), basis)


def test_heads_for_single_positions_need_no_dual_vectors() -> None:
    basis = no_key(3)
    printed = deterministic([1, 2, 3], basis, patterns=True, keys="printed")
    assert verify(printed).passed


def test_as_printed_the_several_heads_say_nothing() -> None:
    construction = deterministic([1, 3], orthonormal(4), patterns=True)
    silent = silent_heads(construction)
    for string in strings(4):
        assert silent.model.attended(string).tolist() == [0.0, 0.0]
        assert np.abs(construction.model.attended(string)).min() > 0.5


def test_the_printed_bump_is_hollow() -> None:
    assert [printed_bump(Fraction(u, 2)) for u in (-6, -4, -2, -1, 0, 1, 2, 4, 6)] == [-1, -1, 0, 0, 0, 0, 0, 1, 1]


def test_plateaus_of_an_eighth_of_gamma_are_too_narrow() -> None:
    narrow = narrow_plateau()
    assert narrow.construction.allowed_error == 0.25
    heads = verify(narrow.construction, samples=16)
    assert heads.attention_error <= heads.allowed_error  # the heads keep what they promise
    assert narrow.wanted == 1
    assert narrow.output < 0.3
    assert float(represent(parity([1]), length=40, gamma=1.0).model(narrow.string)) == pytest.approx(1)


def test_the_printed_bound_on_the_first_layer_forgets_the_twos_in_its_biases() -> None:
    largest, bound = printed_first_layer(np.array([[-1.0], [0.0], [1.0]]), 0.125)
    assert (largest, bound) == (10, 8)


def test_printed_signs_fall_where_the_lemma_wants_a_function_that_rises() -> None:
    printed = [Fraction(sum(1 if bit == 0 else -1 for bit in (1,) * ones + (0,) * (3 - ones)), 3) for ones in range(4)]
    assert printed == sorted(printed, reverse=True)
    ours = deterministic([1, 2, 3], orthonormal(3))
    rising = [float(ours.model("1" * ones + "0" * (3 - ones))) for ones in range(4)]
    assert rising == sorted(rising)


def test_columns_in_place_of_rows_are_no_bag_of_vectors() -> None:
    # V diag(b) with a rotated basis: every row keeps something of every vector, whatever its own bit is.
    turn = np.array([[0.6, -0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]])
    construction = bag_of_vectors([1], Basis(turn))
    head, cls = construction.model.heads[0], construction.model.inputs.cls
    errors = []
    for string in strings(3):
        x = np.vstack([np.pad(turn @ np.diag(string), ((0, 0), (0, 1))), cls])
        weights = np.exp((cls @ head.query) @ (x @ head.key).T)
        output = float(((weights / weights.sum()) @ x @ head.value @ head.mix)[0])
        errors.append(abs(output - (string[0] - 1) / (string[0] + 1)))
    assert max(errors) > construction.allowed_error
    assert verify(construction).passed
