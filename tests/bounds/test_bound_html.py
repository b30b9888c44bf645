"""Bounds and certified lengths draw themselves: the number, its terms, what was printed and what is promised."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from lengthwise.bounds import Bound, certified, worst_case
from lengthwise.limit.constructions import simple_task
from tests.markup import Markup


def drawn(found: object) -> Markup:
    markup = Markup(found._repr_html_())  # type: ignore[attr-defined]
    markup.assert_harmless()
    return markup


def test_a_bound_shows_its_value_theorem_terms_and_printed_forms() -> None:
    model = simple_task(3).model
    bound = worst_case(model, model, 0.1)
    found = drawn(bound)
    assert f"{bound.value:,}" in found.texts["span"]
    assert bound.theorem in found.text
    assert found.texts["dt"] == [name.replace("_", " ") for name in bound.terms]
    assert [float(text) for text in found.texts["dd"]] == pytest.approx(list(bound.terms.values()), rel=1e-5)
    printed = [(cells[0].removesuffix(" (up to its constant)"), cells[1]) for cells in found.rows[1:]]
    assert printed == [(each.theorem, each.shown) for each in bound.printed]
    for assumption in bound.assumptions:
        assert assumption in found.text


def test_a_bound_without_explicit_constants_says_so() -> None:
    assert "up to its constant" in drawn(Bound("O(n)", 2.0, 100.0, explicit=False)).text
    assert "up to its constant" not in drawn(Bound("n", 2.0, 100.0)).text


@pytest.mark.parametrize(("log10", "shown"), [(math.inf, "∞"), (-math.inf, "0"), (69.44, "10^69.4")])
def test_a_bound_that_cannot_be_written_down_is_shown_by_its_logarithm(log10: float, shown: str) -> None:
    assert shown in drawn(Bound("astronomic", log10)).texts["span"]


def test_texts_of_a_bound_cannot_become_markup() -> None:
    hostile = "<script>alert('&')</script>"
    bound = Bound(hostile, 1.0, 10, {hostile: 1.0}, assumptions=(hostile,), printed=(Bound(hostile, 0.0, 1),))
    assert drawn(bound).text.count(hostile) == 4


def test_a_certified_length_shows_the_word_that_needs_it_and_its_stand_in() -> None:
    found = certified(simple_task(3).model, 0.1)
    markup = drawn(found)
    assert str(found.length) in markup.texts["span"]
    assert "✓ exact" in markup.texts["span"]
    assert found.stand_in is not None
    assert [cells[:3] for cells in markup.rows[1:]] == [
        ["needed for", str(found.worst_input.length), found.worst_input.word],
        ["its stand-in", str(found.stand_in.length), found.stand_in.word],
    ]
    assert dict(zip(markup.texts["dt"], markup.texts["dd"], strict=True))["ε"] == "0.1"
    assert found.bound.assumptions[0] in markup.text


def test_a_length_that_is_not_exact_is_shown_as_a_range() -> None:
    found = replace(certified(simple_task(3).model, 0.1), exact=False, length=1234, stand_in=None, distance=None)
    markup = drawn(found)
    assert "15 to 1,234" in markup.texts["span"]
    assert [cells[0] for cells in markup.rows[1:]] == ["needed for"]
    assert "? not exact" in markup.texts["span"]
