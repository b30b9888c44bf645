"""A verdict as HTML, for notebooks: each answer with its reason, and the program or the argument after it."""

from __future__ import annotations

from collections.abc import Iterator

from lengthwise.crasp.showing import display, program_html
from lengthwise.regular.deciding.verdict import Answer, Verdict

_SHORT = 16
"""Programs of at most so many statements are shown at once, longer ones when asked for."""


def verdict_fragment(verdict: Verdict) -> str:
    """The card of a verdict."""
    where = "the last symbol" if verdict.acceptance == "last" else "an end marker"
    parts = [display.head(verdict.subject, display.soft(f"read at {where}"))]
    rows = (
        ("NoPE", "C-RASP[∅], without positional encodings", verdict.nope),
        ("", "C-RASP[local]", verdict.local),
        ("APE", "C-RASP[periodic, local], with absolute positional encodings", verdict.ape),
    )
    before: Answer | None = None
    for label, meaning, answer in rows:
        name = f"<b>{label}</b>" if label else ""
        parts.append(display.line(badge(answer), *filter(None, [name]), display.soft(meaning)))
        parts.append(display.paragraph(display.sentence(answer.reason)))
        # An answer that follows from the one above has the same support, which need not be shown twice.
        if before is None or (answer.program, answer.witness) != (before.program, before.witness):
            parts.append(support(answer))
        before = answer
    parts += [display.paragraph(display.soft(note)) for note in verdict.notes]
    return display.card(*parts)


def answer_fragment(answer: Answer) -> str:
    """The card of one answer."""
    return display.card(
        display.line(badge(answer)), display.paragraph(display.sentence(answer.reason)), support(answer)
    )


def badge(answer: Answer) -> str:
    """Yes, no or unknown."""
    return display.badge(answer.kind, answer.kind)


def support(answer: Answer) -> str:
    """The program with its fragment, depth and window, or the argument why there is none."""
    parts = []
    if answer.program is not None:
        title = f"Program in {answer.program.fragment_name}, {_proof(answer)}"
        body = program_html.facts(answer.program) + program_html.source(answer.program)
        parts.append(display.fold(title, body, is_open=len(answer.program.statements) <= _SHORT))
    if answer.witness is not None:
        told = [display.paragraph(display.sentence(each)) for each in _paragraphs(answer.witness.explain())]
        checked = ", re-checked" if answer.proved else ""
        parts.append(display.fold(f"Why: {answer.witness.kind}{checked}", "".join(told), is_open=True))
    return "".join(parts)


def _paragraphs(text: str) -> Iterator[str]:
    """The lines of an argument; a line that breaks off within a sentence goes on with the next."""
    started = ""
    for line in text.splitlines():
        started = f"{started} {line}".strip()
        if not started.endswith(","):
            yield started
            started = ""
    if started:
        yield started


def _proof(answer: Answer) -> str:
    if answer.proved:
        return "proved"
    return "not proved" if answer.checked_to is None else f"checked on all words up to length {answer.checked_to}"
