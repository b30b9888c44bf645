"""The errors of lengthwise: one tree, each message one sentence that says what to do.

Everything raised on bad input derives from `LengthwiseError`; anything else that escapes is a bug.
"""


class LengthwiseError(Exception):
    """Base of every error that bad input can cause."""


class WordError(LengthwiseError):
    """An input word does not fit the alphabet, or an array of symbol ids is malformed."""


class CountOverflowError(LengthwiseError):
    """A count could leave the range of 64-bit integers on a word of this length."""


class UnknownNameError(LengthwiseError):
    """A library program, operation or symbol was asked for under a name that does not exist."""


class NotAnAcceptorError(LengthwiseError):
    """Acceptance or prediction was asked of a program that defines no such output."""


def require_seed(seed: int) -> None:
    """Refuse a seed that random numbers cannot begin with."""
    if seed < 0:
        raise LengthwiseError(f"a seed is a whole number from 0 on, not {seed}")
