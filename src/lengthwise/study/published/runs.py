"""Published runs of the same task, to stand beside a study."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

from lengthwise.crasp.library import catalogue as library
from lengthwise.regular import Language
from lengthwise.regular.languages.catalogue import get_language
from lengthwise.regular.languages.from_program import automaton_of
from lengthwise.study.published import figure1, state_prediction
from lengthwise.study.published.canonical import MOST_LETTERS, canonical_form, without_unused_letters
from lengthwise.study.published.figure1 import ReportedMeans, Scheme, reported_means
from lengthwise.study.published.state_prediction import StatePrediction
from lengthwise.subjects import Subject

Asks = Literal["state", "next", "answer"]
Relation = Literal["same language", "same words", "other letters", "same task"]
MOST_CONFIGURATIONS = 200
"""Of a program whose language is not known; the published automata have at most 14 states."""
SECONDS = 0.05
"""How long its automaton is looked for."""

TASKS: dict[Asks, str] = {
    "state": "predicting the state of the automaton after every symbol",
    "next": "predicting the set of next symbols after every symbol",
    "answer": "writing the answer",
}
RELATIONS: dict[Relation, str] = {
    "same language": "the same language",
    "same words": "the same words over another alphabet",
    "other letters": "the same language with other letters",
    "same task": "the same task",
}
SCHEMES: dict[Scheme, str] = {"ape": "with learned absolute positions", "nope": "without positions"}


@dataclass(frozen=True)
class AtLengths:
    """Accuracies on words of a range of lengths; those that were not published are None."""

    shortest: int
    longest: int
    median: float | None = None
    best: float | None = None
    mean: float | None = None


@dataclass(frozen=True)
class PublishedRuns:
    """What published runs of one task with one position scheme did."""

    source: str
    """The publication."""
    url: str
    """Where its numbers are."""
    published_as: str
    """The regex or the name of the task that was trained."""
    relation: Relation
    """What it has to do with the subject that was looked up."""
    asks: Asks
    """What models were asked: the automaton's state, the set of next symbols, or an answer."""
    scheme: Scheme
    train_length: int
    runs: int | None
    """How many runs the accuracies are over, those that fitted words of training lengths; None if it is not told."""
    bins: tuple[AtLengths, ...]

    @property
    def task(self) -> str:
        """What models were asked, in words."""
        return TASKS[self.asks]

    @property
    def sentence(self) -> str:
        """All of it in one sentence."""
        return (
            f"{self.source}, {self.published_as}{self._relation}: models {SCHEMES[self.scheme]}, {self.task}, were "
            f"trained up to length {self.train_length}, and {self._accuracies}."
        )

    @property
    def _relation(self) -> str:
        return f" ({RELATIONS[self.relation]})" if self.relation in ("same words", "other letters") else ""

    @property
    def _accuracies(self) -> str:
        if self.bins[0].mean is not None:
            runs = "" if self.runs is None else f" of {self.runs} successful seeds"
            return f"the means{runs} by length are {self._by_length('mean')}"
        if self.runs == 1:
            return f"the one that fitted was right by length on {self._by_length('best')}"
        return (
            f"of the {self.runs} that fitted, the median was right by length on {self._by_length('median')}, and the "
            f"best on {self._by_length('best')}"
        )

    def _by_length(self, name: Literal["median", "best", "mean"]) -> str:
        return ", ".join(f"{100 * getattr(each, name):.4g} % ({each.shortest}–{each.longest})" for each in self.bins)


def published_runs(subject_or_language: object) -> tuple[PublishedRuns, ...]:
    """Find published runs of the same language or task.

    Languages are compared as sets of words, also after their letters are renamed if at most four letters occur in their
    words. Algorithmic tasks and library programs are found by name.

    Args:
        subject_or_language: A subject, or anything that `Subject.of` reads.

    Returns:
        One entry for each publication and position scheme, equal languages before renamed ones; empty if there is none.

    Raises:
        LengthwiseError: As for `Subject.of`.

    Example:
        >>> for runs in published_runs("(0|1)*1"):
        ...     print(runs.published_as, runs.relation, runs.bins[1].best)
        (a|b)*b other letters 0.211

    """
    subject = Subject.of(subject_or_language)
    language = _language(subject)
    found = [] if language is None else _of_language(language)
    if not found:
        found = [_of_means(means, "same task") for means in reported_means() if _has_name(subject, means.task)]
    return tuple(found)


def _language(subject: Subject) -> Language | None:
    """The regular language of a subject, if it has one or it is soon found."""
    language = subject.task.language if subject.kind == "task" else subject.language
    program = subject.program
    if language is not None or program is None or program.listing.accept is None:
        return language
    if program.predicts or len(program.alphabet.symbols) > MOST_LETTERS:
        return None
    automaton = automaton_of(program, None, MOST_CONFIGURATIONS, SECONDS)
    return None if automaton is None else Language(automaton, subject.text)


def _has_name(subject: Subject, task: str) -> bool:
    """Whether a subject is the registered task or the library program of a name, and no file or object called so."""
    if subject.name != task:
        return False
    return subject.kind == "task" or (library.knows(task) and subject.program == library.get(task))


def _of_language(language: Language) -> list[PublishedRuns]:
    """The entries of an equal or a renamed language, equal ones first."""
    form = canonical_form(language.automaton)
    digest = None if form is None else form.digest
    states = [
        _of_states(row, relation(language, row.language))
        for row in state_prediction.state_prediction()
        if row.form == digest
    ]
    means = [
        _of_means(each, relation(language, get_language(each.task)))
        for task in _names_of_form().get(digest or "", ()) or _names_of_language().get(language, ())
        for each in reported_means()
        if each.task == task
    ]
    return sorted(states + means, key=lambda runs: runs.relation == "other letters")


@cache
def _names_of_form() -> dict[str, tuple[str, ...]]:
    """The languages of Figure 1 by the digests of their forms."""
    found: dict[str, tuple[str, ...]] = {}
    for task in _languages_of_figure_1():
        form = canonical_form(get_language(task).automaton)
        if form is not None:
            found[form.digest] = (*found.get(form.digest, ()), task)
    return found


@cache
def _names_of_language() -> dict[Language, tuple[str, ...]]:
    return {get_language(task): (task,) for task in _languages_of_figure_1()}


def _languages_of_figure_1() -> list[str]:
    return list(dict.fromkeys(means.task for means in reported_means() if means.kind == "regular"))


def relation(language: Language, published: Language) -> Relation:
    """What a language has to do with a published one of the same canonical form."""
    if language == published:
        return "same language"
    own, other = (without_unused_letters(each.automaton) for each in (language, published))
    equal = own is not None and other is not None and Language(own) == Language(other)
    return "same words" if equal else "other letters"


def _of_states(row: StatePrediction, how: Relation) -> PublishedRuns:
    bins = tuple(AtLengths(*each, row.median[each], row.best[each]) for each in state_prediction.BINS)
    return PublishedRuns(
        state_prediction.SOURCE, state_prediction.REPOSITORY, row.regex, how, "state", "ape",
        state_prediction.TRAIN_LENGTH, row.fitted, bins,
    )  # fmt: skip


def _of_means(means: ReportedMeans, how: Relation) -> PublishedRuns:
    bins = tuple(AtLengths(*each, mean=mean) for each, mean in zip(means.bins, means.accuracies, strict=True))
    return PublishedRuns(
        figure1.SOURCE, figure1.REPOSITORY, means.task, how, "next" if means.kind == "regular" else "answer",
        means.scheme, means.train_length, means.runs, bins,
    )  # fmt: skip
