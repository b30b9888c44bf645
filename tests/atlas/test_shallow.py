"""The shallowest program is equal and no deeper than it says, and what is called too shallow is."""

from __future__ import annotations

import json
from itertools import product

import pytest

import lengthwise as lw
from lengthwise import crasp
from lengthwise.atlas.shallow import blocks_needed, shallowest
from lengthwise.regular import Language
from tests.e2e.command import lengthwise


@pytest.mark.parametrize(("regex", "depth"), [("a+", 1), ("a+b+", 2), ("b+a+", 2), ("a+b+a+", 3), ("a+b+a+b+", 4)])
def test_alternating_blocks_are_found_at_the_depth_that_the_hierarchy_says(regex: str, depth: int) -> None:
    language = Language.from_regex(regex, "ab")
    found = shallowest(language.automaton, ("a", "b"))
    assert found.program is not None
    assert (found.program.depth, found.needed, found.program.fragment) == (depth, depth, frozenset())
    assert lw.verify(found.program, language).equal
    assert list(found.none_up_to) == list(range(depth))


def test_depth_1_does_not_tell_words_apart_whose_counts_and_last_symbols_agree() -> None:
    # So a*b*, which has abab... the same counts as aabb, has no program of depth 1, however complex.
    right = Language.from_regex("a*b*").automaton
    assert right.accepts("aabb") != right.accepts("abab")
    assert 1 in shallowest(right, ("a", "b")).none_up_to
    for text in ("#'a' >= 2 && 'b'", "#'a' >= #'b'", "'b' || #'b' >= 1"):
        program = crasp.parse(f"alphabet 'a' 'b'\nY = {text}".replace("'", '"'))
        found = shallowest(program, ("a", "b"))
        assert found.program is not None
        assert found.program.depth == 1
        assert all(found.program.accepts(word) == program.accepts(word) for word in product("ab", repeat=9))


def test_only_alternating_blocks_get_the_bound_of_the_hierarchy() -> None:
    assert [blocks_needed(Language.from_regex(text, "ab").automaton, ("a", "b")) for text in ("a*b*", "(ab)*")] == [
        0,
        0,
    ]
    brackets = Language.from_regex('"("+")"+', "()").automaton
    assert blocks_needed(brackets, ("(", ")")) == 2


def test_the_command_says_it_and_says_nothing_where_there_is_no_program() -> None:
    answer = json.loads(lengthwise("decide", "a+b+a+", "--depth", "--json").stdout)
    assert answer["depth"]["found"] == answer["depth"]["needed"] == 3
    assert crasp.parse(answer["depth"]["program"]).depth == 3
    assert set(answer["depth"]["none_up_to"]) == {"0", "1", "2"}
    assert "depth" not in json.loads(lengthwise("decide", "(aa)*", "--depth", "--json").stdout)
    assert "has depth 3:" in lengthwise("decide", "a+b+a+", "--depth").stdout
