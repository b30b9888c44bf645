"""Sparse functions by table and by formula, against Python's own truth values."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.sparse.boolean import (
    BooleanError,
    SparseFunction,
    all_bits,
    as_bits,
    at_least,
    conjunction,
    disjunction,
    from_formula,
    from_table,
    majority,
    parity,
    symmetric,
)
from tests.sparse.boolean.oracle import strings

FORMULAS: list[tuple[str, tuple[int, ...], Callable[..., bool]]] = [
    ("x3 & (x7 | !x12)", (3, 7, 12), lambda a, b, c: bool(a and (b or not c))),
    ("x1 | x2 & x3", (1, 2, 3), lambda a, b, c: bool(a or (b and c))),
    ("x1 ^ x2 & x3 | x4", (1, 2, 3, 4), lambda a, b, c, d: bool((a != (b and c)) or d)),
    ("not x1 and x2 xor x1", (1, 2), lambda a, b: ((not a) and b) != a),
    ("!!x2 | x2", (2,), lambda a: bool(a)),
    ("~(x1|x2)^1", (1, 2), lambda a, b: bool(a or b)),
    ("¬x1 ∧ (x2 ⊕ x3) ∨ 0", (1, 2, 3), lambda a, b, c: bool((not a) and b != c)),
    ("x9 & 1 | x10", (9, 10), lambda a, b: bool(a or b)),
]


@pytest.mark.parametrize(("text", "indices", "truth"), FORMULAS, ids=[text for text, _, _ in FORMULAS])
def test_a_formula_means_what_it_says(text: str, indices: tuple[int, ...], truth: Callable[..., bool]) -> None:
    function = from_formula(text)
    assert function.indices == indices
    assert [bool(value) for value in function.table] == [truth(*pattern) for pattern in strings(len(indices))]


Tree = tuple[object, ...]


def trees() -> st.SearchStrategy[Tree]:
    leaves = st.integers(1, 4).map(lambda number: ("x", number))
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.tuples(st.just("!"), inner), st.tuples(st.sampled_from("&^|"), inner, inner)
        ),
        max_leaves=12,
    )  # fmt: skip


def written(tree: Tree, above: int = 0) -> str:
    """With only those parentheses that precedence asks for."""
    match tree:
        case ("x", number):
            return f"x{number}"
        case ("!", inner) if isinstance(inner, tuple):
            return "!" + written(inner, 4)
        case (str(operator), left, right) if isinstance(left, tuple) and isinstance(right, tuple):
            level = {"|": 1, "^": 2, "&": 3}[operator]
            text = f"{written(left, level)} {operator} {written(right, level + 1)}"
            return f"({text})" if level < above else text
    raise AssertionError(tree)


def truth(tree: Tree, bits: Sequence[int]) -> bool:
    match tree:
        case ("x", int(number)):
            return bool(bits[number - 1])
        case ("!", inner) if isinstance(inner, tuple):
            return not truth(inner, bits)
        case (str(operator), left, right) if isinstance(left, tuple) and isinstance(right, tuple):
            a, b = truth(left, bits), truth(right, bits)
            return (a and b) if operator == "&" else (a or b) if operator == "|" else a != b
    raise AssertionError(tree)


@settings(deadline=None, max_examples=50)
@given(trees())
def test_a_random_formula_has_the_truth_table_of_its_tree(tree: Tree) -> None:
    function = from_formula(written(tree))
    for string in strings(4):
        assert bool(function(string)) == truth(tree, string)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "ends where a bit"),
        ("x1 &", "ends where a bit"),
        ("x1 x2", "column 4: expected an operator or"),
        ("& x1", "column 1: expected a bit, a constant, ! or"),
        ("(x1 | x2", "column 1: this parenthesis is never closed"),
        ("x1)", "column 3: this parenthesis closes nothing"),
        ("x1 & x0", "column 6: expected a bit such as x3"),
        ("x1 && x2", "column 5: expected a bit, a constant"),
        ("x1 & y2", "column 6: expected a bit such as x3"),
        ("x1 | 01", "column 6: expected a bit such as x3"),
        ("__import__('os')", "column 1: expected a bit such as x3"),
        (" | ".join(f"x{n}" for n in range(1, 31)), "2\\^30 rows; at most 20 bits are tabulated"),
    ],
)
def test_what_is_no_formula_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(BooleanError, match=message):
        from_formula(text)


def test_deeply_nested_formulas_are_read() -> None:
    assert from_formula("(" * 5000 + "x1" + ")" * 5000).table == (0.0, 1.0)
    assert from_formula("!" * 5001 + "x1").table == (1.0, 0.0)


def test_a_table_is_in_the_order_of_binary_numbers_with_the_first_index_leading() -> None:
    function = from_table([5, 2], [10, 11, 12, 13])
    # b_5 leads, b_2 follows.
    assert [float(function(string)) for string in ("00000", "01000", "00001", "01001")] == [10, 11, 12, 13]
    assert function.by_count is None
    assert function.largest == 13


NAMED: list[tuple[SparseFunction, Callable[[int, int], bool]]] = [
    (conjunction([1, 3, 4]), lambda ones, size: ones == size),
    (disjunction([1, 3, 4]), lambda ones, size: ones > 0),
    (majority([2, 3, 4, 5]), lambda ones, size: 2 * ones > size),
    (majority([2, 3, 5]), lambda ones, size: 2 * ones > size),
    (parity([1, 2, 5]), lambda ones, size: ones % 2 == 1),
    (at_least(2, [1, 2, 5]), lambda ones, size: ones >= 2),
]


@pytest.mark.parametrize(("function", "wanted"), NAMED)
def test_named_functions_are_symmetric_functions_of_the_ones_among_their_bits(
    function: SparseFunction, wanted: Callable[[int, int], bool]
) -> None:
    for string in strings(5):
        ones = sum(string[index - 1] for index in function.indices)
        assert bool(function(string)) == wanted(ones, function.sparsity)
    assert function.table == from_table(function.indices, function.table).table
    assert from_table(function.indices, function.table).by_count == function.by_count


def test_a_table_is_symmetric_exactly_if_permutations_of_its_bits_leave_it_alone() -> None:
    for values in itertools.product((0, 1), repeat=8):
        by_pattern = dict(zip(strings(3), values, strict=True))
        alone = all(
            by_pattern[pattern] == by_pattern[tuple(pattern[place] for place in order)]
            for pattern in by_pattern
            for order in itertools.permutations(range(3))
        )
        assert (from_table([1, 2, 3], values).by_count is not None) == alone


def test_symmetric_functions_of_many_bits_need_no_table() -> None:
    function = conjunction(range(1, 51))
    assert float(function("1" * 60)) == 1
    assert float(function("1" * 49 + "01")) == 0
    with pytest.raises(BooleanError, match="a table for 50 bits"):
        _ = function.table


def test_batches_of_bits_keep_their_shape() -> None:
    bits = np.array(list(strings(4))).reshape(2, 8, 4)
    assert parity([1, 4])(bits).tolist() == (bits[..., 0] ^ bits[..., 3]).tolist()
    assert all_bits(3).tolist() == [[bool(bit) for bit in string] for string in strings(3)]
    assert as_bits("0110").tolist() == [False, True, True, False]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: from_table([1, 2], [0, 1]), "has 4 values in its table, not 2"),
        (lambda: symmetric([1, 2], [0, 1]), "has 3 values, not 2"),
        (lambda: parity([0, 1]), "a position is a whole number from 1 on, not 0"),
        (lambda: parity([2, 2]), "named twice in 2, 2"),
        (lambda: symmetric([1], [0, float("nan")]), "finite numbers"),
        (lambda: parity([3])("01"), "position 3 is beyond a string of 2 bits"),
        (lambda: parity([1])("012"), "expected bits 0 and 1, got '012'"),
        (lambda: parity([1])([0, 2]), "bits are 0 or 1"),
        (lambda: as_bits("011", 4), "expected 4 bits, got 3"),
    ],
)
def test_functions_and_inputs_that_make_no_sense_are_refused(wrong: Callable[[], object], message: str) -> None:
    with pytest.raises(BooleanError, match=message):
        wrong()
