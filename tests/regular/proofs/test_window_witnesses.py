"""Witnesses against windows and periods do not hold against languages that have a program with them."""

from __future__ import annotations

import json
from random import Random

import pytest

from lengthwise.regular import Language
from lengthwise.regular.deciding.decide import decide
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.proofs import NotMember, Proof
from tests.regular.proofs.attacks import accepted_text, checked, corrupted
from tests.regular.regexes import random_regex

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
