"""Automata in files: what is written reads back, what is wrong is named with its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.regular.languages import dfa_files
from lengthwise.regular.languages.automaton import Automaton, most_states
from lengthwise.regular.languages.dfa_files import (
    AutomatonError,
    automaton_from_json,
    automaton_from_table,
    read_automaton,
    to_json,
    to_table,
)

EVEN = Automaton(("a", "b"), ((1, 0), (0, 1)), 0, frozenset({0}))
"""An even number of a."""


def data(**changes: Any) -> dict[str, Any]:
    """The JSON of `EVEN`, with changes."""
    plain = {
        "alphabet": ["a", "b"],
        "states": ["p", "q"],
        "start": "p",
        "accepting": ["p"],
        "transitions": {"p": {"a": "q", "b": "p"}, "q": {"a": "p", "b": "q"}},
    }
    return {**plain, **changes}


@st.composite
def automata(draw: st.DrawFn) -> Automaton:
    """Automata of any shape over symbols of any kind, unreachable states included."""
    texts = st.text("ab#-*>{ \"'\\\n\t\u00a0\u2028é", min_size=1, max_size=3)
    symbols = draw(st.lists(texts, min_size=1, max_size=4, unique=True))
    count = draw(st.integers(1, 5))
    states = st.integers(0, count - 1)
    table = draw(st.lists(st.tuples(*(states for _ in symbols)), min_size=count, max_size=count))
    return Automaton(tuple(symbols), tuple(table), draw(states), frozenset(draw(st.sets(states))))


@settings(max_examples=60)
@given(automata())
def test_what_is_written_reads_back_as_an_equal_automaton(automaton: Automaton) -> None:
    assert automaton_from_json(json.loads(json.dumps(to_json(automaton)))) == automaton
    assert automaton_from_table(to_table(automaton)) == automaton


def test_a_table_for_people_is_read() -> None:
    text = """
          a  b     # the symbols

      >*p q  p     # a mark can touch the name
        q p  q
    """
    assert automaton_from_table(text) == EVEN
    assert automaton_from_table("a b\r\n> *  p q p\r\nq p q\r\n") == EVEN


def test_the_table_that_is_written_is_for_people_too() -> None:
    assert to_table(EVEN) == "        a   b\n>*  q0  q1  q0\n    q1  q0  q1\n"


def test_json_is_read() -> None:
    assert automaton_from_json(data()) == EVEN


@pytest.mark.parametrize(
    "automaton",
    [
        automaton_from_json(data(transitions={"p": {"a": "q"}})),
        automaton_from_table("a b\n>*p q -\nq - -"),
    ],
)
def test_a_missing_transition_leads_to_a_rejecting_sink(automaton: Automaton) -> None:
    assert automaton == Automaton(("a", "b"), ((1, 2), (2, 2), (2, 2)), 0, frozenset({0}))


def test_symbols_in_quotes_may_hold_anything() -> None:
    assert automaton_from_table('"long one" "#" - > "\\"" \n>p p p p p p').symbols == ("long one", "#", "-", ">", '"')


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"Start": "p"}, "the key 'Start' is unknown"),
        ({"alphabet": []}, "'alphabet' is a list of symbols, at least one"),
        ({"alphabet": "ab"}, "'alphabet' is a list of symbols"),
        ({"alphabet": ["a", "a"]}, "'alphabet' lists the symbol 'a' twice"),
        ({"alphabet": ["a", ""]}, "'alphabet' lists ''"),
        ({"alphabet": ["a", 1]}, "'alphabet' lists 1; a symbol is text"),
        ({"states": []}, "'states' is a list of states"),
        ({"states": ["p", "q", "p"]}, "'states' lists the state 'p' twice"),
        ({"states": ["p", None]}, "'states' lists None"),
        ({"start": "r"}, "'start' names 'r', which is not one of the states"),
        ({"start": ["p"]}, r"'start' names \['p'\]"),
        ({"accepting": ["r"]}, "'accepting' names 'r', which is not one of the states"),
        ({"accepting": "p"}, "'accepting' is a list of states"),
        ({"transitions": []}, "'transitions' gives each state an object"),
        ({"transitions": {"r": {}}}, "'transitions' has a row for 'r', which is not one of the states"),
        ({"transitions": {"p": "q"}}, "the transitions of the state 'p' are no object"),
        ({"transitions": {"p": {"c": "q"}}}, "the state 'p' has a transition for 'c', which is not in the alphabet"),
        ({"transitions": {"p": {"a": "r"}}}, "the state 'p' goes to 'r' on 'a', which is not one of the states"),
        ({"transitions": {"p": {"a": ["q"]}}}, r"the state 'p' goes to \['q'\] on 'a'"),
    ],
)
def test_bad_json_is_refused_with_the_state_or_symbol(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(AutomatonError, match=message):
        automaton_from_json(data(**changes))


def test_a_missing_key_is_named() -> None:
    for key in data():
        with pytest.raises(AutomatonError, match=f"the key '{key}' is missing"):
            automaton_from_json({name: value for name, value in data().items() if name != key})
    with pytest.raises(AutomatonError, match="an automaton is an object with the keys alphabet"):
        automaton_from_json([1])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("  \n# nothing", "the table is empty"),
        ("a b\np q p\nq p q", "no state is marked as the start"),
        ("a b", "no state is marked as the start"),
        ("a b\n> p q p\n\n> q p q", "line 4: 'q' is marked as the start, but so is 'p'"),
        ("a b\n> p q p", "line 2: 'p' goes to 'q' on 'a', which has no line of its own"),
        ("a b\n> p p", "line 2: the state 'p' needs 2 targets, one for each symbol; it has 1"),
        ("a b\n> p p p p", "it has 3"),
        ("a b\n> p p p\np p p", "line 3: the state 'p' has a line already, line 2"),
        ("a b a\n> p p p p", "line 1: a symbol stands twice"),
        ("a\n> p p\n*", "line 3: this line marks a state but names none"),
        ("a\n> - -", "line 2: '-' stands for no transition"),
        ('a "b\n> p p p', "line 1: a quoted name is not closed"),
        ('a ""\n> p p p', "line 1: a name has at least one character"),
        ('a "\\q"\n> p p p', "is not a quoted name"),
    ],
)  # fmt: skip
def test_a_bad_table_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(AutomatonError, match=message):
        automaton_from_table(text)


# --------------------------------------------------------------------------------------------------- files


def test_files_are_read_by_their_suffix_or_their_content(tmp_path: Path) -> None:
    for name, text in {
        "a.json": json.dumps(data()),
        "a.dfa": "﻿" + to_table(EVEN),
        "a.txt": "\n" + json.dumps(data(), indent=2),
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert read_automaton(tmp_path / name) == EVEN
        assert read_automaton(str(tmp_path / name)) == EVEN


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", b'{"alphabet": ["a"],}', "a.json: line 1, column 20: this is not JSON"),
        ("a.json", b"[]", "a.json: an automaton is an object"),
        ("a.json", b'{"start": "p", "start": "q"}', "a.json: the key 'start' stands twice"),
        ("a.json", b"[" * 100_000, "not the JSON of an automaton"),
        ("a.json", b"9" * 5_000, "not the JSON of an automaton"),
        ("a.dfa", b"a b\n> p p", "a.dfa: line 2: the state 'p' needs 2 targets"),
        ("a.dfa", "a é".encode("latin-1"), "a.dfa is not UTF-8 text .byte 3 is not."),
        ("a.png", b"\x00\x01", "a.png is not a text file"),
        ("a.dfa", b"", "a.dfa: the table is empty"),
    ],
)
def test_a_bad_file_is_refused_with_its_name(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(AutomatonError, match=message):
        read_automaton(tmp_path / name)


def test_a_file_that_cannot_be_an_automaton_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AutomatonError, match="is a directory"):
        read_automaton(tmp_path)
    with pytest.raises(AutomatonError, match=r"none\.json cannot be read: No such file"):
        read_automaton(tmp_path / "none.json")
    monkeypatch.setattr(dfa_files, "LARGEST_FILE", 10)
    (tmp_path / "a.dfa").write_text(to_table(EVEN))
    with pytest.raises(AutomatonError, match="more than 10 bytes"):
        read_automaton(tmp_path / "a.dfa")


def test_too_many_states_or_transitions_are_refused() -> None:
    states = [f"q{number}" for number in range(most_states() + 1)]
    with pytest.raises(AutomatonError, match="has 20001 states"):
        automaton_from_json(data(states=states, start="q0", accepting=[], transitions={}))
    symbols = [f"s{number}" for number in range(2_001)]
    with pytest.raises(AutomatonError, match="2001 symbols"):
        automaton_from_json(data(states=states[:1000], alphabet=symbols, start="q0", accepting=[], transitions={}))
