"""Training lengths that theorems promise: as printed, as repaired, as certified, or why there are none.

All are for the same promise: a model that agrees with the construction on all words up to the length, apart from an
error of ε_train, is within ε_train + `ERROR` of it on every word of any length. So the theorems are evaluated at
ε = `ERROR`, and stand-ins of certified lengths are within half of it. As a loss, the mean squared error, `ERROR`² is
promised, as far as ε_train may be neglected. Izzo et al., Theorems 4.1 and 5.2.

For programs and languages there is no such theorem. In its place stands the identification length: from which length on
words leave a learner of simplest programs no choice (`lengthwise.atlas.identification`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lengthwise import bounds
from lengthwise.atlas.identification import Identification, identification
from lengthwise.bounds.bound import Bound
from lengthwise.crasp import Program
from lengthwise.drawing.labels import power
from lengthwise.errors import LengthwiseError
from lengthwise.limit.constructions.construction import Construction
from lengthwise.regular import Automaton, Verdict
from lengthwise.study.expectation import LOGIT, construction_of
from lengthwise.tasks.task import Task

ERROR = 0.1
"""The error beyond ε_train that is promised."""
EXACT, LARGEST = 12, 300
"""Exact lengths are written digit by digit, and others as a number at all, up to these powers of ten."""
PROVED, SEARCHED = {False: 9, True: 7}, {False: 15, True: 8}
"""Up to which complexity simple programs are compared, with proofs and at all, without positions and with them."""
MOST_SYMBOLS = 4
"""Larger alphabets have too many short words for a quick answer."""
SECONDS = 120.0
"""How long a certified length is looked for; those of the papers' settings take less than one."""


@dataclass(frozen=True)
class TrainingLength:
    """One length, and where it is from."""

    name: str
    """A stable name: printed, repaired, certified."""
    label: str
    source: str
    """The theorem, or what the number holds for."""
    shown: str
    length: int | None
    """The length itself, if it is a number that can be written down."""
    log10: float | None

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            "name": self.name,
            "label": self.label,
            "source": self.source,
            "length": self.length,
            "log10": self.log10,
        }


@dataclass(frozen=True)
class TrainingLengths:
    """The lengths that there are for a task, or the reason why there are none."""

    lengths: tuple[TrainingLength, ...]
    error: float | None
    why_not: str | None
    """One sentence if some of printed, repaired and certified length is not defined."""
    assumptions: tuple[str, ...] = ()

    @property
    def certified(self) -> int | None:
        """The certified length for all models as steep as the construction."""
        return next((each.length for each in self.lengths if each.name == "certified"), None)

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            "defined": bool(self.lengths),
            "error": self.error,
            "lengths": [each.as_json() for each in self.lengths],
            "why_not": self.why_not,
            "assumptions": list(self.assumptions),
        }


def training_lengths(task: Task, verdict: Verdict) -> TrainingLengths:
    """The lengths that are promised for a task."""
    construction = construction_of(task)
    if construction is None:
        found = _identification(task, verdict)
        if found is None:
            return TrainingLengths((), None, f"None is defined: {_why_not(verdict)}")
        assumed = "the identification length is about learners of simplest programs; gradient descent need not be one"
        return TrainingLengths((found,), None, f"By theorems none is defined: {_why_not(verdict)}", (assumed,))
    try:
        made = _one_layer(construction) if len(construction.model.layers) == 1 else _two_layers(construction)
    except LengthwiseError as problem:
        return TrainingLengths((), None, f"For these parameters they are not defined: {problem}.")
    return made


def _why_not(verdict: Verdict) -> str:
    kinds = {verdict.nope.kind, verdict.ape.kind}
    if kinds == {"no"}:
        return (
            "the theorems compare a trained model with a limit transformer for the task, "
            "and the verdict says that there is no program to make one from."
        )
    if kinds == {"unknown"}:
        return "the theorems compare a trained model with a limit transformer for the task, and none is known."
    return (
        "the theorems are about models whose output changes gradually with the shares of the symbols, "
        "while a program says yes or no and so jumps; two inputs as alike as one likes can get different answers."
    )


