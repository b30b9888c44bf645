"""The expected loss of a hypothesis at one length: exact, or estimated from samples.

Exactly: a word is read from left to right. What its beginning contributes is Σ e^g0 g1 and Σ e^g0 over the sets it
contains; the last few tokens are all that later sets can still use. Beginnings that agree in these are one state, so
the exact law of the output costs far less than listing words. Golowich et al., Definition 3.1 (the inner expectation).
Where words are too many for exact sums, samples give an estimate with its standard error.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from lengthwise.resources import require_memory
from lengthwise.sparse.ensembles.background import Independent
from lengthwise.sparse.ensembles.ensemble import Ensemble
from lengthwise.sparse.ensembles.laws import Label, Places, Tokens, distance, largest_entry, sum_of_entries
from lengthwise.sparse.functional.attention import SparseAttention, require_fit
from lengthwise.sparse.functional.tables import HypothesisError

MOST_STATES = 100_000
"""Beyond this many states at one position, draw samples instead."""

Sums: TypeAlias = tuple[tuple[Fraction | int, ...], Fraction | int]
"""Σ e^g0 g1 and Σ e^g0 over some sets."""
State: TypeAlias = tuple[int | None, Tokens, tuple[Fraction | int, ...], Fraction | int]
"""The chain's token beneath a planted one, the tokens that still matter, Σ e^g0 g1 and Σ e^g0."""


def exact_loss(hypothesis: SparseAttention, ensemble: Ensemble, length: int) -> Fraction:
    """The expected distance between output and label over words of one length."""
    reader = _Reader(hypothesis, ensemble, length)
    total = Fraction(0)
    for places, place_mass in ensemble.positions.masses(length).items():
        for planted, tuple_mass in ensemble.planted.items():
            label = ensemble.labels[planted]
            law = reader.outputs(places, planted)
            expected = sum((mass * distance(output, label, ensemble.norm) for output, mass in law.items()), Fraction(0))
            total += place_mass * tuple_mass * expected
    return total


def output_law(
    hypothesis: SparseAttention, ensemble: Ensemble, length: int, places: Places, planted: Tokens
) -> Mapping[Label, Fraction]:
    """The law of the output on words in which this tuple is planted here."""
    return _Reader(hypothesis, ensemble, length).outputs(places, planted)


