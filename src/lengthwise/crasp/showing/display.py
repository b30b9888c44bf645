"""Cards: how programs, verdicts, bounds and runs draw themselves in a notebook.

A card is a small piece of HTML with its own style, which reaches nothing outside of it. It has its own background, so
it can be read whatever the notebook around it looks like; no scripts, nothing to load. Functions take plain text and
escape it, except where an argument is said to be markup. Packages further down write their cards with these pieces.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from html import escape
from importlib.resources import files

from lengthwise.crasp.showing.trace import visible

_QUOTED = re.compile(r"`([^`]*)`")


def card(*parts: str) -> str:
    """The markup of its parts as one card, with the style."""
    return f'<style>\n{_style()}</style>\n<div class="lw-card">\n{"".join(parts)}</div>\n'


@cache
def _style() -> str:
    return files("lengthwise.crasp.showing").joinpath("display.css").read_text(encoding="utf-8")


def shown(text: object) -> str:
    r"""Any text as markup: escaped, and with every character that cannot be seen as an escape such as `\x1b`."""
    return escape(visible(str(text)))


def sentence(text: str) -> str:
    """A sentence as markup, with words between backticks as code."""
    return _QUOTED.sub(r'<code class="lw-code">\1</code>', shown(text))


def code(text: str) -> str:
    """A word or an expression."""
    return f'<code class="lw-code">{shown(text)}</code>'


def head(title: str, *beside: str) -> str:
    """The first line of a card: what it is about, and markup beside it."""
    return f'<p class="lw-head"><span class="lw-title">{shown(title)}</span>{_spaced(beside)}</p>\n'


def line(*pieces: str) -> str:
    """A line of markup that opens a part of a card."""
    return f'<p class="lw-line">{_spaced(pieces)}</p>\n'


def paragraph(*pieces: str) -> str:
    """Sentences, given as markup."""
    return f'<p class="lw-text">{_spaced(pieces).strip()}</p>\n'


def _spaced(pieces: Iterable[str]) -> str:
    return "".join(f" {piece}" for piece in pieces)


def soft(text: str) -> str:
    """A remark."""
    return f'<span class="lw-soft">{shown(text)}</span>'


def value(text: str) -> str:
    """The number that a card is about."""
    return f'<span class="lw-value">{shown(text)}</span>'


def badge(text: str, kind: str) -> str:
    """A coloured word; the kind is yes, no or unknown."""
    mark = {"yes": "✓", "no": "✗"}.get(kind, "?")
    return f'<span class="lw-badge lw-{kind}">{mark} {shown(text)}</span>'


def facts(pairs: Mapping[str, str]) -> str:
    """Short values by name, side by side."""
    entries = "".join(f"<div><dt>{shown(name)}</dt><dd>{shown(fact)}</dd></div>" for name, fact in pairs.items())
    return f'<dl class="lw-facts">{entries}</dl>\n' if entries else ""


def fold(title: str, body: str, *, is_open: bool) -> str:
    """Markup under a title that one can open and close."""
    return f'<details class="lw-fold"{" open" if is_open else ""}><summary>{shown(title)}</summary>{body}</details>\n'


def table(caption: str, columns: Sequence[str], rows: Iterable[Sequence[str]], left: Sequence[int] = ()) -> str:
    """Rows of markup under the names of their columns; those whose numbers are in `left` hold text, the others numbers.

    It scrolls by itself where there is no room. The caption is for those who cannot see it.
    """

    def cell(tag: str, number: int, content: str) -> str:
        scope = ' scope="col"' if tag == "th" else ""
        side = ' class="lw-left"' if number in left else ""
        return f"<{tag}{scope}{side}>{content}</{tag}>"

    header = "".join(cell("th", number, shown(name)) for number, name in enumerate(columns))
    body = "".join(
        f"<tr>{''.join(cell('td', number, content) for number, content in enumerate(row))}</tr>\n" for row in rows
    )
    return (
        f'<div class="lw-scroll" tabindex="0" role="region" aria-label="{shown(caption)}"><table class="lw-rows">\n'
        f"<caption>{shown(caption)}</caption>\n<thead><tr>{header}</tr></thead>\n<tbody>\n{body}</tbody>\n"
        "</table></div>\n"
    )
