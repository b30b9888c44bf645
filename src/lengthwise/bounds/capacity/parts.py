"""Parts: how a cover of a network is put together from covers of its weights.

All classes here are covered in the same manner. Each weight, a part, gets a cover of its own by Zhang's bound (Lemma
A.10), and an error x of a part moves the output by at most its weight β times x. At the scales x_i the class has a
cover with

    log N <= Σ_i 36 (c_i / x_i)² log(2 ⌈4 r_i / x_i + 2⌉ N_i + 1)    at    ε = Σ_i β_i x_i

where c_i is the size of the part, r_i its radius and N_i the number of points it is applied to. Lemma A.8 gives the
best scales apart from the logarithms: x_i = (ε / γ) (c_i² / β_i)^(1/3), γ = Σ_i (c_i β_i)^(2/3), and then the sum is
36 γ³ / ε² times logarithms. The logarithms are added afterwards, so that every number here is a bound, not an order.

Numbers are decimals because products over layers leave the range of floats.
Edelman et al., appendix A.2 and A.3.

Attention weights move with scores by ||softmax(a) - softmax(b)||_1 <= C ||a - b||_∞. The paper has C = 2
(Corollary A.7), from the sum of the absolute entries of the Jacobian. C = 1 is enough, and the best: a step h moves the
weights p by Σ p_i |h_i - p·h|, the mean absolute deviation of h, which is at most its standard deviation and hence at
most ||h||_∞; for two scores (t, -t) at t = 0 it is equal to it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Context, Decimal

ZHANG = 36
"""The constant of Lemma A.10."""
THIRD = Decimal(1) / Decimal(3)
WITHOUT_NOISE = Context(prec=22)
"""Cube roots are rounded in the 28th digit, which must not make a whole number into the next one."""


@dataclass(frozen=True)
class Part:
    """A weight that is covered, and what an error in it does to the output."""

    name: str
    size: Decimal
    """c: the cover at scale x has a logarithm of 36 (c / x)², times a logarithm."""
    radius: Decimal
    """r: the largest value of one linear function times √(how many functions the part is)."""
    weight: Decimal = Decimal(1)
    """β: how far the output moves with the part."""
    per_token: bool = True
    """Whether it is applied to every token of every sample, mT points, or once for each of m samples."""
    choices: float = 0.0
    """The logarithm of what is chosen before the covers (only in the (2,1) class)."""

    def points(self, samples: int, length: int) -> int:
        """N: how many vectors the part is applied to."""
        return samples * length if self.per_token else samples

    def behind(self, gain: Decimal) -> Part:
        """The part seen through what comes after it."""
        return replace(self, weight=self.weight * gain)

    def from_within(self) -> Part:
        """The part with a cover that is made of weights of the class itself, at twice the size."""
        return replace(self, size=2 * self.size, radius=2 * self.radius)

    def log_covering(self, scale: Decimal, samples: int, length: int) -> Decimal:
        """The logarithm of the size of its cover at a scale."""
        counted = int(WITHOUT_NOISE.plus(4 * self.radius / scale).to_integral_value(ROUND_CEILING)) + 2
        logarithm = math.log(2 * counted * self.points(samples, length) + 1)
        return Decimal(self.choices) + ZHANG * (self.size / scale) ** 2 * Decimal(logarithm)


def linear_map(
    name: str,
    outputs: int,
    functional: Decimal | float,
    inputs: Decimal | float,
    weight: Decimal | float = 1,
    per_token: bool = True,
) -> Part:
    """A matrix with so many outputs, each of them a linear function of norm at most `functional` (Lemma 4.5).

    Each output is covered at x / √outputs: c = outputs · functional · inputs.
    """
    reach = Decimal(functional) * Decimal(inputs)
    return Part(name, outputs * reach, Decimal(outputs).sqrt() * reach, Decimal(weight), per_token)


def needed(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The parts that need a cover: a part that is constant or does not move the output needs none."""
    return tuple(part for part in parts if part.size > 0 and part.weight > 0)


def gamma(parts: Sequence[Part]) -> Decimal:
    """γ = Σ (c_i β_i)^(2/3), so that the leading term is 36 γ³ / ε² (Lemma A.8)."""
    return sum(((part.size * part.weight) ** (2 * THIRD) for part in needed(parts)), Decimal(0))


def leading(parts: Sequence[Part], epsilon: float | Decimal) -> Decimal:
    """36 γ³ / ε²: the logarithm of the covering number without its logarithmic factors."""
    return ZHANG * gamma(parts) ** 3 / Decimal(epsilon) ** 2


def shares(parts: Sequence[Part]) -> tuple[Decimal, ...]:
    """x_i / ε for the needed parts: how coarsely each may be covered, relative to the whole (Lemma A.8)."""
    total = gamma(parts)
    return tuple((part.size**2 / part.weight) ** THIRD / total for part in needed(parts))


SOFTMAX = 2.0
"""As in the paper, and what bounds here are computed with unless told otherwise."""
SHARP_SOFTMAX = 1.0
"""The best constant."""
