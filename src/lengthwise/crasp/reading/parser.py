"""From text to statements, collecting every problem on the way.

A statement that cannot be read is reported once and skipped, so one
run over a file finds the problems of all its lines.
"""

from __future__ import annotations

from lengthwise.crasp.reading.diagnostics import Diagnostic, Span
from lengthwise.crasp.reading.expression_reader import ExpressionReader, unquoted
from lengthwise.crasp.reading.guards import predicate
from lengthwise.crasp.reading.lexer import PARTNER, RESERVED, AbandonedError, Token, tokenize
from lengthwise.crasp.reading.precedence import Level
from lengthwise.crasp.syntax import Definition, Expression, Next, Statement


class Parsed:
    """What a text contains: statements, the alphabet line if there is one, and the problems found."""

    def __init__(self) -> None:
        self.statements: list[Statement] = []
        self.alphabet: tuple[str, ...] | None = None
        self.problems: list[Diagnostic] = []
        self.unreadable: set[str] = set()
        """Names whose definitions could not be read, so that using them is no further problem."""


def parse_text(text: str) -> Parsed:
    """Read a whole program text."""
    tokens, problems, comments = tokenize(text)
    parsed = Parsed()
    parsed.problems = problems
    lines = _logical_lines(tokens)
    imports = {line[1].text for line in lines if line[0].kind == "import" and line[1].kind == "name"}
    defined: set[str] = set()
    broken = {problem.span.line for problem in problems if problem.span is not None}
    for line in lines:
        try:
            # What the lexer already complained about gets no second complaint that only follows from the first.
            if any(token.span.line in broken for token in line):
                raise AbandonedError
            _StatementReader(line, imports, defined, parsed, comments).statement()
        except AbandonedError:
            if line[0].kind == "name" and line[1].kind in ("=", ":="):
                parsed.unreadable.add(line[0].text)
                defined.add(line[0].text)
    if not parsed.statements and not parsed.problems:
        parsed.problems.append(
            Diagnostic(
                "LW111", "this program has no statements", Span(1, 1, 2), 'write one, such as accept = # "a" >= 1'
            )
        )
    return parsed


def _starts_statement(tokens: list[Token], place: int) -> bool:
    token, follower = tokens[place], tokens[min(place + 1, len(tokens) - 1)]
    if token.kind == "name":
        return follower.kind in ("=", ":=") or (follower.kind == "symbol" and token.text in ("next", "alphabet"))
    return token.kind == "import"


def _logical_lines(tokens: list[Token]) -> list[list[Token]]:
    """Statements as token lists, each closed by a `newline` token; brackets let a statement run over several lines."""
    lines: list[list[Token]] = []
    current: list[Token] = []
    depth = 0
    for place, token in enumerate(tokens):
        if token.kind == "end" or (token.kind == "newline" and (depth <= 0 or _starts_statement(tokens, place + 1))):
            if current:
                lines.append([*current, token._replace(kind="newline")])
            current, depth = [], 0
        elif token.kind != "newline":
            depth += (token.kind in PARTNER) - (token.kind in PARTNER.values())
            current.append(token)
    return lines


class _StatementReader(ExpressionReader):
    """Reads one statement into what was parsed so far."""

    def __init__(
        self, tokens: list[Token], imports: set[str], defined: set[str], parsed: Parsed, comments: dict[int, str]
    ) -> None:
        super().__init__(tokens, parsed.problems, imports, defined)
        self.parsed, self.comments = parsed, comments

    def statement(self) -> None:
        """Read the statement."""
        first, second = self.token, self.follower()
        if first.kind == "import":
            self.import_statement()
        elif first.kind == "name" and first.text == "alphabet" and second.kind == "symbol":
            self.alphabet_statement()
        elif first.kind == "name" and first.text == "next" and second.kind == "symbol":
            self.advance()
            symbol = self.advance()
            self.accept("=", ":=") or self.fail("LW104", f"expected = after the symbol, found {self.token}")
            self.add(Next(unquoted(symbol), self.body(), self.comment(first), span=first.span.to(symbol.span)))
        elif first.kind == "name" and second.kind in ("=", ":="):
            self.place = 2
            if first.text in RESERVED:
                self.report("LW110", f"{first} is reserved and cannot be a name", first.span, "choose another name")
            self.add(Definition(first.text, self.body(), self.comment(first), span=first.span))
            self.defined.add(first.text)
        else:
            hint = "write NAME = expression"
            if second.kind == "==":
                hint = "write a single = to define a name"
            self.fail("LW106", "this is not a statement", first.span, hint)

    def add(self, statement: Statement) -> None:
        """Keep a statement."""
        self.parsed.statements.append(statement)

    def comment(self, first: Token) -> str:
        """The comment after the first line of the statement."""
        return self.comments.get(first.span.line, "")

    def import_statement(self) -> None:
        """`#import NAME`."""
        self.advance()
        name = self.expect("name", "the name of a predicate", "one of pred, pred2, pred3, …, pos_even")
        self.finish()
        if name.text != "pos_even" and predicate(name.text) is None:
            self.fail(
                "LW204",
                f"there is no predicate {name.text} to import",
                name.span,
                "there are pred, predK (j = i-K) and pos_even; others are written out: #[j >= i-3] b, i % 3 == 0",
            )

    def alphabet_statement(self) -> None:
        """`alphabet "a" "b"`."""
        start = self.advance()
        symbols: dict[str, None] = {}
        while token := self.accept("symbol", ","):
            if token.kind == "symbol":
                if unquoted(token) in symbols:
                    self.fail("LW206", f"the alphabet lists {token.text} twice", token.span, "list each symbol once")
                symbols[unquoted(token)] = None
        self.finish()
        if self.parsed.alphabet is not None:
            self.fail("LW206", "the alphabet is declared a second time", start.span, "keep one alphabet line")
        self.parsed.alphabet = tuple(symbols)

    def body(self) -> Expression:
        """The expression after `=`."""
        expression = self.expression(Level.OR)
        self.finish()
        return expression

    def finish(self) -> None:
        """Make sure that the statement ends here."""
        token = self.token
        if token.kind == "newline":
            return
        if token.kind in PARTNER.values():
            self.fail("LW105", f"'{token.text}' closes nothing", hint="remove it, or open the bracket it belongs to")
        if token.kind in ("=", ":="):
            self.fail("LW104", f"'{token.text}' defines, it does not compare", hint="write == to compare")
        self.fail("LW104", f"expected an operator or the end of the line, found {token}", hint="one statement a line")
