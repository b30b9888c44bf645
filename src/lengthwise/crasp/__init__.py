"""The language C-RASP[periodic, local] (Huang et al., Definition 8): read, check, run, trace, print.

>>> from lengthwise import crasp
>>> crasp.load("dyck1").accepts("(())")
True
"""

from lengthwise.crasp.diagnostics import Diagnostic, ProgramError, Span
from lengthwise.crasp.program import Program, parse
from lengthwise.crasp.trace import Trace

__all__ = ["Diagnostic", "Program", "ProgramError", "Span", "Trace", "parse"]
