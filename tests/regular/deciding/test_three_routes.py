"""Three ways to decide that share nothing: cycles, closed walks over written-out windows, and programs tried out.

All languages over {a, b} whose minimal automaton has at most three states, with both acceptances; then random ones.
"""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Literal

import numpy as np
import pytest
from benchmarks.cycle_enumeration import MOST_CYCLES, refine_by_cycles, strong_components

from lengthwise.regular.deciding.verdict import Verdict
from lengthwise.regular.languages.automaton import Automaton
from tests.regular import window_oracle
from tests.regular.cycle_oracle import is_definable
from tests.regular.operations import language, stability_index
from tests.regular.program_oracle import SWEEPS, Words, programs_for
from tests.regular.small_automata import KNOWN_COUNTS, minimal_automata, minimal_automata_up_to, random_automaton
from tests.regular.window_oracle import definable_with

Acceptance = Literal["last", "eos"]
BOTH: tuple[Acceptance, ...] = ("last", "eos")


@cache
def small() -> tuple[Automaton, ...]:
    return tuple(minimal_automata_up_to(3))


@cache
def verdicts(acceptance: Acceptance) -> dict[Automaton, Verdict]:
    from lengthwise.regular.deciding.decide import decide_automaton

    return {automaton: decide_automaton(automaton, acceptance=acceptance) for automaton in small()}


def yes(verdict: Verdict, which: str) -> bool:
    kind = getattr(verdict, which).kind
    assert kind in ("yes", "no"), "nothing this small is unknown"
    return bool(kind == "yes")


# ------------------------------------------------------------------------------------------- the oracles


@pytest.mark.parametrize("states", [1, 2, 3])
def test_every_minimal_automaton_is_listed_once(states: int) -> None:
    found = list(minimal_automata(states))
    assert len(found) == len(set(found)) == KNOWN_COUNTS[states]
    assert all(automaton.minimal() == automaton for automaton in found)


@pytest.mark.parametrize(
    ("regex", "symbols", "last", "eos"),
    [
        ("a*", "ab", True, True),
        ("(ab)*", "ab", True, True),
        ("(abba)*", "ab", True, True),
        ("(aab|ba)*", "ab", False, False),
        ("[ab]*ab[ab]*", "ab", True, True),
        ("[ab]*aa[ab]*", "ab", False, False),
        ("[ab]*b", "ab", True, False),
        ("(b*ab*a)*b*", "ab", False, False),
        ("(aa)*", "ab", False, False),
        ("(aa)*", "a", False, False),
        ("[abe]*be*", "abe", False, False),
        ("[ae]*be*", "abe", True, True),
    ],
)
def test_the_oracles_know_what_was_worked_out_by_hand(regex: str, symbols: str, last: bool, eos: bool) -> None:
    automaton = language(regex, symbols)
    assert (is_definable(automaton, "last"), is_definable(automaton, "eos")) == (last, eos)
    assert (definable_with(automaton, 1, 0, "last"), definable_with(automaton, 1, 0, "eos")) == (last, eos)


@pytest.mark.parametrize(
    ("regex", "symbols", "period", "window", "expected"),
    [
        ("(aa)*", "ab", 2, 0, True),
        ("(aa)*", "ab", 3, 0, False),
        ("(aa)*", "ab", 1, 4, False),
        ("[ab]*aa[ab]*", "ab", 1, 1, True),
        ("[ab]*aa[ab]*", "ab", 4, 0, False),
        ("(aab|ba)*", "ab", 1, 2, True),
        ("(b*ab*a)*b*", "ab", 4, 3, False),
        ("[abe]*be*", "abe", 4, 2, False),
    ],
)
def test_windows_and_periods_reach_what_was_worked_out_by_hand(
    regex: str, symbols: str, period: int, window: int, expected: bool
) -> None:
    automaton = language(regex, symbols)
    assert definable_with(automaton, period, window, "last") == expected
    assert definable_with(automaton, period, window, "eos") == expected


@pytest.mark.parametrize("acceptance", BOTH)
def test_cycles_and_closed_walks_say_the_same_without_positions(acceptance: Acceptance) -> None:
    for automaton in small():
        assert is_definable(automaton, acceptance) == definable_with(automaton, 1, 0, acceptance), automaton


@pytest.mark.parametrize(("period", "window"), [(2, 0), (3, 0), (1, 1)])
def test_cycles_and_closed_walks_say_the_same_with_windows_and_periods(period: int, window: int) -> None:
    for automaton in small()[::3]:
        places, steps = window_oracle.written_out(automaton, range(len(automaton)), period, window)
        apart = True
        for nodes, edges in strong_components([(step.source, step.letter, step.target) for step in steps]):
            classes = {node: places[node][1:] for node in nodes}  # type: ignore[call-overload]
            final = refine_by_cycles(nodes, edges, classes, MOST_CYCLES)
            apart &= len(set(final.values())) == len(nodes)
        assert apart == definable_with(automaton, period, window, "eos"), automaton


