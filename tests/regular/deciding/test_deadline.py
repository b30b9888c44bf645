"""`decide` keeps its deadline on hostile languages, by a clock that advances with every look at it."""

from __future__ import annotations

import random

import pytest

from lengthwise import decide
from lengthwise.regular import Automaton, Budget, Language, Verdict
from lengthwise.regular.deciding.ape import decide_semigroup, transition_monoid
from lengthwise.regular.deciding.budget import BudgetError
from lengthwise.regular.deciding.decider import decide_automaton
from lengthwise.regular.deciding.machine import machine
from tests.test_resources import Clock, clock

__all__ = ["clock"]

MOST_LINES = 100_000
"""So many lines of Python may run between two looks at the clock: some hundredths of a second."""


def permutations(states: int, seed: int = 3) -> Automaton:
    """An automaton whose letters permute its states, with a huge monoid."""
    rng = random.Random(seed)
    rows = [rng.sample(range(states), states) for _ in range(2)]
    accepting = frozenset(state for state in range(states) if rng.random() < 0.5)
    return Automaton(("a", "b"), tuple(zip(*rows, strict=True)), 0, accepting)


def language(regex: str) -> Automaton:
    """The automaton of a regex, read before any deadline is in force."""
    return Language.from_regex(regex).automaton


@pytest.mark.parametrize("seconds", [2, 50, 500])
@pytest.mark.parametrize("regex", ["[ab]*a[ab]{6}", "(a(ab)*b)*", "[ab]*a[ab]*b[ab]{3}|(aab)*"])
def test_after_the_deadline_little_is_done(clock: Clock, regex: str, seconds: int) -> None:
    automaton = language(regex)
    verdict = clock.counting(lambda: decide_automaton(automaton, budget=Budget(seconds=seconds)))
    assert clock.now < seconds + 60  # a look for each answer and each part of it that is given up
    assert clock.most_lines < MOST_LINES
    assert isinstance(verdict, Verdict)
    supported = verdict.nope.program is not None or verdict.nope.witness is not None
    assert ("time limit" in verdict.nope.reason) != supported


def test_between_two_looks_at_the_clock_little_is_done_on_permutations(clock: Clock) -> None:
    verdict = clock.counting(lambda: decide_automaton(permutations(60), budget=Budget(seconds=3000)))
    assert clock.most_lines < MOST_LINES
    assert "time limit of 3000 seconds was reached" in str(verdict)


def test_a_partial_verdict_keeps_what_was_found(clock: Clock) -> None:
    automaton = language("[ab]*a[ab]{5}")
    kinds = {(v.nope.kind, v.ape.kind) for seconds in (10, 100, 300, 1000, 3000, 10**9)
             for v in [decide_automaton(automaton, budget=Budget(seconds=seconds))]}  # fmt: skip
    assert {("unknown", "unknown"), ("no", "yes")} <= kinds
    assert any(nope == "no" and ape == "unknown" for nope, ape in kinds)
    assert kinds <= {("unknown", "unknown"), ("no", "unknown"), ("no", "yes"), ("unknown", "yes")}


def test_classes_that_run_out_of_time_lose_only_the_classes(clock: Clock) -> None:
    subject = Language.from_regex("[ab]*a[ab]{3}")
    decide(subject, seconds=10**9)
    needed = clock.now - 1
    verdict = decide(subject, classes=True, seconds=needed + 20)
    assert (verdict.nope.kind, verdict.ape.kind, verdict.classes) == ("no", "yes", None)
    assert verdict.notes[-1].startswith("The classical classes were not found out: the time limit of")
    assert decide(subject, classes=True, seconds=10**9).classes is not None


def test_a_small_machine_with_a_huge_monoid_is_refuted_on_pairs_of_states() -> None:
    """Ten states and a flip-flop: the monoid has more elements than the cap, and is not needed."""
    rng = random.Random(1)
    table = tuple((rng.randrange(10), rng.randrange(10)) for _ in range(10))
    wanted = machine(Automaton(("a", "b"), table, 0, frozenset({1, 4, 5})), "last")
    decision = decide_semigroup(wanted, True, Budget(seconds=None))
    assert (decision.kind, decision.semigroup) == ("no", None)


def test_a_monoid_that_does_not_fit_into_memory_is_refused_by_that_name() -> None:
    wanted = machine(permutations(30), "last")
    with pytest.raises(BudgetError, match="more bytes than the cap 'memory' of 100000 allows; raise it with --cap mem"):
        transition_monoid(wanted, Budget(memory=100_000, monoid=10**9, seconds=None))


def test_states_of_described_automata_are_capped_by_the_same_option() -> None:
    from lengthwise.regular.languages.automaton import StateLimitError

    with pytest.raises(StateLimitError, match="limit of 20000; describe a smaller language or allow more with --cap"):
        decide("[ab]*a[ab]{20}")
    with pytest.raises(StateLimitError, match="limit of 30;"):
        decide("[ab]*a[ab]{5}", budget=Budget(states=30))
    assert decide("[ab]*a[ab]{5}", budget=Budget(states=65)).nope.kind == "no"
