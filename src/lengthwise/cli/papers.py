"""`lengthwise papers`: what the papers state, and what became of it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Annotated

import typer

from lengthwise.cli.answer import json_text
from lengthwise.cli.options import Json
from lengthwise.cli.printing import echo
from lengthwise.statements import PAPERS, Statement
from lengthwise.text_table import aligned

WIDTH = 100
"""Characters of a line of text."""


def papers(
    paper: Annotated[str | None, typer.Argument(help=f"One of {', '.join(PAPERS)}; all if none is named.")] = None,
    status: Annotated[
        str | None, typer.Option(help="Only statements with this status, such as 'refuted'.", metavar="STATUS")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show what the five papers state, whether it holds as printed, and what makes it executable."""
    import lengthwise as lw

    found = lw.papers(paper, status)
    if as_json:
        echo(json_text({"statements": [each.as_json() for each in found]}))
        return
    for name, title in PAPERS.items():
        rows = [each for each in found if each.paper == name]
        if rows:
            echo(title)
            for line in _lines(rows):
                echo(line)
            echo()
    counts = {each: sum(row.status == each for row in found) for each in dict.fromkeys(row.status for row in found)}
    echo(f"{len(found)} statements: " + ", ".join(f"{count} {each}" for each, count in counts.items()))


def _lines(rows: list[Statement]) -> Iterator[str]:
    heads = aligned([[each.label, each.status, each.says] for each in rows])
    for row, head in zip(rows, heads, strict=True):
        yield f"  {head}"
        details = [*row.names, row.command, row.proof and f"docs/{row.proof}", row.same and f"see {row.same}", row.note]
        for detail in filter(None, details):
            yield from textwrap.wrap(detail, WIDTH, initial_indent=" " * 6, subsequent_indent=" " * 8)
