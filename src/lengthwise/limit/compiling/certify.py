"""Up to which length floating point provably changes nothing about a compiled program.

A forward error analysis of the blueprint. With rounding unit u = 2^-bits it assumes of the evaluator:

- a dot product with k nonzero terms is off by at most γ_k Σ|weight · value|, where γ_k = ku/(1 - ku), in any order;
- a uniform head adds up its values and divides once, so a sum of zeros and ones is exact as long as 2^bits exceeds it;
- `log` and `exp` (to any base) are right to 8u, and a local head divides one weighted sum by another;
- ReLU and Heaviside are exact, and so is adding to a dimension that is still zero.

Every weight is a small multiple of 1/2, hence exact, and so is all arithmetic at the start symbol, where only zeros and
ones are stored. In the word, a Heaviside unit whose argument is off by less than half a count is right, so errors never
pass through a comparison: Booleans are exact, and only what happens between two comparisons matters. The proof stands
in the documentation ("How programs are compiled").
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from lengthwise.limit.certificate import EVERY_REGIME, Certificate, RegimeFamily
from lengthwise.limit.compiling.linear_forms import INVERSE, ONE, START, Form
from lengthwise.limit.compiling.schedule import (
    Attended,
    Averaged,
    Blueprint,
    Compared,
    Dimension,
    Envelope,
    Gathered,
    Rectified,
    Source,
)

ARGUMENT = (
    "Forward error analysis of the compiled program: every comparison stays less than half a count away from its "
    "exact value, so every Boolean is exact."
)
LOCAL_REGIMES = (RegimeFamily("huang"), RegimeFamily("izzo_finite", least=1), RegimeFamily("hardmax"))
"""In which a local head sees the right key: they scale whole logits by log N, and no rounding moves those weights. In
`izzo_infinite` the start symbol's logit is not scaled, so it is no sink; with `shift` the weights that are rounded are
no integers, which the proof does not cover."""
NOTHING = Envelope(0.0, 0.0)
SLACK = 1.0 + 2.0**-20
"""Bounds are sums and products of positive float64 numbers, off by far less than this factor."""
MEAN_TOLERANCE = 1 / 8
"""How far a local mean may be off: then c >= 2/3 is still above 1/2, and c <= 1/5 below 1/3."""


def certified_length(blueprint: Blueprint, bits: int = 53) -> int:
    """The longest word on which every Boolean of a compiled program is proved right at every position.

    `bits` is the precision of weights and arithmetic: 53 for float64, 24 for float32. -1 if not even the weights fit.
    The length is at most `relu_only_up_to`, if that is set. It holds in the regimes that `certified_regimes` lists.

    Args:
        blueprint: What the compiler made of a program, such as a `Compilation`.
        bits: Bits of a floating point number's significand: 53 for float64, 24 for float32.

    Returns:
        The length of words up to which rounding changes no answer.

    Example:
        >>> from lengthwise import crasp, limit
        >>> certified_length(limit.compile_program(crasp.load("dyck1")), bits=24) > 10**6
        True

    """
    forms = [*(form for each in blueprint.dimensions for form in _read_by(each.source)), *_outputs(blueprint)]
    if any(sum(abs(Fraction(coefficient)) for _, coefficient in form.terms) > 2 ** (bits - 2) for form in forms):
        return -1
    steps = _steps(blueprint)
    low, high = 0, 2**bits - 1
    if blueprint.relu_only_up_to is not None:
        high = min(high, blueprint.relu_only_up_to)
    while low < high:
        middle = (low + high + 1) // 2
        if Analysis(steps, bits, middle).holds:
            low = middle
        else:
            high = middle - 1
    return low


def certified_regimes(blueprint: Blueprint) -> tuple[RegimeFamily, ...]:
    """The regimes to which the proof of the certified length applies.

    Without local heads all logits are 0, and every regime averages over all keys. With them it is `LOCAL_REGIMES`.
    """
    has_local_head = any(isinstance(dimension.source, Attended) for dimension in blueprint.dimensions)
    return LOCAL_REGIMES if has_local_head else EVERY_REGIME


def certificate_of(blueprint: Blueprint) -> Certificate | None:
    """What is proved, in float64, about the model that a blueprint describes; None if that is nothing.

    Args:
        blueprint: The compiled program before its weights are written.

    Returns:
        The certificate, not yet attached to a model, or None if it would not even reach words of one symbol.

    """
    length = certified_length(blueprint)
    return None if length < 1 else Certificate(length, certified_regimes(blueprint), ARGUMENT)


def error_bounds(blueprint: Blueprint, forms: Sequence[Form], bits: int, length: int) -> list[Envelope]:
    """How far forms can be off when a dot product reads them off the last stream, on words up to a certified length."""
    analysis = Analysis(_steps(blueprint), bits, length)
    exact = [stored.is_exact for stored in analysis.stored]
    return [analysis.read(Row.of(form, exact)).error for form in forms]


# -------------------------------------------------------------------------------------- what is read and written


class Row(NamedTuple):
    """The sizes of the weights of a dot product; START is 0 in the word and adds nothing."""

    terms: tuple[tuple[int, float], ...]
    is_exact: bool
    """Whether all it reads are whole numbers without error: then so is every partial sum."""

    @classmethod
    def of(cls, form: Form, exact: Sequence[bool]) -> Row:
        """The row that reads a form, given which dimensions are exact."""
        kept = [(at, coefficient) for at, coefficient in form.terms if at != START.dimensions[0]]
        return cls(tuple((at, abs(float(coefficient))) for at, coefficient in kept), all(exact[at] for at, _ in kept))


class Step(NamedTuple):
    """A dimension with the rows that read for it; without dimension: the outputs."""

    dimension: Dimension | None
    rows: tuple[Row, ...]
    is_exact: bool


def _steps(blueprint: Blueprint) -> list[Step]:
    steps: list[Step] = []
    exact: list[bool] = []
    for dimension in blueprint.dimensions:
        rows = tuple(Row.of(form, exact) for form in _read_by(dimension.source))
        match dimension.source:
            case Averaged() | Attended() | Gathered():
                exact.append(False)
            case Compared(_, slope):
                exact.append(slope is None)
            case _:
                exact.append(all(row.is_exact for row in rows))
        steps.append(Step(dimension, rows, exact[-1]))
    return [*steps, Step(None, tuple(Row.of(form, exact) for form in _outputs(blueprint)), True)]


def _read_by(source: Source) -> list[Form]:
    match source:
        case Averaged(number):
            return [Form.dimension(number)]
        case Attended(form):
            return [form]
        case Gathered() | Compared() | Rectified():
            return [unit.form for unit in source.units()]
        case _:
            return []


def _outputs(blueprint: Blueprint) -> list[Form]:
    return [output.form - Fraction(1, 2) * ONE for output in blueprint.outputs]


# ---------------------------------------------------------------------------------------------------- errors


class _Stored(NamedTuple):
    """What is known of a dimension at the positions of the word."""

    size: Envelope
    error: Envelope
    is_exact: bool


class _Reading(NamedTuple):
    """What is known of the result of a dot product."""

    size: Envelope
    inherited: Envelope
    """The error due to the errors of what is read."""
    rounding: Envelope
    """The error of the dot product itself."""

    @property
    def error(self) -> Envelope:
        return self.inherited.plus(self.rounding)


class Analysis:
    """Bounds on the errors of all dimensions on words of one length; `holds` if none can do harm."""

    def __init__(self, steps: Sequence[Step], bits: int, length: int) -> None:
        self.unit, self.length = 2.0**-bits, length
        self.holds = True
        self.stored: list[_Stored] = []
        for dimension, rows, is_exact in steps:
            if dimension is None:
                for row in rows:
                    self._require(_most(self.read(row).error), 0.5)
                return
            error = self._error(dimension.source, rows, is_exact)
            self.stored.append(_Stored(dimension.bound.plus(error), error, is_exact))

    def read(self, row: Row) -> _Reading:
        """What is known of a dot product."""
        size = inherited = NOTHING
        for at, weight in row.terms:
            size = size.plus(self.stored[at].size.times(weight))
            inherited = inherited.plus(self.stored[at].error.times(weight))
        return _Reading(size, inherited, NOTHING if row.is_exact else size.times(self._gamma(len(row.terms))))

    def _require(self, error: float, margin: float) -> None:
        # Written so that an error that is not a number fails.
        if not error * SLACK < margin:
            self.holds = False

    def _gamma(self, terms: int) -> float:
        """γ_k, the relative error of k roundings."""
        product = max(terms, 0) * self.unit
        return product / (1.0 - product) if product < 0.5 else math.inf

    def _error(self, source: Source, rows: Sequence[Row], is_exact: bool) -> Envelope:
        match source:
            case Averaged(number):
                return self._averaged(number, rows[0])
            case Attended():
                return self._attended(rows[0])
            case Gathered(means):
                return self._gathered(len(means))
            case Compared(_, slope):
                return self._stepped(rows) if slope is None else self._ramped(rows)
            case Rectified() if not is_exact:
                return self._rectified(rows)
            case _:
                return NOTHING

    def _averaged(self, number: int, row: Row) -> Envelope:
        if number == START.dimensions[0]:
            return Envelope(0.0, self.unit)
        if row.is_exact:
            return Envelope(self.unit, 0.0)
        off = _most(self.stored[number].error)
        return Envelope(off + self._gamma(self.length + 2) * (1.0 + off), 0.0)

    def _attended(self, row: Row) -> Envelope:
        weights = 512.0 * self.unit * (1.0 + math.log(self.length + 1)) + self._gamma(self.length + 4)
        self._require(weights, 1 / 12)
        # V may be applied to the average: then each term, START too, is averaged by itself.
        averaging = (1.0 + sum(weight for _, weight in row.terms)) * (3.0 * weights + self._gamma(len(row.terms) + 1))
        self._require(1.25 * (averaging + _most(self.read(row).error)), MEAN_TOLERANCE)
        return NOTHING  # nothing but `Gathered` reads a mean, and knows how far it may be off

    def _gathered(self, means: int) -> Envelope:
        ramps = 4.5 * self._gamma(2) + 5.0 * self._gamma(3)
        self._require(ramps, 1 / 50)
        inverse = self.stored[INVERSE.dimensions[0]].error
        return inverse.times(means).plus(Envelope(means * (ramps + 5.0 * self._gamma(2 * means - 1)), 0.0))

    def _stepped(self, rows: Sequence[Row]) -> Envelope:
        for row in rows:
            # At position i the margin is 1/2 over i + 1, so the last position is the hardest.
            error = self.read(row).error
            self._require(error.flat * (self.length + 1) + error.fading, 0.5)
        return NOTHING

    def _ramped(self, rows: Sequence[Row]) -> Envelope:
        error = NOTHING
        for row in rows:
            reading = self.read(row)
            self._require(_most(reading.error), 0.5)
            # Both units of a ramp read the same errors, so these cancel; the roundings of two dot products do not.
            summed = reading.size.plus(reading.rounding).times(self._gamma(len(rows) - 1))
            error = error.plus(reading.rounding).plus(summed)
        return error

    def _rectified(self, rows: Sequence[Row]) -> Envelope:
        error = NOTHING
        for row in rows:
            reading = self.read(row)
            summed = reading.size.plus(reading.rounding).times(self._gamma(len(rows) - 1))
            error = error.plus(reading.error).plus(summed)
        return error


def _most(bound: Envelope) -> float:
    """A bound at every position; 1/(i + 1) <= 1/2 in the word."""
    return bound.flat + bound.fading / 2
