from itertools import combinations, permutations, product
from math import comb, log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.errors import LengthwiseError
from lengthwise.experiments.probes import HiddenFunction, ProbeError, function_of, information, names


def truth(function: HiddenFunction, places: tuple[int, ...], context: int) -> tuple[bool, ...]:
    """The whole table over {0, 1}^T, looked up by hand."""
    rows = []
    for string in product("01", repeat=context):
        rows.append(function.table[int("".join(string[place] for place in places), 2)])
    return tuple(rows)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("and-3", all),
        ("or-3", any),
        ("parity-3", lambda bits: sum(bits) % 2 == 1),
        ("majority-3", lambda bits: sum(bits) >= 2),
        ("x1 & (x2 | !x3)", lambda bits: bits[0] and (bits[1] or not bits[2])),
        ("01101001", lambda bits: sum(bits) % 2 == 1),
    ],
)
def test_a_name_a_formula_and_a_table_say_which_function_it_is(text: str, rule: object) -> None:
    assert callable(rule)
    expected = tuple(bool(rule(bits)) for bits in product((0, 1), repeat=3))
    assert function_of(text).table == expected


def test_every_name_is_a_function_of_as_many_bits_as_it_says() -> None:
    for name in names():
        assert function_of(f"{name}-4").sparsity == 4


@pytest.mark.parametrize("text", ["x1 & !x1", "0000", "011", "x1 & x3", "xor-3", "and-0", "x1 &", ""])
def test_what_is_no_function_to_be_learned_is_refused(text: str) -> None:
    with pytest.raises(LengthwiseError):
        function_of(text)


def test_labels_look_at_the_hidden_places_in_their_order() -> None:
    function = function_of("x1 & !x2")
    strings = np.array(list(product((False, True), repeat=4)))
    assert function.labels(strings, (4, 2)).tolist() == [bool(row[3] and not row[1]) for row in strings]


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 3).flatmap(lambda size: st.lists(st.booleans(), min_size=2**size, max_size=2**size)), st.data())
def test_hypotheses_are_as_many_as_there_are_different_functions(table: list[bool], data: st.DataObject) -> None:
    function = HiddenFunction(tuple(table))
    if len(set(table)) < 2:
        return
    context = data.draw(st.integers(function.sparsity, 5))
    different = {truth(function, places, context) for places in permutations(range(context), function.sparsity)}
    assert information(function, context).hypotheses == len(different)


def test_an_and_of_three_is_one_of_t_choose_3() -> None:
    found = information(function_of("and-3"), 800)
    assert found.hypotheses == comb(800, 3)
    assert found.bits == pytest.approx(log2(800 * 799 * 798 / 6))
    assert found.label_entropy == pytest.approx(-(log2(1 / 8) / 8 + 7 / 8 * log2(7 / 8)))


@pytest.mark.parametrize("text", ["and-2", "parity-2"])
def test_no_learner_beats_the_information_there_is(text: str) -> None:
    """The best learner there is, guessing among all functions that agree with the sample, by enumeration."""
    context, function = 4, function_of(text)
    tables = [truth(function, places, context) for places in combinations(range(context), 2)]
    found = information(function, context)
    assert found.hypotheses == len(tables)
    for samples in range(4):
        right = []
        for strings in product(range(2**context), repeat=samples):
            patterns = {tuple(table[string] for string in strings) for table in tables}
            right.append(len(patterns) / len(tables))
        best = float(np.mean(right))
        assert best <= found.highest_probability(samples) + 1e-12
        if best >= 0.5:
            assert samples >= found.fewest_samples


def test_the_line_grows_with_the_logarithm_of_the_context() -> None:
    lines = [information(function_of("and-3"), context).fewest_samples for context in (100, 200, 400, 800)]
    steps = np.diff(lines)
    assert (steps > 0).all()
    # T choose 3 grows eightfold with every doubling: by 3 bits.
    assert np.allclose(np.diff([information(function_of("and-3"), t).bits for t in (10**6, 2 * 10**6)]), 3, atol=1e-4)


def test_a_function_of_more_bits_than_there_are_is_refused() -> None:
    with pytest.raises(ProbeError, match="cannot be hidden in 2"):
        information(function_of("and-3"), 2)
