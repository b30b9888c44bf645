"""Pictures of automata: well-formed, complete, legible, and readable without eyes."""

from __future__ import annotations

import itertools
import re
from functools import cache
from xml.etree import ElementTree as ET

import pytest

from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.languages.catalogue import get_language, languages
from lengthwise.regular.languages.drawing import MOST_DRAWN, MOST_ROWS, Mark, describe, sink_of, to_html, to_svg
from lengthwise.regular.languages.language import Language

SVG = "{http://www.w3.org/2000/svg}"
EXAMPLES = {name: get_language(name) for name in languages()} | {
    "eight states": Language.from_regex("(a|b)*a(a|b)(a|b)"),
    "sixteen states": Language.from_regex("(a|b)*a(a|b){3}"),
    "a cycle": Language.from_regex("(a{7})*", "ab"),
    "words": Language.from_regex("'if'('x'|'y')+('then'[xyz]+)?'end'"),
    "everything": Language.from_regex("(a|b)*"),
    "nothing": Language.from_regex("∅", "ab"),
    "a chain": Language.from_regex("a{27}b?"),
}


@cache
def root(language: Language) -> ET.Element:
    return ET.fromstring(language.draw())  # noqa: S314 - our own text


def texts(picture: ET.Element) -> list[tuple[float, float, str]]:
    return [(float(t.attrib["x"]), float(t.attrib["y"]), "".join(t.itertext())) for t in picture.iter(f"{SVG}text")]


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_state_is_drawn_once_and_accepting_ones_twice(name: str) -> None:
    automaton = EXAMPLES[name].automaton
    circles = list(root(EXAMPLES[name]).iter(f"{SVG}circle"))
    places = {(circle.attrib["cx"], circle.attrib["cy"]) for circle in circles}
    states = len(automaton) - (sink_of(automaton) is not None)
    assert len(places) == states
    assert len(circles) == states + len(automaton.accepting)


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_edge_says_its_symbols(name: str) -> None:
    automaton = EXAMPLES[name].automaton
    sink = sink_of(automaton)
    wanted = sorted(
        ", ".join(automaton.symbols[place] for place, to in enumerate(row) if to == target)
        for state, row in enumerate(automaton.table)
        for target in set(row)
        if sink not in (state, target)
    )
    assert (
        sorted("".join(title.itertext()) for title in root(EXAMPLES[name]).findall(f"{SVG}text/{SVG}title")) == wanted
    )


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name != "sixteen states"])
def test_labels_cover_neither_each_other_nor_states(name: str) -> None:
    """The sixteen states of a de Bruijn graph cannot be drawn without crossings, so they are left out."""
    picture = root(EXAMPLES[name])
    labels = [
        (x, y, len(text) // 2)
        for (x, y, text), t in zip(texts(picture), picture.iter(f"{SVG}text"), strict=True)
        if len(t)
    ]
    for (x, y, length), (other_x, other_y, other_length) in itertools.combinations(labels, 2):
        assert abs(x - other_x) > 3.5 * (length + other_length) or abs(y - other_y) > 14
    for x, y, length in labels:
        for circle in picture.iter(f"{SVG}circle"):
            across, down = abs(x - float(circle.attrib["cx"])), abs(y - float(circle.attrib["cy"]))
            assert across > 20 + 3.5 * length or down > 20 + 6


@pytest.mark.parametrize("name", EXAMPLES)
def test_lines_keep_away_from_the_states_they_do_not_belong_to(name: str) -> None:
    picture = root(EXAMPLES[name])
    centres = {complex(float(c.attrib["cx"]), float(c.attrib["cy"])) for c in picture.iter(f"{SVG}circle")}
    for path in picture.iter(f"{SVG}path"):
        if "C" not in path.attrib["d"]:
            continue
        numbers = list(map(float, re.findall(r"-?[0-9.]+", path.attrib["d"])))
        p, q, r, s = (complex(x, y) for x, y in zip(numbers[::2], numbers[1::2], strict=True))
        curve = [
            (1 - t) ** 3 * p + 3 * (1 - t) ** 2 * t * q + 3 * (1 - t) * t**2 * r + t**3 * s
            for t in (i / 60 for i in range(61))
        ]
        close = [centre for centre in centres if min(abs(point - centre) for point in curve) < 19]
        assert close == [], f"a line runs through a state of {name}"
        touched = [centre for centre in centres if min(abs(point - centre) for point in curve) < 34]
        assert 1 <= len(touched) <= (2 if name != "sixteen states" else 3)


@pytest.mark.parametrize("name", EXAMPLES)
def test_nothing_sticks_out_of_the_picture(name: str) -> None:
    picture = root(EXAMPLES[name])
    left, top, width, height = map(float, picture.attrib["viewBox"].split())
    for x, y, text in texts(picture):
        assert left + 4 * (len(text) // 2) <= x <= left + width - 4 * (len(text) // 2)
        assert top + 7 <= y <= top + height - 7
    for circle in picture.iter(f"{SVG}circle"):
        assert left + 20 < float(circle.attrib["cx"]) < left + width - 20
        assert top + 20 < float(circle.attrib["cy"]) < top + height - 20


def test_the_picture_is_described_in_words() -> None:
    picture = root(get_language("tomita-2"))
    assert picture.findtext(f"{SVG}title") == "tomita-2"
    assert picture.attrib["role"] == "img"
    assert picture.findtext(f"{SVG}desc") == describe(get_language("tomita-2").automaton)
    assert describe(get_language("tomita-2").automaton) == (
        "2 states, start 0; accepting: 0; from 0: 1 to 2; from 2: 0 to 0; all other symbols lead to a rejecting sink."
    )


def test_colours_are_those_of_the_page() -> None:
    for value in re.findall(r'(?:fill|stroke)="([^"]*)"', get_language("d12").draw()):
        assert value in ("none", "currentColor")


def test_hostile_symbols_and_titles_stay_text() -> None:
    language = Language(Automaton(('<b>&"', "\x1b[31m"), ((0, 1), (1, 0)), 0, frozenset({0})), "<script>&\x00")
    picture = root(language)
    assert picture.findtext(f"{SVG}title") == "<script>&\\x00"
    assert any('<b>&"' in text for _, _, text in texts(picture))
    assert any("\\x1b[31m" in text for _, _, text in texts(picture))
    assert "<script" not in language._repr_html_()
    assert "\x1b" not in language._repr_html_()


def test_many_symbols_on_an_edge_are_shortened() -> None:
    letters = "abcdefghijklmnop"
    shown = [text for _, _, text in texts(root(Language.from_regex(".*", letters)))]
    assert any(text.endswith("any") for text in shown)
    shown = [text for _, _, text in texts(root(Language.from_regex("[^ab]*a", letters)))]
    assert any(text.endswith("all but a, b") for text in shown)
    shown = [text for _, _, text in texts(root(Language.from_regex("[a-h]*", letters)))]
    assert any(text.endswith("a, b, c, … (8)") for text in shown)


def test_an_automaton_with_many_states_is_shown_as_a_table() -> None:
    language = Language.from_regex("(a|b)*a(a|b){7}")
    page = ET.fromstring(language._repr_html_())  # noqa: S314 - our own text
    assert len(list(page.iter("tr"))) == 1 + MOST_ROWS
    assert f"and {256 - MOST_ROWS} more states" in "".join(page.itertext())
    assert page.find(".//svg") is None
    assert "256 states are too many" in to_svg(language.automaton)
    rows = list(ET.fromstring(to_html(Language.from_regex("(a|b)*a(a|b){4}").automaton)).iter("tr"))  # noqa: S314
    assert [cell.text for cell in rows[1]] == ["0", "start", "1", "0"]
    assert len(rows) == 33 > MOST_DRAWN


def test_marks_lie_behind_the_picture_and_change_nothing_else() -> None:
    automaton = Language.from_regex("(aab|ba)*").automaton
    marks = [Mark("red", frozenset({0, 1}), frozenset({(0, 1)})), Mark("blue", edges=frozenset({(0, 1), (1, 3)}))]
    plain, marked = to_svg(automaton).splitlines(), to_svg(automaton, marks=marks).splitlines()
    halos = [line for line in marked if 'stroke="red"' in line or 'stroke="blue"' in line]
    assert [line for line in marked if line not in halos] == plain
    assert len(halos) == 5
    first = next(line for line in plain if line.startswith("<path"))
    assert max(map(marked.index, halos)) < marked.index(first)
    # Where two marks share an edge, the later one is narrower, so that both can be seen.
    widths = {(line.split(' stroke="')[0], float(line.split('"')[-2])) for line in halos if line.startswith("<path")}
    assert len({course for course, _ in widths}) == 2
    assert len(widths) == 3


def test_a_hidden_sink_is_mentioned() -> None:
    assert "not drawn: the rejecting sink 1" in get_language("tomita-2")._repr_html_()
    assert "not drawn" not in get_language("tomita-6")._repr_html_()
