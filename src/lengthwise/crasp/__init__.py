"""The language C-RASP[periodic, local] (Huang et al., Definition 8): read, check, run, trace, print.

    >>> from lengthwise import crasp
    >>> crasp.load("dyck1").accepts("(())")
    True

`parse` reads a text, `load` a file or a library program, `build` assembles one from Python expressions.
"""

from lengthwise.crasp import library
from lengthwise.crasp.assemble import build
from lengthwise.crasp.frontend import (
    Q,
    all_of,
    any_of,
    count,
    exists,
    i,
    j,
    maximum,
    minimum,
    number,
    truth,
    where,
)
from lengthwise.crasp.library.catalogue import load
from lengthwise.crasp.program import Program, parse
from lengthwise.crasp.reading.diagnostics import Diagnostic, ProgramError, Span
from lengthwise.crasp.running.evaluate import Stream
from lengthwise.crasp.showing.trace import Row, Trace

__all__ = [
    "Diagnostic",
    "Program",
    "ProgramError",
    "Q",
    "Row",
    "Span",
    "Stream",
    "Trace",
    "all_of",
    "any_of",
    "build",
    "count",
    "exists",
    "i",
    "j",
    "library",
    "load",
    "maximum",
    "minimum",
    "number",
    "parse",
    "truth",
    "where",
]
