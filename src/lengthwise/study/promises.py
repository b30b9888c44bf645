"""What a verdict promises and what it does not, for those answers that a study has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lengthwise.regular import Verdict
from lengthwise.study.expectation import expected
from lengthwise.tasks.task import Task

WITH_THEOREMS = ("nope", "ape", "periodic", "relative")
"""The schemes that a verdict is about."""


@dataclass(frozen=True)
class Promises:
    """Sentences in two lists."""

    does: tuple[str, ...]
    does_not: tuple[str, ...]

    def as_json(self) -> dict[str, list[str]]:
        """Plain data with stable keys."""
        return {"does": list(self.does), "does_not": list(self.does_not)}


def promises(task: Task, verdict: Verdict, schemes: Sequence[str]) -> Promises:
    """What is promised by the answers of a verdict for these schemes."""
    spoken_of = [scheme for scheme in schemes if scheme in WITH_THEOREMS]
    kinds = {expected(verdict, scheme).kind for scheme in spoken_of}
    does, does_not = [], []
    if any(expected(verdict, scheme).kind == "yes" for scheme in spoken_of if scheme != "relative"):
        does.append(
            "Yes: one program, or one limit transformer, is right on inputs of every length. An ideal learner that "
            "takes, for each n, a transformer with n positions that is right on all inputs of at most n/2 symbols and "
            "has nearly the least complexity among those, then gets all inputs of at most n symbols right, for every n "
            "from some number on (Huang et al., Theorems 7 and 9; without positions, Corollary 18)."
        )
    elif "yes" in kinds:
        does.append(
            "Yes: one program, or one limit transformer, that tells distances within a window apart and knows no other "
            "positions is right on inputs of every length."
        )
    if "relative" in schemes and verdict.local.kind == "yes":
        does_not.append(
            "For relative positions, yes does not say that an ideal learner finds such a solution: the theorems of "
            "Huang et al. are about models without positions or with absolute ones."
        )
    if "yes" in kinds:
        does_not.append(
            "Yes does not say from which training length on, nor that a model is right on inputs longer than those it "
            "was chosen for, nor that gradient descent finds such a model."
        )
    if "no" in kinds:
        does.append(
            "No: there is no program that decides it at every length with the position information in question; the "
            "argument was checked, and holds at all lengths."
        )
        does_not.append(
            "No does not say that every trained model must fail, nor at which length: it says that the guarantee does "
            "not apply. In published experiments models mostly failed on such languages."
        )
    if "unknown" in kinds:
        does.append("Unknown: neither a program nor an argument against one was found, so nothing is promised.")
    if task.language is not None:
        does.append(
            "Models predict which symbols may follow every prefix and whether it may end there. For a regular language "
            "that takes no more than deciding it: each of these answers is decided by a program of the same class."
        )
    does_not.append(
        "Nothing is said about other position schemes, such as rotary ones, about pretrained models, or about inputs "
        "unlike those that the task draws."
    )
    return Promises(tuple(does), tuple(does_not))
