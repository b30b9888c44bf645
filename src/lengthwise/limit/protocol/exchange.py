"""Theorem 12 of Huang et al. as a program: Alice tells Bob what his heads have to remember of her half of the input.

Alice holds the first half, Bob the second, and Bob wants the activations at his positions. Alice runs the rounded model
on her half, with logits scaled for the whole length, and sends each head's ledger; nothing comes back. Her cells are
indexed by the key and min(N - j, τ), not max(N - j, N - τ) as printed (ERR-G10): the last τ keys in order, the others
with a count of ⌈log2(N + 1)⌉ bits and a sum of values of O(log N) bits. Exact activations would not do: already
Σ 1/(j + 1) takes about 1.4 N bits (ERR-G11).

How many cells there are is bounded for each model since keys have a fixed precision, but the bound may be exponential
in the width, and nothing supports the claim that the bits are linear in R_∞ (ERR-G13). On short inputs, or for a model
with many cells, it is cheaper to send the input itself; `bits_against_length` puts both numbers side by side.
`Writer` and `Reader` put numbers on the wire, with an account of what the bits were spent on.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from lengthwise.alphabet import Word
from lengthwise.limit.model import LimitTransformer, ModelError
from lengthwise.limit.protocol.rounded_model import Cell, Ledger, Precision, RoundedHead, RoundedModel, Vector


@dataclass(frozen=True)
class Transcript:
    """What was sent."""

    payload: str
    """Zeros and ones, all that the receiver gets."""
    account: dict[tuple[int, int, str], int]
    """How many bits went where: by layer, head and what they say."""
    cells: int
    """How many cells they describe."""

    @property
    def bits(self) -> int:
        """How many bits were sent."""
        return len(self.payload)

    @property
    def by_content(self) -> dict[str, int]:
        """How many bits say what: the number of cells, their keys, counts and values."""
        spent: Counter[str] = Counter()
        for (_, _, what), bits in self.account.items():
            spent[what] += bits
        return dict(spent)


@dataclass
class Writer:
    """The sender's side. Widths that depend on the input are sent along, so that the message explains itself."""

    head: tuple[int, int] = (0, 0)
    """Layer and head that the next bits are about."""
    cells: int = 0
    _pieces: list[str] = field(default_factory=list)
    _account: Counter[tuple[int, int, str]] = field(default_factory=Counter)

    def plain(self, what: str, value: int, width: int) -> None:
        """A number from 0 to 2^width - 1."""
        if width:
            self._send(what, format(value, f"0{width}b"))

    def number(self, what: str, value: int) -> None:
        """A positive number of any size in 2⌊log2 value⌋ + 1 bits (Elias' gamma code)."""
        digits = format(value, "b")
        self._send(what, "0" * (len(digits) - 1) + digits)

    def vectors(self, what: str, vectors: Sequence[Sequence[int]]) -> None:
        """Signed numbers, all in the width of the largest, which is sent first."""
        entries = [entry for vector in vectors for entry in vector]
        if not entries:
            return
        width = max((entry if entry >= 0 else ~entry).bit_length() for entry in entries) + 1
        self.number(what, width)
        for entry in entries:
            self.plain(what, entry % (1 << width), width)

    def transcript(self) -> Transcript:
        """All that was sent."""
        return Transcript("".join(self._pieces), dict(self._account), self.cells)

    def _send(self, what: str, digits: str) -> None:
        self._pieces.append(digits)
        self._account[(*self.head, what)] += len(digits)


@dataclass
class Reader:
    """The receiver's side: reads what `Writer` wrote, in the same order."""

    payload: str
    place: int = 0

    def plain(self, width: int) -> int:
        """A number from 0 to 2^width - 1."""
        digits = self.payload[self.place : self.place + width]
        self.place += width
        return int(digits, 2) if width else 0

    def number(self) -> int:
        """A positive number in Elias' gamma code."""
        zeros = self.payload.index("1", self.place) - self.place
        self.place += zeros
        return self.plain(zeros + 1)

    def vectors(self, count: int, size: int) -> list[tuple[int, ...]]:
        """Vectors of signed numbers."""
        if not count * size:
            return [()] * count
        width = self.number()
        return [tuple(self._signed(width) for _ in range(size)) for _ in range(count)]

    def _signed(self, width: int) -> int:
        value = self.plain(width)
        return value - (1 << width) if value >> (width - 1) else value


