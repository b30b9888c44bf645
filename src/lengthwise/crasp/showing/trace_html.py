"""A trace as HTML: a page to keep and send, or a fragment for a notebook.

One table per word, operations down and positions across; names and positions stay in sight while the cells scroll.
A cell says its value in text as well as in colour (blue holds; the deeper the amber, the larger the count). No scripts
and nothing to load: the page works from a disk, in a mail and in a frozen archive.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from importlib.resources import files

from lengthwise.crasp.showing.trace import Row, Trace, positions, visible
from lengthwise.crasp.syntax import Sort

_ABOVE, _IN_INDEX = 60, 24
"""How many symbols of a word are written out above its table and in the index."""
_ON_PAPER = 60
"""How many characters fit side by side on paper, where a position takes one more than it shows, and at least three."""
_SHADES = 4


def page(traces: Sequence[Trace], title: str = "C-RASP trace") -> str:
    """One self-contained page with a table for every trace, and an index if there are several."""
    sections = (f'<section id="trace-{number}">\n{table(trace)}</section>\n' for number, trace in enumerate(traces, 1))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_text(title)}</title>\n<style>\n{_style('trace_page.css')}{style()}</style>\n</head>\n"
        f"<body>\n<main>\n<h1>{_text(title)}</h1>\n{_index(traces)}{''.join(sections)}</main>\n</body>\n</html>\n"
    )


def fragment(trace: Trace) -> str:
    """The table of one trace with its style, which reaches nothing outside of it."""
    return f"<style>\n{style()}</style>\n{table(trace)}"


def style() -> str:
    """The style sheet of `table`."""
    return _style("trace.css")


@cache
def _style(name: str) -> str:
    return files("lengthwise.crasp.showing").joinpath(name).read_text(encoding="utf-8")


def _text(text: str) -> str:
    return escape(visible(text))


# ---------------------------------------------------------------------------------------- around the table


def _word(trace: Trace, limit: int) -> str:
    symbols = [symbol for _, symbol in positions(trace)[:limit]]
    between = "" if all(len(symbol) == 1 for symbol in symbols) else " "
    return escape(between.join(symbols)) + ("…" if len(trace) > limit else "")


def _name(trace: Trace) -> str:
    return _text(trace.title) or "Trace"


def _verdict(trace: Trace) -> str:
    return "" if trace.accepts is None else "accepts" if trace.accepts else "rejects"


def _index(traces: Sequence[Trace]) -> str:
    if not traces:
        return "<p>There are no words to show.</p>\n"
    if len(traces) == 1:
        return ""
    several = len({trace.title for trace in traces}) > 1
    items = (
        f'<li><a href="#trace-{number}">{_name(trace) + ": " if several else ""}{_word(trace, _IN_INDEX)}</a> '
        f"<span>{_verdict(trace)}</span></li>\n"
        for number, trace in enumerate(traces, 1)
    )
    return f'<nav aria-label="Words">\n<ol>\n{"".join(items)}</ol>\n</nav>\n'


def table(trace: Trace) -> str:
    """The table of one trace, without its style."""
    name, word, verdict = _name(trace), _word(trace, _ABOVE), _verdict(trace)
    length = f"{len(trace)} position{'' if len(trace) == 1 else 's'}"
    badge = f'<span class="lw-verdict lw-{verdict}">{"✓" if trace.accepts else "✗"} {verdict}</span>' if verdict else ""
    long = "" if _fits_on_paper(trace) else " lw-long"
    caption = f"{name} on {word}: {verdict or 'values'}"
    return (
        f'<div class="lw-trace">\n<p class="lw-about"><strong>{name}</strong> <span class="lw-word">{word}</span> '
        f'<span class="lw-length">{length}</span> {badge}</p>\n'
        f'<div class="lw-scroll{long}" tabindex="0" role="region" aria-label="{caption}"><div class="lw-clip">\n'
        f"{_table(trace, caption)}</div></div>\n"
        f"<details><summary>Program</summary><pre>{_listing(trace.rows)}</pre></details>\n</div>\n"
    )


def _fits_on_paper(trace: Trace) -> bool:
    """Whether all positions fit side by side; otherwise they are printed below one another."""
    if len(trace) > _ON_PAPER // 3:
        return False
    values = zip(*(map(str, row.values.tolist()) for row in trace if row.sort is not Sort.BOOL), strict=True)
    symbols = [len(symbol) for _, symbol in positions(trace)]
    counts = [max(map(len, column)) for column in values] or [1] * len(symbols)
    return sum(1 + max(2, *widths) for widths in zip(symbols, counts, strict=True)) <= _ON_PAPER


def _listing(rows: Sequence[Row]) -> str:
    lines = [f"{row.label} = {row.expression}" for row in rows]
    margin = max((len(line) for line, row in zip(lines, rows, strict=True) if row.comment), default=0)
    commented = (
        f"{line:{margin}}  // {row.comment}" if row.comment else line for line, row in zip(lines, rows, strict=True)
    )
    return "\n".join(map(_text, commented))


# ----------------------------------------------------------------------------------------------- the table


def _table(trace: Trace, caption: str) -> str:
    places = positions(trace)
    tall = " lw-tall" if places[-1][0] >= 1000 else ""
    head = "".join(_position(place, symbol) for place, symbol in places)
    deciding = trace.deciding
    rows = "".join(_row(row, number == deciding) for number, row in enumerate(trace))
    return (
        f'<table class="lw-table{tall}">\n<caption>{caption}</caption>\n'
        f'<thead><tr><th scope="col"><span>position</span><b>operation</b></th>{head}</tr></thead>\n'
        f"<tbody>\n{rows}</tbody>\n</table>\n"
    )


def _position(place: int, symbol: str) -> str:
    shown = escape(symbol)
    hint = f' title="{shown}"' if len(symbol) > 3 else ""
    return f'<th scope="col"><span>{place}</span><b{hint}>{shown}</b></th>'


def _row(row: Row, decides: bool) -> str:
    label, expression, comment = _text(row.label), _text(row.expression), _text(row.comment)
    hint = f"{label} = {expression}" + (f"&#10;{comment}" if comment else "")
    hint += "&#10;decides acceptance at the last position" if decides else ""
    values = row.values.tolist()
    cells = _truths(values) if row.sort is Sort.BOOL else _counts(values)
    name = f"<b>{label}</b><code>= {expression}</code>" + (f"<small>{comment}</small>" if comment else "")
    mark = ' class="lw-decides"' if decides else ""
    return f'<tr{mark}><th scope="row" title="{hint}">{name}</th>{"".join(cells)}</tr>\n'


def _truths(values: list[bool]) -> Iterable[str]:
    return ('<td class="t">1</td>' if value else '<td class="f">0</td>' for value in values)


def _counts(values: list[int]) -> Iterable[str]:
    """Cells shaded in a few steps, from nothing for 0 to the deepest shade for the row's largest magnitude."""
    largest = max(map(abs, values)) or 1
    for value in values:
        shade = -(-_SHADES * abs(value) // largest)
        name = f' class="{"m" if value > 0 else "n"}{shade}"' if value else ""
        yield f"<td{name}>{value}</td>"
