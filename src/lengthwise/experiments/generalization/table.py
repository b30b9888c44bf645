"""`Table`: rows of text that are shown on a terminal or in Markdown, with remarks below; and records as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Table:
    """A table under a heading."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    remarks: tuple[str, ...] = ()
    """Sentences below the table, or in place of it if there are no rows."""

    def text(self) -> str:
        """With aligned columns."""
        lines = [self.title]
        if self.rows:
            widths = [max(map(len, column)) for column in zip(self.header, *self.rows, strict=True)]
            for row in (self.header, tuple("-" * width for width in widths), *self.rows):
                entries = (entry.ljust(width) for entry, width in zip(row, widths, strict=True))
                lines.append(f"  {'  '.join(entries)}".rstrip())
        return "\n".join([*lines, *(f"  {remark}" for remark in self.remarks)])

    def markdown(self) -> str:
        """Under a heading of the second level."""
        lines = [f"## {self.title}", ""]
        if self.rows:
            lines += [_row(self.header), _row(["---"] * len(self.header)), *map(_row, self.rows), ""]
        if self.remarks:
            lines += [*(f"- {_escaped(remark)}" for remark in self.remarks), ""]
        return "\n".join(lines)


def _row(entries: Iterable[str]) -> str:
    return f"| {' | '.join(map(_escaped, entries))} |"


def _escaped(text: str) -> str:
    """The text without what Markdown would take for a column, emphasis or a tag."""
    for sign in ("|", "*", "<"):
        text = text.replace(sign, f"\\{sign}")
    return text


def as_csv(records: Iterable[Mapping[str, Any]]) -> bytes:
    """Records with the same keys as CSV; numbers in full, what is not there as nothing."""
    found = list(records)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(found[0]) if found else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(found)
    return text.getvalue().encode()