@dataclass
class _Reader:
    """Reads words of one length, all of them at once."""

    hypothesis: SparseAttention
    ensemble: Ensemble
    length: int
    _increments: dict[tuple[int, Tokens], Sums] = field(default_factory=dict)
    _rows: dict[tuple[int | None, int | None], list[tuple[int, int | None, int]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        require_fit(self.hypothesis, self.ensemble)
        key = self.hypothesis.key
        self.reach = self.length - 1 if key.reach is None else min(key.reach, self.length - 1)
        self.dimension = self.hypothesis.value.dimension
        self.value_scale = self.hypothesis.value.denominator
        self.weight_scale = key.denominator
        background = self.ensemble.background
        self.chain = not isinstance(background, Independent)
        rows = [background.start] if isinstance(background, Independent) else [background.start, *background.rows]
        self.share_scale = math.lcm(*(share.denominator for row in rows for share in row))

    def outputs(self, places: Places, planted: Tokens) -> dict[Label, Fraction]:
        """The law of the output, given what is planted where."""
        written = dict(zip(places, planted, strict=True))
        # Where the planted set itself is looked at, Σ e^g0 > 0 in the end, and the plain mean is never needed.
        sure = len(planted) == self.hypothesis.sparsity and self.hypothesis.key.weight(places, planted) > 0
        states: dict[State, int] = {(None, (), (0,) * self.dimension, 0): 1}
        for place in range(1, self.length + 1):
            moved: dict[State, int] = {}
            for (beneath, memory, weighted, total), mass in states.items():
                for token, under, share in self._options(beneath, written.get(place)):
                    word = (*memory, token)
                    more, extra = self._added(place, word[-self.reach - 1 :])
                    sums = tuple(a + b for a, b in zip(weighted, more, strict=True)) if extra else weighted
                    whole = total + extra
                    # As long as nothing was looked at, the whole beginning is kept for the plain mean.
                    kept = word[max(0, len(word) - self.reach) :] if sure or whole else word
                    state = (under, kept, sums, whole)
                    moved[state] = moved.get(state, 0) + mass * share
                if len(moved) > MOST_STATES:
                    raise HypothesisError(
                        f"words of length {self.length} differ in too many ways for exact sums; estimate from samples"
                    )
            states = moved
        law: dict[Label, Fraction] = {}
        everything = sum(states.values())  # masses are integers: probabilities times a common denominator
        for (_, memory, weighted, total), mass in states.items():
            output = self._quotient(weighted, total) if total else self._plain_mean(memory)
            law[output] = law.get(output, Fraction(0)) + Fraction(mass, everything)
        return law

    def _options(self, beneath: int | None, token: int | None) -> Sequence[tuple[int, int | None, int]]:
        """What can stand next: the token, the chain's token beneath it, and its share as an integer."""
        if token is not None and not self.chain:
            return ((token, None, 1),)
        known = (beneath, token)
        if known not in self._rows:
            background = self.ensemble.background
            row = background.start if beneath is None else background.after(beneath)
            self._rows[known] = [
                (symbol if token is None else token, symbol if self.chain else None, int(share * self.share_scale))
                for symbol, share in enumerate(row)
                if share
            ]
        return self._rows[known]

    def _added(self, place: int, window: Tokens) -> Sums:
        """What the sets whose last position is `place` contribute; `window` is what stands up to there."""
        known = (0 if self.hypothesis.key.relative else place, window)
        if known not in self._increments:
            key, value = self.hypothesis.key, self.hypothesis.value
            first = place - len(window) + 1
            weighted, total = [Fraction(0)] * self.dimension, Fraction(0)
            for rest in combinations(range(first, place), key.sparsity - 1):
                places = (*rest, place)
                tokens = tuple(window[at - first] for at in places)
                weight = key.weight(places, tokens)
                if weight:
                    total += weight
                    entries = value.value(tokens)
                    weighted = [a + weight * b * self.value_scale for a, b in zip(weighted, entries, strict=True)]
            self._increments[known] = (tuple(map(self._scaled, weighted)), self._scaled(total))
        return self._increments[known]

    def _scaled(self, number: Fraction) -> Fraction | int:
        # Integers are added many times faster than fractions; both sums are scaled alike, so the quotient stays.
        if self.weight_scale is None:
            return number
        scaled = number * self.weight_scale
        if scaled.denominator != 1:
            raise HypothesisError(
                f"the weights of the key are no multiples of 1/{self.weight_scale}, as its denominator says; "
                "give a common denominator of all weights, or none"
            )
        return scaled.numerator

    def _quotient(self, weighted: tuple[Fraction | int, ...], total: Fraction | int) -> Label:
        return tuple(Fraction(entry) / (total * self.value_scale) for entry in weighted)

    def _plain_mean(self, word: Tokens) -> Label:
        found = [self.hypothesis.value.value(tokens) for tokens in combinations(word, self.hypothesis.sparsity)]
        return tuple(sum(column, Fraction(0)) / len(found) for column in zip(*found, strict=True))


@dataclass(frozen=True)
class SampledLoss:
    """A mean over samples, and its standard error."""

    mean: float
    error: float
    each: npt.NDArray[np.float64] = field(repr=False, compare=False)
    """The loss on each word."""


def sampled_losses(
    members: Mapping[str, SparseAttention], ensemble: Ensemble, length: int, count: int, rng: np.random.Generator
) -> dict[str, SampledLoss]:
    """The losses of all hypotheses on the same words, so that their differences are less noisy than each of them."""
    if count < 2:
        raise HypothesisError(f"a standard error takes at least 2 samples, not {count}")
    require_memory(8 * count * length, f"a sample of {count} words of {length} symbols", "choose fewer --samples")
    for member in members.values():
        require_fit(member, ensemble)
    sample = ensemble.sample(length, count, rng)
    found = {}
    for name, member in members.items():
        losses = _norms(ensemble, member.outputs(sample.tokens) - sample.labels)
        found[name] = SampledLoss(float(losses.mean()), float(losses.std(ddof=1)) / math.sqrt(count), losses)
    return found


def _norms(ensemble: Ensemble, differences: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    if ensemble.norm is largest_entry:
        return np.asarray(np.abs(differences).max(axis=1))
    if ensemble.norm is sum_of_entries:
        return np.asarray(np.abs(differences).sum(axis=1))
    raise HypothesisError("samples are measured in the maximum or the sum of entries; use exact losses for other norms")
