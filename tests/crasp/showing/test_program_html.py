"""Programs draw themselves: what a notebook shows of them can be read back."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings

from lengthwise.crasp import load, parse
from lengthwise.crasp.library import names
from lengthwise.crasp.program import Program
from lengthwise.crasp.showing.display import card, facts, sentence, shown
from tests.markup import Markup
from tests.programs import programs


def drawn(program: Program) -> Markup:
    found = Markup(program._repr_html_())
    found.assert_harmless()
    return found


@pytest.mark.parametrize("name", names())
def test_the_text_of_a_library_program_parses_back_to_it(name: str) -> None:
    program = load(name)
    (text,) = drawn(program).texts["pre"]
    assert parse(text) == program


@settings(deadline=None, max_examples=30)
@given(programs())
def test_the_text_of_any_program_parses_back_to_it(program: Program) -> None:
    (text,) = drawn(program).texts["pre"]
    assert parse(text) == program


def test_a_program_says_its_fragment_depth_window_and_period() -> None:
    found = drawn(parse('alphabet "a" "b"\nC = #[j >= i-2] "a"\nD = i % 6 == 1 && C > 0', "near"))
    assert found.text.startswith("near C-RASP[periodic, local]")
    told = dict(zip(found.texts["dt"], found.texts["dd"], strict=True))
    assert told == {"depth": "1", "window": "2", "period": "6", "operations": told["operations"], "alphabet": "a b"}


def test_a_program_without_positions_tells_of_no_window_and_no_period() -> None:
    found = drawn(parse('D = # "a" > 0'))
    assert found.texts["dt"] == ["depth", "operations", "alphabet"]
    assert found.texts["dd"][-1] == "a and others"


def test_names_symbols_words_and_comments_are_told_apart() -> None:
    found = drawn(parse('alphabet "a" "in"\nC = # "a"  // so many\nD = exists "in" && 2 > C\nnext "a" = !D'))
    assert found.texts["b"] == ["C", "D"]
    assert found.texts["i"] == ['"a"', '"in"', '"a"', '"in"', '"a"']
    assert found.texts["em"] == ["alphabet", "#", "exists", "next"]
    assert "// so many" in found.texts["span"]


def test_a_name_that_looks_like_a_word_of_the_language_is_a_name() -> None:
    found = drawn(parse('exists = "a"\nD = exists && "b"'))
    assert found.texts["b"] == ["exists", "D"]
    assert "em" not in found.texts


def test_what_users_write_is_shown_and_never_obeyed() -> None:
    text = """C = # "<script>alert(1)</script>" // <img onerror=x> & more\nD = C >= 1 && !'"'\nnext "</pre>" = D"""
    program = parse(text, "<b>'Title\"</b>")
    found = drawn(program)
    assert parse(found.texts["pre"][0]) == program
    assert "<b>'Title\"</b>" in found.text
    assert "// <img onerror=x> & more" in found.texts["span"]


def test_characters_that_cannot_be_seen_are_escapes() -> None:
    assert shown("\x1b[31m\u202e<") == "\\x1b[31m\\u202e&lt;"
    assert sentence("read `<a>` & go") == 'read <code class="lw-code">&lt;a&gt;</code> &amp; go'
    assert Markup(facts({"<": ">"})).text == "< >"


def test_the_style_of_a_card_reaches_nothing_outside_of_it() -> None:
    style = re.sub(r"/\*.*?\*/", "", Markup(card()).texts["style"][0], flags=re.DOTALL)
    selectors = [selector for selector in re.findall(r"([^{}]+)\{", style) if not selector.strip().startswith("@")]
    parts = [part.strip() for selector in selectors for part in re.split(r",(?![^(]*\))", selector)]
    assert len(parts) > 30
    assert {part.split()[0] for part in parts} == {".lw-card"}
    assert style.count("{") == style.count("}")


def test_a_card_loads_nothing_and_is_small() -> None:
    text = load("dyck1")._repr_html_()
    for reference in ("http", "src=", "url(", "@import", "<script", "<link"):
        assert reference not in text
    assert len(text) < 8000
