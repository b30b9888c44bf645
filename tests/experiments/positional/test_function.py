from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.experiments.positional import PositionalError, forms, function_of, register_form
from lengthwise.experiments.positional.function import _FORMS

RULES: dict[str, tuple[str, Callable[[int, int], int]]] = {
    "j = i - 5": ("local", lambda i, j: j == i - 5),
    "j > i - 2": ("local", lambda i, j: j > i - 2),
    "j < i - 0": ("neither", lambda i, j: j < i),
    "j < i - 25": ("neither", lambda i, j: j < i - 25),
    "i - j = 2 mod 5": ("periodic", lambda i, j: (i - j) % 5 == 2),
    "i - j is prime": ("neither", lambda i, j: i - j > 1 and all((i - j) % q for q in range(2, i - j))),
    "j = i - 1 plus i - j = 0 mod 3": ("neither", lambda i, j: (j == i - 1) + ((i - j) % 3 == 0)),
    "j = i - 3 plus i - j = 0 mod 3": ("neither", lambda i, j: (j == i - 3) + ((i - j) % 3 == 0)),
    "j = i - 1 plus j = i - 4": ("local", lambda i, j: (j == i - 1) + (j == i - 4)),
    "i - j = 0 mod 3 plus i - j = 0 mod 5": ("periodic", lambda i, j: ((i - j) % 3 == 0) + ((i - j) % 5 == 0)),
}


@pytest.mark.parametrize("text", RULES)
def test_a_text_says_which_function_it_is(text: str) -> None:
    kind, rule = RULES[text]
    found = function_of(text)
    assert found.kind == kind
    expected = [[int(rule(i, j)) if j <= i else 0 for j in range(60)] for i in range(60)]
    assert found.table(60).tolist() == expected


def test_blanks_do_not_matter() -> None:
    assert function_of("j=i-1 plus i-j=0mod3").of([1, 2, 3]).tolist() == [1, 0, 1]


@given(st.integers(1, 40), st.integers(0, 300))
def test_within_a_distance_beyond_it_and_at_it_exclude_each_other(c: int, distance: int) -> None:
    together = function_of(f"j > i - {c} plus j = i - {c} plus j < i - {c}")
    assert together.of(distance) == 1


@pytest.mark.parametrize(
    "text", ["", "j = i", "j >= i - 1", "i - j = 5 mod 5", "i - j = 0 mod 0", "j > i - 0", "1 plus 2"]
)
def test_what_is_no_function_is_refused(text: str) -> None:
    with pytest.raises(PositionalError):
        function_of(text)


def test_an_unknown_text_is_told_all_the_forms() -> None:
    with pytest.raises(PositionalError, match=r"i - j = \{residue\} mod \{period\}"):
        function_of("i + j = 3")
    assert len(forms()) == 5


def test_a_form_of_ones_own_can_be_registered_once() -> None:
    template = "i - j is {c} or {other}"
    try:
        register_form(template, "local")(lambda c, other: lambda distances: np.isin(distances, [c, other]))
        assert function_of("i - j is 4 or 1").of(np.arange(6)).tolist() == [0, 1, 0, 0, 1, 0]
        with pytest.raises(PositionalError, match="two conditions"):
            register_form("i - j is {k} or {m}", "local")(lambda k, m: lambda distances: distances < k)
    finally:
        _FORMS.pop(template, None)
    assert template not in forms()


def test_a_form_with_a_plus_would_be_read_as_a_sum_and_is_refused() -> None:
    with pytest.raises(PositionalError, match="sum"):
        register_form("i - j is {c} plus one", "local")(lambda c: lambda distances: distances == c + 1)
