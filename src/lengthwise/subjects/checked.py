"""What is said about a predicate: about an automaton that was compared with it, so it is checked and never proved."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lengthwise.subjects.subject import Subject

if TYPE_CHECKING:
    from lengthwise.regular import Answer, Verdict


def as_checked(verdict: Verdict, subject: Subject) -> Verdict:
    """The verdict on a subject; on a predicate, no answer is called proved.

    Args:
        verdict: The verdict on the language of the subject.
        subject: The subject.

    Returns:
        The verdict itself, or for a predicate one whose answers say to which length its automaton was checked.

    """
    if subject.checked_to is None:
        return verdict
    return replace(
        verdict,
        nope=_checked(verdict.nope, subject),
        local=_checked(verdict.local, subject),
        ape=_checked(verdict.ape, subject),
    )


def _checked(answer: Answer, subject: Subject) -> Answer:
    # The proof is about the automaton; nothing about the predicate is to be read as proved.
    reason = f"{answer.ground}, and the program is equal to the automaton" if answer.ground else answer.reason
    said = (
        f"checked to length {subject.checked_to}, not proved: an automaton agrees with {subject.name} on every word up "
        f"to this length, and for the automaton, {reason}"
    )
    return replace(answer, reason=said, proved=False, checked_to=subject.checked_to, proof=None, ground="")
