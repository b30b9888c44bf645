"""Formulas over bits: `x3 & (x7 | !x12)`.

From what binds most to what binds least: `!` or `not`, `&` or `and`, `^` or `xor`, `|` or `or`; beside them
parentheses, the constants 0 and 1, and the bits x1, x2, …. The signs ¬ ∧ ⊕ ∨ are read as well.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from lengthwise.sparse.boolean.arrays import Bits, BooleanError

Postfix = tuple[str | int, ...]
"""A formula as a stack machine reads it: positions, "0" and "1" are pushed, the other signs combine what was pushed."""

_SYMBOL = re.compile(r"\s*(?:x(?P<bit>[1-9]\d{0,8})(?!\w)|(?P<word>[A-Za-z_]\w*|[01](?!\w)|[^\s\w]))")
_SPELLINGS = {
    **{"!": "!", "~": "!", "¬": "!", "not": "!"},
    **{"&": "&", "∧": "&", "and": "&"},
    **{"^": "^", "⊕": "^", "xor": "^"},
    **{"|": "|", "∨": "|", "or": "|"},
    **{each: each for each in "()01"},
}
_BINDS = {"|": 1, "^": 2, "&": 3, "!": 4}
_COMBINES = {"&": np.logical_and, "^": np.logical_xor, "|": np.logical_or}


@dataclass(frozen=True)
class Formula:
    """A formula that has been read."""

    variables: tuple[int, ...]
    """The positions it mentions, in increasing order."""
    postfix: Postfix

    def truth(self, columns: Mapping[int, Bits]) -> Bits:
        """Its truth values, given those of each bit."""
        stack: list[Bits] = []
        for each in self.postfix:
            if isinstance(each, int):
                stack.append(columns[each])
            elif each in "01":
                stack.append(np.array(each == "1"))
            elif each == "!":
                stack.append(np.logical_not(stack.pop()))
            else:
                right, left = stack.pop(), stack.pop()
                stack.append(_COMBINES[each](left, right))
        return stack.pop()


def parse(text: str) -> Formula:
    """The formula that a text writes down."""
    found: list[str | int] = []
    waiting: list[tuple[str, int]] = []  # operators and parentheses whose right side is still to come, with their place
    place, wants_operand = 0, True
    while text[place:].strip():
        match = _SYMBOL.match(text, place)
        start = len(text) - len(text[place:].lstrip()) + 1
        symbol = match and (int(match["bit"]) if match["bit"] else _SPELLINGS.get(match["word"].lower()))
        if match is None or symbol is None:
            raise BooleanError(f"{text!r}, column {start}: expected a bit such as x3, a constant or an operator")
        is_operand = isinstance(symbol, int) or symbol in "01"
        if wants_operand != (is_operand or symbol in ("!", "(")):
            wanted = "a bit, a constant, ! or (" if wants_operand else "an operator or )"
            raise BooleanError(f"{text!r}, column {start}: expected {wanted} before {match[0].strip()!r}")
        if is_operand:
            found.append(symbol)
            wants_operand = False
        elif symbol == ")":
            _close(found, waiting, text, start)
        elif isinstance(symbol, str):
            while symbol in _COMBINES and waiting and _BINDS.get(waiting[-1][0], 0) >= _BINDS[symbol]:
                found.append(waiting.pop()[0])
            waiting.append((symbol, start))
            wants_operand = True
        place = match.end()
    if wants_operand:
        raise BooleanError(f"{text!r} ends where a bit, a constant, ! or ( is expected")
    while waiting:
        operator, start = waiting.pop()
        if operator == "(":
            raise BooleanError(f"{text!r}, column {start}: this parenthesis is never closed")
        found.append(operator)
    return Formula(tuple(sorted({each for each in found if isinstance(each, int)})), tuple(found))


def _close(found: list[str | int], waiting: list[tuple[str, int]], text: str, start: int) -> None:
    while waiting and waiting[-1][0] != "(":
        found.append(waiting.pop()[0])
    if not waiting:
        raise BooleanError(f"{text!r}, column {start}: this parenthesis closes nothing")
    waiting.pop()
