"""Programs with phases: equalities that a prover with too short a memory takes for proved, and thousands like them.

A difference of counts that cannot fall any more may still have been far below its threshold when that began. Whoever
forgets it there and takes what is left for exact "proves" that programs are equal which differ on words with long runs.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
import pytest

from lengthwise.crasp import Program, parse
from lengthwise.crasp.syntax import Definition
from lengthwise.regular.deciding.decide import decide
from lengthwise.regular.prover import compare
from lengthwise.regular.synthesis.minimise import minimise
from tests.crasp import naive
from tests.regular.counting_programs import random_pair
from tests.regular.far_words import difference, far_words, prefix_verdicts
from tests.regular.phases import Pair, phase_pair

Make = Callable[[Random], Pair]

SIX = """
    alphabet "a" "b" "c" "d" "e" "f"
    seen = #[j < i] "c" >= 1
    F = # "a" - #("b" && !seen)
    K = #("a" && seen)
    balanced = # "d" >= # "e" && # "e" >= # "f"
"""
THREE = """
    alphabet "a" "b" "c"
    seen = # "c" >= 1
    F = # "a" - #("b" && !seen)
    K = #("a" && seen)
"""
MIRROR = SIX.replace('F = # "a" - #("b" && !seen)', 'F = #("b" && !seen) - # "a"')
BEFORE_D = '    bd = #("d" && #[j == i-1] "b" >= 1) >= 1\n'

FAR = {
    "below a threshold": (f"{SIX}accept = balanced || (K >= 4 && F < 0)", f"{SIX}accept = balanced", "bbbbbcaaaae"),
    "above a threshold": (
        f"{MIRROR}accept = balanced || (K >= 4 && F > 0)", f"{MIRROR}accept = balanced", "bbbbbcaaaae",
    ),
    "with three letters": (f"{THREE}accept = F >= 0", f"{THREE}accept = F >= 0 || K >= 60", "b" * 61 + "c" + "a" * 60),
    "never": (
        f'{THREE}accept = "a" && seen && K >= 100 && F < 0', f"{THREE}accept = false", "b" * 150 + "c" + "a" * 100,
    ),
    "without a pair of letters": (
        f"{SIX}{BEFORE_D}accept = balanced || (K >= 4 && F < 0 && bd)",
        f"{SIX}accept = balanced || (K >= 4 && F < 0)",
        "bbbbbcaaaacdee",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAR)
def test_programs_that_differ_only_far_from_their_thresholds_are_not_proved_equal(name: str) -> None:
    left, right, word = FAR[name]
    found = compare(parse(left), parse(right), states=20_000)
    assert verdicts(parse(left), word)[-1] != verdicts(parse(right), word)[-1]
    assert found.equal is not True
    if found.difference is not None:
        assert verdicts(parse(left), found.difference)[-1] != verdicts(parse(right), found.difference)[-1]


def test_a_condition_that_only_far_words_meet_is_not_minimised_away() -> None:
    program = parse(FAR["never"][0])
    smaller = minimise(program)
    for word in (FAR["never"][2], "b" * 99 + "c" + "a" * 100):
        assert verdicts(smaller, word)[-1] == verdicts(program, word)[-1]


def test_deciding_does_not_drop_a_condition_that_only_far_words_meet() -> None:
    program = parse(FAR["without a pair of letters"][0])
    verdict = decide(program)
    yes = [answer.program for answer in (verdict.nope, verdict.local, verdict.ape) if answer.kind == "yes"]
    assert yes, "the program itself is one of C-RASP[local]"
    for found in yes:
        assert found is not None
        for word in ("bbbbbcaaaacdee", "bbbbbbdcaaaaee"):
            assert verdicts(found, word)[-1] == verdicts(program, word)[-1]


# ----------------------------------------------------------------------------------- the generators and words


def verdicts(program: Program, word: str | tuple[str, ...]) -> list[bool]:
    """What Definition 8 says of every non-empty prefix."""
    deciding = [
        values
        for statement, values, sort in zip(
            program.statements, naive.values(program.statements, tuple(word)), program.sorts, strict=True
        )
        if isinstance(statement, Definition) and sort.name == "BOOL"
    ]
    return [bool(value) for value in deciding[-1]]


@pytest.mark.parametrize("make", [phase_pair, random_pair])
@pytest.mark.parametrize("seed", range(12))
def test_evaluating_many_words_at_once_agrees_with_the_definition(make: Make, seed: int) -> None:
    rng = Random(seed)
    pair = make(rng)
    words = far_words(pair, rng, 4, longest=60)
    found = prefix_verdicts((pair.left, pair.right), words)
    symbols = pair.left.alphabet.symbols
    for row, word in enumerate(words):
        letters = tuple(symbols[number] for number in word)
        assert [list(side[row]) for side in found] == [verdicts(pair.left, letters), verdicts(pair.right, letters)]


@pytest.mark.parametrize("make", [phase_pair, random_pair])
def test_pairs_that_are_equal_by_construction_agree_on_all_their_words(make: Make) -> None:
    rng = Random(1)
    equal = [pair for pair in (make(rng) for _ in range(200)) if pair.equal]
    assert len(equal) >= 30
    assert all(difference(pair.left, pair.right, far_words(pair, rng, 12)) is None for pair in equal)


@pytest.mark.parametrize("name", FAR)
def test_the_words_go_far_enough_to_refute_a_false_equality(name: str) -> None:
    left, right = parse(FAR[name][0]), parse(FAR[name][1])
    pair = Pair(left, right, "more", False, ("a", "b"))
    word = difference(left, right, far_words(pair, Random(0), 400))
    assert word is not None
    assert verdicts(left, word)[-1] != verdicts(right, word)[-1]


def test_a_difference_is_the_shortest_prefix_on_which_the_programs_differ() -> None:
    left, right = parse('alphabet "a" "b"\nA = # "a" >= 2'), parse('alphabet "a" "b"\nA = # "a" >= 3')
    words = np.array([[1, 1, 0, 0, 0], [0, 1, 0, 0, 1]], dtype=np.int8)
    assert difference(left, right, words) == ("a", "b", "a")
    assert difference(left, left, words) is None
