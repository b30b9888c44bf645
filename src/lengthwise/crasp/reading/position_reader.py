"""Reads what speaks of positions: periodic predicates and guards."""

from __future__ import annotations

from typing import cast

from lengthwise.crasp.reading.diagnostics import Diagnostic
from lengthwise.crasp.reading.guards import Distances, RefusedGuardError, distance, mirrored, predicate
from lengthwise.crasp.reading.lexer import Cursor, Token
from lengthwise.crasp.syntax import MAX_OFFSET, RELATIONS, Expression, Guard, Periodic, Relation


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
