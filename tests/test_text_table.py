"""Tables as text."""

import pytest

from lengthwise.text_table import aligned


def test_cells_begin_or_end_below_each_other_two_blanks_apart() -> None:
    rows = [["scheme", "N", "why"], ["NoPE", "8", "a longer reason"], ["a longer scheme", "128", ""]]
    assert aligned(rows, right=[1]) == [
        "scheme             N  why",
        "NoPE               8  a longer reason",
        "a longer scheme  128  ",
    ]


def test_a_column_has_at_least_its_least_width_and_more_where_a_cell_needs_it() -> None:
    assert aligned([["a", "bc"], ["longer", "d"]], right=range(2), least=(3, 4)) == ["     a    bc", "longer     d"]


def test_rows_of_different_lengths_are_no_table() -> None:
    with pytest.raises(ValueError, match="zip"):
        aligned([["a"], ["b", "c"]])
