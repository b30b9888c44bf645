"""The data of a trial: hidden places, a labelled sample, and a holdout sample, all drawn for this trial alone.

"In each trial, one of the subsets of indices was selected uniformly at random, under i.i.d. random inputs" (Edelman et
al., appendix C.1). A holdout sample is kept eight bits to a byte, as it is much larger than the sample.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lengthwise.experiments.probes.cell import Cell, Probe
from lengthwise.experiments.probes.function import Bits, HiddenFunction

PLACES, SAMPLE, HOLDOUT, BATCHES = range(4)
"""What a stream of random numbers is for."""


@dataclass(frozen=True, eq=False)
class Holdout:
    """Many labelled strings."""

    packed: npt.NDArray[np.uint8]
    labels: Bits
    context: int

    def parts(self, size: int) -> Iterator[tuple[Bits, Bits]]:
        """Strings and labels, so many at a time."""
        for begin in range(0, len(self.labels), size):
            unpacked = np.unpackbits(self.packed[begin : begin + size], axis=1, count=self.context)
            yield unpacked.astype(np.bool_), self.labels[begin : begin + size]


def hidden_places(probe: Probe, trial: int) -> tuple[int, ...]:
    """Where the bits of the function are: different places from 1 on, in the order of the function's bits."""
    drawn = probe.stream(trial, PLACES).choice(probe.context, probe.hidden_function.sparsity, replace=False)
    return tuple(int(place) + 1 for place in drawn)


def sample(cell: Cell, trial: int) -> tuple[Bits, Bits]:
    """The strings (m, T) and labels (m,) a trial is trained on."""
    return drawn(cell, trial, cell.samples, cell.stream(trial, SAMPLE))


def holdout(cell: Cell, trial: int) -> Holdout:
    """The strings and labels a trial is tested on."""
    bits, labels = drawn(cell, trial, cell.holdout, cell.stream(trial, HOLDOUT))
    return Holdout(np.packbits(bits, axis=1), labels, cell.context)


def drawn(probe: Probe, trial: int, count: int, rng: np.random.Generator) -> tuple[Bits, Bits]:
    """So many strings and their labels."""
    function, places = probe.hidden_function, hidden_places(probe, trial)
    bits = _uniform(rng, count, probe.context)
    if isinstance(probe, Cell) and probe.labels == "balanced":
        _balance(bits, function, places, rng)
    return bits, function.labels(bits, places)


def _uniform(rng: np.random.Generator, count: int, context: int) -> Bits:
    in_bytes = -(-context // 8)
    packed = np.frombuffer(rng.bytes(count * in_bytes), dtype=np.uint8).reshape(count, in_bytes)
    return np.unpackbits(packed, axis=1, count=context).astype(np.bool_)


def _balance(bits: Bits, function: HiddenFunction, places: tuple[int, ...], rng: np.random.Generator) -> None:
    """Put patterns at the hidden places such that both labels are equally likely."""
    wanted = rng.random(len(bits)) < 0.5
    patterns = np.where(wanted, *(rng.choice(function.patterns(label), len(bits)) for label in (True, False)))
    for shift, place in enumerate(reversed(places)):
        bits[:, place - 1] = (patterns >> shift) & 1
