"""Comparing acceptors at all lengths, against brute force over all short words and automata written down by hand."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from random import Random

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from lengthwise.crasp import Program, load, parse
from lengthwise.crasp.syntax import (
    Definition,
    Sort,
)
from lengthwise.errors import LengthwiseError
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.languages.from_program import automaton_of
from lengthwise.regular.prover import Comparison, compare
from tests.crasp import naive
from tests.programs import acceptors
from tests.regular.counting_programs import Counting, mutated_programs

QUICK = settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
Word = tuple[str, ...]


# ----------------------------------------------------------------------------------------------- oracles


def decides(program: Program, word: Sequence[str]) -> list[bool]:
    """What Definition 8 says of every non-empty prefix: the last named Boolean at its last position."""
    deciding = max(
        place
        for place, (statement, sort) in enumerate(zip(program.statements, program.sorts, strict=True))
        if isinstance(statement, Definition) and sort is Sort.BOOL
    )
    return [bool(value) for value in naive.values(program.statements, word)[deciding]]


def runs(automaton: Automaton, word: Sequence[str]) -> list[bool]:
    """Acceptance of every non-empty prefix."""
    state = automaton.start
    found = []
    for symbol in word:
        state = automaton.table[state][automaton.symbols.index(symbol)]
        found.append(state in automaton.accepting)
    return found


def verdicts(side: Program | Automaton, word: Sequence[str]) -> list[bool]:
    return decides(side, word) if isinstance(side, Program) else runs(side, word)


def first_difference(
    left: Program | Automaton, right: Program | Automaton, symbols: Sequence[str], longest: int
) -> Word | None:
    """The first difference by length, then by symbols, among all words up to a length."""
    for length in sorted({min(2, longest), min(4, longest), longest}):
        found: list[tuple[int, tuple[int, ...]]] = []
        for ids in itertools.product(range(len(symbols)), repeat=length):
            word = [symbols[number] for number in ids]
            pairs = zip(verdicts(left, word), verdicts(right, word), strict=True)
            place = next((place for place, (one, other) in enumerate(pairs) if one != other), None)
            if place is not None:
                found.append((place + 1, ids[: place + 1]))
        if found:
            return tuple(symbols[number] for number in min(found)[1])
    return None


def assert_consistent(
    found: Comparison, left: Program | Automaton, right: Program | Automaton, symbols: Sequence[str], longest: int
) -> None:
    """What was found agrees with trying all words up to a length."""
    expected = first_difference(left, right, symbols, longest)
    if found.equal:
        assert expected is None
        assert found.difference is None
    elif found.equal is False:
        assert found.difference is not None
        assert verdicts(left, found.difference)[-1] != verdicts(right, found.difference)[-1]
        if expected is not None or len(found.difference) <= longest:
            assert found.difference == expected
    else:
        assert found.checked_to is not None
        assert expected is None or len(expected) > found.checked_to


# -------------------------------------------------------------------------------- random sides to compare


def automaton_over(symbols: tuple[str, ...], rng: Random, states: int) -> Automaton:
    table = tuple(tuple(rng.randrange(states) for _ in symbols) for _ in range(states))
    return Automaton(symbols, table, 0, frozenset(state for state in range(states) if rng.random() < 0.5))


# --------------------------------------------------------------------------- automata written down by hand


def bounded_dyck(depth: int, symbols: tuple[str, str] = ("a", "b")) -> Automaton:
    """States are the number of open brackets; `depth + 1` is the sink."""
    sink = depth + 1
    table = [(level + 1 if level < depth else sink, level - 1 if level > 0 else sink) for level in range(depth + 1)]
    return Automaton(symbols, (*table, (sink, sink)), 0, frozenset({0}))


AB, BITS = ("a", "b"), ("0", "1")
AUTOMATA = {
    "contains-ab": Automaton(AB, ((1, 0), (1, 2), (2, 2)), 0, frozenset({2})),
    "aa-star": Automaton(AB, ((1, 2), (0, 2), (2, 2)), 0, frozenset({0})),
    "aaaa-star": Automaton(AB, ((1, 4), (2, 4), (3, 4), (0, 4), (4, 4)), 0, frozenset({0})),
    "abab-star": Automaton(AB, ((1, 4), (4, 2), (3, 4), (4, 0), (4, 4)), 0, frozenset({0})),
    "tomita-1": Automaton(BITS, ((1, 0), (1, 1)), 0, frozenset({0})),
    "tomita-2": Automaton(BITS, ((2, 1), (0, 2), (2, 2)), 0, frozenset({0})),
    "tomita-4": Automaton(BITS, ((1, 0), (2, 0), (3, 0), (3, 3)), 0, frozenset({0, 1, 2})),
    "tomita-7": Automaton(BITS, ((0, 1), (2, 1), (2, 3), (4, 3), (4, 4)), 0, frozenset({0, 1, 2, 3})),
    "ab-d-bc": Automaton(tuple("abcd"), ((0, 0, 2, 1), (2, 1, 1, 2), (2, 2, 2, 2)), 0, frozenset({1})),
    "abcde": Automaton(
        tuple("abcde"),
        (
            (1, 6, 6, 6, 6),
            (1, 2, 6, 6, 6),
            (6, 2, 3, 6, 6),
            (6, 6, 3, 4, 6),
            (6, 6, 6, 4, 5),
            (6, 6, 6, 6, 5),
            (6,) * 5,
        ),
        0,
        frozenset({5}),
    ),
    **{f"d{depth}": bounded_dyck(depth) for depth in (1, 2, 3, 4, 7, 12)},
}


@pytest.mark.parametrize("name", AUTOMATA)
def test_a_library_program_is_proved_equal_to_its_automaton(name: str) -> None:
    found = compare(load(name), AUTOMATA[name])
    assert (found.equal, found.difference, found.checked_to, found.method) == (True, None, None, "search")
    assert compare(AUTOMATA[name], load(name)).equal


@pytest.mark.parametrize("name", [name for name in AUTOMATA if name not in ("d7", "d12", "abcde")])
def test_every_mutant_of_a_proved_program_that_brute_force_tells_apart_is_told_apart(name: str) -> None:
    program, automaton = load(name), AUTOMATA[name]
    symbols = automaton.symbols
    rejected = 0
    for mutant in mutated_programs(program, symbols):
        found = compare(mutant, automaton, states=5_000)
        assert_consistent(found, mutant, automaton, symbols, 7 if len(symbols) == 2 else 4)
        rejected += found.equal is False
    assert rejected > 3


def test_unbounded_brackets_differ_from_bounded_ones_on_the_first_word_that_nests_too_deep() -> None:
    found = compare(load("dyck1"), bounded_dyck(3, ("(", ")")))
    assert (found.equal, found.difference) == (False, tuple("(((())))"))
    assert compare(load("d3"), load("d4")).difference == tuple("aaaabbbb")


# --------------------------------------------------------------------------------------------- properties


@QUICK
@given(acceptors(closed=False), st.randoms(use_true_random=False), st.integers(1, 4))
def test_a_random_program_and_automaton_are_compared_as_brute_force_does(
    program: Program, rng: Random, states: int
) -> None:
    symbols = ("a", "b")
    automaton = automaton_over(symbols, rng, states)
    found = compare(program, automaton, states=2_000, seconds=2)
    assert_consistent(found, program, automaton, symbols, 6)


@QUICK
@given(acceptors(closed=False), acceptors(closed=False))
def test_two_random_programs_are_compared_as_brute_force_does(left: Program, right: Program) -> None:
    symbols = ("a", "b", "?")
    found = compare(left, right, symbols, states=2_000, seconds=2)
    assert_consistent(found, left, right, symbols, 4)


@QUICK
@given(st.randoms(use_true_random=False), st.sampled_from([("a", "b"), ("a", "b", "c")]))
def test_a_mutant_is_compared_with_its_original_as_brute_force_does(rng: Random, symbols: tuple[str, ...]) -> None:
    program = Counting(rng, symbols).program()
    changed = list(mutated_programs(program, symbols))
    assume(changed)
    mutant = rng.choice(changed)
    found = compare(program, mutant, states=2_000, seconds=2)
    assert_consistent(found, program, mutant, symbols, 6 if len(symbols) == 2 else 4)


@QUICK
@given(st.randoms(use_true_random=False))
def test_a_program_is_told_apart_from_its_automaton_with_one_transition_moved(rng: Random) -> None:
    symbols = ("a", "b")
    program = Counting(rng, symbols).program()
    automaton = automaton_of(program, states=200, seconds=2)
    assume(automaton is not None and len(automaton) > 1)
    assert automaton is not None
    assert compare(program, automaton).equal
    state, symbol = rng.randrange(len(automaton)), rng.randrange(2)
    rows = [list(row) for row in automaton.table]
    rows[state][symbol] = rng.randrange(len(automaton))
    moved = Automaton(symbols, tuple(map(tuple, rows)), automaton.start, automaton.accepting)
    found = compare(program, moved)
    exact = compare(automaton, moved)
    if exact.difference == ():
        return
    assert (found.equal, found.difference) == (exact.equal, exact.difference)


@QUICK
@given(acceptors())
def test_a_program_is_never_told_apart_from_its_simplification(program: Program) -> None:
    found = compare(program, program.simplify(), states=1_000, seconds=2)
    assert found.equal is not False


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_hundreds_of_mutants_are_compared_as_brute_force_does(seed: int) -> None:
    rng = Random(seed)
    for _ in range(20):
        symbols = rng.choice((("a", "b"), ("a", "b", "c")))
        program = Counting(rng, symbols).program()
        changed = list(mutated_programs(program, symbols))
        for mutant in rng.sample(changed, min(3, len(changed))):
            found = compare(program, mutant, states=2_000, seconds=5)
            assert_consistent(found, program, mutant, symbols, 7 if len(symbols) == 2 else 5)


# ----------------------------------------------------------------------------------- caps and conventions


def test_a_search_that_is_cut_short_says_up_to_which_length_it_compared_everything() -> None:
    deep = bounded_dyck(40, ("(", ")"))
    found = compare(load("dyck1"), deep, states=60)
    assert found.equal is None
    assert found.checked_to is not None
    assert 10 < found.checked_to < 82
    assert compare(load("dyck1"), deep).difference == ("(",) * 41 + (")",) * 41


def test_no_time_at_all_proves_nothing() -> None:
    found = compare(load("d12"), AUTOMATA["d12"], seconds=0)
    assert (found.equal, found.checked_to) == (None, 0)


def test_a_window_too_long_to_remember_is_compared_word_by_word() -> None:
    program = parse('alphabet "a" "b"\nA = #[j >= i-400] "a" >= 1')
    contains = Automaton(AB, ((1, 0), (1, 1)), 0, frozenset({1}))
    found = compare(program, contains, states=5_000)
    assert (found.equal, found.method, found.checked_to) == (None, "enumeration", 11)
    assert compare(program, AUTOMATA["contains-ab"]).difference == ("a",)


def test_the_empty_word_is_reported_but_never_a_difference_from_a_program() -> None:
    program = parse('alphabet "a"\nA = # "a" == 0')  # holds on the empty word by convention
    nothing = Automaton(("a",), ((0,),), 0, frozenset())
    found = compare(program, nothing)
    assert (found.equal, found.empty_differs) == (True, True)


def test_two_automata_are_compared_on_the_empty_word_too() -> None:
    star, plus = Automaton(("a",), ((0,),), 0, frozenset({0})), Automaton(("a",), ((1,), (1,)), 0, frozenset({1}))
    found = compare(star, plus)
    assert (found.equal, found.difference, found.empty_differs, found.method) == (False, (), True, "product")
    assert compare(star, star.minimal()).equal


@QUICK
@given(st.randoms(use_true_random=False), st.integers(1, 5), st.integers(1, 5))
def test_two_automata_differ_first_where_brute_force_says(rng: Random, states: int, others: int) -> None:
    left, right = automaton_over(AB, rng, states), automaton_over(AB, rng, others)
    found = compare(left, right)
    on_empty = left.start in left.accepting, right.start in right.accepting
    expected = () if on_empty[0] != on_empty[1] else first_difference(left, right, AB, 9)
    assert found.difference == expected  # two automata of at most 5 states differ within 9 symbols, if at all
    assert found.equal is (expected is None)


def test_an_open_program_takes_the_alphabet_of_the_other_side() -> None:
    found = compare(parse('A = exists "a"'), AUTOMATA["contains-ab"])
    assert (found.symbols, found.difference) == (AB, ("a",))


def test_two_open_programs_are_told_apart_by_a_symbol_that_neither_mentions() -> None:
    found = compare(parse('A = !"a"'), parse('A = "b"'))
    assert found.equal is False
    assert found.difference is not None
    assert found.difference[0] not in ("a", "b")
    assert compare(parse('A = !"a"'), parse('A = "b"'), ("a", "b")).equal


def test_the_same_symbols_in_another_order_are_the_same_alphabet() -> None:
    program = parse('alphabet "b" "a"\nA = "a"')
    ends_in_a = Automaton(AB, ((1, 0), (1, 0)), 0, frozenset({1}))
    assert compare(program, ends_in_a).equal
    assert compare(ends_in_a, program).equal


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: compare(load("d2"), load("dyck1")), "different alphabets, {a, b} and {(, )}; give the symbols"),
        (lambda: compare(load("d2"), load("d3"), ("a", "c")), "'c' is not in the alphabet {a, b} of one side"),
        (lambda: compare(load("d2"), load("d3"), ()), "at least one symbol"),
        (lambda: compare(load("induction-all"), load("induction-all")), "defines no Boolean"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_one_sentence(call: Callable[[], object], message: str) -> None:
    with pytest.raises(LengthwiseError, match=re.escape(message)):
        call()


def test_symbols_of_several_characters_are_symbols_like_others() -> None:
    program = parse('alphabet "open" "close"\nA = # "open" > 0')
    same = Automaton(("open", "close"), ((1, 0), (1, 1)), 0, frozenset({1}))
    assert compare(program, same).equal
    assert compare(program, same.complement()).difference == ("open",)