def _identification(task: Task, verdict: Verdict) -> TrainingLength | None:
    """The identification length of a program or language that some program with positions decides."""
    if len(task.alphabet) > MOST_SYMBOLS:  # asked first: the programs of some tasks are long
        return None
    fragment = _fragment(task, verdict)
    acceptor: Program | Automaton | None = None if task.language is None else task.language.automaton
    if acceptor is None and task.program is not None and task.program.listing.accept is not None:
        acceptor = task.program
    if acceptor is None or fragment is None:
        return None
    symbols = task.alphabet.symbols
    found = identification(acceptor, symbols, fragment, complexity=PROVED[bool(fragment)])
    if found.complexity is None and SEARCHED[bool(fragment)] > PROVED[bool(fragment)]:
        # Proofs of all that larger atlases merge take minutes.
        most = SEARCHED[bool(fragment)]
        found = identification(acceptor, symbols, fragment, complexity=most, prove=False)
    return None if found.witness is None else _identified(found)


def _fragment(task: Task, verdict: Verdict) -> frozenset[str] | None:
    """The positional relations that a program for the task has; None if there is no program."""
    if verdict.nope.kind == "yes":
        return frozenset()
    if verdict.ape.kind != "yes":
        return None
    program = task.program or verdict.ape.program
    return None if program is None else program.fragment


def _identified(found: Identification) -> TrainingLength:
    witness = found.as_json()["witness"]
    sure = "" if found.exact else "at least "
    simpler = f"{sure}{found.strict_length} for simpler ones alone"
    return TrainingLength(
        "identification",
        "Identification length",
        f"a learner of simplest programs that is right on all words up to here ({simpler}); the last rival is "
        f"{witness['expression']}, until {witness['shortest_difference']}",
        f"{sure}{found.length}",
        found.length,
        math.log10(found.length),
    )


def _one_layer(construction: Construction) -> TrainingLengths:
    model = construction.model
    theorem = bounds.worst_case(model, model, ERROR)
    every = bounds.certified(model, ERROR / 2, sensitivity="own", seconds=SECONDS)
    alone = bounds.certified(model, ERROR / 2, seconds=SECONDS)
    found = [
        *_theorem(theorem, theorem.printed[0], theorem.printed[2]),
        TrainingLength(
            "certified",
            "Certified",
            "every model that attends to the same keys as the construction and is not steeper",
            every.shown,
            every.length,
            every.bound.log10,
        ),
        TrainingLength(
            "certified-construction",
            "Certified for the construction alone",
            "models whose output never changes more between two words than that of the construction",
            alone.shown,
            alone.length,
            alone.bound.log10,
        ),
    ]
    return TrainingLengths(tuple(found), ERROR, None, (*theorem.assumptions, *every.bound.assumptions))


def _two_layers(construction: Construction) -> TrainingLengths:
    theorem = bounds.two_layer(construction.model, construction.model, ERROR)
    why_not = (
        "The certified length is not defined: it is that of a model with one layer, since in a second layer the order "
        "of the symbols matters and not only how many there are."
    )
    assumptions = (*theorem.assumptions, f"the construction has β = {LOGIT:g} and Φ = {LOGIT:g}")
    return TrainingLengths(tuple(_theorem(theorem, *theorem.printed)), ERROR, why_not, assumptions)


def _theorem(repaired: Bound, printed: Bound | None = None, amended: Bound | None = None) -> Iterator[TrainingLength]:
    """The repaired theorem behind its printed forms."""
    if printed is not None:
        yield _row("printed", "As printed, hidden constant 1", printed)
    if amended is not None:
        yield _row("printed-amended", "As printed, with τ + 1 for τ (which is 0 here)", amended)
    yield _row("repaired", "Repaired, all constants explicit", repaired)


def _row(name: str, label: str, bound: Bound) -> TrainingLength:
    whole = bound.value if isinstance(bound.value, int) else None
    return TrainingLength(name, label, bound.theorem, _readable(bound), whole, bound.log10)


def _readable(bound: Bound) -> str:
    """The value of a bound: exact if it is a number that one can read, else about."""
    if isinstance(bound.value, int) and bound.log10 < EXACT:
        return f"{bound.value:,}"
    if bound.log10 < EXACT / 2:
        return f"about {10**bound.log10:,.0f}"
    return f"about {power(float(f'{10**bound.log10:.1e}'))}" if bound.log10 < LARGEST else f"about {bound.shown}"
