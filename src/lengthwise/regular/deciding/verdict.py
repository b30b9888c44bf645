"""What `decide` answers: for each kind of transformer yes with a program, no with a reason, or unknown with the cap.

`nope` is membership in C-RASP[∅], which transformers without positional encodings express; `ape` is membership in
C-RASP[periodic, local], which absolute positional encodings add; `local` lies between them. What follows from yes is
about an ideal learner and large n: fitted up to length n/2, it is right up to length n (Huang et al., Theorems 7 and
9, Corollary 18). From no it follows only that this guarantee does not apply.

The command line prints a verdict, and the classical classes of a language, as `verdict_lines` has them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from lengthwise.crasp import Program
from lengthwise.regular.languages.automaton import Acceptance
from lengthwise.regular.proofs import Proof

if TYPE_CHECKING:
    from lengthwise.regular.algebra.classes import Classes

Kind = Literal["yes", "no", "unknown"]


class Witness(Protocol):
    """Why no program exists, in a form that a person can follow and a program can check."""

    @property
    def kind(self) -> str:
        """The kind of argument: group, flip-flop, balance or communication."""
        ...

    def explain(self) -> str:
        """The argument in words, several lines."""
        ...

    def as_json(self) -> dict[str, Any]:
        """The argument as plain data."""
        ...


class DepthFacts(Protocol):
    """What is known about how deeply counting has to nest."""

    def lines(self) -> list[str]:
        """The facts in words."""
        ...

    def as_json(self) -> dict[str, Any]:
        """The facts as plain data."""
        ...


@dataclass(frozen=True)
class Answer:
    """Yes, no or unknown, with what supports it.

    Attributes:
        kind: `yes`, `no` or `unknown`.

    """

    kind: Kind
    reason: str
    """One sentence."""
    program: Program | None = None
    """For yes: a program, if one was built."""
    witness: Witness | None = None
    """For no: the argument."""
    proved: bool = False
    """Whether there is a proof that was replayed by code that shares nothing with the search: for yes that the program
    is equal to the language at every length, for no that the witness does what it says."""
    checked_to: int | None = None
    """For a program that was not proved equal: the length up to which it agrees on every word."""
    proof: Proof | None = None
    """What was proved, as data that `lengthwise.regular.proofs` has replayed; None where nothing was."""
    ground: str = ""
    """For yes with a program that was proved equal to the language: the reason without these words."""

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            "answer": self.kind,
            "reason": self.reason,
            "program": str(self.program) if self.program is not None else None,
            "proved": self.proved,
            "checked_to": self.checked_to,
            "witness": self.witness.as_json() if self.witness is not None else None,
        }

    def _repr_html_(self) -> str:
        from lengthwise.regular.deciding.verdict_html import answer_fragment

        return answer_fragment(self)


@dataclass(frozen=True)
class Verdict:
    """The three answers on one language, program or task.

    Attributes:
        nope: On C-RASP[∅], which transformers without positional encodings express.
        ape: On C-RASP[periodic, local], which absolute positional encodings add.
        local: On C-RASP[local].
        acceptance: Where words are accepted: at their `last` symbol, or at an end marker, `eos`.

    """

    subject: str
    """What was decided, as it was given."""
    nope: Answer
    ape: Answer
    local: Answer
    acceptance: Acceptance
    notes: tuple[str, ...] = ()
    """Remarks that hold for all answers, such as how the empty word is treated."""
    meaning: str = ""
    """How the subject was read, such as `regex over {a, b}`; empty if it was not read from anything."""
    classes: Classes | None = None
    """The classical classes of the language, if they were asked for."""
    depth: DepthFacts | None = None
    """How deeply counting has to nest without positions, if that was asked for."""

    @property
    def program(self) -> Program | None:
        """The program of the largest class that has one: periodic and local, local, neither; None if there is none."""
        return self.ape.program or self.local.program or self.nope.program

    @property
    def proofs(self) -> tuple[Proof, ...]:
        """What was proved."""
        found = (answer.proof for answer in (self.nope, self.local, self.ape))
        return tuple(proof for proof in found if proof is not None)

    def __str__(self) -> str:
        return "\n".join(verdict_lines(self))

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            "subject": self.subject,
            "meaning": self.meaning,
            "nope": self.nope.as_json(),
            "ape": self.ape.as_json(),
            "local": self.local.as_json(),
            "acceptance": self.acceptance,
            "notes": list(self.notes),
            **({} if self.classes is None else {"classes": self.classes.as_json()}),
            **({} if self.depth is None else {"depth": self.depth.as_json()}),
        }

    def _repr_html_(self) -> str:
        from lengthwise.regular.deciding.verdict_html import verdict_fragment

        return verdict_fragment(self)


CLASS_NAMES = {
    "star_free": "star-free",
    "ac0": "in AC⁰",
    "r_trivial": "R-trivial",
    "l_trivial": "L-trivial",
    "j_trivial": "J-trivial (piecewise testable)",
    "da": "in DA",
    "dot_depth": "dot-depth",
}


def verdict_lines(verdict: Verdict) -> Iterator[str]:
    """How the subject was read, and the three answers, each with its program or witness unless it is the last one's."""
    if verdict.meaning:
        yield verdict.meaning
    where = "the last symbol" if verdict.acceptance == "last" else "an end marker"
    yield f"{verdict.subject}: read at {where}"
    rows = [
        ("NoPE", "C-RASP[∅]", verdict.nope),
        ("", "C-RASP[local]", verdict.local),
        ("APE", "C-RASP[periodic, local]", verdict.ape),
    ]
    before: Answer | None = None
    for label, name, answer in rows:
        yield ""
        yield f"{label:4}  {name:24} {answer.kind.upper()}"
        yield f"      {answer.reason}"
        if before is None or (answer.program, answer.witness) != (before.program, before.witness):
            yield from _support(answer)
        before = answer
    if verdict.notes:
        yield ""
        yield from verdict.notes
    if verdict.classes is not None:
        yield ""
        yield from classes_lines(verdict.classes)
    if verdict.depth is not None:
        yield ""
        yield from verdict.depth.lines()


def classes_lines(found: Classes) -> Iterator[str]:
    """The classes, each with why a language is not in it."""
    sizes = found.sizes
    yield (
        f"Classes: {sizes.states} states, {sizes.monoid} elements in the syntactic monoid, "
        f"stability index {sizes.stability_index}"
    )
    for name, title in CLASS_NAMES.items():
        failure = found.failures.get(name)
        why = f"  {failure.explain()}" if failure is not None else ""
        yield f"  {title:30}  {_word(getattr(found, name)):3}{why}"


def _support(answer: Answer) -> Iterator[str]:
    if answer.program is not None:
        for line in str(answer.program).splitlines():
            yield f"      {line}".rstrip()
    if answer.witness is not None:
        for line in answer.witness.explain().splitlines():
            yield f"      {line}"


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value is None else str(value)
