"""From covering numbers to how far training error and risk are apart (Lemma 2.2, with constants that can be used).

Let functions have values in [-A, A], and the loss values in [0, b] and be L-Lipschitz. With probability 1 - δ over m
samples, for all functions of the class at once,

    |risk - training error| <= 2 L Rad + 3 b √(log(4/δ) / (2m)),     Rad = min(A, 12 s (1 + log(A/s))),

where s is the scale at which the logarithm of the covering number is m. For at all larger scales
log N(ε) <= C/ε² with C = m s², since ε² log N(ε) falls with ε, and Dudley's integral from s to A is then
4 s + 12 √(C/m) log(A/s). In this way C holds the factor log(mT) at just the scales that are used.

As printed (ERR-H7), the constant c is left open, C is to hold for all scales, which no constant does because of that
factor, and the logarithm makes the bound negative for few samples. 3b and log(4/δ) are for covers of the
samples at hand; ours hold for all samples, so that b √(log(2/δ) / (2m)) is enough (`uniform_confidence`): Rademacher
averages are bounded for all samples, hence on average, and only the largest deviation itself has to be concentrated.
Edelman et al., section 2 and appendix A.1.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING

from lengthwise.bounds.bound import Bound
from lengthwise.bounds.capacity.parts import leading, needed
from lengthwise.bounds.capacity.requirements import CapacityError, norm, positive, whole

if TYPE_CHECKING:
    from lengthwise.bounds.capacity.function_class import Capacity

MOST_SAMPLES = 10**60
"""No larger number of samples is looked for."""


def generalization(
    capacity: Capacity,
    samples: int,
    length: int = 1,
    *,
    lipschitz: float = 1.0,
    loss_bound: float = 1.0,
    failure: float = 0.05,
) -> Bound:
    """How far risk and training error can be apart, for all functions at once, but for a probability `failure`, δ.

    `lipschitz` and `loss_bound` are L and b of the loss. A value of b or more says nothing.

    Args:
        capacity: The class of functions, which are numbers.
        samples: How many training samples there are.
        length: Tokens of each sample.
        lipschitz: How fast the loss changes with the output.
        loss_bound: The largest loss.
        failure: The probability with which the bound may fail.

    Returns:
        How far training error and risk are apart at most.

    Example:
        >>> from lengthwise.bounds.capacity import linear
        >>> generalization(linear(1.0, 1.0), samples=10**6).shown
        '2.004'

    """
    from lengthwise.bounds.capacity.function_class import bound_of

    _check(capacity, samples, length, lipschitz, loss_bound, failure)
    scale = balanced_scale(capacity, samples, length)
    complexity = 2 * Decimal(lipschitz) * rademacher(scale, capacity.largest)
    confidence = empirical_confidence(samples, loss_bound, failure)
    return bound_of(
        f"Lemma 2.2, with constants, for {capacity.theorem}: |risk - training error|",
        complexity + Decimal(confidence),
        terms={
            "samples": samples,
            "length": length,
            "lipschitz": lipschitz,
            "loss_bound": loss_bound,
            "failure": failure,
            "largest": float(capacity.largest),
            "scale": float(scale),
            "capacity": float(samples * scale**2),
            "rademacher": float(rademacher(scale, capacity.largest)),
            "complexity_part": float(complexity),
            "confidence_part": confidence,
            "uniform_confidence_part": uniform_confidence(samples, loss_bound, failure),
        },
        assumptions=(
            "the samples are independent and the norms do not depend on them",
            "the loss has values from 0 to loss_bound and is lipschitz-Lipschitz in the output",
            *capacity.assumptions,
        ),
        printed=(_printed(samples, scale, capacity.largest, lipschitz, loss_bound, failure),),
    )


def balanced_scale(capacity: Capacity, samples: int, length: int = 1) -> Decimal:
    """s: the smallest scale at which log N is at most m, from above to ten digits; A or more means no help."""
    if any(part.choices for part in capacity.parts):
        raise CapacityError("ε² log N(ε) does not fall with ε in this class, which Lemma 2.2 needs")
    if not needed(capacity.parts):
        return Decimal(0)

    def is_enough(scale: Decimal) -> bool:
        return capacity.log_covering(scale, samples, length) <= samples

    # The leading term alone, with a logarithm of 50, is a good place to start from.
    low = high = (50 * leading(capacity.parts, 1) / samples).sqrt()
    while not is_enough(high):
        low, high = high, 2 * high
    while is_enough(low):
        low, high = low / 2, low
    for _ in range(34):
        middle = (low * high).sqrt()
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def rademacher(scale: Decimal, largest: Decimal) -> Decimal:
    """At least the Rademacher average: min(A, 12 s (1 + log(A/s))), A if s >= A, 0 for a single function."""
    if scale <= 0 or scale >= largest:
        return largest if scale > 0 else Decimal(0)
    return min(largest, 12 * scale * (1 + (largest / scale).ln()))


def empirical_confidence(samples: int, loss_bound: float, failure: float) -> float:
    """The part 3b √(log(4/δ) / (2m)), for covers of the samples at hand."""
    return 3 * loss_bound * math.sqrt(math.log(4 / failure) / (2 * samples))


def uniform_confidence(samples: int, loss_bound: float, failure: float) -> float:
    """The part b √(log(2/δ) / (2m)), for covers of the same size for all samples, such as all of ours."""
    return loss_bound * math.sqrt(math.log(2 / failure) / (2 * samples))


def samples_needed(
    capacity: Capacity,
    gap: float,
    length: int = 1,
    *,
    lipschitz: float = 1.0,
    loss_bound: float = 1.0,
    failure: float = 0.05,
) -> int | None:
    """The smallest m for which `generalization` promises at most `gap`; None if that is more than 10^60.

    The promise falls with m, because log N / m does, so that the smallest m is found by halving.

    Args:
        capacity: The class of functions, which are numbers.
        gap: How close risk and training error shall be.
        length: Tokens of each sample.
        lipschitz: How fast the loss changes with the output.
        loss_bound: The largest loss.
        failure: The probability with which the bound may fail.

    Returns:
        The number of samples; None if it is above 10^60.

    Example:
        >>> from lengthwise.bounds.capacity import linear
        >>> samples_needed(linear(1.0, 1.0), gap=0.1) > 1000
        True

    """
    positive("gap", gap)
    _check(capacity, 1, length, lipschitz, loss_bound, failure)

    def enough(samples: int) -> bool:
        is_helpful = capacity.largest > 0 and capacity.log_covering(capacity.largest, samples, length) <= samples
        scale = balanced_scale(capacity, samples, length) if is_helpful else capacity.largest
        promised = 2 * Decimal(lipschitz) * rademacher(scale, capacity.largest)
        return promised + Decimal(empirical_confidence(samples, loss_bound, failure)) <= Decimal(gap)

    high = 1
    while not enough(high):
        high *= 2
        if high > MOST_SAMPLES:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _check(capacity: Capacity, samples: int, length: int, lipschitz: float, loss_bound: float, failure: float) -> None:
    if not capacity.scalar:
        raise CapacityError("the loss is of a number: give the class a readout, so that its functions are numbers")
    whole("samples", samples)
    whole("length", length)
    norm("lipschitz", lipschitz)
    norm("loss_bound", loss_bound)
    if not 0 < failure < 1:
        raise CapacityError(f"failure is a probability between 0 and 1, not {failure!r}")


def _printed(
    samples: int, scale: Decimal, largest: Decimal, lipschitz: float, loss_bound: float, failure: float
) -> Bound:
    """4 c L √(C/m) (1 + log(A √(m/C))) + 2 b √(log(1/δ) / (2m)) with c = 1 and our C = m s²."""
    value = 2 * loss_bound * math.sqrt(math.log(1 / failure) / (2 * samples))
    if scale > 0 and largest > 0:
        value += 4 * lipschitz * float(scale) * (1 + float((largest / scale).ln()))
    return Bound(
        "Lemma 2.2, c = 1: 4cL√(C/m)(1 + log(A√(m/C))) + 2b√(log(1/δ)/(2m))",
        math.log10(value) if value > 0 else -math.inf,
        value,
        explicit=False,
        assumptions=("the constant c is taken to be 1, and C is what it is at the scale s",),
    )
