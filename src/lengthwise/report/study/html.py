"""The pieces that a page is made of. Arguments named `markup` or in cells are HTML already; all others are text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

from lengthwise.crasp.trace_text import visible

CODE = re.compile(r"`([^`]+)`")
UNBROKEN = re.compile(r"(\d) %")


def text(given: str) -> str:
    """Text as HTML, with characters that cannot be seen as escapes."""
    return escape("\n".join(visible(line) for line in given.split("\n")))


def prose(given: str) -> str:
    """A sentence as HTML: `…` is code, and numbers stay with their percent signs."""
    return UNBROKEN.sub("\\1\u00a0%", CODE.sub(r"<code>\1</code>", text(given)))


def code(given: str) -> str:
    """Text in the font of programs."""
    return f"<code>{text(given)}</code>"


def paragraph(given: str, kind: str = "") -> str:
    """A paragraph of prose."""
    return f"<p{_class(kind)}>{prose(given)}</p>\n"


def badge(word: str) -> str:
    """A word that is one of a few, such as yes or confirmed, told by its colour as well."""
    return f'<span class="badge {escape(word.replace(" ", "-"))}">{text(word)}</span>'


def items(sentences: Iterable[str]) -> str:
    """A list of sentences."""
    return f"<ul>\n{''.join(f'<li>{prose(each)}</li>' + chr(10) for each in sentences)}</ul>\n"


def details(summary: str, markup: str, *, unfolded: bool = False) -> str:
    """Something that can be folded up; on paper it is not."""
    return f"<details{' open' if unfolded else ''}>\n<summary>{text(summary)}</summary>\n{markup}</details>\n"


def section(name: str, heading: str, markup: str) -> str:
    """A part of the page with its heading."""
    title = f'<h2 id="{name}-heading">{text(heading)}</h2>'
    return f'<section id="{name}" aria-labelledby="{name}-heading">\n{title}\n{markup}</section>\n'


def table(head: Sequence[str], rows: Iterable[Sequence[str]], caption: str, right: int = 0) -> str:
    """A table that scrolls where it is too wide; its cells are HTML, the last `right` columns are numbers."""
    numbers = len(head) - right
    titles = "".join(
        f'<th scope="col"{_class("number" if place >= numbers else "")}>{text(each)}</th>'
        for place, each in enumerate(head)
    )
    body = "".join(f"<tr>{_cells(row, numbers)}</tr>\n" for row in rows)
    return (
        f'<div class="scroll" role="region" aria-label="{text(caption)}" tabindex="0">\n<table>\n'
        f'<caption class="unseen">{text(caption)}</caption>\n<thead><tr>{titles}</tr></thead>\n'
        f"<tbody>\n{body}</tbody>\n</table>\n</div>\n"
    )


def _cells(row: Sequence[str], numbers: int) -> str:
    first = f'<th scope="row">{row[0]}</th>'
    rest = (
        f"<td{_class('number' if place >= numbers else '')}>{cell}</td>" for place, cell in enumerate(row[1:], start=1)
    )
    return first + "".join(rest)


def _class(name: str) -> str:
    return f' class="{name}"' if name else ""
