"""`Trace`: every value a program takes on a word, to look at, to index and to check against.

As text it has operations down, positions across, the verdict below:

    position │ 1 2 3 4
    symbol   │ ( ) ) (
    ─────────┼────────
    C_open   │ 1 1 1 2
    ok       │ 1 1 · ·
    rejects

A word too long for the width is shown in blocks of positions, each under its own header. Symbols that a terminal would
not show, or would obey, appear as escapes.
"""

from __future__ import annotations

import shutil
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lengthwise.crasp.showing.printer import expression_text, quoted
from lengthwise.crasp.syntax import Definition, Sort, Statement
from lengthwise.errors import UnknownNameError

_WITHOUT_TERMINAL = 100
"""The width assumed where there is no terminal to ask."""

_RESET = "\x1b[0m"
_TRUE, _FALSE, _COUNT, _NAME = "\x1b[1;32m", "\x1b[2m", "\x1b[36m", "\x1b[1m"
_ACCEPTS, _REJECTS = "\x1b[1;32m", "\x1b[1;31m"
_DECIDED_TRUE, _DECIDED_FALSE = "\x1b[1;7;32m", "\x1b[1;7;31m"


def render(trace: Trace, *, color: bool = False, width: int | None = None) -> str:
    """The trace as lines of at most `width` columns where one position fits into them; no newline at the end.

    Without a width, that of the terminal counts. `color` adds ANSI escape codes and changes nothing else.
    """
    width = shutil.get_terminal_size((_WITHOUT_TERMINAL, 24)).columns if width is None else width
    table = _Table(trace, color, width)
    lines = [line for first, last in table.blocks() for line in table.block(first, last)]
    if trace.accepts is not None:
        verdict = "accepts" if trace.accepts else "rejects"
        lines.append(f"{_ACCEPTS if trace.accepts else _REJECTS}{verdict}{_RESET}" if color else verdict)
    return "\n".join(lines)


def positions(trace: Trace) -> list[tuple[int, str]]:
    """The positions a trace has values for, with the symbols they hold, ready to be shown."""
    return [(place, shown_symbol(symbol)) for place, symbol in enumerate(trace.word, 1)] or [(0, "ε")]


def shown_symbol(symbol: str) -> str:
    """A symbol that can be seen: spaces as ␣, no characters that move, hide or colour others."""
    return visible(symbol).replace(" ", "␣") or '""'


def visible(text: str) -> str:
    r"""The text with every character that is not printable as an escape such as `\x1b`."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def _columns(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.category(c) in ("Mn", "Me") else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def _shortened(label: str, limit: int) -> str:
    while _columns(label) > limit:
        label = label[: limit - _columns(label) - 1] + "…"
    return label


class _Table:
    """The cells of a trace and how much room each column needs."""

    def __init__(self, trace: Trace, color: bool, width: int) -> None:
        self.color, self.width = color, width
        places = positions(trace)
        numbers, symbols = [str(place) for place, _ in places], [symbol for _, symbol in places]
        most = max(len("position"), width // 2)
        self.labels = ["position", "symbol", *(_shortened(visible(row.label), most) for row in trace)]
        self.label_width = max(map(_columns, self.labels))
        self.sorts = [None, None, *(row.sort for row in trace)]
        self.deciding = None if trace.deciding is None else trace.deciding + 2
        self.cells = [numbers, symbols]
        for row in trace:
            values = row.values.tolist()
            truths = row.sort is Sort.BOOL
            self.cells.append([("1" if value else "·") if truths else str(value) for value in values])
        self.widths = [max(map(_columns, column)) for column in zip(*self.cells, strict=True)]

    def blocks(self) -> Iterator[tuple[int, int]]:
        """Stretches of columns that fit side by side, at least one column each."""
        first, used = 0, self.label_width + 2
        for place, width in enumerate(self.widths):
            if place > first and used + 1 + width > self.width:
                yield first, place
                first, used = place, self.label_width + 2
            used += 1 + width
        yield first, len(self.widths)

    def block(self, first: int, last: int) -> Iterator[str]:
        """The lines of one block, and an empty one after it if others follow."""
        widths = self.widths[first:last]
        for number, label in enumerate(self.labels):
            if number == 2:
                yield "─" * (self.label_width + 1) + "┼" + "─" * (sum(widths) + len(widths))
            padded = label + " " * (self.label_width - _columns(label))
            row = zip(self.cells[number][first:last], widths, range(first, last), strict=True)
            cells = (" " * (width - _columns(cell)) + self.painted(cell, number, place) for cell, width, place in row)
            yield f"{self.name(padded, number)} │ {' '.join(cells)}"
        if last < len(self.widths):
            yield ""

    def name(self, label: str, row: int) -> str:
        return f"{_NAME}{label}{_RESET}" if self.color and row == self.deciding else label

    def painted(self, cell: str, row: int, place: int) -> str:
        sort = self.sorts[row]
        if not self.color or sort is None:
            return cell
        true = cell == "1"
        if row == self.deciding and place == len(self.widths) - 1:
            code = _DECIDED_TRUE if true else _DECIDED_FALSE
        elif sort is Sort.BOOL:
            code = _TRUE if true else _FALSE
        else:
            code = _COUNT
        return f"{code}{cell}{_RESET}"


@dataclass(frozen=True, eq=False)
class Row:
    """One statement with its values at positions 1..n (for the empty word: its one value at the virtual position 0).

    Attributes:
        label: The name of the operation, or `next` and a symbol.
        expression: Its expression as text.
        comment: The comment after the statement.
        sort: Whether its values are Booleans or counts.
        values: Its value at every position.

    """

    label: str
    expression: str
    comment: str
    sort: Sort
    values: npt.NDArray[Any]

    @classmethod
    def of(cls, statement: Statement, sort: Sort, values: npt.NDArray[Any]) -> Row:
        """The row of a statement."""
        label = statement.name if isinstance(statement, Definition) else f"next {quoted(statement.symbol)}"
        kind = bool if sort is Sort.BOOL else np.int64
        text = expression_text(statement.expression)
        return cls(label, text, statement.comment, sort, values.astype(kind, copy=False))


@dataclass(frozen=True, eq=False)
class Trace:
    """The rows of a program on one word: `trace["C"]` are the values of C, `trace.accepts` is the verdict.

    Attributes:
        title: What the program is called.
        word: The symbols of the word.
        rows: One for each statement, in order.

    """

    title: str
    word: tuple[str, ...]
    rows: tuple[Row, ...]
    deciding: int | None
    """The place of the row that decides acceptance, the last named Boolean; None if there is none."""

    @property
    def accepts(self) -> bool | None:
        """The verdict: the deciding Boolean at the last position; None if there is none."""
        return None if self.deciding is None else bool(self.rows[self.deciding].values[-1])

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        for row in reversed(self.rows):
            if row.label == name:
                return row.values
        names = ", ".join(row.label for row in self.rows[:12])
        raise UnknownNameError(f"this trace has no operation {name!r}; it has {names}")

    def __len__(self) -> int:
        return len(self.word)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __str__(self) -> str:
        return render(self)

    def to_html(self) -> str:
        """One self-contained page that shows the trace."""
        from lengthwise.crasp.showing.trace_html import page

        return page([self], self.title) if self.title else page([self])

    def _repr_html_(self) -> str:
        from lengthwise.crasp.showing.trace_html import fragment

        return fragment(self)
