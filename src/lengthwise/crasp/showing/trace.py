"""`Trace`: every value a program takes on a word, to look at, to index and to check against."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lengthwise.crasp.showing.printer import expression_text, quoted
from lengthwise.crasp.syntax import Definition, Sort, Statement
from lengthwise.errors import UnknownNameError


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
        from lengthwise.crasp.showing.trace_text import render

        return render(self)

    def to_html(self) -> str:
        """One self-contained page that shows the trace."""
        from lengthwise.crasp.showing.trace_html import page

        return page([self], self.title) if self.title else page([self])

    def _repr_html_(self) -> str:
        from lengthwise.crasp.showing.trace_html import fragment

        return fragment(self)
