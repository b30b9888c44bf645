"""Stand-ins: for every long word a short one on which two models say almost the same, with both errors.

The error that Theorem 4.1, repaired, promises stands beside the one that is there. All is done on counts, so a word of
10^9 symbols is as quick as a short one.
Izzo et al., proof of Theorem 4.1; the map itself is in `shortening`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lengthwise.alphabet import Word
from lengthwise.bounds.theorems.count_evaluation import Counts, attended_types, evaluate_counts
from lengthwise.bounds.theorems.pair import Pair, checked_epsilon
from lengthwise.bounds.theorems.shortening import Case, shorten
from lengthwise.bounds.theorems.worst_case import LEAST_RATIO, least_resolution, promised_distance, resolution_and_ratio
from lengthwise.errors import LengthwiseError
from lengthwise.limit.evaluation.regimes import Hardmax, IzzoFinite, Regime
from lengthwise.limit.model import LimitTransformer

LONGEST_WRITTEN = 10**6
"""Stand-ins up to this length are written out as words."""


@dataclass(frozen=True, eq=False)
class Simulation:
    """A word, its stand-in, and how far apart the two models' outputs on them are and may be, for f and for g.

    Attributes:
        pair: The two models, f and g.
        case: Which case of the proof made the stand-in.

    """

    pair: Pair
    source: Counts
    """The word x, by its counts."""
    counts: Counts
    """The stand-in z, by its counts."""
    case: Case
    resolution: int
    """K."""
    ratio: int
    """R."""
    promised: tuple[float, float]
    """Λ_h [(2D + 4(τ + 1) + 2)/K + 10/R] for h = f, g; 0 if the attended keys are those of the word."""
    measured: tuple[float, float]
    """||h(x) - h(z)|| with hardmax attention, from counts."""
    measured_finite: tuple[float, float] | None
    """The same at the pair's precision; None if it has none."""
    meaning: str = ""
    """How the model was read; empty if it was not read from anything."""

    @property
    def length(self) -> int:
        """|z|."""
        return self.counts.length

    @property
    def used(self) -> tuple[float, float]:
        """What part of the promised error is there, for f and g; 0 where none is promised and none is there."""
        first, second = (
            found / promised if promised else (float("inf") if found else 0.0)
            for found, promised in zip(self.measured, self.promised, strict=True)
        )
        return first, second

    @property
    def word(self) -> str | None:
        """The stand-in as text, with spaces if a symbol has several characters; None if it is too long to be read."""
        if self.length > LONGEST_WRITTEN:
            return None
        alphabet = self.pair.first.alphabet
        joint = " " if any(len(symbol) != 1 for symbol in alphabet) else ""
        return joint.join(alphabet.decode(self.counts.to_tokens()))

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            **({"meaning": self.meaning} if self.meaning else {}),
            "source_length": self.source.length,
            "length": self.length,
            "case": self.case,
            "resolution": self.resolution,
            "ratio": self.ratio,
            "promised": list(self.promised),
            "measured": list(self.measured),
            "measured_finite": None if self.measured_finite is None else list(self.measured_finite),
            "word": self.word,
            "counts": self.counts.prefix.tolist(),
            "suffix": self.counts.suffix.tolist(),
        }


def stand_in(
    f: LimitTransformer,
    g: LimitTransformer,
    x: Word | Counts,
    epsilon: float | None = None,
    resolution: int | None = None,
    ratio: int | None = None,
    bits: int | None = None,
) -> Simulation:
    """The short word that stands in for x in both models.

    x is a word or its `Counts`. Say how close the outputs must be: `epsilon` for the errors of f and g together, or the
    resolution K and the dominance ratio R themselves.
    """
    pair = Pair.of(f, g, bits)
    chosen: tuple[int | None, int | None] = (None, None)
    if epsilon is not None:
        chosen = resolution_and_ratio(checked_epsilon(epsilon), pair.sensitivity, pair.types, pair.window)
    resolution = chosen[0] if resolution is None else resolution
    ratio = chosen[1] if ratio is None else ratio
    if resolution is None or ratio is None:
        raise LengthwiseError("say how close a stand-in must be: give epsilon, or both resolution and ratio")
    if not isinstance(x, Counts):
        x = Counts.from_tokens(pair.first.tokens(x), pair.symbols, pair.period, pair.window)
    return simulate(pair, x, resolution, ratio)


def simulate(pair: Pair, counts: Counts, resolution: int, ratio: int) -> Simulation:
    """`stand_in` for a pair whose constants are known already, on counts."""
    least = least_resolution(pair.types)
    if resolution < least:
        raise LengthwiseError(
            f"the resolution is at least max(8, 2 |Σ| Δ) = {least}, got {resolution}: below that rounding can wipe out "
            "all that a model attends to"
        )
    if ratio < LEAST_RATIO:
        raise LengthwiseError(f"the dominance ratio is at least {LEAST_RATIO}, got {ratio}")
    _require_view(pair, counts)
    case: Case = "short"
    shorter = counts
    if pair.hardmax_length is not None and pair.is_hard_at(counts.length):
        masks = (attended_types(pair.first, counts), attended_types(pair.second, counts))
        shorter, case = shorten(counts, *masks, resolution, ratio, pair.hardmax_length)
    distance = 0.0 if case in ("short", "copy") else promised_distance(resolution, ratio, pair.types, pair.window)
    first, second = pair.sensitivities
    return Simulation(
        pair,
        counts,
        shorter,
        case,
        resolution,
        ratio,
        promised=(first * distance, second * distance),
        measured=_errors(pair, counts, shorter, Hardmax()),
        measured_finite=None if pair.bits is None else _errors(pair, counts, shorter, IzzoFinite(pair.bits)),
    )


def _require_view(pair: Pair, counts: Counts) -> None:
    exact = len(counts.suffix) == pair.window + 1
    if counts.prefix.shape != (pair.symbols, pair.period) or not (
        exact or (len(counts.suffix) <= pair.window and not counts.prefix_length)
    ):
        raise LengthwiseError(
            f"this pair sees counts of {pair.symbols} symbols at {pair.period} residues and the last "
            f"{pair.window + 1} symbols; got counts of {counts.prefix.shape[0]} symbols at {counts.period} residues "
            f"and the last {len(counts.suffix)}"
        )


def _errors(pair: Pair, word: Counts, other: Counts, regime: Regime) -> tuple[float, float]:
    first, second = (
        float(np.linalg.norm(evaluate_counts(model, word) - evaluate_counts(model, other)))
        for model in (pair.first.with_regime(regime), pair.second.with_regime(regime))
    )
    return first, second
