"""The functions of `import lengthwise`: each reads its subject and calls one package, which takes typed objects."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lengthwise.crasp import Program
from lengthwise.errors import LengthwiseError
from lengthwise.subjects import Subject, as_symbols, both
from lengthwise.subjects.checked import as_checked
from lengthwise.subjects.names import EQUAL
from lengthwise.subjects.subject import Symbols

if TYPE_CHECKING:
    from lengthwise.regular import Automaton, Budget, Comparison, Verdict
    from lengthwise.regular.acceptance import Acceptance
    from lengthwise.runs.engines.engine import Engine
    from lengthwise.study import Plan, Study


def decide(
    subject: object,
    alphabet: Symbols | None = None,
    acceptance: Acceptance = "last",
    budget: Budget | None = None,
) -> Verdict:
    """Decide whether one C-RASP program handles a language or task at all lengths.

    Args:
        subject: What `Subject.of` takes: a regex, the name of a language, library program or task, a file, an object.
        alphabet: The symbols of a regex, a predicate or a program whose alphabet is open.
        acceptance: Where words are accepted: at their `last` symbol, or at an end marker, `eos`.
        budget: What may be spent.

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
    found = Subject.of(subject, alphabet)
    verdict = replace(_verdict(found, as_symbols(alphabet), acceptance, budget), meaning=found.meaning)
    return as_checked(verdict, found)


def _verdict(
    subject: Subject, symbols: tuple[str, ...] | None, acceptance: Acceptance, budget: Budget | None
) -> Verdict:
    from lengthwise import regular

    if subject.kind == "task":
        from lengthwise.tasks import AnswerTask
        from lengthwise.tasks.claim import claim_verdict, has_claim

        task = subject.task
        if isinstance(task, AnswerTask):
            return task.verdict()
        if has_claim(task):
            return replace(claim_verdict(task, budget=budget), subject=subject.text)
        known = task.language if task.language is not None else task.program
        if known is None:
            raise LengthwiseError(f"there is no verdict on {subject}: it comes with neither a language nor a program")
        return regular.decide(known, None, acceptance, budget, subject.text)
    # Of what is both, the language if the catalogue has it: it is decided exactly, without a search for its automaton.
    as_program = subject.program is not None and (symbols is not None or subject.name not in EQUAL)
    known = subject.program if as_program or subject.language is None else subject.language
    if known is None:
        raise LengthwiseError(f"there is no verdict on {subject}: it has neither a language nor a program")
    return regular.decide(known, symbols, acceptance, budget, subject.text)


@dataclass(frozen=True)
class Verified:
    """A comparison and the two subjects it is about."""

    left: Subject
    right: Subject
    comparison: Comparison

    @property
    def acceptors(self) -> tuple[Program | Automaton, Program | Automaton]:
        """What accepts words on both sides."""
        return self.left.as_acceptor(), self.right.as_acceptor()


def verify(
    left: object,
    right: object,
    alphabet: Symbols | None = None,
    seconds: float | None = 30.0,
    states: int = 200_000,
) -> Comparison:
    """Compare two programs, automata, languages or regexes at every length.

    Args:
        left: What `Subject.of` takes; a regex is read over the symbols of both sides.
        right: The same.
        alphabet: The symbols of the words to compare; else those of both.
        seconds: How long to try.
        states: How many configurations to compare.

    Returns:
        Whether they are equal, or the shortest difference, or how far they agree.

    Raises:
        LengthwiseError: A side names nothing, has two meanings or accepts no words.

    Example:
        >>> import lengthwise as lw
        >>> lw.verify("d2", "(a(ab)*b)*").equal
        True

    """
    return verified(left, right, alphabet, seconds, states).comparison


def verified(
    left: object,
    right: object,
    alphabet: Symbols | None = None,
    seconds: float | None = 30.0,
    states: int = 200_000,
) -> Verified:
    """The comparison of `verify`, together with the subjects; the same arguments."""
    from lengthwise import regular

    sides = both(left, right, alphabet)
    found = regular.verify(sides[0].as_acceptor(), sides[1].as_acceptor(), as_symbols(alphabet), seconds, states)
    checked = [side.checked_to for side in sides if side.checked_to is not None]
    if checked and (found.difference is None or len(found.difference) > min(checked)):
        # The automaton of a predicate was compared with it on words up to this length; about others, nothing is known.
        known_to = min([*checked, *([found.checked_to] if found.checked_to is not None else [])])
        found = replace(found, equal=None, difference=None, checked_to=known_to, proof=None)
    return Verified(*sides, found)


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


