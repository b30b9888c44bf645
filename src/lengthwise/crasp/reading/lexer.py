"""Tokens of a program text, and a cursor in those of one statement.

The words `next`, `alphabet`, `exists`, `in`, `i` and `j` mean something only where nothing else could stand, so they
remain usable as names; `true false if else min max` are reserved, as in the `.cr` files of the public interpreter.
The cursor looks, steps on and reports what does not fit.
"""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

from lengthwise.crasp.reading.diagnostics import Diagnostic, Span
from lengthwise.crasp.syntax import MAX_INTEGER

RESERVED = frozenset({"true", "false", "if", "else", "min", "max"})

_TOKEN = re.compile(
    r"""[ \t\r\f\v\ufeff]*
    (?:(?P<name>[A-Za-z_][A-Za-z_0-9]*)
    |(?P<import>\#import(?![A-Za-z_0-9]))
    |(?P<operator>:=|&&|\|\||==|!=|<=|>=|[=<>!#+\-*%,()\[\]{}])
    |(?P<symbol>"[^"\n]*"|'[^'\n]*')
    |(?P<integer>[0-9]+)
    |(?P<newline>\n)
    |(?P<comment>//[^\n]*)
    |(?P<other>.)
    |(?P<end>\Z))""",
    re.VERBOSE,
)

_SUGGESTIONS = {
    "&": "write && for 'and'",
    "|": "write || for 'or'",
    "?": 'write `c if b else d` for the conditional "b ? c : d"',
    ":": "write = or := to define an operation",
    "/": "comments start with //",
    "≤": "write <=",
    "≥": "write >=",
    "≠": "write !=",
    "∧": "write &&",
    "∨": "write ||",
    "¬": "write !",
    "⊤": "write true",
    "⊥": "write false",
    "∃": "write exists",
    "~": "write ! for 'not'",
    ";": "write one statement a line",
    "“": 'use straight quotes: "a"',
    "”": 'use straight quotes: "a"',
}


class Token(NamedTuple):
    """A token: its kind (`name`, `integer`, `symbol`, `import`, `newline`, `end` or the operator itself) and text."""

    kind: str
    text: str
    span: Span
    first: bool
    """Whether it is the first token of its line."""

    @property
    def value(self) -> int:
        """The number an `integer` token writes; one that is too large was reported already."""
        return int(self.text)

    def __str__(self) -> str:
        return {"newline": "the end of the line", "end": "the end of the program"}.get(self.kind, f"'{self.text}'")


def tokenize(text: str) -> tuple[list[Token], list[Diagnostic], dict[int, str]]:
    """The tokens of a text ending in an `end` token, what could not be read, and each line's trailing comment."""
    tokens: list[Token] = []
    problems: list[Diagnostic] = []
    comments: dict[int, str] = {}
    line, start, first = 1, 0, True
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "end"
        begin, end = match.span(kind)
        piece = text[begin:end]
        span = Span(line, begin - start + 1, end - start + 1)
        if kind == "operator":
            tokens.append(Token(piece, piece, span, first))
            first = False
            continue
        if kind == "newline":
            tokens.append(Token("newline", "", span, first))
            line, start, first = line + 1, end, True
            continue
        if kind == "end":
            break
        if kind == "comment":
            comments[line] = piece[2:].strip()
            continue
        problem = None if kind == "name" else _problem(kind, piece, span)
        if problem is not None:
            problems.append(problem)
            piece = "0" if kind == "integer" else piece
        if kind != "other":
            tokens.append(Token(kind, piece, span, first))
            first = False
    behind = Span(line, len(text) - start + 1, len(text) - start + 2)
    tokens += [Token("newline", "", behind, first), Token("end", "", behind, True)]
    return tokens, problems, comments


def _problem(kind: str, piece: str, span: Span) -> Diagnostic | None:
    if kind == "integer" and (len(piece) > 4000 or int(piece) > MAX_INTEGER):
        return Diagnostic("LW109", "this integer does not fit into 64 bits", span, f"at most {MAX_INTEGER}")
    if kind == "symbol" and len(piece) == 2:
        return Diagnostic("LW103", "a symbol has at least one character", span, 'write it between the quotes: "a"')
    if kind != "other":
        return None
    if piece in "\"'":
        return Diagnostic("LW102", "this symbol is not closed on its line", span, f"close it with {piece}")
    hint = _SUGGESTIONS.get(piece, "remove it")
    return Diagnostic("LW101", f"{piece!r} starts nothing in this language", span, hint)


PARTNER = {"(": ")", "[": "]", "{": "}"}
"""The bracket that closes each opening one."""


class AbandonedError(Exception):
    """The current statement cannot be read further; its problem has been recorded."""


class Cursor:
    """Reads the tokens of one statement, which end with a `newline` token, and collects problems."""

    def __init__(self, tokens: list[Token], problems: list[Diagnostic]) -> None:
        self.tokens, self.problems = tokens, problems
        self.place = 0

    @property
    def token(self) -> Token:
        """The token at the current place."""
        return self.tokens[self.place]

    def follower(self) -> Token:
        """The token after it."""
        return self.tokens[min(self.place + 1, len(self.tokens) - 1)]

    def advance(self) -> Token:
        """Step over the current token, unless it ends the statement; that token."""
        token = self.token
        if token.kind != "newline":
            self.place += 1
        return token

    def accept(self, *kinds: str) -> Token | None:
        """Step over the current token if it is of one of these kinds."""
        return self.advance() if self.token.kind in kinds else None

    def expect(self, kind: str, what: str, hint: str = "") -> Token:
        """Step over a token of this kind, or fail saying what was expected."""
        return self.accept(kind) or self.fail("LW104", f"expected {what}, found {self.token}", hint=hint)

    def report(self, code: str, message: str, span: Span | None, hint: str = "") -> None:
        """Record a problem and go on."""
        self.problems.append(Diagnostic(code, message, span, hint))

    def fail(self, code: str, message: str, span: Span | None = None, hint: str = "") -> NoReturn:
        """Record a problem and give up on the statement."""
        self.report(code, message, span or self.token.span, hint)
        raise AbandonedError

    def word(self, text: str) -> bool:
        """Whether the current token is this name."""
        return self.token.kind == "name" and self.token.text == text

    def close(self, opening: Token) -> Token:
        """Step over the bracket that closes an opening one."""
        partner = PARTNER[opening.kind]
        if self.token.kind == "newline":
            self.fail("LW105", f"'{opening.text}' is never closed", opening.span, f"add the missing {partner}")
        return self.expect(partner, f"an operator or '{partner}'")
