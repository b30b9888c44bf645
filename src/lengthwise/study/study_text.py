"""A study as text, as the command line prints it: how the subject was read, what to expect, and what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from lengthwise.study.answer import expected_sentence, how_far_told
from lengthwise.study.expectation import expected
from lengthwise.study.schemes import Scheme

if TYPE_CHECKING:
    from lengthwise.study.conduct import Outlook
    from lengthwise.study.result import Study


def outlook_lines(known: Outlook, schemes: Sequence[Scheme]) -> Iterator[str]:
    """How the subject was read, the verdict and the bounds, in a few lines."""
    yield known.subject.subject.meaning
    yield expected_sentence(known.subject.title, known.verdict, schemes)
    yield ""
    width = max(len(scheme.name) for scheme in schemes)
    for scheme in schemes:
        answer = expected(known.verdict, scheme.key)
        yield f"{scheme.name:{width}}  {answer.kind:7}  {answer.reason}"
    for each in known.bounds.lengths:
        yield f"training length  {each.shown:>18}  {each.label}"
    if known.bounds.why_not:
        yield f"training lengths: {known.bounds.why_not[0].lower()}{known.bounds.why_not[1:]}"


def found_lines(study: Study) -> Iterator[str]:
    """The headline, what was measured, and whether it agrees."""
    yield study.answer.headline
    yield ""
    for each in study.findings.values():
        told = f"; {how_far_told(each)}" if each.learned else ""
        yield f"{each.name}: {each.outcome}{told}"
        yield f"  {each.why}"
        yield f"  {each.agreement}: {each.explanation}"
    for sentence in study.left_out:
        yield f"left out: {sentence}"