def study(
    subject: object,
    minutes: float = 5.0,
    seeds: int = 3,
    *,
    target_length: int | None = None,
    train_lengths: Sequence[int] | None = None,
    positions: str | Sequence[str] | None = None,
    model: str | None = None,
    device: str = "cpu",
    store: str | os.PathLike[str] = "lengthwise-runs",
    engine: str | Engine = "local",
    announce: Callable[[str], None] | None = None,
    **parameters: Any,
) -> Study:
    """Decide, bound and measure one subject: which training length, which position scheme, how far?

    Trains small GPT-2s unless the store has these runs already.

    Args:
        subject: What `Subject.of` takes: a text, a program, a language, an automaton, a task, a predicate.
        minutes: The most time that training may take, by estimate.
        seeds: Models for each setting, at least 3.
        target_length: L, the length at which models should work; else three times the longest training length.
        train_lengths: The training lengths to compare; else 40, and 20 and 10 as far as there is time.
        positions: Position schemes, as a list or with commas between: `none`, `learned`, `rope`, `alibi`, `fire`,
            `randomized`, `periodic`, `relative`, or registered ones; else `none` and `learned`.
        model: The only model to train, such as `4/4/128`; else 2/2/64, and larger ones while that does not learn.
        device: `cpu`, `cuda` or `auto`.
        store: Where plans and runs are kept.
        engine: `local`, `serial` or `ray`, or an engine.
        announce: Is told the verdict, the bounds and the plan, line by line, before training.
        **parameters: Those of the task, such as `omega=3`, and the `alphabet` of a regex or a predicate.

    Returns:
        The study: it draws itself in a notebook, prints itself, and `write` makes the files of `lengthwise study`.

    Raises:
        LengthwiseError: The subject or an argument is none, or no model could be trained.

    Example:
        >>> import lengthwise as lw
        >>> lw.study("majority", positions="none,rope", target_length=100).write("majority")  # doctest: +SKIP

    """
    from lengthwise.study import conduct

    options = _study_options(minutes, seeds, target_length, train_lengths, positions, model, device)
    return conduct.study(subject, options, parameters, store=store, engine=engine, announce=announce)


def plan_study(
    subject: object,
    minutes: float = 5.0,
    seeds: int = 3,
    *,
    target_length: int | None = None,
    train_lengths: Sequence[int] | None = None,
    positions: str | Sequence[str] | None = None,
    model: str | None = None,
    device: str = "cpu",
    store: str | os.PathLike[str] = "lengthwise-runs",
    engine: str | Engine = "local",
    announce: Callable[[str], None] | None = None,
    **parameters: Any,
) -> Plan:
    """Show what `study` would train and about how long it would take, and train nothing.

    Args:
        subject: What `Subject.of` takes.
        minutes: The most time that training may take, by estimate.
        seeds: Models for each setting, at least 3.
        target_length: L, the length at which models should work.
        train_lengths: The training lengths to compare.
        positions: Position schemes, as a list or with commas between.
        model: The only model to train, such as `4/4/128`.
        device: `cpu`, `cuda` or `auto`.
        store: Where a plan of this request may be kept already.
        engine: Where models would be trained; its processes are what the estimate is for.
        announce: Is told the verdict, the bounds and the plan, line by line.
        **parameters: Those of the task, and the `alphabet` of a regex or a predicate.

    Returns:
        The plan. A store that has none for this request keeps none.

    Raises:
        LengthwiseError: As for `study`.

    Example:
        >>> import lengthwise as lw
        >>> lw.plan_study("majority", announce=print)  # doctest: +SKIP

    """
    from lengthwise.study import conduct

    options = _study_options(minutes, seeds, target_length, train_lengths, positions, model, device)
    return conduct.plan(subject, options, parameters, store=store, engine=engine, announce=announce)


def _study_options(
    minutes: float,
    seeds: int,
    target_length: int | None,
    train_lengths: Sequence[int] | None,
    positions: str | Sequence[str] | None,
    model: str | None,
    device: str,
) -> dict[str, Any]:
    return {
        "minutes": minutes,
        "seeds": seeds,
        "target_length": target_length,
        "train_lengths": train_lengths,
        "positions": positions,
        "model": model,
        "device": device,
    }
