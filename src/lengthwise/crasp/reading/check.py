"""Names, sorts and alphabet: what must hold of statements beyond their shape.

Works on statements from text (problems point into it) and from Python alike. A problem is reported where it arises and
not again where its consequences show.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from lengthwise.crasp.reading.diagnostics import Diagnostic, Span
from lengthwise.crasp.reading.lexer import RESERVED
from lengthwise.crasp.showing.printer import expression_text, quoted
from lengthwise.crasp.syntax import (
    MAX_INTEGER,
    MAX_NESTING,
    And,
    Compare,
    Conditional,
    Count,
    Definition,
    Exists,
    Expression,
    Extremum,
    Name,
    Next,
    Not,
    Number,
    Or,
    Periodic,
    Scale,
    Sort,
    Statement,
    Sum,
    Symbol,
    Truth,
    children,
    sort_of,
)

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_NEEDS_BOOLEANS: dict[type, str] = {
    Not: "'!' negates a Boolean",
    And: "'&&' joins Booleans",
    Or: "'||' joins Booleans",
    Exists: "'exists' looks for positions where a Boolean holds",
    Count: "'#' counts positions where a Boolean holds",
}


def check(
    statements: Iterable[Statement], alphabet: tuple[str, ...] | None, unreadable: Iterable[str] = ()
) -> list[Diagnostic]:
    """Every problem of a program; none means that it can be run. Of `unreadable` names nothing is known."""
    checker = _Checker(alphabet)
    checker.sorts.update(dict.fromkeys(unreadable))
    for statement in statements:
        checker.statement(statement)
    return checker.problems


def sorts(statements: Iterable[Statement]) -> tuple[Sort, ...]:
    """The sort of each statement of a checked program."""
    checker = _Checker(None)
    return tuple(checker.statement(statement) or Sort.BOOL for statement in statements)


class _Checker:
    def __init__(self, alphabet: tuple[str, ...] | None) -> None:
        self.problems: list[Diagnostic] = []
        self.alphabet = None if alphabet is None else frozenset(alphabet)
        self.sorts: dict[str, Sort | None] = {}
        self.predicted: set[str] = set()
        if alphabet is not None and (len(set(alphabet)) != len(alphabet) or not alphabet):
            self.report("LW206", "an alphabet lists at least one symbol, each once", None)
        for symbol in alphabet or ():
            self.symbol(symbol, None)

    def report(self, code: str, message: str, span: Span | None, hint: str = "") -> None:
        self.problems.append(Diagnostic(code, message, span, hint))

    def statement(self, statement: Statement) -> Sort | None:
        expression = statement.expression
        if _depth(expression) > MAX_NESTING:
            self.report(
                "LW108",
                f"this expression nests more than {MAX_NESTING} deep",
                statement.span,
                "give its parts names of their own",
            )
            sort = None
        else:
            sort = self.sort(expression)
        if isinstance(statement, Definition):
            if statement.span is None and (not _IDENTIFIER.fullmatch(statement.name) or statement.name in RESERVED):
                self.report("LW110", f"{statement.name!r} cannot be a name", None, "use letters, digits and _")
            self.sorts[statement.name] = sort
        else:
            self.prediction(statement, sort)
        return sort

    def prediction(self, statement: Next, sort: Sort | None) -> None:
        self.symbol(statement.symbol, statement.span)
        if statement.symbol in self.predicted:
            self.report(
                "LW205",
                f"{quoted(statement.symbol)} is predicted by a second statement",
                statement.span,
                "join both conditions with || in one statement",
            )
        self.predicted.add(statement.symbol)
        if sort is Sort.COUNT:
            self.wrong(statement.expression, Sort.BOOL, "a prediction needs a Boolean")

    def symbol(self, symbol: str, span: Span | None) -> None:
        if span is None and (not symbol or "\n" in symbol or ('"' in symbol and "'" in symbol)):
            self.report(
                "LW103", f"{symbol!r} cannot be written as a symbol", None, "use one line and one kind of quote"
            )
        if self.alphabet is not None and symbol not in self.alphabet:
            self.report(
                "LW207",
                f"{quoted(symbol)} is not in the declared alphabet",
                span,
                "add it to the alphabet line or remove it here",
            )

    def sort(self, expression: Expression) -> Sort | None:
        """The sort of an expression; None if a problem below it leaves that open."""
        match expression:
            case Name(name):
                return self.lookup(name, expression.span)
            case Symbol(symbol):
                self.symbol(symbol, expression.span)
            case Truth() | Periodic():
                pass
            case Not() | And() | Or() | Exists() | Count():
                for operand in children(expression):
                    self.need(operand, Sort.BOOL, _NEEDS_BOOLEANS[type(expression)])
            case Compare(_, operator, _) | Extremum(operator, _, _):
                verb = "compares" if isinstance(expression, Compare) else "takes"
                for side in children(expression):
                    self.need(side, Sort.COUNT, f"'{operator}' {verb} counts")
            case Number(value):
                if abs(value) > MAX_INTEGER:
                    self.report("LW109", f"{value} does not fit into 64 bits", expression.span)
            case Sum(terms):
                for sign, term in terms:
                    self.need(term, Sort.COUNT, "'+' adds counts" if sign == 1 else "'-' subtracts counts")
            case Scale(factor, operand):
                if factor > MAX_INTEGER:
                    self.report("LW109", f"{factor} does not fit into 64 bits", expression.span)
                self.need(operand, Sort.COUNT, "'*' multiplies a count")
            case Conditional(then, condition, otherwise):
                self.need(then, Sort.COUNT, "'if … else' chooses between counts")
                self.need(condition, Sort.BOOL, "'if' needs a Boolean")
                self.need(otherwise, Sort.COUNT, "'if … else' chooses between counts")
        return sort_of(expression, {})

    def lookup(self, name: str, span: Span | None) -> Sort | None:
        if name not in self.sorts:
            near = difflib.get_close_matches(name, self.sorts, n=1)
            hint = (
                f"did you mean {near[0]}?" if near else f'define it on a line above, or write "{name}" for the symbol'
            )
            self.report("LW201", f"{name} is not defined above this line", span, hint)
            self.sorts[name] = None
        return self.sorts[name]

    def need(self, expression: Expression, sort: Sort, why: str) -> None:
        found = self.sort(expression)
        if found is not None and found is not sort:
            self.wrong(expression, sort, why)

    def wrong(self, expression: Expression, needed: Sort, why: str) -> None:
        text = expression_text(expression)
        text = text if len(text) <= 40 else "this"
        simple = isinstance(expression, Name | Symbol)
        if needed is Sort.COUNT:
            counted = f"#{text}" if simple else f"#({text})"
            hint = f"write {counted} to count the positions where it holds" if text != "this" else "count it with #"
            self.report("LW203", f"{why}, but {text} is a Boolean", expression.span, hint)
        else:
            hint = f"compare it: {text} >= 1" if text != "this" else "compare it with a number"
            self.report("LW202", f"{why}, but {text} is a count", expression.span, hint)


def _depth(expression: Expression) -> int:
    """How deeply an expression nests, without recursion, never looking deeper than it matters."""
    depth, layer = 0, [expression]
    while layer and depth <= MAX_NESTING:
        layer = [child for node in layer for child in children(node)]
        depth += 1
    return depth
