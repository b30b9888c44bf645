"""Laws that the decided classes obey, on random languages: closure, inclusion, neutral letters, programs' languages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from typing import Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lengthwise.crasp import Program
from lengthwise.crasp.syntax import (
    RELATIONS,
    And,
    Before,
    Compare,
    Count,
    Definition,
    Everywhere,
    Exists,
    Expression,
    Guard,
    Name,
    Not,
    Number,
    Or,
    Periodic,
    Symbol,
    Window,
    total,
)
from lengthwise.regular.languages.automaton import Automaton
from tests.regular.operations import (
    complement,
    intersection,
    inverse_image,
    language,
    left_quotient,
    right_quotient,
    union,
    with_neutral_letter,
    without_the_empty_word,
)
from tests.regular.regexes import random_regex
from tests.regular.small_automata import minimal_automata_up_to, random_automaton

Acceptance = Literal["last", "eos"]
BOTH: tuple[Acceptance, ...] = ("last", "eos")


def nope(automaton: Automaton, acceptance: Acceptance = "last") -> bool:
    """Whether the language is decided to be in C-RASP[∅]."""
    from lengthwise.regular.deciding.nope import decide_nope

    return bool(decide_nope(automaton, acceptance).yes)


def local(automaton: Automaton) -> bool:
    """Whether the language is decided to be in C-RASP[local]."""
    from lengthwise.regular.deciding.ape import decide_local

    kind = decide_local(automaton).kind
    assert kind != "unknown"
    return bool(kind == "yes")


def ape(automaton: Automaton) -> bool:
    """Whether the language is decided to be in C-RASP[periodic, local]."""
    from lengthwise.regular.deciding.ape import decide_ape

    kind = decide_ape(automaton).kind
    assert kind != "unknown"
    return bool(kind == "yes")


CLASSES = {"nope": nope, "nope, end marker": lambda automaton: nope(automaton, "eos"), "local": local, "ape": ape}
every_class = pytest.mark.parametrize("which", CLASSES)


def random_languages(seed: int, count: int, symbols: str = "ab") -> Iterator[Automaton]:
    """Random languages with at most twelve states, half from regexes, half from transition tables."""
    rng = Random(seed)
    for number in range(count):
        automaton = random_automaton(rng, tuple(symbols), 5)
        while number % 2:
            automaton = language(random_regex(rng, symbols, rng.randint(2, 7)), symbols).minimal()
            if len(automaton) <= 12:
                break
        yield automaton


@cache
def members(which: str) -> tuple[Automaton, ...]:
    """Languages over {a, b} in a class, most of them small: what random tables rarely hit."""
    found = [automaton for automaton in minimal_automata_up_to(3) if CLASSES[which](automaton)]
    found += [automaton for automaton in random_languages(5, 200) if CLASSES[which](automaton)]
    return tuple(found)


def random_word(rng: Random, shortest: int, longest: int) -> tuple[int, ...]:
    return tuple(rng.randrange(2) for _ in range(rng.randint(shortest, longest)))


# ------------------------------------------------------------------------------------------------ closure


@every_class
def test_a_language_and_its_complement_are_decided_alike(which: str) -> None:
    for automaton in random_languages(10, 150):
        assert CLASSES[which](automaton) == CLASSES[which](complement(automaton)), automaton


@every_class
def test_the_empty_word_does_not_matter(which: str) -> None:
    for automaton in random_languages(11, 150):
        assert CLASSES[which](automaton) == CLASSES[which](without_the_empty_word(automaton)), automaton


@every_class
def test_unions_and_intersections_stay_in_the_class(which: str) -> None:
    rng = Random(12)
    for _ in range(100):
        left, right = rng.sample(members(which), 2)
        assert CLASSES[which](union(left, right)), (left, right)
        assert CLASSES[which](intersection(left, complement(right))), (left, right)


@every_class
def test_quotients_by_words_stay_in_the_class(which: str) -> None:
    rng = Random(13)
    for automaton in members(which):
        word = random_word(rng, 1, 4)
        assert CLASSES[which](left_quotient(automaton, word)), (automaton, word)
        assert CLASSES[which](right_quotient(automaton, word)), (automaton, word)


@pytest.mark.parametrize(
    ("which", "shortest", "longest"),
    [("nope", 1, 3), ("nope, end marker", 0, 3), ("local", 1, 3), ("ape", 1, 1), ("ape", 2, 2), ("ape", 3, 3)],
)
def test_inverse_images_stay_in_the_class(which: str, shortest: int, longest: int) -> None:
    # Images may be erased only under an end marker, and need equal lengths where positions are seen.
    rng = Random(14)
    for automaton in members(which):
        images = {symbol: random_word(rng, shortest, longest) for symbol in "xyz"}
        assert CLASSES[which](inverse_image(automaton, images)), (automaton, images)


def test_images_of_different_length_leave_the_class_with_positions() -> None:
    even = language("(aa)*", "a")
    parity = inverse_image(even, {"a": (0,), "b": (0, 0)})
    assert ape(even)
    assert not ape(parity)


def test_erasing_images_leave_the_class_without_positions_unless_there_is_an_end_marker() -> None:
    last_is_b = language("[ab]*b")
    erased = inverse_image(last_is_b, {"a": (0,), "b": (1,), "e": ()})
    assert nope(last_is_b)
    assert not nope(erased)


# ----------------------------------------------------------------------------------------- neutral letters


def test_with_a_neutral_letter_positions_are_no_help() -> None:
    for automaton in (*minimal_automata_up_to(3)[::5], *members("nope"), *random_languages(15, 200)):
        expected = nope(automaton, "eos")
        neutral = with_neutral_letter(automaton)
        assert ape(neutral) == local(neutral) == nope(neutral, "eos") == nope(neutral, "last") == expected, automaton


def test_with_a_neutral_letter_the_last_symbol_is_no_help() -> None:
    last_is_b = language("[ab]*b")
    assert nope(last_is_b, "last")
    assert not ape(with_neutral_letter(last_is_b))


# ---------------------------------------------------------------------------------------------- inclusions


def test_the_classes_lie_in_one_another() -> None:
    from lengthwise.regular.algebra.classes import classify

    met = set()
    for automaton in (*members("ape"), *random_languages(16, 300), *random_languages(17, 200, "abc")):
        classes = classify(automaton)
        answers = (nope(automaton, "eos"), nope(automaton, "last"), local(automaton), ape(automaton), classes.ac0)
        # R-trivial ⊆ [∅] read at an end marker ⊆ [∅] ⊆ [local] ⊆ [periodic, local] ⊆ AC⁰
        chain = (classes.r_trivial, *answers)
        assert list(chain) == sorted(chain), automaton
        met.add(chain)
        assert classes.star_free or not nope(automaton), automaton
        if classes.dot_depth in ("0", "1"):
            assert ape(automaton), automaton
    assert len(met) == 7, "each inclusion is proper, and the languages tried show it"


@pytest.mark.slow
def test_the_acceptance_does_not_matter_where_windows_are_seen() -> None:
    from lengthwise.regular.deciding.decide import decide_automaton

    for automaton in random_languages(18, 60):
        last, eos = decide_automaton(automaton, acceptance="last"), decide_automaton(automaton, acceptance="eos")
        assert (last.ape.kind, last.local.kind) == (eos.ape.kind, eos.local.kind), automaton


def test_the_start_state_may_be_any_other() -> None:
    # A left quotient only forgets components, and a component decides for all languages that lead into it.
    for automaton in members("nope"):
        for start in range(len(automaton)):
            moved = Automaton(automaton.symbols, automaton.table, start, automaton.accepting)
            assert nope(moved), (automaton, start)


# ------------------------------------------------------------------------------------- programs' languages


@st.composite
def programs(draw: st.DrawFn, fragment: frozenset[str]) -> Program:
    """A program over {a, b} with a few comparisons of small counts, of which many have a regular language."""
    predicates: list[Expression] = [Symbol("a"), Symbol("b")]
    if "periodic" in fragment:
        predicates += [Periodic(2, (0,)), Periodic(3, (1,)), Periodic(4, (1, 2))]
    if "local" in fragment:
        predicates += [Exists(Window((offset,)), Symbol(symbol)) for offset in (1, 2) for symbol in "ab"]
    guards: list[Guard] = [Everywhere(), Before()]
    statements: list[Definition] = []

    def boolean() -> Expression:
        named: list[Expression] = [Name(statement.name) for statement in statements]
        chosen = draw(st.sampled_from([*predicates, *named, *named]))
        return Not(chosen) if draw(st.booleans()) else chosen

    for number in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(["and", "or", "count", "count", "difference"]))
        expression: Expression
        if kind in ("and", "or"):
            expression = (And if kind == "and" else Or)((boolean(), boolean()))
        else:
            guard = draw(st.sampled_from(guards))
            count: Expression = Count(guard, And((boolean(), boolean())))
            if kind == "difference":
                count = total([(1, count), (-1, Count(guard, boolean()))])
            relation = draw(st.sampled_from(RELATIONS))
            expression = Compare(count, relation, Number(draw(st.integers(-1, 3))))
        statements.append(Definition(f"f{number}", expression))
    return Program(tuple(statements), ("a", "b"))


@pytest.mark.parametrize(
    ("which", "fragment"), [("nope", ""), ("local", "local"), ("ape", "periodic local"), ("ape", "periodic")]
)
def test_the_language_of_a_program_is_in_the_class_of_the_program(which: str, fragment: str) -> None:
    from lengthwise.regular.deciding.ape import decide_ape, decide_local
    from lengthwise.regular.languages.from_program import automaton_of

    kinds: dict[str, Callable[[Automaton], str]] = {
        "nope": lambda automaton: "yes" if nope(automaton) else "no",
        "local": lambda automaton: decide_local(automaton).kind,
        "ape": lambda automaton: decide_ape(automaton).kind,
    }

    regular = set()

    # Semigroups beyond the cap may be left open, whatever their language; but none may be decided against its program.
    @settings(max_examples=300, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(programs(frozenset(fragment.split())))
    def check(program: Program) -> None:
        automaton = automaton_of(program, states=300, seconds=2.0)
        if automaton is not None:
            kind = kinds[which](automaton)
            assert kind != "no", program
            if kind == "yes":
                regular.add(automaton)

    check()
    assert len(regular) >= 30, "enough different regular languages were met"
