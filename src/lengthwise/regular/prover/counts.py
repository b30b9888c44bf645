"""Count expressions when one symbol is read: linear in what was counted before, up to case distinctions.

A *linear* count is Σ coefficient · counter + Σ weight · [formula] + constant. Counters hold how often something held at
earlier positions; the formulas in brackets speak of the present one and of those that are remembered. Minima, maxima
and conditionals are kept as choices between linear counts and are taken apart only where they are compared: a minimum
is at least 0 iff both sides are, which needs no comparison between the sides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal as Either
from typing import TypeAlias

from lengthwise.regular.prover.formulas import FALSE, TRUE, Formulas, Literal, TooComplexError

MOST_CASES = 50_000
"""How many case distinctions are made for one program at most."""


@dataclass(frozen=True, slots=True)
class Linear:
    """Σ coefficient · counter + Σ weight · [literal] + constant; no coefficient is 0, no literal negated."""

    counters: tuple[tuple[int, int], ...] = ()
    bits: tuple[tuple[Literal, int], ...] = ()
    constant: int = 0


@dataclass(frozen=True, slots=True)
class Choice:
    """One of two counts: the smaller, the greater, or the left one where the condition holds."""

    kind: Either["min", "max", "select"]
    condition: Literal
    """Only for a selection; FALSE otherwise."""
    left: Count
    right: Count


Count: TypeAlias = Linear | Choice


def linear(counters: Mapping[int, int], bits: Mapping[Literal, int], constant: int) -> Linear:
    """The linear count with these parts; literals may be negated or constant."""
    weights: dict[Literal, int] = {}
    for literal, weight in bits.items():
        if literal & 1:  # [¬P] = 1 - [P]
            constant += weight
            weight = -weight
        if literal >> 1:
            weights[literal & ~1] = weights.get(literal & ~1, 0) + weight
    return Linear(
        tuple(sorted((counter, factor) for counter, factor in counters.items() if factor)),
        tuple(sorted((literal, weight) for literal, weight in weights.items() if weight)),
        constant,
    )


class Counts:
    """Arithmetic of counts over one store of formulas."""

    def __init__(self, formulas: Formulas, at_least: Callable[[tuple[tuple[int, int], ...], int], Literal]) -> None:
        """`at_least(counters, threshold)` is the literal of Σ coefficient · counter >= threshold."""
        self.formulas = formulas
        self.at_least = at_least
        self.cases = 0

    def _case(self) -> None:
        self.cases += 1
        if self.cases > MOST_CASES:
            raise TooComplexError("the program has too many cases once its conditionals, minima and maxima are split")

    def sum(self, left: Count, right: Count) -> Count:
        """The sum of two counts."""
        if isinstance(left, Linear) and isinstance(right, Linear):
            counters, bits = dict(left.counters), dict(left.bits)
            for counter, factor in right.counters:
                counters[counter] = counters.get(counter, 0) + factor
            for literal, weight in right.bits:
                bits[literal] = bits.get(literal, 0) + weight
            return linear(counters, bits, left.constant + right.constant)
        if isinstance(left, Linear):
            return self.sum(right, left)
        self._case()
        if left.kind != "select":
            return Choice(left.kind, FALSE, self.sum(left.left, right), self.sum(left.right, right))
        return self.select(
            left.condition,
            self.sum(left.left, assuming(right, left.condition)),
            self.sum(left.right, assuming(right, left.condition ^ 1)),
        )

    def product(self, factor: int, count: Count) -> Count:
        """A multiple of a count."""
        if isinstance(count, Linear):
            return linear(
                {counter: factor * own for counter, own in count.counters},
                {literal: factor * own for literal, own in count.bits},
                factor * count.constant,
            )
        self._case()
        left, right = self.product(factor, count.left), self.product(factor, count.right)
        if factor >= 0 or count.kind == "select":
            return Choice(count.kind, count.condition, left, right)
        return Choice("max" if count.kind == "min" else "min", FALSE, left, right)

    def select(self, condition: Literal, then: Count, otherwise: Count) -> Count:
        """`then` where the condition holds."""
        if condition == TRUE or then == otherwise:
            return then
        if condition == FALSE:
            return otherwise
        if isinstance(then, Linear) and isinstance(otherwise, Linear) and then.counters == otherwise.counters:
            # otherwise + [condition] · (then - otherwise), and the difference holds only bits
            bits = {condition: then.constant - otherwise.constant}
            for sign, side in ((1, then), (-1, otherwise)):
                for literal, weight in side.bits:
                    both = self.formulas.conjunction((condition, literal))
                    bits[both] = bits.get(both, 0) + sign * weight
            return self.sum(otherwise, linear({}, bits, 0))
        self._case()
        return Choice("select", condition, assuming(then, condition), assuming(otherwise, condition ^ 1))

    def extremum(self, kind: Either["min", "max"], left: Count, right: Count) -> Count:
        """The smaller or the greater of the two."""
        if left == right:
            return left
        if isinstance(left, Linear) and isinstance(right, Linear) and left.counters == right.counters:
            if left.bits == right.bits:
                return left if (left.constant < right.constant) == (kind == "min") else right
            below = self.is_nonnegative(self.sum(right, self.product(-1, left)))
            return self.select(below if kind == "min" else below ^ 1, left, right)
        self._case()
        return Choice(kind, FALSE, left, right)

    def is_nonnegative(self, count: Count) -> Literal:
        """The formula count >= 0."""
        if isinstance(count, Linear):
            return self._expanded(count)
        self._case()
        left, right = self.is_nonnegative(count.left), self.is_nonnegative(count.right)
        match count.kind:
            case "min":
                return self.formulas.conjunction((left, right))
            case "max":
                return self.formulas.disjunction((left, right))
            case _:
                return self.formulas.choice(count.condition, left, right)

    def _expanded(self, count: Linear) -> Literal:
        """A linear count is not negative, bit by bit; sums that can still be reached in several ways are shared."""
        highest = [0]
        lowest = [0]
        for _, weight in reversed(count.bits):
            highest.append(highest[-1] + max(weight, 0))
            lowest.append(lowest[-1] + min(weight, 0))
        highest.reverse()
        lowest.reverse()
        # The thresholds that matter when the first bits are known, and then, backwards, the formulas.
        layers: list[set[int]] = [{count.constant}]
        decided = not count.counters
        for place, (_, weight) in enumerate(count.bits):
            open_sums = {
                total for total in layers[-1] if not decided or total + lowest[place] < 0 <= total + highest[place]
            }
            layers.append({total + change for total in open_sums for change in (0, weight)})
            self.cases += len(open_sums)
            self._case()
        results = {total: self.at_least(count.counters, -total) for total in layers[-1]}
        for place in range(len(count.bits) - 1, -1, -1):
            literal, weight = count.bits[place]
            below = results
            results = {}
            for total in layers[place]:
                if decided and total + lowest[place] >= 0:
                    results[total] = TRUE
                elif decided and total + highest[place] < 0:
                    results[total] = FALSE
                else:
                    without, with_bit = below[total], below[total + weight]
                    smaller, greater = (without, with_bit) if weight > 0 else (with_bit, without)
                    gate = literal if weight > 0 else literal ^ 1
                    results[total] = self.formulas.disjunction((smaller, self.formulas.conjunction((gate, greater))))
        return results[count.constant]


def assuming(count: Count, condition: Literal) -> Count:
    """A count where a condition holds: outer selections by it are decided."""
    while isinstance(count, Choice) and count.kind == "select" and count.condition >> 1 == condition >> 1:
        count = count.left if count.condition == condition else count.right
    return count
