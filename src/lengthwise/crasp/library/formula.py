"""Boolean formulas over words, such as `ab & !ba | c`, read into expressions.

A word is a run of symbols of one character each; `!` binds tighter than `&`, `&` tighter than `|`, and brackets group.
`&&` and `||` are read like `&` and `|`. What a word means is left to the caller.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from lengthwise.crasp.syntax import And, Expression, Not, Or
from lengthwise.errors import LengthwiseError

DEEPEST = 20
"""How deeply brackets and negations may nest; a bracket adds two levels, so this stays below `syntax.MAX_NESTING`."""

_PIECE = re.compile(r"\s+|&&?|\|\|?|[!()]|[^\s&|!()]+")


def read_formula(formula: str, meaning: Callable[[str], Expression]) -> Expression:
    """The expression a formula writes, with `meaning(word)` in the place of each word."""
    return _Reader(formula, meaning).read()


class _Reader:
    def __init__(self, formula: str, meaning: Callable[[str], Expression]) -> None:
        self.formula, self.meaning = formula, meaning
        self.pieces = [piece for piece in _PIECE.findall(formula) if not piece.isspace()]
        self.place = self.depth = 0

    @property
    def next(self) -> str:
        return self.pieces[self.place] if self.place < len(self.pieces) else ""

    def fail(self, expected: str) -> LengthwiseError:
        found = f"{self.next!r} stands" if self.next else "it ends"
        return LengthwiseError(
            f"the formula {self.formula!r} cannot be read: {found} where {expected} was expected; "
            "join words with &, |, ! and brackets, as in ab & !ba | c"
        )

    def read(self) -> Expression:
        expression = self.disjunction()
        if self.next:
            raise self.fail("& or |")
        return expression

    def disjunction(self) -> Expression:
        operands = [self.conjunction()]
        while self.next in ("|", "||"):
            self.place += 1
            operands.append(self.conjunction())
        return Or(tuple(operands)) if len(operands) > 1 else operands[0]

    def conjunction(self) -> Expression:
        operands = [self.literal()]
        while self.next in ("&", "&&"):
            self.place += 1
            operands.append(self.literal())
        return And(tuple(operands)) if len(operands) > 1 else operands[0]

    def literal(self) -> Expression:
        piece = self.next
        if piece in ("", "&", "&&", "|", "||", ")"):
            raise self.fail("a word")
        self.place += 1
        if piece not in ("!", "("):
            return self.meaning(piece)
        self.depth += 1
        if self.depth > DEEPEST:
            raise LengthwiseError(f"a formula nests at most {DEEPEST} deep; use fewer brackets and negations")
        if piece == "!":
            inner: Expression = Not(self.literal())
        else:
            inner = self.disjunction()
            if self.next != ")":
                raise self.fail("the closing bracket")
            self.place += 1
        self.depth -= 1
        return inner
