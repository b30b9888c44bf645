"""What is wrong with a program, where, and what to write instead.

A `Diagnostic` points at a stretch of one line. `ProgramError` carries all diagnostics of a text, rendered as

    dyck.crasp:3:10: LW203: '+' adds counts, but V is a Boolean
      3 | D = CV + V < 2
                   ^ write #V to count the positions where V holds
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lengthwise.errors import LengthwiseError

CODES: dict[str, str] = {
    "LW101": "a character that starts no token",
    "LW102": "a symbol literal that is not closed on its line",
    "LW103": "an empty symbol, or one that cannot be written down",
    "LW104": "something else was expected here",
    "LW105": "a bracket without its partner",
    "LW106": "a line that is not a statement",
    "LW107": "comparisons in a chain",
    "LW108": "an expression nested too deeply",
    "LW109": "an integer beyond 64 bits",
    "LW110": "a reserved word used as a name",
    "LW111": "a program without statements",
    "LW201": "a name that is not defined above",
    "LW202": "a count where a Boolean is needed",
    "LW203": "a Boolean where a count is needed",
    "LW204": "an unknown predicate imported, or a guard not imported",
    "LW205": "a second prediction for the same symbol",
    "LW206": "an alphabet line that contradicts itself or another",
    "LW207": "a symbol outside the declared alphabet",
    "LW301": "a guard that is not a finite window of offsets",
    "LW302": "a position predicate that is not periodic",
    "LW303": "a product of counts",
    "LW304": "a window or a period too large to be run",
}
"""Every code a diagnostic can carry. 1xx: the text; 2xx: names, sorts, alphabet; 3xx: the fragment."""

SHOWN = 25
"""How many diagnostics the message of a `ProgramError` prints before it only counts the rest."""


class Span(NamedTuple):
    """A stretch of source text on one line; lines and columns count from 1, `end` is exclusive."""

    line: int
    column: int
    end: int

    def to(self, other: Span | None) -> Span:
        """The stretch from the start of this one to the end of `other`, kept on this line."""
        if other is None or other.line != self.line:
            return self
        return Span(self.line, self.column, max(self.end, other.end))


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One problem: its code, a sentence, the place (if it came from text) and what to write instead.

    Attributes:
        code: Its code, such as `LW203`, which the page of messages explains.
        message: A sentence about it.
        span: Its place in the text; None for a program that was built in Python.
        hint: What to write instead; may be empty.

    """

    code: str
    message: str
    span: Span | None = None
    hint: str = ""

    def render(self, lines: Sequence[str] = (), filename: str = "program") -> str:
        """The sentence with its place, and beneath it the source line with a caret and the hint."""
        if self.span is None or not 1 <= self.span.line <= len(lines):
            return f"{filename}: {self.code}: {self.message}" + (f"; {self.hint}" if self.hint else "")
        line, column = self.span.line, self.span.column
        prefix = f"  {line} | "
        text, start, width = _excerpt(lines[line - 1].rstrip("\r\n"), column - 1, self.span.end - column)
        caret = " " * (len(prefix) + start) + "^" * width + (f" {self.hint}" if self.hint else "")
        return f"{filename}:{line}:{column}: {self.code}: {self.message}\n{prefix}{text}\n{caret}"


def _excerpt(text: str, start: int, width: int, room: int = 100) -> tuple[str, int, int]:
    """At most `room` printable characters of a line around a stretch, and where the stretch lies in them."""
    left = max(0, start - room // 2) if len(text) > room else 0
    cut = "".join(c if c.isprintable() else " " for c in text[left : left + room])
    return cut, start - left, max(1, min(width, room - (start - left)))


class ProgramError(LengthwiseError):
    """A program text (or a program built in Python) that is not in C-RASP[periodic, local]; lists every problem."""

    def __init__(self, diagnostics: Sequence[Diagnostic], text: str = "", filename: str = "program") -> None:
        self.diagnostics = tuple(sorted(diagnostics, key=_place))
        self.filename = filename
        lines = text.split("\n")
        shown = [diagnostic.render(lines, filename) for diagnostic in self.diagnostics[:SHOWN]]
        if len(self.diagnostics) > SHOWN:
            shown.append(f"… and {len(self.diagnostics) - SHOWN} more problems")
        super().__init__("\n".join(shown))


def _place(diagnostic: Diagnostic) -> tuple[int, int, str]:
    span = diagnostic.span
    return (span.line, span.column, diagnostic.code) if span else (0, 0, diagnostic.code)
