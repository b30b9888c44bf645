"""The certified length: how long training inputs have to be for one task, not for all of them.

The theorems bound every pair of models. For one given model f with hardmax attention the number can be computed: the
smallest N such that every word, however long, has a *stand-in* of at most N symbols, a word in the same situation (the
same last τ + 1 symbols, the same length modulo Δ, the same kind of keys attended) on which f says the same up to ε. It
is a covering radius: of all the ways in which attention can be shared out, by those of short words.

What follows for a learned model g that agrees with f within ε_train on all words of at most N symbols:

- a given g, if stand-ins are to serve both: |f - g| <= ε_train + 2ε on every word;
- any g that attends to the same keys as f and whose output changes by at most s times the part of the attention that is
  moved, if stand-ins are to keep attention itself within ε/s (`sensitivity`): the same. With fewer symbols there is a g
  that agrees with f on all training words and is off by more than ε on another.

This is our own result; the documentation proves it ("The certified length").
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Literal

import numpy as np

from lengthwise.bounds.bound import length_bound
from lengthwise.bounds.certified.certificate import Certified, Example, guarantee
from lengthwise.bounds.certified.farey import cover_line, is_one_dimensional
from lengthwise.bounds.certified.share_map import rounded_up
from lengthwise.bounds.certified.simplex_cover import cover_region
from lengthwise.bounds.certified.situation_list import enumerate_situations
from lengthwise.bounds.certified.situations import Cover, Integers, Nearness, Situation
from lengthwise.bounds.certified.sure_length import UNKNOWN, sure_length
from lengthwise.bounds.theorems.count_evaluation import Counts
from lengthwise.bounds.theorems.pair import attention_sensitivity, checked_epsilon, require_covered
from lengthwise.bounds.theorems.worst_case import resolution_and_ratio, stand_in_length
from lengthwise.errors import LengthwiseError
from lengthwise.limit.evaluation.regimes import Hardmax, IzzoFinite
from lengthwise.limit.model import LimitTransformer, ModelError
from lengthwise.limit.quantities.margins import hardmax_length
from lengthwise.resources import SECONDS, TimeLimitError, check_time, time_limit

__all__ = ["Certified", "certified", "own_sensitivity"]

LISTING = 0.8
"""The part of the time in which situations have to be listed; the rest is for the formula."""
FROM_THE_THEOREM = (
    "the upper bound is that of Theorem 4.1, repaired; missing are the situations, for whose list there was no time: "
    "allow more with --seconds"
)
STEEPEST = 1e100
"""The largest sensitivity: products of larger ones are no floats."""
LONGEST = 100_000
"""Stand-ins up to this length are searched."""


def certified(
    f: LimitTransformer,
    epsilon: float,
    g: LimitTransformer | None = None,
    bits: int | None = None,
    *,
    sensitivity: float | Literal["own"] | None = None,
    longest: int = LONGEST,
    seconds: float | None = SECONDS,
) -> Certified:
    """The smallest N such that every word has a stand-in of at most N symbols within ε.

    Within ε are the outputs of f, those of g as well if it is given, and with a `sensitivity` s also s times the part
    of the attention that is moved ("own" takes that of f). `bits` is the precision, if the models' regimes do not say
    it; stand-ins are then taken where attention is a hardmax. If `longest` or `seconds` ends the search, the result is
    an upper bound, and not `exact`.

    Args:
        f: A model with one layer.
        epsilon: ε: how far outputs on a word and on its stand-in may be apart.
        g: A second model, whose outputs have to be as close.
        bits: The precision, if the regimes of the models do not say it.
        sensitivity: How fast the output of all second models changes at most with attention; `own` for as
            fast as that of f.
        longest: The longest stand-ins that are tried.
        seconds: After how long an upper bound is given; None for no limit.

    Returns:
        The length with the word that needs it and its stand-in.

    Raises:
        LengthwiseError: The theorem does not apply to the models, or a parameter is out of range.

    Example:
        >>> from lengthwise.limit.constructions import simple_task
        >>> found = certified(simple_task(3.0).model, epsilon=0.1)
        >>> found.length, found.exact
        (15, True)

    """
    epsilon = checked_epsilon(epsilon)
    models = _checked([f] if g is None else [f, g])
    if g is not None and sensitivity is not None:
        raise LengthwiseError("give a second model or a sensitivity, which stands for all second models, but not both")
    deadline = time_limit(seconds)
    with deadline.in_force():
        hard = _hardmax_length(models, bits)
        steepness = _own_sensitivity(f) if sensitivity == "own" else sensitivity
    if steepness is not None and not 0 <= steepness <= STEEPEST:
        raise LengthwiseError(f"a sensitivity is a finite number >= 0, got {steepness}; the largest is {STEEPEST:g}")
    exact_steepness = None if steepness is None else _as_written(steepness)
    exact_epsilon = _as_written(epsilon)
    with deadline.in_force():
        try:
            with deadline.share(LISTING).in_force():
                situations = enumerate_situations(models, exact_steepness, hard)
        except TimeLimitError:
            by_formula = None if exact_steepness is not None else _by_formula(models, exact_epsilon, hard)
            if by_formula is None:
                raise
            return by_formula
        found = _Worst(situations[0].period + len(situations[0].suffix) - 1)
        for situation in sorted(situations, key=lambda each: (len(each.maps) > 0, len(each.kinds))):
            try:
                check_time()
                cover = _covered(situation, exact_epsilon, found.at_least, longest, deadline.end)
            except TimeLimitError:
                cover = Cover(max(found.at_least, sure_length(situation, exact_epsilon)), found.at_least)
            found.add(situation, cover)
    shown = None if exact_steepness is None else rounded_up(exact_steepness)
    return _result(f, found, hard, exact_epsilon, shown, g is not None)


def _by_formula(models: list[LimitTransformer], epsilon: Fraction, hard: int) -> Certified | None:
    """The length of Theorem 4.1, repaired: its stand-ins are within ε for each model. None if it is not about them."""
    try:
        for model in models:
            require_covered("it", model)
        steepest = max(attention_sensitivity("it", model) for model in models)
    except LengthwiseError:
        return None
    f, period, window = models[0], math.lcm(*(each.period for each in models)), max(each.window for each in models)
    resolution, ratio = resolution_and_ratio(epsilon, steepest, f.alphabet.id_count * period, window)
    found = _Worst(period + window)
    found.length = max(found.length, stand_in_length(resolution, ratio, period, window, hard))
    result = _result(f, found, hard, epsilon, None, len(models) > 1)
    return replace(result, bound=replace(result.bound, assumptions=(*result.bound.assumptions, FROM_THE_THEOREM)))


def _covered(situation: Situation, epsilon: Fraction, at_least: int, longest: int, deadline: float) -> Cover:
    if not situation.maps:
        return _shortest(situation)
    cover = cover_line if is_one_dimensional(situation) else cover_region
    return cover(situation, epsilon, at_least, longest, deadline)


def own_sensitivity(f: LimitTransformer) -> float:
    """How much the output of f changes at most when all of its attention is moved, per part that is moved.

    Exact, apart from the rounding of the result, where two types are attended and the output is a single number;
    otherwise an upper bound. It is rounded up.
    """
    return rounded_up(_own_sensitivity(f))


def _own_sensitivity(f: LimitTransformer) -> Fraction:
    situations = enumerate_situations(_checked([f]))
    return max(
        (each.exact.steepness(situation.shares_groups) for situation in situations for each in situation.maps),
        default=Fraction(0),
    )


def _as_written(number: float | Fraction) -> Fraction:
    """A number as it is written: 0.1 is a tenth, not the floating-point number that is closest to it."""
    return number if isinstance(number, Fraction) else Fraction(repr(float(number)))


# ------------------------------------------------------------------------------------------------ what is refused


def _checked(models: list[LimitTransformer]) -> list[LimitTransformer]:
    for name, model in zip("fg", models, strict=False):
        if len(model.layers) != 1:
            raise ModelError(
                f"the certified length is that of a model with one layer, and {name} has {len(model.layers)}: in a "
                "second layer the order of symbols matters, not only their counts"
            )
        if model.uses_heaviside:
            raise ModelError(
                f"{name} has Heaviside units, as compiled programs do: its output jumps, so no short word need be "
                "close; use ReLU units"
            )
        if model.has_start:
            raise ModelError(f"the certified length is about words without a start symbol, and {name} reads one")
    if len({model.alphabet for model in models}) > 1:
        raise ModelError(
            f"f reads {models[0].alphabet} and g reads {models[1].alphabet}: one word has to stand in for both"
        )
    return models


def _hardmax_length(models: Sequence[LimitTransformer], bits: int | None) -> int:
    """The length from which on attention is a hardmax; 1 if it is one at every length."""
    if bits is None:
        regimes = {model.regime for model in models if not isinstance(model.regime, Hardmax)}
        if not regimes:
            return 1
        regime = regimes.pop()
        if regimes or not isinstance(regime, IzzoFinite):
            raise ModelError(
                "say for how many bits: the certified length is about hardmax attention, and the regime is "
                + " and ".join(str(model.regime) for model in models)
            )
        bits = regime.bits
    length = max(hardmax_length(model, IzzoFinite(bits).bits) for model in models)
    # A word of one symbol has one key, on which all regimes agree.
    return length if length > 2 else 1


# --------------------------------------------------------------------------------------------- putting it together


class _Worst:
    """The situation that needs most, as situations are gone through."""

    def __init__(self, ground: int) -> None:
        self.length = self.at_least = self.ground = ground
        """Words of at most τ + Δ symbols have no shorter stand-in."""
        self.number = 0
        self.situation: Situation | None = None
        self.counts: tuple[int, ...] | None = None

    def add(self, situation: Situation, cover: Cover) -> None:
        """Take one more situation into account."""
        self.number += 1
        self.length = max(self.length, cover.length)
        if cover.at_least > self.at_least:
            self.at_least, self.situation, self.counts = cover.at_least, situation, cover.worst


def _shortest(situation: Situation) -> Cover:
    """Where the output is constant, the shortest word of a situation stands in for all."""
    rows = situation.least_rows
    counts, needed = situation.counts_within(rows)
    while not len(counts):
        rows += 1
        counts, needed = situation.counts_within(rows)
    length = situation.length(int(needed[0]))
    return Cover(length, length, tuple(counts[0].tolist()))


def _result(
    f: LimitTransformer, found: _Worst, hard: int, epsilon: Fraction, sensitivity: float | None, joint: bool
) -> Certified:
    length = max(found.length, hard - 1)
    if length >= UNKNOWN:
        raise ModelError(
            "more than two heads attend to different keys of the same word, for which there is no bound but the exact "
            "one, and the search for that did not end; allow more seconds or longer stand-ins"
        )
    distance: float | None = 0.0
    stand_in: Example | None
    if found.situation is None or found.counts is None:
        ids = np.zeros(found.ground, dtype=np.int64)
        worst = stand_in = Example(Counts.from_tokens(ids, f.alphabet.id_count, f.period, f.window), f.alphabet)
    else:
        counts = np.array(found.counts, dtype=np.int64)
        worst = Example.of(found.situation, counts, f.alphabet)
        closest, distance = _closest(found.situation, counts, found.at_least, epsilon)
        stand_in = None if closest is None else Example.of(found.situation, closest, f.alphabet)
    bound = length_bound(
        "Certified length",
        length,
        terms={
            "epsilon": float(epsilon),
            **({} if sensitivity is None else {"sensitivity": sensitivity}),
            "at_least": found.at_least,
            "situations": found.number,
            "hardmax_length": hard,
        },
        assumptions=(guarantee(sensitivity, joint=joint),),
    )
    return Certified(
        length,
        length == found.at_least and hard == 1,
        found.at_least,
        float(epsilon),
        sensitivity,
        worst,
        stand_in,
        distance if stand_in is not None else None,
        found.situation,
        bound,
    )


def _closest(
    situation: Situation, counts: Integers, length: int, epsilon: Fraction
) -> tuple[Integers | None, float | None]:
    """The counts of the closest word of at most this length, and how far it is; None if it is not within ε."""
    candidates, _ = situation.counts_within(situation.rows_within(length))
    if not len(candidates):
        return None, None
    nearness, values = Nearness(situation, epsilon), [each(situation.shares(candidates)) for each in situation.maps]
    own, apart = situation.shares(counts[None]), np.zeros(len(candidates))
    for each, found in zip(situation.maps, values, strict=True):
        apart = np.maximum(apart, each.distance(found, each(own)))
    closest = int(np.argmin(apart))
    if nearness.within(nearness.values(counts.tolist()), nearness.values(candidates[closest].tolist())):
        return candidates[closest], float(apart[closest])
    # Among words that rounding does not tell apart, another one may be.
    other = nearness.first_within(counts.tolist(), values, candidates)
    return (None, None) if other is None else (candidates[other], float(apart[other]))
