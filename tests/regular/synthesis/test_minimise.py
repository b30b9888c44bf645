"""Smaller programs for the same language."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lengthwise.crasp import Program, load, parse
from lengthwise.regular.prover import compare
from lengthwise.regular.synthesis.minimise import minimise
from tests.programs import acceptors
from tests.regular.counting_programs import Counting
from tests.regular.prover.test_prover import AUTOMATA, first_difference

LETTERS = 'alphabet "a" "b" "c"\n'


@pytest.mark.parametrize(
    ("text", "smallest"),
    [
        # A conjunct that the other one implies.
        ('Y = exists ("b" && exists[j < i] "a") && exists "a"', 'Y = exists ("b" && exists "a")'),
        # The first a that has no b before it is an a, so both tests of the last line say the same.
        ('B = exists[j < i] "b"\nA = "a" && !B\nY = exists A && (exists "a" || B)', None),
        # A test that never matters where it is used.
        ('D = # "a" - # "b" >= 0\nY = D && exists "c" || !D && exists "c"', 'Y = exists "c"'),
        # Three ways to say that an a was read.
        ('P = exists "a"\nQ = # "a" >= 1\nR = exists[j < i] "a" || "a"\nY = P && Q && R || P && !R', 'Y = exists "a"'),
        # Before anything was read this is false, as it should stay.
        ("Y = # true >= 1", "Y = # true >= 1"),
    ],
)
def test_what_is_not_needed_is_left_out(text: str, smallest: str | None) -> None:
    program = parse(LETTERS + text)
    smaller = minimise(program)
    assert first_difference(program, smaller, "abc", 6) is None
    if smallest is None:
        assert smaller.size < program.size
    else:
        assert smaller.size == parse(LETTERS + smallest).size


@pytest.mark.parametrize("name", [name for name in AUTOMATA if name not in ("d7", "abcde")])
def test_a_library_program_stays_equal_to_its_automaton_and_is_never_larger(name: str) -> None:
    program = load(name)
    smaller = minimise(program, AUTOMATA[name])
    assert compare(smaller, AUTOMATA[name]).equal
    assert (smaller.size, smaller.depth, len(str(smaller))) <= (program.size, program.depth, len(str(program)))
    assert smaller.accepts("") == program.accepts("")


@pytest.mark.slow
def test_a_program_that_counts_without_bound_is_minimised_too() -> None:
    program = load("anbncn")
    smaller = minimise(program, seconds=20)
    assert smaller.size < program.size
    assert first_difference(program, smaller, "abc", 7) is None
    assert compare(program, smaller).equal


def test_the_same_program_comes_out_every_time() -> None:
    assert len({str(minimise(load("tomita-2"), seconds=60)) for _ in range(3)}) == 1


def test_an_alphabet_of_one_symbol_is_no_exception() -> None:
    program = parse('alphabet "a"\nY = # "a" >= 3 && # true >= 2')
    assert minimise(program).size == parse('alphabet "a"\nY = # "a" >= 3').size


def test_no_time_leaves_the_simplified_program() -> None:
    program = load("abcde")
    assert minimise(program, seconds=0) == program.simplify()


def test_predictions_and_programs_that_accept_nothing_are_only_simplified() -> None:
    for name in ("induction-all", "unique-copy"):
        assert minimise(load(name)) == min(
            load(name), load(name).simplify(), key=lambda p: (p.size, p.depth, len(str(p)))
        )


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_a_random_program_keeps_its_verdicts(rng: Random) -> None:
    program = Counting(rng, ("a", "b")).program()
    smaller = minimise(program, seconds=2)
    assert smaller.size <= program.size
    assert smaller.accepts("") == program.accepts("")
    assert first_difference(program, smaller, "ab", 6) is None


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(acceptors(depth=2))
def test_any_random_acceptor_keeps_its_verdicts(program: Program) -> None:
    symbols = ("a", "b")
    smaller = minimise(program, seconds=1)
    assert smaller.size <= program.size
    assert first_difference(program, smaller, symbols, 5) is None
