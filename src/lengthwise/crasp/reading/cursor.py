"""A place in the tokens of one statement: looking, stepping on, and reporting what does not fit."""

from __future__ import annotations

from typing import NoReturn

from lengthwise.crasp.reading.diagnostics import Diagnostic, Span
from lengthwise.crasp.reading.lexer import Token

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
        """The token behind it."""
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