@dataclass(frozen=True, eq=False)
class Alice:
    """The party with the first half."""

    model: LimitTransformer
    tokens: npt.NDArray[np.int64]
    precision: Precision

    def message(self) -> Transcript:
        """What Bob needs: the ledgers of all heads after her last position."""
        rounded = RoundedModel(self.model, self.precision)
        ledgers = rounded.fresh_ledgers()
        rounded.run(self.tokens, ledgers)
        writer = Writer()
        for number, memory in enumerate(ledgers, start=1):
            for place, ledger in enumerate(memory, start=1):
                writer.head = (number, place)
                _write_ledger(writer, ledger, len(self.tokens))
        return writer.transcript()


@dataclass(frozen=True, eq=False)
class Bob:
    """The party with the second half."""

    model: LimitTransformer
    tokens: npt.NDArray[np.int64]
    precision: Precision

    def activations(self, payload: str) -> list[tuple[Vector, ...]]:
        """The activations at his positions, before the first layer and after each layer, in units of 2^-b."""
        rounded = RoundedModel(self.model, self.precision)
        before = self.precision.length - len(self.tokens)
        reader = Reader(payload)
        ledgers = [[_read_ledger(reader, head, before) for head in layer.heads] for layer in rounded.layers]
        return rounded.run(self.tokens, ledgers, before)


@dataclass(frozen=True, eq=False)
class Exchange:
    """One run of the protocol."""

    half: int
    """N: the positions that Alice holds, the start symbol's included."""
    precision: Precision
    """How finely was rounded."""
    transcript: Transcript
    """What Alice sent."""
    activations: list[tuple[Vector, ...]]
    """Bob's."""
    input_bits: int
    """What sending Alice's symbols would take: ⌈N log2 |Σ|⌉."""
    outputs: dict[str, float]
    """What Bob says at the last position."""
    exact: dict[str, float]
    """What the model says there without rounding of activations."""
    meaning: str = ""
    """How the model was read, if it was given as a text."""

    @property
    def agree(self) -> bool:
        """Whether Bob gives the model's answer: which outputs are positive, as acceptance and prediction read them."""
        return all((self.outputs[name] > 0) == (value > 0) for name, value in self.exact.items())

    def as_json(self) -> dict[str, Any]:
        """All but the activations as data."""
        return {
            "meaning": self.meaning,
            "half": self.half,
            "length": self.precision.length,
            "activation_bits": self.precision.activation_bits,
            "key_bits": self.precision.key_bits,
            "bits": self.transcript.bits,
            "cells": self.transcript.cells,
            "input_bits": self.input_bits,
            "messages": [
                {"layer": layer, "head": head, "content": what, "bits": bits}
                for (layer, head, what), bits in sorted(self.transcript.account.items())
            ],
            "outputs": self.outputs,
            "exact": self.exact,
            "agree": self.agree,
        }

    def __str__(self) -> str:
        by_head: dict[tuple[int, int], dict[str, int]] = {}
        for (layer, head, what), bits in self.transcript.account.items():
            by_head.setdefault((layer, head), {})[what] = bits
        cells = "1 cell" if self.transcript.cells == 1 else f"{self.transcript.cells} cells"
        rows = [
            f"Alice holds {self.half} of {self.precision.length} positions and sends {self.transcript.bits} bits about "
            f"{cells}; her symbols would take {self.input_bits}"
        ]
        for (layer, head), spent in by_head.items():
            parts = ", ".join(f"{what} {bits}" for what, bits in spent.items())
            rows.append(f"  layer {layer}, head {head}: {sum(spent.values())} bits ({parts})")
        shown = "  ".join(f"{name}: {value:.6g}" for name, value in self.outputs.items())
        exact = "  ".join(f"{name}: {value:.6g}" for name, value in self.exact.items())
        said = "as the model does" if self.agree else "UNLIKE the model; take a larger factor or more key bits"
        return "\n".join([*rows, f"Bob answers  {shown}", f"the model    {exact}", f"Bob decides {said}"])


