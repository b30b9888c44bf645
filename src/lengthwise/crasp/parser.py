"""From text to statements, collecting every problem on the way.

Precedence climbing over `precedence.OPERATORS`. A statement that cannot be read is reported once and skipped, so one
run over a file finds the problems of all its lines.
"""

from __future__ import annotations

from typing import Literal, NoReturn, cast

from lengthwise.crasp.diagnostics import Diagnostic, Span
from lengthwise.crasp.guards import Distances, RefusedGuardError, distance, mirrored, predicate
from lengthwise.crasp.lexer import RESERVED, Token, tokenize
from lengthwise.crasp.precedence import OPERATORS, Level
from lengthwise.crasp.syntax import (
    MAX_NESTING,
    MAX_OFFSET,
    RELATIONS,
    And,
    Compare,
    Conditional,
    Count,
    Definition,
    Everywhere,
    Exists,
    Expression,
    Extremum,
    Guard,
    Name,
    Next,
    Not,
    Number,
    Or,
    Periodic,
    Relation,
    Scale,
    Statement,
    Symbol,
    Truth,
    total,
)

_PARTNER = {"(": ")", "[": "]", "{": "}"}
_DEPTH = 2 * MAX_NESTING + 10
"""Recursion allowed while reading; a checked expression (at most `MAX_NESTING` deep) prints with at most this much."""


class _AbandonedError(Exception):
    """The current statement cannot be read further; its problem has been recorded."""


class Parsed:
    """What a text contains: statements, the alphabet line if there is one, and the problems found."""

    def __init__(self) -> None:
        self.statements: list[Statement] = []
        self.alphabet: tuple[str, ...] | None = None
        self.problems: list[Diagnostic] = []


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
        reader = _Reader(line, imports, defined, parsed, comments)
        before = len(parsed.problems)
        try:
            reader.statement()
        except _AbandonedError:
            # A line the lexer already complained about gets no second complaint that only follows from the first.
            if any(token.span.line in broken for token in line):
                del parsed.problems[before:]
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
                lines.append([*current, token])
            current, depth = [], 0
        elif token.kind != "newline":
            depth += (token.kind in _PARTNER) - (token.kind in _PARTNER.values())
            current.append(token)
    return lines


