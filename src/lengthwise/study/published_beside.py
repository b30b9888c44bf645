"""Published runs beside a study: those of the same task, and what languages with the same verdicts did."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from lengthwise.errors import LengthwiseError
from lengthwise.regular import Language, Verdict, decide
from lengthwise.study.published import PublishedRuns, in_practice, published_runs

if TYPE_CHECKING:
    from lengthwise.study.subject import Studied


def language_of(subject: Studied) -> Language | None:
    """The regular language that is trained, if there is one."""
    return subject.task.language or subject.subject.language


def published_beside(subject: Studied, verdict: Verdict) -> dict[str, Any]:
    """Find what published runs say about a subject.

    Args:
        subject: What is studied.
        verdict: The verdict on it.

    Returns:
        Plain data: under `runs` the published runs of the same language or task, each with a `sentence`, and under
        `in_practice` sentences about languages with the same verdicts. Both are empty where nothing is known.

    """
    try:
        runs = [_run(each) for each in published_runs(subject.subject)]
    except LengthwiseError:
        # A file that is gone, or an object that cannot be read a second time, has no published runs.
        runs = []
    return {"runs": runs, "in_practice": list(_in_practice(subject, verdict))}


def _run(runs: PublishedRuns) -> dict[str, Any]:
    return {**asdict(runs), "task": runs.task, "sentence": runs.sentence}


def _in_practice(subject: Studied, verdict: Verdict) -> tuple[str, ...]:
    language = language_of(subject)
    if language is None or verdict.acceptance != "last":
        return ()
    try:
        return in_practice(decide(language, acceptance="eos"), verdict)
    except LengthwiseError:
        return ()
