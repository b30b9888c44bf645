"""Equality of programs that count without bound: by abstraction, and by induction over the length with Z3."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from lengthwise.crasp import Program, load, parse
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.prover import compare
from lengthwise.regular.prover.abstraction import abstraction_that_agrees
from lengthwise.regular.prover.induction import prove_by_induction
from lengthwise.regular.prover.normal_form import system_of
from lengthwise.regular.prover.search import Explorer
from lengthwise.resources import Deadline
from tests.regular.counting_programs import Counting, mutated_programs
from tests.regular.prover.test_prover import bounded_dyck, first_difference

BRACKETS, LETTERS, BITS = 'alphabet "(" ")"\n', 'alphabet "a" "b" "c"\n', 'alphabet "0" "1"\n'

EQUAL: dict[str, tuple[Program, Program]] = {
    "dyck1, closing brackets that close nothing": (
        load("dyck1"),
        parse(BRACKETS + 'V = ")" && #[j < i] "(" <= #[j < i] ")"\nY = # V == 0 && # "(" == # ")"'),
    ),
    "dyck1, half of all are open": (
        load("dyck1"),
        parse(BRACKETS + 'V = # "(" - # ")" <= -1\nY = !exists (V && ")") && 2 * # "(" == # true'),
    ),
    "dyck1, violations strictly before": (
        load("dyck1"),
        parse(BRACKETS + 'V = # "(" < # ")"\nY = #[j < i] V == 0 && # "(" == # ")"'),
    ),
    "prefixes, violations of violations": (
        parse(BRACKETS + 'V = # "(" < # ")"\nY = # V == 0'),
        parse(BRACKETS + 'V = # "(" < # ")"\nW = # V >= 1\nY = # W == 0'),
    ),
    "majority, more than half": (load("majority"), parse(BITS + 'M = 2 * # "1" >= # true')),
    "majority, the greater count": (load("majority"), parse(BITS + 'M = max(# "1", # "0") == # "1"')),
    "anbncn, letters out of order": (
        load("anbncn"),
        parse(
            LETTERS + 'V = "a" && exists ("b" || "c") || "b" && exists "c"\n'
            'Y = # V == 0 && # "a" == # "b" && # "b" == # "c"'
        ),
    ),
    "anbncn, another system of equations": (
        load("anbncn"),
        parse(
            LETTERS + 'V = "a" && #[j < i] "a" < #[j < i] true\nW = "b" && #[j < i] ("a" || "b") < #[j < i] true\n'
            'Y = #(V || W) == 0 && 2 * # "a" == # "b" + # "c" && # "b" == # "c"'
        ),
    ),
    "anbn, order by neighbours": (
        parse('alphabet "a" "b"\nY = #("a" && exists "b") == 0 && # "a" == # "b"'),
        parse('alphabet "a" "b"\nY = #("a" && exists[j == i-1] "b") == 0 && # "a" == # "b"'),
    ),
    "anbncn, simplified": (load("anbncn"), load("anbncn").simplify()),
    "interleaved majority, the last track by subtraction": (
        load("majority-interleave"),
        parse(
            BITS + 'P = i % 3 == 0\nQ = i % 3 == 1\nA = #(P && "1") >= #(P && "0") && #(Q && "1") > #(Q && "0") - 1 && '
            '# "1" - #("1" && P) - #("1" && Q) >= # "0" - #("0" && P) - #("0" && Q)'
        ),
    ),
}


@pytest.mark.parametrize("name", EQUAL)
def test_two_ways_to_say_a_counting_language_are_proved_equal(name: str) -> None:
    found = compare(*EQUAL[name], states=20_000, seconds=10)
    assert (found.equal, found.difference) == (True, None)
    assert found.method in ("search", "abstraction")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name.startswith("anb") else ()) for name in EQUAL]
)
def test_induction_proves_them_equal_too(name: str) -> None:
    assert prove_by_induction(*EQUAL[name], seconds=60)


def test_what_windows_remember_is_part_of_the_induction() -> None:
    left = parse('alphabet "a" "b"\nY = #[j == i-2] "a" >= 1 && # "a" >= # "b"')
    right = parse('alphabet "a" "b"\nP = #[j == i-1] "a" >= 1\nY = #[j == i-1] P >= 1 && # "a" >= # "b"')
    assert prove_by_induction(left, right, seconds=60)
    assert compare(left, right).equal


def test_an_alphabet_of_one_symbol_is_no_exception() -> None:
    left, right = parse('alphabet "a"\nY = # "a" >= 3'), parse('alphabet "a"\nY = #[j < i] true >= 2')
    assert prove_by_induction(left, right, seconds=20)
    assert compare(left, right).equal


DIFFERENT: dict[str, tuple[Program, Program | Automaton]] = {
    "dyck1 against one that ignores the order": (load("dyck1"), parse(BRACKETS + 'Y = # "(" == # ")"')),
    "majority against strict majority": (load("majority"), parse(BITS + 'M = # "1" > # "0"')),
    "dyck1 against depth 5": (load("dyck1"), bounded_dyck(5, ("(", ")"))),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_nothing_proves_what_is_false(name: str) -> None:
    left, right = DIFFERENT[name]
    assert compare(left, right).equal is False
    assert not prove_by_induction(left, right, seconds=1)


def _disagreement(left: Program, right: Program, symbols: tuple[str, ...]) -> tuple[Explorer, Automaton]:
    nothing = Automaton(symbols, ((0,) * len(symbols),), 0, frozenset())
    return Explorer(system_of([left, right], symbols)), nothing


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_abstraction_never_proves_a_mutant_equal_that_brute_force_tells_apart(rng: Random) -> None:
    symbols = ("a", "b")
    program = Counting(rng, symbols).program()
    changed = list(mutated_programs(program, symbols))
    assume(changed)
    mutant = rng.choice(changed)
    proved = abstraction_that_agrees(*_disagreement(program, mutant, symbols), 2_000, Deadline(2)) is not None
    if proved:
        assert first_difference(program, mutant, symbols, 6) is None


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_induction_never_proves_a_mutant_equal_that_brute_force_tells_apart(rng: Random) -> None:
    symbols = ("a", "b")
    program = Counting(rng, symbols).program()
    changed = list(mutated_programs(program, symbols))
    assume(changed)
    mutant = rng.choice(changed)
    if prove_by_induction(program, mutant, seconds=3):
        assert first_difference(program, mutant, symbols, 6) is None
