"""Proofs as data, and a checker that shares no code with the search that finds them."""

from lengthwise.regular.proofs.check import check
from lengthwise.regular.proofs.proof import (
    Claim,
    Equal,
    Member,
    NotMember,
    Proof,
    TaskAnswer,
    proofs_as_json,
    proofs_from_json,
)
from lengthwise.regular.proofs.sides import ProofError, ProofFileError

__all__ = [
    "Claim",
    "Equal",
    "Member",
    "NotMember",
    "Proof",
    "ProofError",
    "ProofFileError",
    "TaskAnswer",
    "check",
    "proofs_as_json",
    "proofs_from_json",
]
