"""What is to be expected of a subject before anything is trained: the verdict of `decide`, or of a construction.

A language or program is decided by `lengthwise.regular`, as are the algorithmic tasks of Huang et al. The tasks of Izzo
et al. are functions to numbers, which C-RASP does not speak of; for them a Limit Transformer is written down, and the
verdict says which position information it needs.

`promises` says what a verdict promises and what it does not, for those answers that a study has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from lengthwise.crasp import Program
from lengthwise.limit.constructions import NAMED, named_construction
from lengthwise.limit.constructions.construction import Construction
from lengthwise.regular import Answer, Verdict, decide
from lengthwise.study.subject import Studied
from lengthwise.study.wording import spelled
from lengthwise.subjects.checked import as_checked
from lengthwise.tasks.algorithmic.answer_task import AnswerTask
from lengthwise.tasks.claim import claim_verdict, has_claim
from lengthwise.tasks.task import Task

LOGIT = 8.0
"""β and Φ of the k-gram's construction: with larger ones it is more exact, and its bounds are longer."""
UNDECIDED = Answer("unknown", "the task comes with neither a language nor a program, so there is nothing to decide")


@dataclass(frozen=True)
class ConstructedVerdict(Verdict):
    """A verdict from a limit transformer; it has no program that tells whether periodic positions are enough."""

    periodic: Answer = UNDECIDED


def construction_of(task: Task) -> Construction | None:
    """The Limit Transformer that is written down for a task, where there is one."""
    if task.name not in NAMED:
        return None
    given: dict[str, Any] = dict(task.parameters)
    if task.name == "k-gram":
        given = {"context": given["context"], "symbols": task.alphabet.symbols, "beta": LOGIT, "phi": LOGIT}
    known = NAMED[task.name].arguments
    return named_construction(task.name, {name: value for name, value in given.items() if name in known})


def expectation(subject: Studied) -> Verdict:
    """The verdict on what is trained."""
    task = subject.task
    construction = construction_of(task)
    if construction is not None:
        return _constructed(subject, construction)
    if isinstance(task, AnswerTask):
        found = task.verdict()
    elif has_claim(task):
        found = claim_verdict(task)
    elif task.program is not None:
        found = decide(task.program, None if task.language is None else task.language.alphabet.symbols)
    elif task.language is not None:
        found = decide(task.language)
    else:
        found = Verdict(subject.title, UNDECIDED, UNDECIDED, UNDECIDED, "last")
    return as_checked(replace(found, subject=subject.title, meaning=subject.subject.meaning), subject.subject)


def _constructed(subject: Studied, construction: Construction) -> Verdict:
    """Yes where the construction gets along with the position information, else unknown."""
    model = construction.model
    # With two layers, attention copies symbols softly: nearly, and better the more there is to average.
    does = "one layer computes" if len(model.layers) == 1 else f"{spelled(len(model.layers))} layers approximates"
    computed = f"a limit transformer with {does} {construction.description}"
    needs = [f"positions modulo {model.period}"] if model.period > 1 else []
    needs += [f"a window of {model.window + 1} positions"] if model.window else []
    ape = Answer("yes", f"{computed}, and uses {' and '.join(needs) or 'no position information'}")
    local = ape if model.period == 1 else _open(f"positions modulo {model.period}", "a window alone")
    periodic = _open(f"a window of {model.window + 1} positions", "none") if model.window else ape
    nope = ape if not needs else _open(" and ".join(needs), "no position information")
    meaning = subject.subject.meaning
    return ConstructedVerdict(subject.title, nope, ape, local, "last", meaning=meaning, periodic=periodic)


def _open(uses: str, less: str) -> Answer:
    return Answer(
        "unknown", f"the limit transformer that is known for it uses {uses}; whether one with {less} exists is open"
    )


def expected(verdict: Verdict, scheme: str) -> Answer:
    """The answer for a position scheme, by its key.

    Relative positions within a window are what C-RASP[local] has, and a limit transformer without positional encodings:
    a function of the distance that is zero from some distance on is added to logits.
    """
    match scheme:
        case "nope":
            return verdict.nope
        case "ape":
            return verdict.ape
        case "periodic":
            return _periodic(verdict)
        case "relative":
            return verdict.local
    return Answer("unknown", "no theorem of the papers is about this position scheme")


def programs_of(verdict: Verdict) -> tuple[Program, ...]:
    """The programs of a verdict, from those with the least position information on."""
    found = (answer.program for answer in (verdict.nope, verdict.local, verdict.ape))
    return tuple(program for program in found if program is not None)


def _periodic(verdict: Verdict) -> Answer:
    """Yes if what is known for absolute positions looks at no window; else whether something does without is open."""
    if isinstance(verdict, ConstructedVerdict):
        return verdict.periodic
    if verdict.nope.kind == "yes":
        return verdict.nope
    program = verdict.ape.program
    if verdict.ape.kind != "yes" or (program is not None and not program.window):
        return verdict.ape
    if program is None:
        return Answer("unknown", "no program was found; whether there is one that looks at no window is open")
    return Answer("unknown", "the program that was found looks at a window; whether one without exists is open")


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
