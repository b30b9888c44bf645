"""From a C-RASP[periodic, local] program to a Limit Transformer that has the same values at every position.

The construction of Theorem 9 (Huang et al., appendix B.6) with its errors repaired. A word is read after a start
symbol; Booleans are stored as 0 or 1, counts as C(i)/(i + 1), and everything is 0 at the start symbol:

    count         a uniform head; its mean of a Boolean over i + 1 keys is C(i)/(i + 1)
    local count   a head drawn to one distance, or else to the start symbol; two ReLU units for each distance
    C <= C'       a Heaviside unit at x' - x + inv/2 - start, half a count away from any other case
    and, or       ReLU(ΣP - (k - 1)); a conjunction reads through the conjunctions it consists of
    C if P else D D + ReLU(d + B(P - 1)) - ReLU(-d + B(P - 1)) for the difference d = C - D, of size below B
    min, max      C - ReLU(C - D), D + ReLU(C - D)
    i mod m       a dimension of the positional encodings
    not, ±, k, #⊤ linear forms of what is stored

Why this is right, and up to which length in floating point, stands in the documentation ("How programs are compiled").
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from lengthwise.alphabet import Word
from lengthwise.crasp import Program
from lengthwise.crasp.running.magnitude import ranges
from lengthwise.crasp.running.operations import Operation
from lengthwise.errors import NotAnAcceptorError
from lengthwise.limit.compiling.assemble import assemble, require_reasonable
from lengthwise.limit.compiling.certify import certificate_of
from lengthwise.limit.compiling.linear_forms import ALWAYS, INVERSE, ONE, START, UNIT, ZERO, Form, total
from lengthwise.limit.compiling.schedule import (
    Attended,
    Averaged,
    Blueprint,
    Compared,
    Dimensions,
    Envelope,
    Gathered,
    Output,
    Rectified,
    Repeating,
    Token,
)
from lengthwise.limit.evaluation.regimes import Floats
from lengthwise.limit.model import LimitTransformer, ModelError


@dataclass(frozen=True, eq=False, repr=False)
class Compilation(Blueprint):
    """A compiled program: the model, and where in its residual stream the program's operations are.

    Attributes:
        program: The program.
        model: The model.
        dimensions: Where the residual stream keeps the value of each operation.
        outputs: The operations that are outputs.
        relu_only_up_to: The length up to which a model of ReLU units only is exact; None for Heaviside units.
        alphabet: The symbols of the model.

    """

    program: Program
    model: LimitTransformer
    forms: Mapping[int, Form]
    """The operation with this index in the listing, as a form over the last residual stream."""

    def __repr__(self) -> str:
        return f"<Compilation of {len(self.forms)} operations: {self.model!r}>"


def from_crasp(program: Program, *, relu_only_up_to: int | None = None) -> LimitTransformer:
    """The Limit Transformer that accepts what the program accepts and predicts what it predicts.

    It has an output "accept" if the program is an acceptor, and one for each symbol the program predicts; an output is
    positive where what it stands for holds. It refuses words longer than it is proved exact on in float64. With
    `relu_only_up_to` there is no Heaviside unit, and the model is meant for words up to that length only.

    Args:
        program: The program.
        relu_only_up_to: N: use ReLU units only, which is exact for words of up to N symbols; None for Heaviside units.

    Returns:
        The model, with a certificate.

    Example:
        >>> from lengthwise import crasp
        >>> from_crasp(crasp.load("dyck1")).accepts("(())")
        True

    """
    return compile_program(program, relu_only_up_to=relu_only_up_to).model


def compile_program(program: Program, *, relu_only_up_to: int | None = None) -> Compilation:
    """As `from_crasp`, with the place of every operation that some output depends on.

    Args:
        program: The program.
        relu_only_up_to: N: use ReLU units only, which is exact for words of up to N symbols; None for Heaviside units.

    Returns:
        The model, with the places where it keeps the value of each operation.

    Raises:
        ModelError: `relu_only_up_to` is too small or too large, or a number of the program is too large for float64.

    Example:
        >>> from lengthwise import crasp
        >>> len(compile_program(crasp.load("dyck1")).model.layers)
        3

    """
    if relu_only_up_to is not None and relu_only_up_to < 1:
        raise ModelError(f"relu_only_up_to is a length of at least 1, got {relu_only_up_to!r}")
    lowering = _Lowering(program, relu_only_up_to)
    blueprint = Blueprint(program.alphabet, tuple(lowering.dimensions.all), tuple(lowering.outputs()), relu_only_up_to)
    require_reasonable(blueprint)
    certificate = certificate_of(blueprint)
    if certificate is None:
        if relu_only_up_to is not None:
            raise ModelError(
                f"float64 is too coarse for ReLU-only comparisons up to length {relu_only_up_to}; use a shorter one"
            )
        raise ModelError("the numbers of this program are too large for float64 weights; use smaller ones")
    return Compilation(
        blueprint.alphabet,
        blueprint.dimensions,
        blueprint.outputs,
        relu_only_up_to,
        program,
        assemble(blueprint, certificate, program.title),
        lowering.forms,
    )


def values(compilation: Compilation, word: Word) -> dict[int, Floats]:
    """The value of each compiled operation at the word's positions, read off the last residual stream.

    Booleans are 0.0 or 1.0; counts, i + 1 times what is stored, are integers up to rounding errors.

    Args:
        compilation: What `compile_program` gives.
        word: A word.

    Returns:
        For each operation its value at every position, read from the residual stream.

    Example:
        >>> from lengthwise import crasp
        >>> made = compile_program(crasp.load("dyck1"))
        >>> values(made, "(()")[made.program.listing.accept].tolist()
        [0.0, 0.0, 0.0]

    """
    from lengthwise.limit.evaluation.evaluate import residual_streams

    model = compilation.model
    tokens = model.tokens(word)
    model.require_certified(len(tokens) - 1)
    stream = residual_streams(model, tokens)[-1][1:]
    scale = np.arange(2, len(tokens) + 1)
    operations = compilation.program.listing.operations
    return {
        index: (stream @ form.row(model.width)) * (scale if operations[index].is_count else 1)
        for index, form in compilation.forms.items()
    }


class _Lowering:
    """Forms for the operations of a listing, in order, and the dimensions these forms read."""

    def __init__(self, program: Program, relu_only_up_to: int | None) -> None:
        self.program, self.listing = program, program.listing
        # A multiple of 4, so that all weights are integers, and at least 2 (i + 1), so that ramps end half-way.
        self.slope = None if relu_only_up_to is None else 4 * ((relu_only_up_to + 2) // 2)
        self.dimensions = Dimensions()
        self.tokens = [self.dimensions.write(Token(number)) for number in range(len(program.alphabet))]
        self.conjuncts: dict[Form, tuple[Form, ...]] = {}
        self.ranges = ranges(self.listing)
        self.forms: dict[int, Form] = {}
        for index in self.listing.needed(place for _, place in self.roots()):
            self.forms[index] = self.form(self.listing.operations[index])

    def roots(self) -> list[tuple[str, int]]:
        accept = [] if self.listing.accept is None else [("accept", self.listing.accept)]
        if not accept and not self.listing.predictions:
            raise NotAnAcceptorError("this program neither defines a Boolean nor predicts; there is nothing to compile")
        if "accept" in self.program.predicts:
            raise ModelError('a model\'s output "accept" is its verdict; give the predicted symbol another name')
        return [*accept, *self.listing.predictions]

    def outputs(self) -> list[Output]:
        roots = self.roots()
        on_empty = self.program.evaluator.at_start(tuple(place for _, place in roots))
        return [
            Output(name, self.forms[place], bool(holds)) for (name, place), holds in zip(roots, on_empty, strict=True)
        ]

    # ------------------------------------------------------------------------------------------ operations

    def form(self, operation: Operation) -> Form:
        parts = [self.forms[index] for index in operation.operands]
        match operation.kind:
            case "symbol":
                return self.tokens[operation.value] if operation.value >= 0 else ZERO
            case "truth":
                return ALWAYS if operation.value else ZERO
            case "periodic":
                return self.dimensions.write(Repeating(operation.value, operation.numbers))
            case "not":
                return ALWAYS - parts[0]
            case "and":
                return self.both(parts)
            case "or":
                return ALWAYS - self.both([ALWAYS - part for part in parts])
            case "<=":
                return self.at_most(*parts)
            case "<":
                return ALWAYS - self.at_most(*parts[::-1])
            case "==":
                return self.equal(*parts)
            case "!=":
                return ALWAYS - self.equal(*parts)
            case "number":
                return operation.value * UNIT
            case "sum":
                return total([*zip(operation.numbers, parts, strict=True), (operation.value, UNIT)])
            case "count":
                return self.count(parts[0])
            case "before":
                return self.count(parts[0]) - self.here(parts[0])
            case "window":
                return self.local_count(parts[0], operation.numbers)
            case "min":
                return parts[0] - self.excess(operation)
            case "max":
                return parts[1] + self.excess(operation)
            case "select":
                return self.select(operation)

    def both(self, parts: list[Form]) -> Form:
        """All of some Booleans; where one is itself a conjunction, its parts are read, which may save a layer."""
        flat = dict.fromkeys(inner for part in parts for inner in self.conjuncts.get(part, (part,)) if inner != ALWAYS)
        if ZERO in flat:
            return ZERO
        if len(flat) < 2:
            return next(iter(flat), ALWAYS)
        form = self.dimensions.write(Rectified(((1, total((1, part) for part in flat) - (len(flat) - 1) * ONE),)))
        self.conjuncts[form] = tuple(flat)
        return form

    def at_most(self, left: Form, right: Form) -> Form:
        difference = right - left
        constant = difference.ratio(UNIT)
        if constant is not None:
            return ALWAYS if constant >= 0 else ZERO
        return self.dimensions.write(Compared(((1, difference),), self.slope))

    def equal(self, left: Form, right: Form) -> Form:
        """1[d >= 0] - 1[d >= 1] for the difference d, taken so that the two orders of the operands share it."""
        difference = right - left
        constant = difference.ratio(UNIT)
        if constant is not None:
            return ALWAYS if constant == 0 else ZERO
        if difference.terms[-1][1] < 0:
            difference = -difference
        return self.dimensions.write(Compared(((1, difference), (-1, difference - UNIT)), self.slope))

    def count(self, boolean: Form) -> Form:
        """Means are linear, so only dimensions are averaged; the mean of START is 1/(i + 1), that of ONE is ONE."""
        means = {START: INVERSE, ONE: ONE}
        return total(
            (factor, means.get(Form.dimension(number)) or self.dimensions.write(Averaged(number)))
            for number, factor in boolean.terms
        )

    def here(self, boolean: Form) -> Form:
        """The count that is 1 where a Boolean holds and else 0."""
        if boolean in (ZERO, ALWAYS):
            return UNIT if boolean == ALWAYS else ZERO
        return self.dimensions.write(Rectified(((1, boolean + INVERSE - ONE - START),)), Envelope(0.0, 1.0))

    def local_count(self, boolean: Form, offsets: tuple[int, ...]) -> Form:
        if boolean == ZERO:
            return ZERO
        now = self.here(boolean) if offsets[0] == 0 else ZERO
        means = [self.dimensions.write(Attended(boolean, offset)) for offset in offsets if offset]
        if not means:
            return now
        places = tuple(mean.dimensions[0] for mean in means)
        return now + self.dimensions.write(Gathered(places), Envelope(0.0, len(places)))

    def excess(self, operation: Operation) -> Form:
        """max(0, left - right)."""
        left, right = operation.operands
        difference = self.forms[left] - self.forms[right]
        return self.dimensions.write(Rectified(((1, difference),)), self.size(left, right, difference))

    def select(self, operation: Operation) -> Form:
        condition, then, otherwise = operation.operands
        boolean, difference = self.forms[condition], self.forms[then] - self.forms[otherwise]
        if boolean in (ZERO, ALWAYS):
            return self.forms[then if boolean == ALWAYS else otherwise]
        constant = difference.ratio(UNIT)
        if constant is not None:
            return self.forms[otherwise] + constant * self.here(boolean)
        size = self.size(then, otherwise, difference)
        closed = int(size.flat + size.fading + 1) * (boolean - ONE)
        gate = Rectified(((1, difference + closed), (-1, closed - difference)))
        return self.forms[otherwise] + self.dimensions.write(gate, size)

    def size(self, left: int, right: int, difference: Form) -> Envelope:
        """How large the difference of two counts gets over i + 1: by their ranges, or by the dimensions it reads."""
        values = self.ranges[left].plus(self.ranges[right].times(-1))
        by_range = _size(
            max(abs(values.low.slope), abs(values.high.slope)), max(abs(values.low.constant), abs(values.high.constant))
        )
        bounds = [(abs(Fraction(factor)), self.dimensions.all[number].bound) for number, factor in difference.terms]
        by_form = _size(
            sum(factor * Fraction(bound.flat) for factor, bound in bounds),
            sum(factor * Fraction(bound.fading) for factor, bound in bounds),
        )
        return min(by_range, by_form, key=sum)


def _size(flat: int | Fraction, fading: int | Fraction) -> Envelope:
    # Anything near 2^62 is far too large to be certified, whatever it is exactly.
    return Envelope(float(min(flat, 2**62)), float(min(fading, 2**62)))
