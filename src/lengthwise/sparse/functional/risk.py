"""Risk minimisation over a class, and what it does at a longer length (Golowich et al., Definition 3.1).

ĥ minimises the mean loss over the lengths ⌈L/2⌉ to L. If several hypotheses do, each of them may be the one that is
learned: the class generalizes to length L̄ with error ε only if all of them have a loss of at most ε there.

Exact losses tie if they are equal. Sampled ones are noisy: on other words another hypothesis may be the least one. All
hypotheses of a class see the same words, so two of them are compared by the difference of their losses word by word,
whose standard error is far smaller than theirs where they mostly agree. A hypothesis counts as a minimiser unless its
risk is more than `STANDARD_ERRORS` of these above the least. This errs on the side of more minimisers, and Definition
3.1 is about the worst of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TypeAlias

import numpy as np

from lengthwise.alphabet import Alphabet
from lengthwise.sparse.ensembles.ensemble import Ensemble
from lengthwise.sparse.functional.attention import SparseAttention
from lengthwise.sparse.functional.keys import Key
from lengthwise.sparse.functional.losses import SampledLoss, exact_loss, sampled_losses
from lengthwise.sparse.functional.tables import HypothesisError
from lengthwise.sparse.functional.values import ValueTable

Loss: TypeAlias = Fraction | float
Measured: TypeAlias = Loss | SampledLoss
"""A loss as it was computed: a fraction is exact, a float is rounded, a sample is noisy as well."""

STANDARD_ERRORS = 3.0
"""Samples then prefer one of two hypotheses of equal risk about once in 370 cases."""
ROUNDING = 1e-12
"""Floats that differ by no more than this are equal: losses are sums of numbers of size 1, each off by 10⁻¹⁶."""


def mean(losses: Sequence[Measured]) -> Loss:
    """The mean over lengths: the risk."""
    total: Loss = sum((number(loss) for loss in losses), Fraction(0))
    return total / len(losses)


def number(loss: Measured) -> Loss:
    """The loss itself, or its estimate."""
    return loss.mean if isinstance(loss, SampledLoss) else loss


def minimisers(losses: Mapping[str, Sequence[Measured]]) -> tuple[str, ...]:
    """The hypotheses of least risk; `losses` has one for each hypothesis and training length."""
    best = min(losses, key=lambda name: mean(losses[name]))
    return tuple(name for name, found in losses.items() if tied(found, losses[best]))


def tied(losses: Sequence[Measured], least: Sequence[Measured]) -> bool:
    """Whether the risk of the former losses is not above that of the latter, up to noise and rounding."""
    gap = mean(losses) - mean(least)
    if isinstance(gap, Fraction):
        return gap <= 0
    variances = (_variance(one, other) for one, other in zip(losses, least, strict=True))
    error = math.sqrt(math.fsum(variances)) / len(losses)
    return gap <= STANDARD_ERRORS * error + ROUNDING


def _variance(one: Measured, other: Measured) -> float:
    """The squared standard error of the difference of two losses on the same words; 0 if they are no samples."""
    if not isinstance(one, SampledLoss) or not isinstance(other, SampledLoss):
        return 0.0
    return float((one.each - other.each).var(ddof=1)) / len(one.each)


Members: TypeAlias = Mapping[str, SparseAttention]
Losses: TypeAlias = Callable[[Members, Ensemble, int], Mapping[str, Measured]]
"""The loss of every member of a class at one length."""


def attention_class(alphabet: Alphabet, keys: Mapping[str, Key], values: Mapping[str, ValueTable]) -> Members:
    """H^attn(G^key, G^val): every key with every value, named `key` or, if there are several values, `key, value`."""
    return {
        key_name if len(values) == 1 else f"{key_name}, {value_name}": SparseAttention(alphabet, key, value)
        for (key_name, key), (value_name, value) in product(keys.items(), values.items())
    }


def training_lengths(longest: int) -> range:
    """The lengths ⌈L/2⌉ to L that are trained on."""
    if longest < 1:
        raise HypothesisError(f"training lengths go up to a whole number from 1 on, not {longest}")
    return range(-(-longest // 2), longest + 1)


def exactly(members: Members, ensemble: Ensemble, length: int) -> dict[str, Fraction]:
    """Exact losses."""
    return {name: exact_loss(member, ensemble, length) for name, member in members.items()}


def from_samples(count: int, seed: int) -> Losses:
    """Losses estimated from this many words of each length, the same words for all hypotheses.

    Hypotheses that these words do not tell apart tie, so that chance does not decide which one is learned.
    """
    rng = np.random.default_rng(seed)

    def losses(members: Members, ensemble: Ensemble, length: int) -> dict[str, SampledLoss]:
        return sampled_losses(members, ensemble, length, count, rng)

    return losses


@dataclass(frozen=True)
class LengthGeneralization:
    """What risk minimisation at lengths up to L does at length L̄: the (L, L̄, ε) report of Definition 3.1."""

    training_length: int
    """L."""
    test_length: int
    """L̄."""
    risks: Mapping[str, Loss]
    """The mean training loss of every hypothesis."""
    losses: Mapping[int, Mapping[str, Loss]]
    """The loss of every hypothesis at every training length and at L̄."""
    minimisers: tuple[str, ...]
    """Every hypothesis of least risk; with samples, every one that may be."""

    @property
    def epsilon(self) -> Loss:
        """The least ε for which the class has (L, L̄, ε)-length generalization: the loss of the worst minimiser."""
        return max(self.losses[self.test_length][name] for name in self.minimisers)

    @property
    def luckiest(self) -> Loss:
        """The loss at L̄ of the best minimiser."""
        return min(self.losses[self.test_length][name] for name in self.minimisers)

    @property
    def worst(self) -> str:
        """The minimiser with the largest loss at L̄."""
        return max(self.minimisers, key=lambda name: self.losses[self.test_length][name])

    @property
    def delta(self) -> Loss:
        """δ: some hypothesis has at most this loss at each of the lengths that were looked at."""
        return min(max(at_length[name] for at_length in self.losses.values()) for name in self.risks)

    def __str__(self) -> str:
        header = f"trained up to L = {self.training_length}, tested at L̄ = {self.test_length}"
        rows = [
            f"  {name:24} training {float(risk):.4g}  test {float(self.losses[self.test_length][name]):.4g}"
            + ("  (minimiser)" if name in self.minimisers else "")
            for name, risk in self.risks.items()
        ]
        verdict = (
            f"({self.training_length}, {self.test_length}, ε)-length generalization for ε ≥ {float(self.epsilon):.4g}"
        )
        return "\n".join([header, *rows, verdict])


def length_generalization(
    members: Members, ensemble: Ensemble, training_length: int, test_length: int, losses: Losses = exactly
) -> LengthGeneralization:
    """Train on lengths ⌈L/2⌉ to L, test at L̄; exactly, or with `losses=from_samples(count, seed)`."""
    if not members:
        raise HypothesisError("a class without hypotheses has no minimiser")
    lengths = training_lengths(training_length)
    if lengths[0] < ensemble.min_length:
        raise HypothesisError(f"training lengths begin at {lengths[0]}, words at {ensemble.min_length}; use a larger L")
    found = {length: losses(members, ensemble, length) for length in dict.fromkeys([*lengths, test_length])}
    training = {name: [found[length][name] for length in lengths] for name in members}
    return LengthGeneralization(
        training_length,
        test_length,
        {name: mean(measured) for name, measured in training.items()},
        {length: {name: number(loss) for name, loss in at_length.items()} for length, at_length in found.items()},
        minimisers(training),
    )
