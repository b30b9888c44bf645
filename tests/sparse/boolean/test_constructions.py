"""Lemmas B.2 to B.6: heads within γ/4 of their target on every string, networks exact.

Approximately orthogonal vectors and their dual vectors.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import cast

import numpy as np
import pytest

from lengthwise.sparse.boolean import (
    Basis,
    BooleanError,
    Construction,
    bag_of_vectors,
    conjunction,
    deterministic,
    disjunction,
    from_formula,
    from_table,
    majority,
    orthonormal,
    parity,
    polynomial,
    random_signs,
    represent,
    select,
    symmetric,
    trainable,
    verify,
    with_memory,
)
from lengthwise.sparse.boolean.represent import Inputs
from tests.sparse.boolean.oracle import Pattern, attended, coherent, remembered, strings, with_products


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


INPUTS: list[Inputs] = ["deterministic", "trainable", "bag"]
CASES = [(3, (2,)), (3, (1, 3)), (5, (4, 2, 5)), (7, (1, 4, 6)), (4, (1, 2, 3, 4))]


def wanted(inputs: Inputs, patterns: bool, bits: Pattern) -> list[Fraction]:
    """What heads tend to, from the bits in I."""
    size, ones = len(bits), sum(bits)
    if inputs == "bag":
        each = [Fraction(bit - 1, ones + 1) for bit in bits]
        return each if patterns else [Fraction(ones - size, ones + 1)]
    return [Fraction(2 * bit - 1) for bit in bits] if patterns else [Fraction(2 * ones - size, size)]


def chosen_bits(string: Sequence[int], indices: Sequence[int]) -> Pattern:
    return tuple(string[index - 1] for index in indices)


def bases(length: int, size: int) -> list[Basis | None]:
    """None stands for coordinate vectors."""
    coherence = 0.9 / (2 * size - 1)
    return [None, *(coherent(length, min(coherence, 0.9 / (length - 1)), seed) for seed in range(2))]


def built(inputs: Inputs, basis: Basis | None, length: int, indices: Sequence[int], patterns: bool) -> Construction:
    size = length if basis is None else None
    return select(indices, length=size, basis=basis, inputs=inputs, patterns=patterns)


@pytest.mark.parametrize("patterns", [False, True])
@pytest.mark.parametrize("inputs", INPUTS)
@pytest.mark.parametrize(("length", "indices"), CASES)
def test_heads_are_within_a_quarter_of_gamma_of_their_target_on_every_string(
    length: int, indices: tuple[int, ...], inputs: Inputs, patterns: bool
) -> None:
    for basis in bases(length, len(indices))[: 1 if inputs == "trainable" else None]:
        construction = built(inputs, basis, length, indices, patterns)
        found = construction.model.attended(list(strings(length)))
        for string, here in zip(strings(length), found, strict=True):
            target = wanted(inputs, patterns, chosen_bits(string, indices))
            by_definition = attended(construction.model, string)
            np.testing.assert_allclose(here, by_definition, rtol=0, atol=1e-12)
            off = max(abs(Fraction(each) - want) for each, want in zip(by_definition, target, strict=True))
            assert off <= Fraction(construction.gamma) / 4
            np.testing.assert_allclose(construction.wanted(string), [float(each) for each in target], atol=1e-15)


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_targets_separate_by_gamma_what_they_tell_apart_and_respect_their_bound(size: int) -> None:
    for inputs, patterns in itertools.product(INPUTS, (False, True)):
        target = select(list(range(1, size + 1)), length=size, inputs=inputs, patterns=patterns).target
        values = [wanted(inputs, patterns, bits) for bits in strings(size)]
        if not patterns:
            values = sorted({tuple(value): value for value in values}.values())
            assert len(values) == size + 1
            counted = [wanted(inputs, patterns, (1,) * ones + (0,) * (size - ones)) for ones in range(size + 1)]
            assert counted == values  # increasing in the number of ones
        distances = [
            max(abs(a - b) for a, b in zip(one, other, strict=True)) for one, other in itertools.combinations(values, 2)
        ]
        assert float(min(distances)) == pytest.approx(target.separation)
        assert float(max(abs(each) for value in values for each in value)) == pytest.approx(target.bound)


def test_every_symmetric_boolean_function_of_three_bits_is_exact_on_all_strings() -> None:
    evaluations = 0
    for inputs, values in itertools.product(INPUTS, itertools.product((0, 1), repeat=4)):
        construction = represent(symmetric([1, 3, 4], values), length=5, inputs=inputs)
        assert len(construction.model.heads) == 1
        outputs = construction.model(list(strings(5)))
        for string, output in zip(strings(5), outputs, strict=True):
            assert output == pytest.approx(values[sum(chosen_bits(string, (1, 3, 4)))], abs=1e-12)
            evaluations += 1
    assert evaluations == 3 * 16 * 32


@pytest.mark.parametrize("inputs", INPUTS)
def test_every_boolean_function_of_two_bits_and_many_of_three_are_exact_on_all_strings(inputs: Inputs) -> None:
    chosen = [values for number, values in enumerate(itertools.product((0, 1), repeat=8)) if number % 7 == 0]
    for indices, tables in (((4, 2), list(itertools.product((0, 1), repeat=4))), ((5, 1, 3), chosen)):
        for values in tables:
            by_pattern = dict(zip(strings(len(indices)), values, strict=True))
            construction = represent(from_table(indices, values), length=5, inputs=inputs, patterns=True)
            assert len(construction.model.heads) == (1 if inputs == "bag" else len(indices))
            outputs = construction.model(list(strings(5)))
            right = [by_pattern[chosen_bits(string, indices)] for string in strings(5)]
            np.testing.assert_allclose(outputs, right, rtol=0, atol=1e-12)


@pytest.mark.parametrize("inputs", INPUTS)
@pytest.mark.parametrize("values", [(3.5, -2.0, 0.25, 7.0), (0.0, 1.0, 1.0, 0.0)])
def test_outputs_are_exact_in_fractions_of_the_weights(inputs: Inputs, values: tuple[float, ...]) -> None:
    construction = represent(from_table([1, 3], values), length=4, inputs=inputs, patterns=True)
    network = construction.model.memory
    assert network is not None
    for string in strings(4):
        # Attention is a float here, good to 1e-12; it is within the radius by far more than that.
        here = [Fraction(each) for each in attended(construction.model, string)]
        target = wanted(inputs, True, chosen_bits(string, (1, 3)))
        assert max(abs(a - b) for a, b in zip(here, target, strict=True)) < network.radius - Fraction(1, 10**6)
        assert remembered(network, here) == Fraction(values[2 * string[0] + string[2]])


def test_one_head_on_orthonormal_positions_is_what_its_formula_says() -> None:
    length, indices = 6, (2, 5)
    construction = deterministic(indices, Basis(np.eye(length)))
    assert construction.sharpness == pytest.approx(math.log(8 * length / construction.gamma))
    strong = 8 * length / construction.gamma  # exp(R)
    for string in strings(length):
        signs = [2 * bit - 1 for bit in string]
        on = sum(signs[index - 1] for index in indices)
        mean = (strong * on + sum(signs) - on) / (2 * strong + length - 2 + 1)
        assert float(construction.model(string)) == pytest.approx(mean, abs=1e-13)


def test_the_order_of_a_bag_does_not_matter() -> None:
    construction = bag_of_vectors([2, 4], coherent(5, 0.2, 1), patterns=True)
    for order in itertools.permutations(range(5)):
        # [CLS] asks from wherever it stands.
        shuffled = attended(construction.model, (1, 1, 0, 1, 1), [*order, 5])
        np.testing.assert_allclose(shuffled, construction.model.attended("11011"), atol=1e-13)


def test_rows_are_embedded_bits_or_a_bag() -> None:
    placed, bag = select([1], length=2), select([1], length=2, inputs="bag")
    assert placed.model.inputs.matrix("01").tolist() == [[1, 0, 1, 0, 0], [0, 1, 0, 1, 0], [0, 0, 0, 0, 1]]
    assert bag.model.inputs.matrix("01").tolist() == [[0, 0, 0], [0, 1, 0], [0, 0, 1]]
    chosen = trainable([3, 1], 4, patterns=True).model.inputs.rows
    assert chosen.tolist() == [[0, 1, 0, 0, 0], [0] * 5, [1, 0, 0, 0, 0], [0] * 5]


@pytest.mark.parametrize("size", [2, 3, 4])
def test_the_worst_basis_needs_the_stated_sharpness_and_the_printed_one_fails_even_with_dual_keys(size: int) -> None:
    # -Δ within I and Δ to the one vector outside: what that answers to the dual vectors' sum is as large as it can be.
    coherence = 0.95 / (2 * size - 1)
    pairs = itertools.combinations(range(size + 1), 2)
    basis = with_products({(i, j): coherence if j == size else -coherence for i, j in pairs}, size + 1)
    construction = deterministic(list(range(1, size + 1)), basis)
    stated = math.log(8 * (size + 1) / construction.gamma)
    stated *= (1 - (size - 1) * coherence) / (1 - (2 * size - 1) * coherence)
    assert construction.sharpness == pytest.approx(stated)
    printed = math.log(8 * (size + 1) / construction.gamma) / (1 - size * coherence)
    weaker = deterministic(list(range(1, size + 1)), basis, sharpness=printed)
    assert verify(construction).passed
    assert not verify(weaker).passed


@pytest.mark.parametrize("seed", range(3))
def test_the_sharpness_for_a_basis_is_at_most_the_stated_one_for_its_coherence(seed: int) -> None:
    size, coherence = 3, 0.14
    for patterns in (False, True):
        construction = deterministic([1, 2, 5], coherent(6, coherence, seed), patterns=patterns)
        stated = math.log(8 * 6 / construction.gamma)
        stated *= (1 - (size - 1) * coherence) / (1 - (2 * size - 1) * coherence)
        assert construction.sharpness < stated
        again = deterministic([1, 2, 5], coherent(6, coherence, seed), patterns=patterns, sharpness=stated)
        assert verify(construction).passed
        assert verify(again).passed


@pytest.mark.parametrize("patterns", [False, True])
def test_the_sharpness_of_a_bag_is_the_stated_one(patterns: bool) -> None:
    basis, length, size = coherent(7, 0.13, 5), 7, 3
    within, outside = basis.vectors[[1, 2, 6]], basis.vectors[[0, 3, 4, 5]]
    answers = outside @ within.T @ np.linalg.inv(within @ within.T)  # v_t · u_i
    off = max(abs(float(row.sum())) for row in answers)
    leak = max(abs(float(each)) for row in answers for each in row) if patterns else off
    construction = bag_of_vectors([2, 3, 7], basis, patterns=patterns)
    stated = math.log(8 * length * ((1 if patterns else size) + leak) / construction.gamma) / (1 - off)
    assert construction.sharpness == pytest.approx(stated)
    assert construction.gamma == pytest.approx(1 / size)


def test_many_strings_are_read_in_parts_without_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    construction = represent(from_formula("x1 ^ x3 & x4"), length=5)
    bits = np.array(list(strings(5))).reshape(4, 8, 5)
    whole, heads = construction.model(bits), construction.model.attended(bits)
    monkeypatch.setattr("lengthwise.sparse.boolean.transformer.CHUNK", 700)
    np.testing.assert_allclose(construction.model(bits), whole, rtol=0, atol=1e-14)
    np.testing.assert_allclose(construction.model.attended(bits), heads, rtol=0, atol=1e-14)
    assert whole.shape == (4, 8)
    assert heads.shape == (4, 8, 3)
    assert construction.model(np.zeros((0, 5))).shape == (0,)
    assert construction.model.attended(np.zeros((0, 5))).shape == (0, 3)


def test_a_smaller_gamma_brings_heads_closer() -> None:
    for inputs, gamma in itertools.product(INPUTS, (0.3, 0.01)):
        construction = represent(majority([1, 2, 6]), length=6, inputs=inputs, gamma=gamma)
        checked = verify(construction)
        assert checked.passed
        assert checked.attention_error <= gamma / 4 == checked.allowed_error


def test_vectors_in_fewer_dimensions_than_positions_serve_as_well() -> None:
    rng = np.random.default_rng(3)
    vectors = rng.standard_normal((10, 8))
    basis = Basis(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
    for construction in (
        represent(from_formula("x2 & !x7"), basis=basis),
        represent(disjunction([2, 7]), basis=basis),
        represent(from_formula("x2 & !x7"), basis=basis, inputs="bag"),
    ):
        checked = verify(construction)
        assert checked.passed
        assert checked.exhaustive
        assert checked.strings == 1024


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            lambda: select([1], length=3, inputs=cast(Inputs, "sum")),
            "inputs are deterministic, trainable, bag, not 'sum'",
        ),
        (lambda: select([1]), "give a length or a basis"),
        (lambda: select([1], basis=coherent(3, 0.1, 0), inputs="trainable"), "give a length and no basis"),
        (lambda: select([4], length=3), "position 4 is beyond the 3 positions"),
        (lambda: select([], length=3), "selects at least one position"),
        (lambda: select([1, 2], length=3, gamma=1.5), "γ is a positive number up to 1, .* mean sign, not 1.5"),
        (lambda: represent(from_formula("x1 & !x2"), length=2, patterns=False), "not symmetric"),
        (lambda: with_memory(select([1], length=2), conjunction([2])), "about different positions"),
        (lambda: represent(parity(range(1, 14)), length=20, patterns=True), "the 2\\^13 patterns of 13 bits"),
        (lambda: represent(parity(range(1, 11)), length=20, patterns=True), "a network for 1024 points"),
        (lambda: select([1, 2], length=2).model("012"), "expected bits 0 and 1"),
        (lambda: select([1, 2], length=2).model("011"), "expected 2 bits, got 3"),
    ],
)
def test_what_cannot_be_built_is_refused(wrong: Callable[[], object], message: str) -> None:
    with pytest.raises(BooleanError, match=message):
        wrong()
