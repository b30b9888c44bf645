"""True proofs changed until they claim something false, or are no proofs: none of them may be accepted."""

from __future__ import annotations

import json
from copy import deepcopy
from random import Random

import pytest

from lengthwise.crasp import Program
from lengthwise.regular.deciding.budget import Budget
from lengthwise.regular.deciding.nope import decide_nope
from lengthwise.regular.languages.automaton import Acceptance, Automaton
from lengthwise.regular.proofs import Equal, NotMember, Proof
from lengthwise.regular.witnesses.search import nope_witness
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
from tests.regular.proofs.generated import phased_word
from tests.regular.small_automata import minimal_automata_up_to


def attack(seed: int, rounds: int, repairs: int) -> tuple[int, int]:
    """How many false claims were tried, and with how many arguments."""
    rng = Random(seed)
    proofs = true_proofs(seed, 40)
    claims = arguments = 0
    for _ in range(rounds):
        for false in false_claims(rng.choice(proofs), rng):
            claims += 1
            problem = checked(false)
            assert problem is not None, false.as_json()
            argument = json.loads(json.dumps(false.as_json()["argument"]))
            for _ in range(repairs):
                repaired = deepcopy(argument)
                tampered(rng.choice(invariants(repaired)), rng, problem)
                arguments += 1
                found = checked(Proof(false.claim, repaired))
                assert found is not None, Proof(false.claim, repaired).as_json()
                if rng.random() < 0.7:
                    argument, problem = repaired, found
    return claims, arguments


def test_no_argument_for_a_true_claim_is_accepted_for_a_false_one_however_it_is_repaired() -> None:
    claims, arguments = attack(1, 25, 8)
    assert claims > 80
    assert arguments > 600


@pytest.mark.slow
def test_no_argument_is_accepted_for_a_false_claim_after_many_repairs() -> None:
    claims, arguments = attack(2, 120, 20)
    assert claims > 400
    assert arguments > 8_000


def test_words_lead_where_an_accepted_invariant_says_also_after_it_was_changed() -> None:
    rng = Random(3)
    proofs = [proof for proof in true_proofs(3, 40) if proof.argument["kind"] == "invariant"]
    accepted = 0
    for _ in range(150):
        proof = rng.choice(proofs)
        claim = proof.claim
        assert isinstance(claim, Equal)
        programs = [side for side in (claim.left, claim.right) if isinstance(side, Program)]
        automaton = next((side for side in (claim.left, claim.right) if isinstance(side, Automaton)), None)
        argument = json.loads(json.dumps(proof.as_json()["argument"]))
        problem = ""
        for _ in range(6):
            changed = deepcopy(argument)
            tampered(changed, rng, problem)
            found = checked(Proof(claim, changed))
            if found is not None:
                problem = found
                continue
            argument = changed
            accepted += 1
            word = phased_word(rng, claim.symbols, 5, 5)[:18]
            assert strays(programs, automaton, claim.symbols, changed, word) is None, changed
    assert accepted > 150


def test_a_corrupted_file_is_refused_in_a_sentence_or_its_claim_is_still_true() -> None:
    rng = Random(4)
    texts = [json.dumps(proof.as_json()) for proof in true_proofs(4, 40)]
    refused = 0
    for _ in range(800):
        data = json.loads(rng.choice(texts))
        for _ in range(rng.randint(1, 3)):
            data = corrupted(data, rng)
        found = accepted_text(json.dumps(data))
        refused += not found
        for proof in found:
            assert isinstance(proof.claim, Equal)
            assert differing_word(proof.claim, rng) is None
    assert refused > 600


@pytest.mark.parametrize("acceptance", ["last", "eos"])
def test_no_changed_witness_is_accepted_against_a_language_that_has_a_program(acceptance: Acceptance) -> None:
    rng = Random(5)
    inside: list[Automaton] = []
    witnesses: list[str] = []
    for automaton in minimal_automata_up_to(3):
        decision = decide_nope(automaton, acceptance)
        if decision.yes:
            inside.append(automaton)
        else:
            witness = nope_witness(decision, Budget())
            proof = Proof(NotMember(automaton, "∅", acceptance), {"kind": "witness", "witness": witness})
            proof.check()
            witnesses.append(json.dumps(proof.as_json()["argument"]))
    assert len(inside) > 30
    assert len(witnesses) > 100
    for _ in range(6_000):
        argument = json.loads(rng.choice(witnesses))
        for _ in range(rng.randrange(4)):
            argument = corrupted(argument, rng) if argument else argument
        automaton = rng.choice(inside)
        assert checked(Proof(NotMember(automaton, "∅", acceptance), argument)) is not None, (automaton, argument)
