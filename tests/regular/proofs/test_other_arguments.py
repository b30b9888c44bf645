"""Inductions, and equalities of parts, changed until they claim something false: none of them may be accepted.

Witnesses against windows and periods do not hold against languages that have a program with them.
"""

from __future__ import annotations

import json
from copy import deepcopy
from random import Random
from typing import Any

import pytest

from lengthwise.crasp import Program, parse
from lengthwise.regular import Language
from lengthwise.regular.deciding.decide import decide
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.proofs import Equal, NotMember, Proof
from lengthwise.regular.prover import compare
from lengthwise.regular.prover.induction import prove_by_induction
from tests.regular.proofs.attacks import ABC, BRACKETS, accepted_text, checked, corrupted, differing_word, false_claims
from tests.regular.regexes import random_regex

INDUCTIONS = (
    (
        BRACKETS + 'V = # "(" < # ")"\nA = # V == 0',
        BRACKETS + 'V = # "(" < # ")"\nW = # V >= 1\nA = # W == 0',
    ),
    (
        ABC + 'E = # "a" == # "b"\nA = #[j == i-1] E >= 1 && "a"',
        ABC + 'A = "a" && # "a" - 1 == # "b" && # true >= 2',
    ),
)


def test_no_induction_is_accepted_for_a_false_claim() -> None:
    rng = Random(6)
    tried = 0
    for left, right in INDUCTIONS:
        proof = prove_by_induction(parse(left), parse(right), seconds=60)
        assert proof is not None
        assert checked(proof) is None
        for false in false_claims(proof, rng):
            assert checked(false) is not None, false.as_json()
            for _ in range(6):
                argument = corrupted(json.loads(json.dumps(false.as_json()["argument"])), rng)
                tried += 1
                assert checked(Proof(false.claim, argument)) is not None, (false.claim, argument)
    assert tried > 60


def parts_of(left: Program, right: Program) -> dict[str, Any] | None:
    """A congruence whose one part is the pair of first definitions, by an invariant."""
    firsts = [
        Program((type(program.statements[0])("P0", program.statements[0].expression),), program.declared_alphabet)
        for program in (left, right)
    ]
    proof = compare(firsts[0], firsts[1], states=4_000, seconds=20).proof
    if proof is None:
        return None
    return {
        "kind": "congruence",
        "parts": [{"left": str(firsts[0]), "right": str(firsts[1]), "argument": proof.as_json()["argument"]}],
    }


WHOLES = (
    ('D = # "a" >= # "b" && # "b" >= # "c" && # "a" >= # "c"', 'D = # "a" >= # "b" && # "b" >= # "c"'),
    ('D = #("a" && # "b" >= 1) >= 2', 'D = #("a" && exists "b") > 1'),
)
RESTS = (
    "A = # D >= 2",
    'A = #(D && "a") - #[j == i-1] D >= 1',
    "D = !D\nA = # D < 3 || D",
    "A = (# D if D else 2) == 2",
)


@pytest.mark.parametrize("rest", RESTS)
@pytest.mark.parametrize("pair", WHOLES)
def test_parts_that_are_equal_say_nothing_about_parts_that_are_not(pair: tuple[str, str], rest: str) -> None:
    rng = Random(7)
    left, right = (parse(f"{ABC}{one}\n{rest}") for one in pair)
    argument = parts_of(left, right)
    assert argument is not None
    proof = Proof(Equal(left, right, ("a", "b", "c")), argument)
    assert checked(proof) is None
    tried = 0
    for _ in range(6):
        for false in false_claims(proof, rng):
            tried += 1
            assert checked(false) is not None, false.as_json()
            changed = corrupted(deepcopy(argument), rng)
            assert checked(Proof(false.claim, changed)) is not None, (false.claim, changed)
            # the same argument under the text of the changed parts
            assert isinstance(false.claim, Equal)
            renamed = deepcopy(argument)
            for side in ("left", "right"):
                program = getattr(false.claim, side)
                renamed["parts"][0][side] = (
                    str(program).replace("D = ", "P0 = ", 1).split(f"\n{rest.split()[0]} =")[0] + "\n"
                )
            assert checked(Proof(false.claim, renamed)) is not None, (false.claim, renamed)
    assert tried > 5
    assert differing_word(Equal(left, right, ("a", "b", "c")), rng) is None


FRAGMENTS = {"local": "local", "ape": "periodic, local"}


OUTSIDE = ("[bc]*(a[bc]*a[bc]*)*", "[abc]*ac*", "c*((ac*){3}b*)*", "([ab]*(ca*b)?)*c[ac]*", "(b|ab*ab*ab*)*c*")
"""Regexes, most of them of languages that no windows and periods help with."""


def drawn(name: str, rng: Random, count: int) -> tuple[list[Automaton], list[Proof]]:
    """Automata of languages in the class, and proofs that others are not in it."""
    inside: list[Automaton] = []
    outside: list[Proof] = []
    for regex in (*OUTSIDE, *(random_regex(rng, "abc", rng.randint(3, 7)) for _ in range(count))):
        automaton = Language.from_regex(regex, "abc").automaton
        answer = getattr(decide(automaton), name)
        if answer.kind == "yes":
            inside.append(automaton)
        elif answer.proof is not None:
            outside.append(answer.proof)
    return inside, outside


@pytest.mark.parametrize("name", FRAGMENTS)
def test_a_witness_does_not_hold_against_a_language_in_the_class(name: str) -> None:
    inside, outside = drawn(name, Random(23), 80)
    assert len(outside) >= 3
    for automaton in inside:
        for proof in outside:
            assert checked(Proof(NotMember(automaton, FRAGMENTS[name], "last"), proof.argument)) is not None


@pytest.mark.slow
@pytest.mark.parametrize("name", FRAGMENTS)
def test_a_corrupted_witness_does_not_hold_against_a_language_in_the_class(name: str) -> None:
    rng = Random(29)
    inside, outside = drawn(name, rng, 80)
    for _ in range(3_000):
        data = json.loads(json.dumps(rng.choice(outside).as_json()))
        data["claim"] = NotMember(rng.choice(inside), FRAGMENTS[name], "last").as_json()
        for _ in range(rng.randint(0, 3)):
            data["argument"] = corrupted(data["argument"], rng) if data["argument"] else {}
        assert accepted_text(json.dumps(data)) == [], data
