"""Deciding, comparing and checking: verdicts on subjects, equality of two of them, and proofs replayed."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from lengthwise.crasp import Program
from lengthwise.errors import LengthwiseError
from lengthwise.regular import Automaton, Comparison
from lengthwise.resources import SECONDS, Deadline, LimitError, TimeLimitError, time_limit
from lengthwise.streams import standard_input
from lengthwise.subjects import Subject, as_symbols, both
from lengthwise.subjects.checked import as_checked
from lengthwise.subjects.names import EQUAL
from lengthwise.subjects.subject import Symbols

if TYPE_CHECKING:
    from lengthwise.atlas.shallow import Shallow
    from lengthwise.regular import Automaton, Budget, Verdict
    from lengthwise.regular.languages.automaton import Acceptance
    from lengthwise.regular.proofs import Proof
    from lengthwise.tasks import Task

_COMPARED = {"search": "configuration", "product": "pair{} of states", "abstraction": "abstract configuration"}


@dataclass(frozen=True, kw_only=True)
class Verified(Comparison):
    """A comparison and the two subjects that were compared."""

    left: Subject
    right: Subject
    seconds: float | None = field(default=None, compare=False)
    """How long was tried at most."""

    @property
    def acceptors(self) -> tuple[Program | Automaton, Program | Automaton]:
        """What accepts words on both sides."""
        return self.left.as_acceptor(), self.right.as_acceptor()

    def accepting(self, word: tuple[str, ...]) -> Subject:
        """The side that accepts a word on which they differ."""
        return self.left if self.acceptors[0].accepts(word) else self.right

    def as_json(self) -> dict[str, object]:
        """Plain data with stable keys, without the proof."""
        word = self.difference
        return {
            "equal": "unknown" if self.equal is None else self.equal,
            "difference": None if word is None else written(word),
            "checked_to": self.checked_to,
            "accepted_by": None if word is None else ("left" if self.accepting(word) is self.left else "right"),
            "empty_differs": self.empty_differs,
            "method": self.method,
            "states": self.states,
            "alphabet": list(self.symbols),
            "left": self.left.text,
            "right": self.right.text,
            "meanings": [self.left.meaning, self.right.meaning],
        }

    def sentence(self) -> str:
        """The answer in one sentence."""
        if self.equal:
            return f"equal at every length (proved, {self._how()})"
        word = self.difference
        if word is not None:
            accepting = self.accepting(word)
            rejecting = self.right if accepting is self.left else self.left
            shown = f"`{written(word)}`" if word else "the empty word"
            return f"different: first on {shown}, which {accepting.text} accepts and {rejecting.text} rejects"
        for side in (self.left, self.right):
            if side.checked_to is not None:
                return (
                    f"equal on every word up to length {self.checked_to}; not proved: the automaton of {side.name} "
                    f"was compared with it up to length {side.checked_to} only"
                )
        within = "" if self.seconds is None else f"{self.seconds:g} seconds and "
        return (
            f"equal on every word up to length {self.checked_to}; neither a proof nor a difference was found within "
            f"{within}{self.states} configurations"
        )

    def _how(self) -> str:
        if self.method not in _COMPARED:
            return "by induction over the length"
        what = _COMPARED[self.method] if "{}" in _COMPARED[self.method] else _COMPARED[self.method] + "{}"
        return f"1 {what.format('')} compared" if self.states == 1 else f"all {self.states} {what.format('s')} compared"

    def __str__(self) -> str:
        lines = [f"{self.left.meaning}; {self.right.meaning}", self.sentence()]
        if self.empty_differs and self.difference != ():
            lines.append(
                f"On the empty word, which has no last symbol, {self.accepting(()).text} accepts by convention and the "
                "other does not."
            )
        return "\n".join(lines)


def written(word: tuple[str, ...]) -> str:
    """A word as text: without spaces if all of its symbols are single characters."""
    return ("" if all(len(symbol) == 1 for symbol in word) else " ").join(word)


LARGEST_PROOF = 1_000_000_000
"""The most bytes a file of proofs may have."""


def decide(
    subject: object,
    alphabet: Symbols | None = None,
    acceptance: Acceptance = "last",
    budget: Budget | None = None,
    *,
    seconds: float | None = SECONDS,
    minimise: bool = False,
    classes: bool = False,
    depth: bool = False,
) -> Verdict:
    """Decide whether one C-RASP program handles a language or task at all lengths.

    Args:
        subject: What `Subject.of` takes: a regex, the name of a language, library program or task, a file, an object.
        alphabet: The symbols of a regex, a predicate or a program whose alphabet is open.
        acceptance: Where words are accepted: at their `last` symbol, or at an end marker, `eos`.
        budget: What may be spent, in place of `seconds`.
        seconds: The time limit; what was not found out in it is unknown, with the reason. None for no limit.
        minimise: Whether to make programs smaller while the proof holds, which takes seconds.
        classes: Whether to say in which classical classes the language is, such as the star-free ones.
        depth: Whether to look for the shallowest program of C-RASP[∅], and to say what is too shallow.

    Returns:
        The answers for C-RASP[∅], C-RASP[local] and C-RASP[periodic, local], each with a program or a reason. What is
        said about a predicate is never proved: its automaton was compared with it up to some length.

    Raises:
        LengthwiseError: The text names nothing or has two meanings, or there is nothing to decide.

    Example:
        >>> import lengthwise as lw
        >>> lw.decide("(aa)*").nope.kind
        'no'

    """
    from lengthwise import regular
    from lengthwise.regular.languages.automaton import allowing_states

    budget = budget or regular.Budget(seconds=seconds)
    with budget.in_force(), allowing_states(budget.described, "--cap states=N"):
        found = Subject.of(subject, alphabet)
        symbols = as_symbols(alphabet)
        verdict = as_checked(replace(_verdict(found, symbols, acceptance, budget), meaning=found.meaning), found)
        if minimise:
            try:
                verdict = regular.with_minimal_programs(verdict)
            except LimitError as problem:
                verdict = replace(verdict, notes=(*verdict.notes, f"The programs were not made smaller: {problem}."))
        if classes:
            try:
                verdict = replace(verdict, classes=regular.classify(found.as_language(symbols).automaton))
            except LimitError as problem:
                missing = f"The classical classes were not found out: {problem}."
                verdict = replace(verdict, notes=(*verdict.notes, missing))
        if depth:
            try:
                acceptor = found.as_acceptor()
                verdict = replace(verdict, depth=_depth(acceptor, symbols or acceptor.alphabet.symbols, verdict))
            except LimitError as problem:
                verdict = replace(verdict, notes=(*verdict.notes, f"The depth was not found out: {problem}."))
    return verdict


def _depth(acceptor: Program | Automaton, symbols: tuple[str, ...], verdict: Verdict) -> Shallow | None:
    """What is known about the depth of programs without positions; None if there are none."""
    from lengthwise.atlas.shallow import shallowest

    return None if verdict.nope.kind == "no" else shallowest(acceptor, symbols)


def _verdict(
    subject: Subject, symbols: tuple[str, ...] | None, acceptance: Acceptance, budget: Budget | None
) -> Verdict:
    from lengthwise import regular

    if subject.kind == "task":
        found = task_verdict(subject.task, acceptance, budget, subject.text)
        if found is None:
            raise LengthwiseError(f"there is no verdict on {subject}: it comes with neither a language nor a program")
        return found
    # Of what is both, the language if the catalogue has it: it is decided exactly, without a search for its automaton.
    as_program = subject.program is not None and (symbols is not None or subject.name not in EQUAL)
    known = subject.program if as_program or subject.language is None else subject.language
    if known is None:
        raise LengthwiseError(f"there is no verdict on {subject}: it has neither a language nor a program")
    return regular.decide(known, symbols, acceptance, budget, subject.text)


def task_verdict(task: Task, acceptance: Acceptance, budget: Budget | None, title: str) -> Verdict | None:
    """The verdict on a task: its own, or that on its language or else its program; None if it has neither."""
    from lengthwise import regular
    from lengthwise.tasks import AnswerTask, StateTracking
    from lengthwise.tasks.claim import claim_verdict, has_claim

    if isinstance(task, AnswerTask):
        return task.verdict()
    if isinstance(task, StateTracking):
        return task.verdict(budget)
    if has_claim(task):
        return replace(claim_verdict(task, budget=budget), subject=title)
    known = task.language if task.language is not None else task.program
    return None if known is None else regular.decide(known, None, acceptance, budget, title)


def verify(
    left: object,
    right: object,
    alphabet: Symbols | None = None,
    seconds: float | None = 30.0,
    states: int = 200_000,
) -> Verified:
    """Compare two programs, automata, languages or regexes at every length.

    Args:
        left: What `Subject.of` takes; a regex is read over the symbols of both sides.
        right: The same.
        alphabet: The symbols of the words to compare; else those of both.
        seconds: How long to try.
        states: How many configurations to compare.

    Returns:
        Whether they are equal, or the shortest difference, or how far they agree; with the two subjects.

    Raises:
        LengthwiseError: A side names nothing, has two meanings or accepts no words.

    Example:
        >>> import lengthwise as lw
        >>> lw.verify("d2", "(a(ab)*b)*").equal
        True
        >>> lw.verify("(ab)*", "(ab|a)*").sentence()
        'different: first on `a`, which (ab|a)* accepts and (ab)* rejects'

    """
    from lengthwise import regular

    with Deadline(seconds or None).in_force():
        sides = both(left, right, alphabet)
        found = regular.verify(sides[0].as_acceptor(), sides[1].as_acceptor(), as_symbols(alphabet), seconds, states)
    checked = [side.checked_to for side in sides if side.checked_to is not None]
    if checked and (found.difference is None or len(found.difference) > min(checked)):
        # The automaton of a predicate was compared with it on words up to this length; about others, nothing is known.
        known_to = min([*checked, *([found.checked_to] if found.checked_to is not None else [])])
        found = replace(found, equal=None, difference=None, checked_to=known_to, proof=None)
    values = {each.name: getattr(found, each.name) for each in fields(found)}
    return Verified(**values, left=sides[0], right=sides[1], seconds=seconds)


@dataclass(frozen=True)
class Checked:
    """A proof that was replayed."""

    proof: Proof
    problem: str | None
    """Why it does not hold; None if it does."""

    @property
    def holds(self) -> bool:
        """Whether it proves its claim."""
        return self.problem is None

    def as_json(self) -> dict[str, object]:
        """Plain data with stable keys."""
        return {"claim": str(self.proof.claim), "holds": self.holds, "problem": self.problem}

    def __str__(self) -> str:
        return f"{self.proof.claim}: " + ("holds" if self.holds else f"does not hold: {self.problem}")


def check_proof(path: str | os.PathLike[str], seconds: float | None = SECONDS) -> tuple[Checked, ...]:
    """Replay the proofs of a file, with code that shares nothing with the search that found them.

    Args:
        path: A file that `lengthwise decide --proof FILE` wrote, or with the text of `lw.regular.proofs_as_json`; `-`
            is standard input.
        seconds: The time limit for each proof, which does not hold if it is not replayed by then; None for no limit.

    Returns:
        The proofs, each with the reason if it does not hold.

    Raises:
        LengthwiseError: The file cannot be read or holds no proofs.

    Example:
        >>> import lengthwise as lw, pathlib, tempfile
        >>> verdict = lw.decide("(ab)*")
        >>> with tempfile.TemporaryDirectory() as directory:
        ...     file = pathlib.Path(directory, "proof.json")
        ...     _ = file.write_text(lw.regular.proofs_as_json(verdict.proofs), encoding="utf-8")
        ...     [each.holds for each in lw.check_proof(file)]
        [True, True, True]

    """
    from lengthwise.regular.proofs import ProofError, proofs_from_json

    def checked(proof: Proof) -> Checked:
        try:
            with time_limit(seconds).in_force():
                proof.check()
        except (ProofError, TimeLimitError) as problem:
            return Checked(proof, str(problem))
        return Checked(proof, None)

    return tuple(checked(proof) for proof in proofs_from_json(_proof_text(os.fspath(path))))


def _proof_text(file: str) -> str:
    try:
        if file == "-":
            raw = standard_input().read(LARGEST_PROOF + 1)
        else:
            with Path(file).open("rb") as source:
                raw = source.read(LARGEST_PROOF + 1)
    except OSError as problem:
        raise LengthwiseError(f"the proof {file} cannot be read: {problem.strerror}") from None
    if len(raw) > LARGEST_PROOF:
        raise LengthwiseError(f"the file {file} has more than {LARGEST_PROOF} bytes, which no proof has; is it one?")
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise LengthwiseError(f"the file {file} is not UTF-8 text, so it is no proof") from None


def program_for(subject: Subject) -> tuple[Program, str]:
    """The program of a subject, or the one that `decide` finds for its language.

    Args:
        subject: Any kind.

    Returns:
        The program, and a few words on where it comes from; none if it is the subject's own.

    Raises:
        LengthwiseError: There is no program.

    """
    if subject.program is not None:
        return subject.program, ""
    if subject.kind == "task" and (program := subject.task.program) is not None:
        return program, ""
    verdict = decide(subject)
    for answer in (verdict.nope, verdict.local, verdict.ape):
        if answer.program is not None:
            how = "proved equal at every length" if answer.proved else f"checked to length {answer.checked_to}"
            return answer.program, f"the program that `decide` finds, {how}"
    raise LengthwiseError(f"there is no program for {subject}: {verdict.ape.reason}")
