"""Predictors of length generalization: what theories say about a task with a position scheme, before any training.

`C-RASP` is the theory of Huang et al.: C-RASP[periodic, local] for learned positions, C-RASP[∅] without any. Its rivals
are classes that do not know of positions: star-free languages, dot-depth at most 1, and AC⁰ (their Figures 3 and 4).
Star-freeness and dot-depth are about regular languages alone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from lengthwise.experiments.generalization.cell import Scheme
from lengthwise.regular import Verdict, decide, decide_task, get_language, languages
from lengthwise.regular.algebra.classes import Classes, classify
from lengthwise.regular.algorithmic.decide import paper_row, task_names

PREFIX = "task:"
"""Before the names of algorithmic tasks."""

Prediction = bool | None
"""Whether a model should generalize; None if a theory says nothing."""


@cache
def verdict_of(task: str) -> Verdict:
    """What `decide` says about a task."""
    return decide_task(task.removeprefix(PREFIX)) if task.startswith(PREFIX) else decide(get_language(task))


@cache
def classes_of(task: str) -> Classes | None:
    """The classical classes of a regular language; None for tasks that are none."""
    return classify(get_language(task).automaton) if task in languages() else None


def c_rasp(task: str, scheme: Scheme) -> Prediction:
    """Whether there is a program of the C-RASP that belongs to the scheme."""
    verdict = verdict_of(task)
    answer = verdict.nope if scheme == "nope" else verdict.ape
    return None if answer.kind == "unknown" else answer.kind == "yes"


def star_free(task: str, scheme: Scheme) -> Prediction:
    """Whether the language is star-free."""
    classes = classes_of(task)
    return None if classes is None else classes.star_free


def dot_depth_one(task: str, scheme: Scheme) -> Prediction:
    """Whether the language has dot-depth at most 1."""
    classes = classes_of(task)
    return None if classes is None else classes.dot_depth in ("0", "1")


def ac0(task: str, scheme: Scheme) -> Prediction:
    """Whether the task is in AC⁰; for algorithmic ones as in Table 3, and nothing about others."""
    classes, name = classes_of(task), task.removeprefix(PREFIX)
    if classes is not None:
        return classes.ac0
    return paper_row(name).ac0 == "yes" if name in task_names() else None


PREDICTORS: dict[str, Callable[[str, Scheme], Prediction]] = {
    "C-RASP": c_rasp,
    "star-free": star_free,
    "dot-depth ≤ 1": dot_depth_one,
    "AC⁰": ac0,
}
"""By name, that of the paper first."""
