"""Every answer of `decide` that is called proved has a proof that survives being saved, read and replayed."""

from __future__ import annotations

from random import Random

import pytest

from lengthwise.crasp import Program, library, parse
from lengthwise.regular import decide, get_language, languages
from lengthwise.regular.algorithmic.decide import decide_task, task_names
from lengthwise.regular.deciding.decide import with_minimal_programs
from lengthwise.regular.deciding.verdict import Answer, Verdict
from lengthwise.regular.languages.automaton import Acceptance
from lengthwise.regular.languages.language import Language
from lengthwise.regular.proofs import Member, NotMember, Proof, ProofError, proofs_as_json, proofs_from_json
from lengthwise.regular.synthesis.minimise import minimised
from tests.regular.regexes import random_regex

REGEXES = 60


def answers(verdict: Verdict) -> list[Answer]:
    return [verdict.nope, verdict.local, verdict.ape]


def replayed(proof: Proof) -> Proof:
    """The proof as it comes back from a file, checked."""
    [found] = proofs_from_json(proofs_as_json([proof]))
    found.check()
    return found


def assert_proved(answer: Answer, fragment: str) -> None:
    assert answer.proved
    assert answer.proof is not None
    claim = replayed(answer.proof).claim
    assert isinstance(claim, Member if answer.kind == "yes" else NotMember)
    assert claim.fragment == fragment


@pytest.mark.parametrize("name", languages())
@pytest.mark.parametrize("acceptance", ["last", "eos"])
def test_every_answer_on_the_catalogue_has_a_proof_that_can_be_replayed(name: str, acceptance: Acceptance) -> None:
    verdict = decide(get_language(name), None, acceptance)
    for answer, fragment in zip(answers(verdict), ("∅", "local", "periodic, local"), strict=True):
        assert_proved(answer, fragment)


@pytest.mark.parametrize("name", library.names())
def test_every_yes_and_no_on_the_library_has_a_proof_that_can_be_replayed(name: str) -> None:
    verdict = decide(library.get(name))
    for answer, fragment in zip(answers(verdict), ("∅", "local", "periodic, local"), strict=True):
        if answer.kind != "unknown":
            assert_proved(answer, fragment)
    assert verdict.ape.kind == "yes"


@pytest.mark.parametrize("name", task_names())
def test_a_no_on_a_task_of_table_3_is_replayed_and_a_yes_is_not_called_proved(name: str) -> None:
    for answer in answers(decide_task(name)):
        if answer.kind == "no":
            assert answer.proved
            assert answer.proof is not None
            assert str(replayed(answer.proof).claim)
        else:
            assert not answer.proved
            assert answer.proof is None


def test_every_answer_on_random_regexes_has_a_proof_that_can_be_replayed() -> None:
    rng = Random(17)
    for _ in range(REGEXES):
        regex = random_regex(rng, "abc", rng.randint(2, 6))
        verdict = decide(Language.from_regex(regex, "abc"))
        for answer, fragment in zip(answers(verdict), ("∅", "local", "periodic, local"), strict=True):
            assert_proved(answer, fragment)


def test_a_verdict_on_a_program_speaks_of_the_program_and_not_only_of_its_automaton() -> None:
    program = parse('alphabet "a" "b"\nX = i % 2 == 0\nA = X && exists "a" || !X && exists "a"')
    verdict = decide(program)
    assert verdict.nope.proof is not None
    claim = replayed(verdict.nope.proof).claim
    assert isinstance(claim, Member)
    assert isinstance(claim.side, Program)
    assert str(claim.side) == str(program)


def test_a_minimal_program_comes_with_the_proof_that_it_is_equal() -> None:
    program = parse('alphabet "a" "b"\nX = # "a" >= 1 && # "a" >= 0\nA = X || X && # "b" >= 3')
    found = minimised(program)
    assert found.program.size < program.size
    assert found.proof is not None
    assert str(replayed(found.proof).claim)
    verdict = with_minimal_programs(decide(Language.from_regex("(a|b)*ab(a|b)*")))
    for answer, fragment in zip(answers(verdict), ("∅", "local", "periodic, local"), strict=True):
        assert_proved(answer, fragment)


def test_a_proof_does_not_hold_of_another_language() -> None:
    proof = decide(Language.from_regex("(ab)*")).ape.proof
    assert proof is not None
    assert isinstance(proof.claim, Member)
    other = Member(Language.from_regex("(ab)*a", "ab").automaton, proof.claim.fragment, "last")
    with pytest.raises(ProofError):
        Proof(other, proof.argument).check()


def test_a_proof_does_not_hold_for_a_smaller_fragment() -> None:
    proof = decide(Language.from_regex("(aa)*", "a")).ape.proof
    assert proof is not None
    assert isinstance(proof.claim, Member)
    with pytest.raises(ProofError, match="periodic"):
        Proof(Member(proof.claim.side, "∅", "last"), proof.argument).check()


@pytest.mark.parametrize("symbols", [None, ("a", "b"), ("a", "b", "c")])
@pytest.mark.parametrize("text", ['A = exists "a" && !"b"', 'A = # "a" >= # "b"', 'A = exists[j == i-1] "a"'])
def test_a_program_with_an_open_alphabet_is_decided_over_the_symbols_that_are_given(
    text: str, symbols: tuple[str, ...] | None
) -> None:
    verdict = decide(parse(text), symbols)
    for answer, fragment in zip(answers(verdict), ("∅", "local", "periodic, local"), strict=True):
        if answer.kind != "unknown":
            assert_proved(answer, fragment)
