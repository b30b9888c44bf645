"""A bound as text."""

from lengthwise.bounds import capacity
from lengthwise.bounds.bound import bound_lines, length_bound


def test_numbers_of_terms_stand_below_each_other_however_long_the_names_are() -> None:
    found = length_bound("A theorem", 7, terms={"ε": 0.5, "a_term_with_a_very_long_name_of_its_own": 20.0})
    first, *terms = bound_lines(found)
    assert first == "A theorem: 7"
    assert {line.rindex(" ") for line in terms} == {len("  a term with a very long name of its own")}


def test_what_a_bound_assumes_is_not_said_twice() -> None:
    whole = capacity.linear(1, 1)
    covering, promised = whole.covering(0.1, 100), whole.generalization(100, 1)
    alone = [line for line in bound_lines(covering) if line.startswith("assumes: ")]
    again = list(bound_lines(covering, " (a remark)", said=covering.assumptions))
    assert len(alone) == len(covering.assumptions) > 0
    assert again[0].endswith(" (a remark)")
    assert not [line for line in again if line.startswith("assumes: ")]
    assert [line for line in bound_lines(promised) if line.startswith("printed, ")]