# -------------------------------------------------------------------------- all languages with three states


@pytest.mark.slow
@pytest.mark.parametrize("acceptance", BOTH)
def test_the_decision_without_positions_is_that_of_the_cycles(acceptance: Acceptance) -> None:
    for automaton, verdict in verdicts(acceptance).items():
        assert yes(verdict, "nope") == is_definable(automaton, acceptance), automaton


@pytest.mark.slow
@pytest.mark.parametrize("acceptance", BOTH)
def test_the_decision_with_windows_is_that_of_written_out_windows(acceptance: Acceptance) -> None:
    for automaton, verdict in verdicts(acceptance).items():
        assert yes(verdict, "local") == definable_with(automaton, 1, 3, acceptance), automaton


@pytest.mark.slow
@pytest.mark.parametrize("acceptance", BOTH)
def test_the_decision_with_positions_is_that_of_written_out_windows_and_periods(acceptance: Acceptance) -> None:
    for automaton, verdict in verdicts(acceptance).items():
        period = stability_index(automaton)
        assert yes(verdict, "ape") == definable_with(automaton, period, 2, acceptance), automaton


@pytest.mark.slow
@pytest.mark.parametrize(("sweep", "share"), [("nope", 1.0), ("nope, end marker", 1.0), ("local", 1.0), ("ape", 0.98)])
def test_every_language_with_a_small_program_is_decided_yes(sweep: str, share: float) -> None:
    from lengthwise.regular.prover import compare

    decided = verdicts("eos" if "marker" in sweep else "last")
    found = programs_for(small(), SWEEPS[sweep])
    which = sweep.split(",")[0]
    for automaton, program in found.items():
        assert yes(decided[automaton], which), f"{automaton}\n{program}"
        assert compare(program, automaton, seconds=20.0).equal is True, f"{automaton}\n{program}"
    # That a language has no small program proves nothing; but an oracle that finds few would test little. Measured: all
    # 108, 80 and 156, and 242 of 246.
    assert len(found) >= share * sum(yes(verdict, which) for verdict in decided.values())


@pytest.mark.slow
@pytest.mark.parametrize("which", ["nope", "local", "ape"])
def test_the_program_of_a_yes_accepts_the_language(which: str) -> None:
    words = Words(("a", "b"), 11)
    ids, lengths = words.ids()
    for automaton, verdict in verdicts("last").items():
        program = getattr(verdict, which).program
        if yes(verdict, which):
            assert program.declared_alphabet == ("a", "b"), automaton
            accepted = np.concatenate([[False], program.accepts_batch(ids, lengths)])
            assert words.pack(accepted[None])[0] == words.accepted(automaton), f"{automaton}\n{program}"


def test_how_many_small_languages_are_in_each_class() -> None:
    assert [sum(is_definable(automaton, acceptance) for automaton in small()) for acceptance in BOTH] == [108, 80]
    for acceptance in BOTH:
        assert sum(definable_with(automaton, 1, 2, acceptance) for automaton in small()) == 156


# --------------------------------------------------------------------------------------------- random ones


@pytest.mark.parametrize(("symbols", "states", "seed"), [("ab", 6, 1), ("abc", 5, 2), ("abcd", 4, 3), ("a", 9, 4)])
def test_random_automata_are_decided_like_the_cycles(symbols: str, states: int, seed: int) -> None:
    from lengthwise.regular.deciding.nope import decide_nope

    rng = Random(seed)
    for _ in range(150):
        automaton = random_automaton(rng, tuple(symbols), states)
        for acceptance in BOTH:
            assert decide_nope(automaton, acceptance).yes == is_definable(automaton, acceptance), automaton


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_random_regexes_are_decided_like_the_oracles(seed: int) -> None:
    from lengthwise.regular.deciding.ape import decide_ape, decide_local
    from lengthwise.regular.deciding.nope import decide_nope
    from tests.regular.regexes import random_regex

    rng = Random(seed)
    for _ in range(150):
        regex = random_regex(rng, "abc"[: rng.randint(2, 3)], rng.randint(2, 9))
        automaton = language(regex, "abc").minimal()
        if len(automaton) > 12:
            continue
        for acceptance in BOTH:
            assert decide_nope(automaton, acceptance).yes == is_definable(automaton, acceptance), regex
        # Two letters back need not suffice, so only one direction holds for sure.
        if definable_with(automaton, 1, 2):
            assert decide_local(automaton).kind == "yes", regex
        if definable_with(automaton, 2, 1) or definable_with(automaton, 3, 1):
            assert decide_ape(automaton).kind == "yes", regex
