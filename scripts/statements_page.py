"""Write docs/reference/statements.md from the rows of `lengthwise.statements`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from lengthwise.statements import PAPERS, STATUSES, Statement, papers

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "statements.md"
HEAD = """# Every statement of the papers

Each numbered definition, assumption, statement, figure and table of the five papers: what it says, whether it holds as
printed, and where it can be used, checked and seen. `lengthwise papers huang` prints the part of a paper,
`lengthwise papers --status refuted` what does not hold, and `lw.papers()` has the rows as data. A test imports every
name, looks up every test and runs the commands that train nothing.
[Printed statements and their repairs](../explanation/errata.md) says what is wrong with those that were corrected.
"""


def page(statements: Sequence[Statement]) -> str:
    """The page as Markdown."""
    return "\n".join([HEAD, *_summary(statements), *_parts(statements)])


def _summary(statements: Sequence[Statement]) -> Iterator[str]:
    yield "| status | means | rows |"
    yield "|---|---|---|"
    for status, meaning in STATUSES.items():
        yield f"| {status} | {meaning} | {sum(each.status == status for each in statements)} |"
    yield ""


def _parts(statements: Sequence[Statement]) -> Iterator[str]:
    for paper, rows in groupby(statements, key=lambda each: each.paper):
        yield f"## {PAPERS[paper]}"
        yield ""
        yield "| | what it says | status | where |"
        yield "|---|---|---|---|"
        for row in rows:
            yield f"| {row.label} | {_cell(row.says)} | {row.status} | {_where(row)} |"
        yield ""


def _where(row: Statement) -> str:
    parts = [f"`{name}`" for name in row.names]
    parts += [f"`{_cell(row.command)}`"] if row.command else []
    parts += [f"[proof](../{row.proof})"] if row.proof else []
    parts += [f"see {row.same}"] if row.same else []
    parts += [_cell(row.note)] if row.note else []
    parts += [f"test: `{test}`" for test in row.tests]
    return "<br>".join(parts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(papers()), encoding="utf-8")
