"""Proofs as data, and a checker that shares no code with the search that finds them."""

from lengthwise.regular.proofs.check import check
from lengthwise.regular.proofs.errors import ProofError, ProofFileError
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
