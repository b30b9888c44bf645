"""The checker under attack: false claims, arguments that were tampered with, files that are no proofs."""

from __future__ import annotations

import json
from copy import deepcopy
from random import Random

import pytest

from lengthwise.crasp import Program
from lengthwise.regular import Language
from lengthwise.regular.automaton import Automaton
from lengthwise.regular.decide import decide
from lengthwise.regular.proofs import Equal, NotMember, Proof
from tests.regular.proofs.attacks import (
    accepted_text,
    checked,
    corrupted,
    differing_word,
    false_claims,
    invariants,
    tampered,
    true_proofs,
)
from tests.regular.proofs.concrete import strays
from tests.regular.regexes import random_regex


@pytest.fixture(scope="module")
def proofs() -> list[Proof]:
    return true_proofs(seed=3, count=40)


def test_true_proofs_are_accepted_and_every_word_follows_their_invariants(proofs: list[Proof]) -> None:
    rng = Random(5)
    followed = 0
    for proof in proofs:
        assert checked(proof) is None
        claim = proof.claim
        assert isinstance(claim, Equal)
        if proof.argument["kind"] != "invariant":
            continue
        programs = [side for side in (claim.left, claim.right) if isinstance(side, Program)]
        automaton = next((side for side in (claim.left, claim.right) if isinstance(side, Automaton)), None)
        for _ in range(5):
            word = [rng.choice(claim.symbols) for _ in range(12)]
            assert strays(programs, automaton, claim.symbols, proof.argument, word) is None
            followed += 1
    assert followed > 100


def test_no_argument_shows_a_claim_that_a_word_refutes(proofs: list[Proof]) -> None:
    rng = Random(7)
    attempts = 0
    for proof in proofs:
        for false in false_claims(proof, rng):
            attempts += 1
            assert checked(false) is not None, false.claim.as_json()
    assert attempts > 150


@pytest.mark.slow
def test_no_tampering_makes_a_false_claim_hold(proofs: list[Proof]) -> None:
    rng = Random(11)
    attempts = 0
    for proof in proofs:
        for false in list(false_claims(proof, rng))[:4]:
            argument = deepcopy(json.loads(json.dumps(false.argument)))
            problem = checked(Proof(false.claim, argument))
            assert problem is not None
            for _ in range(12):
                found = invariants(argument)
                if not found:
                    break
                tampered(rng.choice(found), rng, problem)
                attempts += 1
                problem = checked(Proof(false.claim, argument))
                assert problem is not None, (false.claim.as_json(), argument)
    assert attempts > 500


def test_whatever_is_accepted_after_a_file_was_corrupted_is_true(proofs: list[Proof]) -> None:
    rng = Random(13)
    accepted = refused = 0
    for proof in proofs:
        whole = json.loads(json.dumps(proof.as_json()))
        for _ in range(25):
            data = deepcopy(whole)
            for _ in range(rng.randint(1, 3)):
                data = corrupted(data, rng)
            found = accepted_text(json.dumps(data))
            accepted, refused = accepted + bool(found), refused + (not found)
            for each in found:
                if isinstance(each.claim, Equal):
                    assert differing_word(each.claim, rng, tries=12) is None, data
    assert accepted > 20
    assert refused > 500


def test_a_witness_against_one_language_does_not_hold_against_one_in_the_class() -> None:
    rng = Random(17)
    inside: list[Automaton] = []
    witnesses: list[Proof] = []
    for _ in range(60):
        automaton = Language.from_regex(random_regex(rng, "ab", rng.randint(2, 6)), "ab").automaton
        answer = decide(automaton).nope
        if answer.kind == "yes":
            inside.append(automaton)
        elif answer.proof is not None:
            witnesses.append(answer.proof)
    attempts = 0
    for automaton in inside:
        for proof in witnesses:
            attempts += 1
            assert checked(Proof(NotMember(automaton, "∅", "last"), proof.argument)) is not None
    assert attempts > 200


@pytest.mark.slow
def test_corrupted_witnesses_never_hold_against_a_language_in_the_class() -> None:
    rng = Random(19)
    automata = [Language.from_regex(regex, "ab").automaton for regex in ("a*b*", "(ab)*", "(a|b)*a(a|b)*", "a*ba*")]
    arguments = [
        decide(Language.from_regex(regex, "ab")).nope.proof for regex in ("(aa|b)*", "(a|b)*ab(a|b)*", "(aab|ba)*")
    ]
    attempts = 0
    for _ in range(1500):
        proof = rng.choice(arguments)
        assert proof is not None
        data = json.loads(json.dumps(proof.as_json()))
        data["claim"] = NotMember(rng.choice(automata), "∅", "last").as_json()
        for _ in range(rng.randint(1, 3)):
            corrupted(data["argument"], rng)
        attempts += 1
        assert accepted_text(json.dumps(data)) == []
    assert attempts == 1500
