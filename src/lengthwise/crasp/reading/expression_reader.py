"""Reads expressions, by precedence climbing over `precedence.OPERATORS`.

`PositionReader` reads the part that speaks of positions: periodic predicates and guards.
"""

from __future__ import annotations

from typing import Literal, cast

from lengthwise.crasp.reading.diagnostics import Diagnostic, Span
from lengthwise.crasp.reading.guards import Distances, RefusedGuardError, distance, mirrored, predicate
from lengthwise.crasp.reading.lexer import PARTNER, Cursor, Token
from lengthwise.crasp.reading.precedence import OPERATORS, Level
from lengthwise.crasp.syntax import (
    MAX_NESTING,
    MAX_OFFSET,
    RELATIONS,
    And,
    Compare,
    Conditional,
    Count,
    Everywhere,
    Exists,
    Expression,
    Extremum,
    Guard,
    Name,
    Not,
    Number,
    Or,
    Periodic,
    Relation,
    Scale,
    Symbol,
    Truth,
    total,
)


class PositionReader(Cursor):
    """The part of the grammar that mentions i and j."""

    def __init__(self, tokens: list[Token], problems: list[Diagnostic], imports: set[str]) -> None:
        super().__init__(tokens, problems)
        self.imports = imports

    def periodic(self, start: Token) -> Expression:
        """What follows `i`: `% 2 == 0`, `% 3 in {0, 2}`."""
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
        """An integer, possibly negative."""
        sign = -1 if self.accept("-") else 1
        return sign * self.expect("integer", "an integer").value

    def members(self) -> set[int]:
        """A set of integers in braces."""
        opening = self.expect("{", "{ with the allowed numbers", "write {0, 2}")
        numbers = {self.integer()}
        while self.accept(","):
            numbers.add(self.integer())
        self.close(opening)
        return numbers

    def guard(self) -> Guard:
        """A guard in its brackets."""
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
        """The window of an imported predicate."""
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
                f"expected a comparison of j with i in this guard, found {self.token}: anything else would leave "
                "C-RASP[periodic, local]",
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


DEPTH = 2 * MAX_NESTING + 10
"""Recursion allowed while reading; a checked expression (at most `MAX_NESTING` deep) prints with at most this much."""


class ExpressionReader(PositionReader):
    """The part of the grammar that makes expressions; `defined` are the names that stand above."""

    def __init__(self, tokens: list[Token], problems: list[Diagnostic], imports: set[str], defined: set[str]) -> None:
        super().__init__(tokens, problems, imports)
        self.defined = defined
        self.depth = 0

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
        """Count one more level of nesting; fail when there are too many."""
        self.depth += 1
        if self.depth > DEPTH:
            self.fail("LW108", "this expression is nested too deeply", hint="give its parts names of their own")

    def binary(self, left: Expression, operator: str) -> Expression:
        """What an operator makes of the expression before it and what follows."""
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
        """A count times an integer."""
        star = self.advance()
        right = self.expression(Level.PRODUCT)
        span = _span(left, right)
        number, other = (left, right) if isinstance(left, Number) else (right, left)
        if isinstance(number, Number):
            scaled = Scale(abs(number.value), other, span=span)
            return scaled if number.value >= 0 else total([(-1, scaled)], span)
        self.fail(
            "LW303",
            "a count can be multiplied by an integer only; a product of counts would leave C-RASP[periodic, local]",
            star.span,
            "write the integer first: 2 * c",
        )

    def prefix(self) -> Expression:
        """An expression that starts with `!` or `-`, or a tighter one."""
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
        """Whether the word `exists` is the operator here rather than a name."""
        follower = self.follower()
        reserved_operator = follower.text in ("if", "else")
        return follower.kind in ("symbol", "name", "(", "[", "!", "#") and not reserved_operator

    def operand(self) -> Expression:
        """What a counting operator applies to: an atom, another counting operator, or either after `!`."""
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
        """A symbol, number, name or bracket."""
        token = self.advance()
        if token.kind == "symbol":
            return Symbol(unquoted(token), span=token.span)
        if token.kind == "integer":
            return Number(token.value, span=token.span)
        if token.kind == "(":
            inner = self.expression(Level.OR)
            self.close(token)
            return inner
        if token.kind == "name":
            return self.named(token)
        if token.kind in PARTNER.values():
            self.fail("LW104", f"expected an expression, found {token}", token.span)
        hint = "write == to compare" if token.kind in ("=", ":=") else 'an expression is "a", # b, a name, a number, …'
        self.fail("LW104", f"expected an expression, found {token}", token.span, hint)

    def named(self, token: Token) -> Expression:
        """What a name stands for: a constant, `min` or `max`, a position predicate, an operation."""
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
        """`min(c, d)` or `max(c, d)`."""
        opening = self.expect("(", f"( after {token.text}", f"write {token.text}(c, d)")
        left = self.expression(Level.OR)
        self.expect(",", "a comma", f"{token.text} takes two counts: {token.text}(c, d)")
        right = self.expression(Level.OR)
        closing = self.close(opening)
        return Extremum("min" if token.text == "min" else "max", left, right, span=token.span.to(closing.span))


def unquoted(token: Token) -> str:
    """The symbol a literal writes; an empty one, reported already, becomes a question mark."""
    return token.text[1:-1] or "?"


def _span(left: Expression, right: Expression) -> Span | None:
    return left.span.to(right.span) if left.span is not None else right.span