def exchange(model: LimitTransformer, word: Word, factor: float = 2.0, key_bits: int = 8) -> Exchange:
    """Split a word in the middle and let Alice and Bob compute what a model says about it.

    Args:
        model: A Limit Transformer.
        word: At least two symbols, the start symbol included.
        factor: Activations have ⌈factor · log2 2N⌉ fractional bits.
        key_bits: Fractional bits of keys, whatever the length.

    Returns:
        What Alice sent, how many bits that took, and what Bob makes of it.

    Raises:
        LengthwiseError: The word has no two halves, or symbols that the model does not know.

    Example:
        >>> import lengthwise as lw
        >>> found = lw.limit.exchange(lw.limit.from_crasp(lw.crasp.load("majority")), "01" * 500)
        >>> found.transcript.bits < found.input_bits, found.agree
        (True, True)

    """
    from lengthwise.limit.evaluation.evaluate import last_output

    tokens = model.tokens(word)
    half = _half(len(tokens))
    precision = Precision.of(len(tokens), factor, key_bits)
    transcript = Alice(model, tokens[:half], precision).message()
    activations = Bob(model, tokens[half:], precision).activations(transcript.payload)
    last = np.array([float(Fraction(value, 1 << precision.activation_bits)) for value in activations[-1][-1]])
    return Exchange(
        half,
        precision,
        transcript,
        activations,
        _input_bits(model, half),
        dict(zip(model.outputs, (model.unembedding @ last).tolist(), strict=True)),
        dict(zip(model.outputs, last_output(model, tokens).tolist(), strict=True)),
    )


def single_party(
    model: LimitTransformer, word: Word, factor: float = 2.0, key_bits: int = 8
) -> list[tuple[Vector, ...]]:
    """The activations of the same rounded model at all positions, computed by one party that knows the whole word."""
    tokens = model.tokens(word)
    rounded = RoundedModel(model, Precision.of(len(tokens), factor, key_bits))
    return rounded.run(tokens, rounded.fresh_ledgers())


@dataclass(frozen=True)
class Cost:
    """What the message about the first half of one input takes."""

    half: int
    """N."""
    bits: int
    """What Alice sends."""
    cells: int
    """How many cells that describes, all heads together."""
    input_bits: int
    """What sending her symbols would take: ⌈N log2 |Σ|⌉."""

    @property
    def bits_per_log(self) -> float:
        """The bits over log2(2N): this levels off where the number of cells does; before, log N is not yet visible."""
        return self.bits / math.log2(2 * self.half)

    @property
    def pays(self) -> bool:
        """Whether the message is shorter than the input."""
        return self.bits < self.input_bits


def bits_against_length(
    model: LimitTransformer, words: Iterable[Word], factor: float = 2.0, key_bits: int = 8
) -> tuple[Cost, ...]:
    """The cost of the protocol on each of some words, usually of growing length."""
    costs = []
    for word in words:
        tokens = model.tokens(word)
        half = _half(len(tokens))
        transcript = Alice(model, tokens[:half], Precision.of(len(tokens), factor, key_bits)).message()
        costs.append(Cost(half, transcript.bits, transcript.cells, _input_bits(model, half)))
    return tuple(costs)


def _input_bits(model: LimitTransformer, half: int) -> int:
    # The start symbol is known to both.
    return math.ceil((half - model.has_start) * math.log2(model.alphabet.id_count))


def _half(length: int) -> int:
    if length < 2:
        raise ModelError(f"the input has to have two halves, and the model reads {length} symbols")
    return length // 2


# ----------------------------------------------------------------------------------------------- one ledger


def _write_ledger(writer: Writer, ledger: Ledger, half: int) -> None:
    """The recent keys in order, so that their distances need not be said; then the far cells with their counts."""
    near, far = list(ledger.recent), list(ledger.far.items())
    writer.number("cells", len(far) + 1)
    writer.cells += len(near) + len(far)
    writer.vectors("keys", [key for key, _ in near + far])
    for _, cell in far:
        writer.plain("counts", cell.count, half.bit_length())
    writer.vectors("values", [cell.total for _, cell in near + far])


def _read_ledger(reader: Reader, head: RoundedHead, half: int) -> Ledger:
    near, far = min(half, head.window), reader.number() - 1
    keys = reader.vectors(near + far, len(head.read))
    counts = [1] * near + [reader.plain(half.bit_length()) for _ in range(far)]
    totals = reader.vectors(near + far, len(head.written))
    cells = [(key, Cell(count, total)) for key, count, total in zip(keys, counts, totals, strict=True)]
    ledger = Ledger(far=dict(cells[near:]))
    ledger.recent.extend(cells[:near])
    return ledger
