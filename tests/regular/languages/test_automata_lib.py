"""DFAs and NFAs of automata-lib become the same language here."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterable
from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest
from automata.fa.dfa import DFA
from automata.fa.nfa import NFA

from lengthwise.regular.languages.automata_lib import from_automata_lib, is_automata_lib
from lengthwise.regular.languages.automaton import StateLimitError
from lengthwise.regular.languages.dfa_files import AutomatonError
from lengthwise.regular.languages.language import Language
from tests.regular.regexes import random_regex

WORDS = ["".join(word) for length in range(6) for word in product("ab", repeat=length)]


def same(machine: Any, words: Iterable[str] = WORDS) -> bool:
    found = from_automata_lib(machine)
    return all(found.accepts(word) == machine.accepts_input(word) for word in words)


def test_random_machines_keep_their_words_and_their_size() -> None:
    rng = random.Random(11)
    for _ in range(40):
        nfa = NFA.from_regex(random_regex(rng, "ab", 1 + rng.randrange(7)), input_symbols={"a", "b"})
        dfa = DFA.from_nfa(nfa, retain_names=True, minify=False)
        partial = DFA.from_nfa(nfa)
        assert same(nfa)
        assert same(dfa)
        assert same(partial)
        assert Language.from_dfa(nfa) == Language.from_dfa(dfa) == Language.from_dfa(partial)
        assert len(Language.from_dfa(nfa).automaton) == len(DFA.from_nfa(nfa).to_complete().minify().states)


def test_steps_that_read_nothing_are_followed() -> None:
    nfa = NFA(
        states={0, 1, 2},
        input_symbols={"a", "b"},
        transitions={0: {"": {1}, "a": {0}}, 1: {"": {2}, "b": {1}}, 2: {"": {0}}},
        initial_state=0,
        final_states={2},
    )
    assert same(nfa)
    assert Language.from_dfa(nfa) == Language.from_regex("[ab]*")


def test_states_may_be_sets_themselves() -> None:
    empty, full = frozenset[int](), frozenset({1})
    dfa = DFA(
        states={empty, full},
        input_symbols={"a", "b"},
        transitions={empty: {"a": full, "b": empty}, full: {"a": empty, "b": full}},
        initial_state=empty,
        final_states={full},
    )
    assert same(dfa)


def test_other_objects_of_this_shape_are_read_by_where_their_transitions_lead() -> None:
    parts: dict[str, Any] = {"states": {"p", "q"}, "input_symbols": {"a"}, "initial_state": "p", "final_states": {"q"}}
    single = SimpleNamespace(transitions={"p": {"a": "q"}}, **parts)
    several = SimpleNamespace(transitions={"p": {"a": {"p", "q"}}}, **parts)
    assert Language.from_dfa(single) == Language.from_regex("a")
    assert Language.from_dfa(several) == Language.from_regex("a+")
    assert not is_automata_lib("a")


def test_symbols_are_sorted() -> None:
    assert from_automata_lib(NFA.from_regex("b|a|c")).symbols == ("a", "b", "c")


def test_what_cannot_be_read_is_refused() -> None:
    parts: dict[str, Any] = {"states": {0}, "initial_state": 0, "final_states": set(), "transitions": {0: {}}}
    with pytest.raises(AutomatonError, match="at least one"):
        from_automata_lib(SimpleNamespace(input_symbols=set(), **parts))
    with pytest.raises(AutomatonError, match="must be texts"):
        from_automata_lib(SimpleNamespace(input_symbols={1}, **parts))
    with pytest.raises(AutomatonError, match="the state 7 is not one of the states"):
        from_automata_lib(SimpleNamespace(input_symbols={"a"}, **{**parts, "transitions": {0: {"a": 7}}}))
    with pytest.raises(StateLimitError, match="limit of 30"):
        from_automata_lib(NFA.from_regex("(a|b)*a(a|b){4}"), limit=30)


def test_automata_lib_itself_is_never_imported() -> None:
    imported = "import sys, lengthwise.regular.languages.language"
    code = f"{imported}; print([m for m in sys.modules if m.split('.')[0] == 'automata'])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
