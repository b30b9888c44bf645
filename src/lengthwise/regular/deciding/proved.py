"""Proofs for answers: put together from a program that is equal or a witness that was found, and checked at once."""

from __future__ import annotations

from typing import Any

from lengthwise.crasp import Program
from lengthwise.regular.languages.automaton import Acceptance, Automaton
from lengthwise.regular.proofs import Equal, Member, NotMember, Proof, ProofError
from lengthwise.regular.proofs.check import require_fragment
from lengthwise.regular.proofs.sides import side_as_json
from lengthwise.resources import TimeLimitError

FRAGMENT_NAMES = {"nope": "∅", "local": "local", "ape": "periodic, local"}
"""The fragments of the answers of a verdict."""


def member_by_equality(fragment: str, acceptance: Acceptance, equality: Proof | None) -> Proof | None:
    """That a language has a program of a fragment, from the proof that this program is equal to it.

    The equality has the program on its left; its proof was checked when it was found.
    """
    if equality is None or not isinstance(equality.claim, Equal) or not isinstance(equality.claim.left, Program):
        return None
    program = equality.claim.left
    try:
        require_fragment(program, fragment, acceptance)
    except ProofError:
        return None
    argument = {
        "kind": "program", "program": program,
        "alphabet": list(equality.claim.symbols), "equality": equality.argument,
    }  # fmt: skip
    return Proof(Member(equality.claim.right, fragment, acceptance), argument)


def member_by_construction(program: Program, fragment: str, acceptance: Acceptance = "last") -> Proof | None:
    """That a program is one of a fragment itself."""
    proof = Proof(Member(program, fragment, acceptance), {"kind": "program", "program": None})
    return proof if _holds(proof) else None


def outside_by_witness(automaton: Automaton, fragment: str, acceptance: Acceptance, witness: Any) -> Proof | None:
    """That a language has no program of a fragment, from a witness."""
    proof = Proof(NotMember(automaton, fragment, acceptance), {"kind": "witness", "witness": witness})
    return proof if _holds(proof) else None


def about_program(proof: Proof | None, equality: Proof | None) -> Proof | None:
    """A proof about an automaton as one about a program, from the proof that the program is equal to it."""
    if proof is None or equality is None or not isinstance(equality.claim, Equal):
        return None
    program, symbols = equality.claim.left, list(equality.claim.symbols)
    claim = proof.claim
    found = None
    if isinstance(claim, Member):
        between = {"kind": "chain", "between": [side_as_json(claim.side)]}
        steps = [proof.argument["equality"], equality.argument]
        argument = {**proof.argument, "equality": {**between, "steps": steps}}
        found = Proof(Member(program, claim.fragment, claim.acceptance), argument)
    elif isinstance(claim, NotMember):
        language = {"automaton": claim.side, "alphabet": symbols, "equality": equality.argument}
        found = Proof(NotMember(program, claim.fragment, claim.acceptance), {**proof.argument, **language})
    return found if found is not None and _holds(found) else None


def _holds(proof: Proof) -> bool:
    try:
        proof.check()
    except (ProofError, TimeLimitError):
        return False
    return True
