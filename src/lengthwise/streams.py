r"""Standard input and output as they are: closed, of an encoding without ∅, or a terminal that obeys what is printed.

Symbols, names and paths come from others. A terminal would obey the escape sequences in them, and show text in another
order after a direction mark; such characters are printed as JSON spells them, `\u001b`, which JSON readers undo.
"""

from __future__ import annotations

import codecs
import json
import re
import sys
import unicodedata
from typing import BinaryIO

from lengthwise.errors import LengthwiseError

OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""Control characters except tab and line end, direction marks, invisible tags, and halves of characters."""
SPELLED = {
    "∅": "empty", "…": "...", "·": "*", "–": "-", "−": "-", "—": "-", "∞": "inf", "≤": "<=", "≥": ">=", "≠": "!=",
    "≡": "==", "¬": "not ", "∧": "and", "∨": "or", "×": "x", "√": "sqrt", "→": "->", "←": "<-", "✓": "yes", "✗": "no",
    "─": "-", "│": "|", "┼": "+", "␣": "_", "±": "+-", "≈": "~", "⊕": "^", "²": "^2", "³": "^3", "°": "deg",
}  # fmt: skip
"""What is printed for our own signs where the encoding lacks them; other characters are spelled `\\u1234`."""
PLAIN = "lengthwise.plain"
"""The name of the error handler that spells so."""


def escaped(text: str) -> str:
    r"""The text with everything that a terminal would obey spelled out.

    Args:
        text: Lines to be printed, perhaps JSON.

    Returns:
        The same lines, in which such characters stand as `\u202e`; JSON means the same as before.

    Example:
        >>> print(escaped("a\x1b[2Jb \u202eabc"))
        a\u001b[2Jb \u202eabc

    """
    return OBEYED.sub(lambda found: json.dumps(found[0])[1:-1], text)


def spell_plainly() -> None:
    """Let what standard output and error cannot encode be spelled in ASCII, instead of ending the program."""
    codecs.register_error(PLAIN, _spelled)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=PLAIN)


def speaks_unicode() -> bool:
    """Whether standard output can encode every character.

    Returns:
        False for encodings such as cp1252, and True for streams that take text as it is.

    """
    return (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("_", "-").startswith("utf")


def standard_input() -> BinaryIO:
    """Standard input as bytes.

    Returns:
        The binary stream.

    Raises:
        LengthwiseError: It is closed.

    """
    if sys.stdin is None:
        raise LengthwiseError("standard input is closed, and there is nothing else to read; name what is to be read")
    return sys.stdin.buffer


def standard_lines() -> list[str]:
    """The lines of standard input, without their ends.

    Returns:
        The lines.

    Raises:
        LengthwiseError: It is closed, or no UTF-8 text.

    """
    try:
        return [line.removesuffix("\r") for line in standard_input().read().decode().removesuffix("\n").split("\n")]
    except UnicodeDecodeError as problem:
        raise LengthwiseError(f"standard input is not UTF-8 text: byte {problem.start + 1} fits nothing") from None


def _spelled(problem: UnicodeError) -> tuple[str, int]:
    if not isinstance(problem, UnicodeEncodeError):
        raise problem
    found = problem.object[problem.start : problem.end]
    return "".join(SPELLED.get(each) or _letter(each) for each in found), problem.end


def _letter(character: str) -> str:
    """A Greek letter by its name, anything else by its number."""
    words = unicodedata.name(character, "").split()
    if words[:1] == ["GREEK"] and words[2:3] == ["LETTER"] and len(words) == 4:
        return words[3].capitalize() if words[1] == "CAPITAL" else words[3].lower()
    return json.dumps(character)[1:-1]