class _Reader:
    """Reads one statement."""

    def __init__(
        self, tokens: list[Token], imports: set[str], defined: set[str], parsed: Parsed, comments: dict[int, str]
    ) -> None:
        self.tokens, self.place, self.depth = tokens, 0, 0
        self.imports, self.defined, self.parsed, self.comments = imports, defined, parsed, comments

    # ---------------------------------------------------------------------------------------- small steps

    @property
    def token(self) -> Token:
        return self.tokens[self.place]

    def follower(self) -> Token:
        return self.tokens[min(self.place + 1, len(self.tokens) - 1)]

    def advance(self) -> Token:
        token = self.token
        if token.kind != "newline":
            self.place += 1
        return token

    def accept(self, *kinds: str) -> Token | None:
        return self.advance() if self.token.kind in kinds else None

    def expect(self, kind: str, what: str, hint: str = "") -> Token:
        return self.accept(kind) or self.fail("LW104", f"expected {what}, found {self.token}", hint=hint)

    def report(self, code: str, message: str, span: Span | None, hint: str = "") -> None:
        self.parsed.problems.append(Diagnostic(code, message, span, hint))

    def fail(self, code: str, message: str, span: Span | None = None, hint: str = "") -> NoReturn:
        self.report(code, message, span or self.token.span, hint)
        raise _AbandonedError

    def word(self, text: str) -> bool:
        return self.token.kind == "name" and self.token.text == text

    def close(self, opening: Token) -> Token:
        partner = _PARTNER[opening.kind]
        if self.token.kind == "newline":
            self.fail("LW105", f"'{opening.text}' is never closed", opening.span, f"add the missing {partner}")
        return self.expect(partner, f"an operator or '{partner}'")

    # ----------------------------------------------------------------------------------------- statements

    def statement(self) -> None:
        first, second = self.token, self.follower()
        if first.kind == "import":
            self.import_statement()
        elif first.kind == "name" and first.text == "alphabet" and second.kind == "symbol":
            self.alphabet_statement()
        elif first.kind == "name" and first.text == "next" and second.kind == "symbol":
            self.advance()
            symbol = self.advance()
            self.accept("=", ":=") or self.fail("LW104", f"expected = after the symbol, found {self.token}")
            self.add(Next(_unquoted(symbol), self.body(), self.comment(first), span=first.span.to(symbol.span)))
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
        self.parsed.statements.append(statement)

    def comment(self, first: Token) -> str:
        return self.comments.get(first.span.line, "")

    def import_statement(self) -> None:
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
        start = self.advance()
        symbols: list[str] = []
        while token := self.accept("symbol", ","):
            if token.kind == "symbol":
                if _unquoted(token) in symbols:
                    self.fail("LW206", f"the alphabet lists {token.text} twice", token.span, "list each symbol once")
                symbols.append(_unquoted(token))
        self.finish()
        if self.parsed.alphabet is not None:
            self.fail("LW206", "the alphabet is declared a second time", start.span, "keep one alphabet line")
        self.parsed.alphabet = tuple(symbols)

    def body(self) -> Expression:
        expression = self.expression(Level.OR)
        self.finish()
        return expression

    def finish(self) -> None:
        token = self.token
        if token.kind == "newline":
            return
        if token.kind in _PARTNER.values():
            self.fail("LW105", f"'{token.text}' closes nothing", hint="remove it, or open the bracket it belongs to")
        if token.kind in ("=", ":="):
            self.fail("LW104", f"'{token.text}' defines, it does not compare", hint="write == to compare")
        self.fail("LW104", f"expected an operator or the end of the line, found {token}", hint="one statement a line")

    # ---------------------------------------------------------------------------------------- expressions

    def expression(self, level: Level) -> Expression:
        """The longest expression from here whose operators bind at least as tightly as `level`."""
        self.deeper()
        left = self.prefix()
        while True:
            token = self.token
            operator = token.text if token.kind in OPERATORS or token.text == "if" else None
            if token.kind == "%":
                self.fail(
                    "LW302",
                    "only the position can be taken modulo a number; the residue of a count would leave "
                    "C-RASP[periodic, local]",
                    hint="write i % 2 == 0 for a position",
                )
            if operator is None or operator in ("!", "#", "exists") or OPERATORS[operator] < level:
                self.depth -= 1
                return left
            left = self.binary(left, operator)

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > _DEPTH:
            self.fail("LW108", "this expression is nested too deeply", hint="give its parts names of their own")

    def binary(self, left: Expression, operator: str) -> Expression:
        if operator in ("||", "&&"):
            operands = [left]
            while self.accept(operator):
                operands.append(self.expression(Level(OPERATORS[operator] + 1)))
            kind = Or if operator == "||" else And
            return kind(tuple(operands), span=_span(left, operands[-1]))
        if operator in ("+", "-"):
            terms: list[tuple[Literal[1, -1], Expression]] = [(1, left)]
            while sign := self.accept("+", "-"):
                terms.append((1 if sign.kind == "+" else -1, self.expression(Level.PRODUCT)))
            return total(terms, _span(left, terms[-1][1]))
        if operator == "if":
            self.advance()
            condition = self.expression(Level.OR)
            if not self.word("else"):
                self.fail("LW104", f"expected else, found {self.token}", hint="write c if b else d")
            self.advance()
            otherwise = self.expression(Level.CONDITIONAL)
            return Conditional(left, condition, otherwise, span=_span(left, otherwise))
        if operator == "*":
            return self.product(left)
        self.advance()
        right = self.expression(Level.CONDITIONAL)
        if self.token.kind in RELATIONS:
            self.fail("LW107", "comparisons do not chain", hint="join two of them: a < b && b < c")
        return Compare(left, cast(Relation, operator), right, span=_span(left, right))

    def product(self, left: Expression) -> Expression:
        star = self.advance()
        right = self.expression(Level.PRODUCT)
        span = _span(left, right)
        if isinstance(left, Number) and left.value >= 0:
            return Scale(left.value, right, span=span)
        if isinstance(right, Number):
            return Scale(right.value, left, span=span)
        self.fail(
            "LW303",
            "a count can be multiplied by an integer only; a product of counts would leave C-RASP[periodic, local]",
            star.span,
            "write the integer first: 2 * c",
        )

    def prefix(self) -> Expression:
        token = self.token
        if token.kind == "!":
            self.advance()
            operand = self.expression(Level.NOT)
            return Not(operand, span=token.span.to(operand.span))
        if token.kind == "-":
            self.advance()
            term = self.expression(Level.PRODUCT)
            return total([(-1, term)], token.span.to(term.span))
        return self.tight()

    def tight(self) -> Expression:
        """A counting operator with its operand, or an atom."""
        token = self.token
        if token.kind == "#" or (self.word("exists") and self.operand_follows()):
            self.advance()
            guard = self.guard() if self.token.kind == "[" else Everywhere()
            operand = self.operand()
            kind = Count if token.kind == "#" else Exists
            return kind(guard, operand, span=token.span.to(operand.span))
        return self.atom()

    def operand_follows(self) -> bool:
        follower = self.follower()
        reserved_operator = follower.text in ("if", "else")
        return follower.kind in ("symbol", "name", "(", "[", "!", "#") and not reserved_operator

    def operand(self) -> Expression:
        """What a counting operator applies to: an atom, another counting operator, or either behind `!`."""
        self.deeper()
        negation = self.accept("!")
        if negation is None:
            operand = self.tight()
        else:
            inner = self.operand()
            operand = Not(inner, span=negation.span.to(inner.span))
        self.depth -= 1
        return operand

    def atom(self) -> Expression:
        token = self.advance()
        if token.kind == "symbol":
            return Symbol(_unquoted(token), span=token.span)
        if token.kind == "integer":
            return Number(token.value, span=token.span)
        if token.kind == "(":
            inner = self.expression(Level.OR)
            self.close(token)
            return inner
        if token.kind == "name":
            return self.named(token)
        if token.kind in _PARTNER.values():
            self.fail("LW104", f"expected an expression, found {token}", token.span)
        hint = "write == to compare" if token.kind in ("=", ":=") else 'an expression is "a", # b, a name, a number, …'
        self.fail("LW104", f"expected an expression, found {token}", token.span, hint)

    def named(self, token: Token) -> Expression:
        if token.text in ("true", "false"):
            return Truth(token.text == "true", span=token.span)
        if token.text in ("min", "max"):
            return self.extremum(token)
        if token.text in ("if", "else"):
            self.fail("LW104", f"expected an expression before {token}", token.span, "write c if b else d")
        if token.text == "i" and self.token.kind == "%":
            return self.periodic(token)
        if token.text == "pos_even" and token.text in self.imports and token.text not in self.defined:
            # 0-based in the public interpreter: its even positions are the odd ones of the papers.
            return Periodic(2, (1,), span=token.span)
        if token.text in ("i", "j") and token.text not in self.defined:
            self.fail(
                "LW302",
                f"{token} is a position, and a position predicate must be periodic: anything else would leave "
                "C-RASP[periodic, local]",
                token.span,
                "write i % 2 == 0, or #true for the number of positions so far",
            )
        return Name(token.text, span=token.span)

    def extremum(self, token: Token) -> Expression:
        opening = self.expect("(", f"( after {token.text}", f"write {token.text}(c, d)")
        left = self.expression(Level.OR)
        self.expect(",", "a comma", f"{token.text} takes two counts: {token.text}(c, d)")
        right = self.expression(Level.OR)
        closing = self.close(opening)
        return Extremum("min" if token.text == "min" else "max", left, right, span=token.span.to(closing.span))

    # ------------------------------------------------------------------------------- positions and guards

    def periodic(self, start: Token) -> Expression:
        self.advance()
        modulus = self.expect("integer", "a period", "write i % 2 == 0")
        if not 1 <= modulus.value <= MAX_OFFSET:
            self.fail("LW304", f"a period lies between 1 and {MAX_OFFSET}", modulus.span)
        relation = self.token
        if self.word("in"):
            self.advance()
            residues = self.members()
        elif self.accept("==", "!="):
            residues = {self.integer()}
        else:
            self.fail("LW104", f"expected == or in after the period, found {relation}", hint="write i % 2 == 0")
        span = start.span.to(self.tokens[self.place - 1].span)
        if not all(0 <= residue < modulus.value for residue in residues):
            self.fail("LW304", f"residues modulo {modulus.text} lie between 0 and {modulus.value - 1}", span)
        if relation.kind == "!=":
            residues = set(range(modulus.value)) - residues
        if not residues:
            self.fail("LW304", "no position has such a residue", span, "write false")
        return Periodic(modulus.value, tuple(sorted(residues)), span=span)

    def integer(self) -> int:
        sign = -1 if self.accept("-") else 1
        return sign * self.expect("integer", "an integer").value

    def members(self) -> set[int]:
        opening = self.expect("{", "{ with the allowed numbers", "write {0, 2}")
        numbers = {self.integer()}
        while self.accept(","):
            numbers.add(self.integer())
        self.close(opening)
        return numbers

    def guard(self) -> Guard:
        opening = self.advance()
        if self.token.kind == "name" and self.token.text not in ("i", "j") and self.follower().kind == "]":
            name = self.advance()
            self.close(opening)
            return self.imported(name)
        distances = Distances()
        try:
            self.comparison(distances)
            while self.accept(",", "&&"):
                self.comparison(distances)
            self.close(opening)
            return distances.guard()
        except RefusedGuardError as problem:
            end = self.tokens[self.place - 1].span
            self.fail(problem.code, problem.message, opening.span.to(end), problem.hint)

    def imported(self, name: Token) -> Guard:
        window = predicate(name.text)
        if window is None:
            self.fail(
                "LW204",
                f"there is no guard {name.text}",
                name.span,
                "there are pred and predK (j = i-K); others are written out: #[j >= i-3] b",
            )
        if name.text not in self.imports:
            self.fail("LW204", f"{name.text} is not imported", name.span, f"add the line #import {name.text}")
        return window

    def comparison(self, distances: Distances) -> None:
        """One comparison of a guard, as a condition on the distance i - j."""
        left = self.linear()
        if self.word("in"):
            self.advance()
            sign, constant = distance(left)
            distances.choose({sign * (member - constant) for member in self.members()})
            return
        relation = self.accept(*RELATIONS)
        if relation is None:
            raise RefusedGuardError(
                "LW301",
                f"expected a comparison of j with i in this guard, found {self.token}",
                "a guard looks like j == i-1, j >= i-3, j < i or i-j in {1, 4}",
            )
        right = self.linear()
        sign, constant = distance((left[0] - right[0], left[1] - right[1], left[2] - right[2]))
        # sign * (i-j) + constant REL 0; dividing by a negative sign turns the relation around.
        wanted = cast(Relation, relation.kind)
        distances.restrict(wanted if sign == 1 else mirrored(wanted), -sign * constant)

    def linear(self) -> tuple[int, int, int]:
        """A sum of i, j and integers, as its three coefficients."""
        coefficients = [0, 0, 0]
        sign = -1 if self.accept("-") else 1
        while True:
            token = self.advance()
            if token.kind == "integer":
                coefficients[2] += sign * token.value
            elif token.kind == "name" and token.text in ("i", "j"):
                coefficients["ij".index(token.text)] += sign
            else:
                raise RefusedGuardError(
                    "LW301",
                    f"a guard compares the positions i and j only, found {token}: anything else would leave "
                    "C-RASP[periodic, local]",
                    "a guard looks like j == i-1, j >= i-3, j < i or i-j in {1, 4}",
                )
            operator = self.accept("+", "-")
            if operator is None:
                return coefficients[0], coefficients[1], coefficients[2]
            sign = 1 if operator.kind == "+" else -1


def _unquoted(token: Token) -> str:
    return token.text[1:-1] or "?"


def _span(left: Expression, right: Expression) -> Span | None:
    return left.span.to(right.span) if left.span is not None else right.span
