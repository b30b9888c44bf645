"""A verdict as text, and the classical classes of a language, as the command line prints them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lengthwise.regular.algebra.classes import Classes
    from lengthwise.regular.deciding.verdict import Answer, Verdict

CLASS_NAMES = {
    "star_free": "star-free",
    "ac0": "in AC⁰",
    "r_trivial": "R-trivial",
    "l_trivial": "L-trivial",
    "j_trivial": "J-trivial (piecewise testable)",
    "da": "in DA",
    "dot_depth": "dot-depth",
}


def verdict_lines(verdict: Verdict) -> Iterator[str]:
    """How the subject was read, and the three answers, each with its program or witness unless it is the last one's."""
    if verdict.meaning:
        yield verdict.meaning
    where = "the last symbol" if verdict.acceptance == "last" else "an end marker"
    yield f"{verdict.subject}: read at {where}"
    rows = [
        ("NoPE", "C-RASP[∅]", verdict.nope),
        ("", "C-RASP[local]", verdict.local),
        ("APE", "C-RASP[periodic, local]", verdict.ape),
    ]
    before: Answer | None = None
    for label, name, answer in rows:
        yield ""
        yield f"{label:4}  {name:24} {answer.kind.upper()}"
        yield f"      {answer.reason}"
        if before is None or (answer.program, answer.witness) != (before.program, before.witness):
            yield from _support(answer)
        before = answer
    if verdict.notes:
        yield ""
        yield from verdict.notes
    if verdict.classes is not None:
        yield ""
        yield from classes_lines(verdict.classes)


def classes_lines(found: Classes) -> Iterator[str]:
    """The classes, each with why a language is not in it."""
    sizes = found.sizes
    yield (
        f"Classes: {sizes.states} states, {sizes.monoid} elements in the syntactic monoid, "
        f"stability index {sizes.stability_index}"
    )
    for name, title in CLASS_NAMES.items():
        failure = found.failures.get(name)
        why = f"  {failure.explain()}" if failure is not None else ""
        yield f"  {title:30}  {_word(getattr(found, name)):3}{why}"


def _support(answer: Answer) -> Iterator[str]:
    if answer.program is not None:
        for line in str(answer.program).splitlines():
            yield f"      {line}".rstrip()
    if answer.witness is not None:
        for line in answer.witness.explain().splitlines():
            yield f"      {line}"


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value is None else str(value)
