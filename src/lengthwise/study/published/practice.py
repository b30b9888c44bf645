"""What published runs say about verdicts in general: how many languages of each class held on longer words.

A language *held* in a bin of lengths if the run was right on at least 90 % of its words. Classes are by our own
verdicts, which the data file has as a column.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import get_args

from lengthwise.errors import LengthwiseError
from lengthwise.regular import Verdict
from lengthwise.regular.languages.catalogue import table_row
from lengthwise.study.published.figure1 import reported_means
from lengthwise.study.published.state_prediction import BINS, Run, StatePrediction, VerdictClass, state_prediction

GOOD = 0.9
"""The accuracy from which on a language held."""
TWICE, THRICE = BINS[:2]
"""The bins at two and three times the training length."""
STATE_PREDICTION = "state prediction, training up to length 50, arXiv 2608.13433"
WITH_PROGRAM: dict[VerdictClass, str] = {
    "counts": "with a program of C-RASP[∅] that is read at an end marker",
    "local": "with a program of C-RASP[local], but none of C-RASP[∅] that is read at an end marker",
    "periodic": "with a program of C-RASP[periodic, local], but none of C-RASP[local]",
    "none": "without a program of C-RASP[periodic, local]",
}
WITH_SOME_PROGRAM = "with a program of C-RASP[periodic, local], but none of C-RASP[∅] that is read at an end marker"


@dataclass(frozen=True)
class Held:
    """How many languages of a class held in a bin of lengths."""

    held: int
    of: int

    def __str__(self) -> str:
        return f"{self.held} of {self.of}"


def class_of_verdicts(verdict_eos: Verdict, verdict: Verdict) -> VerdictClass | None:
    """Find the class of published languages that a language belongs to.

    Args:
        verdict_eos: Its verdict at an end marker, `decide(…, acceptance="eos")`.
        verdict: Its verdict at the last symbol.

    Returns:
        The class; None if the answers that it depends on are unknown.

    Raises:
        LengthwiseError: The verdicts are not of these two acceptances.

    Example:
        >>> from lengthwise.regular import Language, decide
        >>> language = Language.from_regex("(a|b)*b")
        >>> class_of_verdicts(decide(language, acceptance="eos"), decide(language))
        'local'

    """
    if (verdict_eos.acceptance, verdict.acceptance) != ("eos", "last"):
        raise LengthwiseError(
            "the first verdict is read at an end marker, acceptance 'eos', and the second at the last symbol, 'last', "
            f"not at {verdict_eos.acceptance!r} and {verdict.acceptance!r}"
        )
    answers: tuple[tuple[VerdictClass, str], ...] = (
        ("counts", verdict_eos.nope.kind),
        ("local", verdict.local.kind),
        ("periodic", verdict.ape.kind),
    )
    for name, kind in answers:
        if kind != "no":
            return name if kind == "yes" else None
    return "none"


@cache
def languages_that_held(classes: tuple[VerdictClass, ...], run: Run, lengths: tuple[int, int]) -> Held:
    """Count the languages of some classes whose best or median run held in a bin of lengths.

    Args:
        classes: The classes.
        run: `best` or `median`.
        lengths: One of the bins of the data.

    Returns:
        How many held, of how many.

    Example:
        >>> str(languages_that_held(("counts",), "best", (101, 150)))
        '29 of 29'

    """
    rows = [row for row in state_prediction() if row.verdict_class in classes]
    return Held(sum(row.accuracy(run, lengths) >= GOOD for row in rows), len(rows))


@cache
def languages_told_apart(classes: tuple[VerdictClass, ...], run: Run, lengths: tuple[int, int]) -> Held:
    """Count the languages that held if they are of some classes, and did not if they are of the others.

    Args:
        classes: The classes that are expected to hold.
        run: `best` or `median`.
        lengths: One of the bins of the data.

    Returns:
        How many are as expected, of how many.

    Example:
        >>> str(languages_told_apart(("counts",), "best", (101, 150)))
        '54 of 56'

    """
    rows = state_prediction()
    return Held(len(rows) - len(exceptions(classes, run, lengths)), len(rows))


def exceptions(classes: tuple[VerdictClass, ...], run: Run, lengths: tuple[int, int]) -> tuple[StatePrediction, ...]:
    """The languages that are not as `languages_told_apart` expects."""
    return tuple(
        row for row in state_prediction() if (row.verdict_class in classes) != (row.accuracy(run, lengths) >= GOOD)
    )


@cache
def means_that_held(nope: bool, ape: bool, scheme: str) -> Held:
    """Count the regular languages of Huang et al., Figure 1, whose mean accuracy held at 101–150 symbols.

    Args:
        nope: Whether C-RASP[∅] has a program that is read at the last symbol.
        ape: Whether C-RASP[periodic, local] has one.
        scheme: `nope` or `ape`, the position scheme of the models.

    Returns:
        How many of the languages with these two verdicts held, of how many.

    Example:
        >>> str(means_that_held(True, True, "ape"))
        '9 of 9'

    """
    rows = [
        means.accuracies[-1]
        for means in reported_means()
        if means.kind == "regular" and means.scheme == scheme
        and (table_row(means.task).nope, table_row(means.task).ape) == (nope, ape)
    ]  # fmt: skip
    return Held(sum(accuracy >= GOOD for accuracy in rows), len(rows))


def in_practice(verdict_eos: Verdict, verdict: Verdict) -> tuple[str, ...]:
    """Say what published runs let one expect of a language with these verdicts.

    Args:
        verdict_eos: The verdict at an end marker, `decide(…, acceptance="eos")`.
        verdict: The verdict at the last symbol.

    Returns:
        Sentences with counts: what languages with such verdicts did, how well the verdict at an end marker tells apart
        those that hold, and the means of Huang et al.; none where answers are unknown.

    Raises:
        LengthwiseError: The verdicts are not of these two acceptances.

    Example:
        >>> from lengthwise.regular import Language, decide
        >>> language = Language.from_regex("(a|b)*b")
        >>> print(in_practice(decide(language, acceptance="eos"), decide(language))[1])  # doctest: +ELLIPSIS
        Having a program of C-RASP[∅] at an end marker or not tells apart ... 54 of 56 ...

    """
    classes = _classes(verdict_eos, verdict)
    if not classes:
        return ()
    return (*_of_classes(classes), _told_apart(), *_in_figure_1(verdict))


def _classes(verdict_eos: Verdict, verdict: Verdict) -> tuple[VerdictClass, ...]:
    """The class of a language, or two if it is not known whether it needs periods."""
    found = class_of_verdicts(verdict_eos, verdict)
    if found is not None:
        return (found,)
    between = verdict_eos.nope.kind == "no" and verdict.ape.kind == "yes"
    return ("local", "periodic") if between else ()


def _of_classes(classes: tuple[VerdictClass, ...]) -> tuple[str, ...]:
    """What languages of the same class did."""
    near, near_median = (languages_that_held(classes, run, TWICE) for run in get_args(Run))
    far, far_median = (languages_that_held(classes, run, THRICE) for run in get_args(Run))
    which = WITH_PROGRAM[classes[0]] if len(classes) == 1 else WITH_SOME_PROGRAM
    many = f"the {far.of} published languages" if far.of > 1 else "the one published language"
    among = f"of {many} {which} ({STATE_PREDICTION})"
    right = f"right on at least {100 * GOOD:g} % of the words of"
    if classes == ("counts",):
        return (
            f"With absolute positions, {among}, {far.held} held at three times the training length in the best run of "
            f"each, {right} {_bin(THRICE)} symbols, and {far_median.held} in the median run.",
        )
    may = "may hold at twice the training length" if near.held else "did not help in published runs of state prediction"
    return (
        f"Absolute positions {may}: {among}, {near.held} held at twice the training length in the best run of each, "
        f"{right} {_bin(TWICE)} symbols, and {near_median.held} in the median run; at three times the training length, "
        f"{_bin(THRICE)} symbols, {far.held} held in the best run and {far_median.held} in the median run.",
    )


def _told_apart() -> str:
    best, median = (languages_told_apart(("counts",), run, THRICE) for run in get_args(Run))
    more = languages_told_apart(("counts", "local", "periodic"), "best", THRICE)
    return (
        "Having a program of C-RASP[∅] at an end marker or not tells apart which of the published languages hold at "
        f"three times the training length with absolute positions: {best} by the best run of each and {median} by the "
        f"median run. C-RASP[periodic, local] does so for {more} by the best run."
    )


def _in_figure_1(verdict: Verdict) -> tuple[str, ...]:
    """What the means of Huang et al. say of languages with the same verdicts at the last symbol."""
    if "unknown" in (verdict.nope.kind, verdict.ape.kind):
        return ()
    positive = verdict.nope.kind == "yes", verdict.ape.kind == "yes"
    with_positions, without = (means_that_held(*positive, scheme) for scheme in ("ape", "nope"))
    return (
        "In Figure 1 of Huang et al. (prediction of the next symbols, training up to length 50, means over seeds), of "
        f"the {with_positions.of} regular languages with the same verdicts at the last symbol, {with_positions.held} "
        f"held at {_bin(THRICE)} symbols with absolute positions and {without.held} without positions.",
    )


def _bin(lengths: tuple[int, int]) -> str:
    return f"{lengths[0]}–{lengths[1]}"
