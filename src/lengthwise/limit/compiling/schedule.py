"""What each dimension of a compiled model holds, where its value comes from, and which layer computes it.

A dimension is written once. Its availability time is 0 if the embedding writes it, 2l - 1 if the attention of layer l
does, 2l if the MLP of layer l does. Heads read the stream as it enters a layer, hidden units read it behind the heads,
and every dimension is computed in the first layer in which all it reads is there.

The values meant here are the exact ones. At the word's position i a Boolean is 0 or 1 and a count C is C(i)/(i + 1); at
the start symbol every dimension but START, ONE and INVERSE is 0, and so is every form that stands for an operation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from lengthwise.alphabet import Alphabet
from lengthwise.limit.compiling.linear_forms import INVERSE, ONE, START, Form


class Envelope(NamedTuple):
    """A bound flat + fading/(i + 1) that holds at every position i >= 1 of a word."""

    flat: float
    fading: float

    def plus(self, other: Envelope) -> Envelope:
        """The bound of a sum."""
        return Envelope(self.flat + other.flat, self.fading + other.fading)

    def times(self, factor: float) -> Envelope:
        """The bound of a multiple."""
        return Envelope(self.flat * factor, self.fading * factor)


@dataclass(frozen=True, slots=True)
class Unit:
    """A hidden unit: it reads a form and adds ±1 times its activation."""

    sign: int
    form: Form
    heaviside: bool = False


# ------------------------------------------------------------------------------------------------- sources


@dataclass(frozen=True, slots=True)
class Constant:
    """START or ONE."""

    name: str


@dataclass(frozen=True, slots=True)
class Token:
    """1 where this symbol stands: part of its embedding."""

    symbol: int


@dataclass(frozen=True, slots=True)
class Repeating:
    """1 where the word's position i has i mod `modulus` in `residues`: part of the positional encodings.

    The start symbol counts as i = 0; its embedding subtracts whatever its position adds, which leaves 0.
    """

    modulus: int
    residues: tuple[int, ...]

    def at(self, position: int) -> bool:
        """Whether it holds at the word's position."""
        return position % self.modulus in self.residues


@dataclass(frozen=True, slots=True)
class Averaged:
    """The mean of a dimension over all positions so far, the start symbol included: uniform attention."""

    dimension: int


@dataclass(frozen=True, slots=True)
class Attended:
    """The mean of a Boolean, attention being drawn to the position `offset` back and to the start symbol.

    The logits are 3 and 2. With no such position the start symbol, where the Boolean is 0, gets nearly all attention.
    So the mean is at least 2/3 where the Boolean holds `offset` back, and at most 1/5 where not.
    """

    form: Form
    offset: int


@dataclass(frozen=True, slots=True)
class Gathered:
    """How many of some `Attended` means say yes, over i + 1: a local count."""

    means: tuple[int, ...]

    def units(self) -> Iterator[Unit]:
        """ReLU(3c - 1) - ReLU(3c - 1 - inv), which is inv for c >= 1/2 and 0 for c <= 1/3, since inv <= 1/2."""
        for mean in self.means:
            ramp = 3 * Form.dimension(mean) - ONE
            yield Unit(1, ramp)
            yield Unit(-1, ramp - INVERSE)


@dataclass(frozen=True, slots=True)
class Compared:
    """Σ ±1[C >= 0] for integers C, each given as the form of C/(i + 1).

    With `slope` None each term is one Heaviside unit: C >= 0 means C + 1/2 > 0, half a count from the nearest other
    case. Else it is a ramp of two ReLU units, 0 for C <= -1 and 1 for C >= 0 if the slope is 2(i + 1) or more.
    """

    terms: tuple[tuple[int, Form], ...]
    slope: int | None

    def units(self) -> Iterator[Unit]:
        """One hidden unit for each term, or two."""
        for sign, form in self.terms:
            if self.slope is None:
                yield Unit(sign, form + Fraction(1, 2) * INVERSE - START, heaviside=True)
            else:
                ramp = self.slope * (form + Fraction(3, 4) * INVERSE - START)
                yield Unit(sign, ramp)
                yield Unit(-sign, ramp - ONE)


@dataclass(frozen=True, slots=True)
class Rectified:
    """Σ ±ReLU(form)."""

    terms: tuple[tuple[int, Form], ...]

    def units(self) -> Iterator[Unit]:
        """One hidden unit for each term."""
        return (Unit(sign, form) for sign, form in self.terms)


Embedded: TypeAlias = Constant | Token | Repeating
ByAttention: TypeAlias = Averaged | Attended
ByUnits: TypeAlias = Gathered | Compared | Rectified
Source: TypeAlias = Embedded | ByAttention | ByUnits


@dataclass(frozen=True, slots=True)
class Dimension:
    """One coordinate of the residual stream."""

    source: Source
    layer: int
    """The layer that writes it; 0 is the embedding."""
    bound: Envelope
    """How large its exact value gets."""

    @property
    def time(self) -> int:
        """When it is available."""
        return 2 * self.layer - isinstance(self.source, ByAttention)


class Dimensions:
    """The dimensions of a model under construction; whoever asks for the same source again gets the same one."""

    def __init__(self) -> None:
        self.all: list[Dimension] = []
        self._known: dict[Source, Form] = {}
        self.write(Constant("start"), Envelope(0.0, 0.0))
        self.write(Constant("one"))
        self.write(Averaged(START.dimensions[0]), Envelope(0.0, 1.0))

    def write(self, source: Source, bound: Envelope = Envelope(1.0, 0.0)) -> Form:  # noqa: B008
        """The dimension with this source, as a form."""
        if source not in self._known:
            self._known[source] = Form.dimension(len(self.all))
            self.all.append(Dimension(source, self._layer(source), bound))
        return self._known[source]

    def _layer(self, source: Source) -> int:
        match source:
            case Averaged(dimension):
                return self._time(Form.dimension(dimension)) // 2 + 1 + self._time(Form.dimension(dimension)) % 2
            case Attended(form):
                return self._time(form) // 2 + 1 + self._time(form) % 2
            case Gathered() | Compared() | Rectified():
                return max(self._time(unit.form) for unit in source.units()) // 2 + 1
            case _:
                return 0

    def _time(self, form: Form) -> int:
        return max((self.all[number].time for number in form.dimensions), default=0)


@dataclass(frozen=True, slots=True)
class Output:
    """A Boolean that the model's outputs tell, and its value on the empty word."""

    name: str
    form: Form
    on_empty: bool


@dataclass(frozen=True, eq=False)
class Blueprint:
    """All there is to know about a compiled model before its weights are written."""

    alphabet: Alphabet
    dimensions: tuple[Dimension, ...]
    outputs: tuple[Output, ...]
    relu_only_up_to: int | None

    @property
    def depth(self) -> int:
        """The number of layers."""
        return max(dimension.layer for dimension in self.dimensions)
