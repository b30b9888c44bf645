"""The automaton of a program whose language is regular."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lengthwise.crasp import Program, load, parse
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.languages.from_program import automaton_of
from tests.cases import oracles
from tests.programs import acceptors
from tests.regular.counting_programs import Counting
from tests.regular.prover.test_prover import AUTOMATA, bounded_dyck, decides, runs


@pytest.mark.parametrize("name", AUTOMATA)
def test_a_regular_library_program_has_the_minimal_automaton_of_its_language(name: str) -> None:
    assert automaton_of(load(name)) == AUTOMATA[name].minimal()


@pytest.mark.parametrize("depth", [1, 5, 30, 200])
def test_bounded_brackets_of_any_depth_have_as_many_states_as_depths_and_a_sink(depth: int) -> None:
    found = automaton_of(load(f"d:{depth}"))
    assert found is not None
    assert len(found) == depth + 2
    assert found == bounded_dyck(depth).minimal()


@pytest.mark.parametrize("word", ["ab", "aa", "abab", "abcabc"])
def test_a_scattered_word_has_one_state_for_each_of_its_prefixes(word: str) -> None:
    found = automaton_of(load(f"scattered:{word}"), tuple("abc"))
    assert found is not None
    assert len(found) == len(word) + 1
    for candidate in oracles.words("abc", 6):
        assert found.accepts(candidate) == oracles.contains_scattered(candidate, word)


@pytest.mark.parametrize("name", ["dyck1", "majority", "anbncn", "majority-interleave"])
def test_a_program_that_counts_without_bound_has_none(name: str) -> None:
    assert automaton_of(load(name), states=500) is None


def test_too_little_time_or_too_few_states_find_none() -> None:
    assert automaton_of(load("d12"), seconds=0) is None
    assert automaton_of(load("d12"), states=5) is None
    assert automaton_of(parse('alphabet "a"\nA = #[j >= i-1000] "a" >= 3')) is None


def test_an_open_alphabet_has_one_more_symbol_than_the_program_mentions() -> None:
    found = automaton_of(parse('A = !"a"'))
    assert found is not None
    assert len(found.symbols) == 2
    assert "a" in found.symbols
    assert automaton_of(parse('A = !"a"'), ("a", "b", "c")) == Automaton(
        ("a", "b", "c"),
        ((1, 0, 0), (1, 0, 0)),
        0,
        frozenset({0}),  # the empty word does not end in an a, either
    )


def test_the_start_says_of_the_empty_word_what_the_program_says() -> None:
    for text in ("A = # true == 0", "A = # true >= 0", "A = # true >= 1", "A = i % 2 == 0"):
        program = parse(f'alphabet "a"\n{text}')
        found = automaton_of(program)
        assert found is not None
        assert found.accepts("") == program.accepts("")


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(acceptors(closed=False), st.data())
def test_a_random_program_agrees_with_its_automaton_on_long_words(program: Program, data: st.DataObject) -> None:
    symbols = ("a", "b", "?")
    found = automaton_of(program, symbols, states=500, seconds=2)
    if found is not None:
        word = data.draw(st.lists(st.sampled_from(symbols), min_size=1, max_size=30))
        assert runs(found, word) == decides(program, word)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False), st.lists(st.sampled_from("abc"), min_size=1, max_size=40))
def test_a_counting_program_agrees_with_its_automaton_on_long_words(rng: Random, word: list[str]) -> None:
    program = Counting(rng, ("a", "b", "c")).program()
    found = automaton_of(program, states=500, seconds=2)
    if found is not None:
        assert runs(found, word) == decides(program, word)
        assert found == found.minimal()
