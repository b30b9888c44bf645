"""A study as text, as the command line prints it: how the subject was read, what to expect, and what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from lengthwise.regular import Verdict
from lengthwise.report.study.answer import expected_sentence
from lengthwise.report.study.expectation import SCHEME_NAMES, expected
from lengthwise.report.study.subject import Studied
from lengthwise.report.study.training_lengths import TrainingLengths

if TYPE_CHECKING:
    from lengthwise.report.study.result import Study


def outlook_lines(subject: Studied, verdict: Verdict, bounds: TrainingLengths, schemes: Sequence[str]) -> Iterator[str]:
    """How the subject was read, the verdict and the bounds, in a few lines."""
    yield subject.subject.meaning
    yield expected_sentence(subject.title, verdict, schemes)
    yield ""
    width = max(len(SCHEME_NAMES[scheme]) for scheme in schemes)
    for scheme in schemes:
        answer = expected(verdict, scheme)
        yield f"{SCHEME_NAMES[scheme]:{width}}  {answer.kind:7}  {answer.reason}"
    for each in bounds.lengths:
        yield f"training length  {each.shown:>18}  {each.label}"
    if bounds.why_not:
        yield f"training lengths: {bounds.why_not[0].lower()}{bounds.why_not[1:]}"


def found_lines(study: Study) -> Iterator[str]:
    """What was measured, and whether it agrees."""
    yield study.answer[1]
    for each in study.findings.values():
        yield f"{each.agreement}: {each.explanation}"
