"""How the critical sample size grows with the context: as log T, as a power of T, and whether sublinearly.

Two laws are fitted by least squares to critical sizes m*(T): a power, m* = a T^b (straight in log-log), and a
logarithm, m* = a + c log T. The claim of Edelman et al. (section 5, Figure 2) is that m* is sublinear in T, b < 1. It
is reproduced if the whole 95 % interval of b, from resampled trials, is below 1, not reproduced if all of it is at 1 or
above, and else undecided. Both laws have two numbers to fit, so that their residuals, taken of log m*, can be compared.

A context whose critical size is outside the sizes that were tried is left out of the fits, but then the claim stays
undecided: leaving out a size that is too large to be known would make growth look slower than it is. For the same
reason a resample with such a size counts as one whose exponent could be anything.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lengthwise.experiments.finding import Estimate, Verdict, number
from lengthwise.experiments.probes.critical import Critical
from lengthwise.experiments.probes.function import ProbeError
from lengthwise.runs.resampling import interval

Floats = npt.NDArray[np.float64]

FEWEST_CONTEXTS = 3
"""For a verdict: two points are on a curve of either kind."""


@dataclass(frozen=True)
class Scaling:
    """The growth of the critical size."""

    exponent: Estimate
    """b of a T^b, with the verdict on b < 1."""
    factor: float
    """a of a T^b."""
    slope: Estimate
    """c of a + c log T, natural logarithm; its verdict is on c > 0: whether more bits need more samples at all."""
    offset: float
    """a of a + c log T."""
    logarithm_fits_better: float
    """The share of resamples in which log m* is nearer to the logarithm than to the power; NaN if none tells."""
    contexts: tuple[int, ...]
    """Those that were fitted."""
    left_out: tuple[int, ...]
    unknown: float
    """The share of resamples in which a size is not known, so that b could be anything; NaN if there was no fit."""
    among_known: tuple[float, float]
    """The 95 % interval of b over the other resamples: no ground for a verdict, as they are chosen by their sizes."""

    @property
    def verdict(self) -> Verdict:
        """On sublinear scaling."""
        return self.exponent.verdict

    def power(self, contexts: npt.ArrayLike) -> Floats:
        """The fitted a T^b."""
        return np.asarray(self.factor * np.asarray(contexts, dtype=np.float64) ** self.exponent.value)

    def logarithm(self, contexts: npt.ArrayLike) -> Floats:
        """The fitted a + c log T."""
        return np.asarray(self.offset + self.slope.value * np.log(np.asarray(contexts, dtype=np.float64)))

    @property
    def detail(self) -> str:
        """One or two sentences with the numbers."""
        fitted = ", ".join(map(str, self.contexts))
        if len(self.contexts) < 2:
            known = f"The critical size is known at T = {fitted} alone" if fitted else "No critical size is known"
            return f"{known}, so that there is no growth to fit."
        low, high = _unsigned(self.exponent.low), _unsigned(self.exponent.high)
        text = f"Critical sizes at T = {fitted} grow as T^{_unsigned(self.exponent.value)} [{low}, {high}]"
        if self.unknown > 0:
            known = ", ".join(map(_unsigned, self.among_known))
            text += f" (a size is unknown in {self.unknown:.1%} of resamples; the others give [{known}])"
        text += "; "
        if math.isnan(self.logarithm_fits_better):
            text += "whether a logarithm fits better than a power is not known."
        else:
            text += f"a logarithm fits better than a power in {self.logarithm_fits_better:.0%} of resamples."
        if self.left_out:
            text += f" Not known, so that nothing is decided: T = {', '.join(map(str, self.left_out))}."
        return text


def _unsigned(value: float) -> str:
    return number(value).removeprefix("+")


def scaling(sizes: Sequence[Critical]) -> Scaling:
    """The growth of critical sizes, one for each context and all by the same rule."""
    if len({each.rule for each in sizes}) > 1 or len({each.context for each in sizes}) < len(sizes):
        raise ProbeError("a scaling is fitted to one critical size for each context, all by the same rule")
    known = [each for each in sizes if each.known]
    contexts = tuple(each.context for each in known)
    left_out = tuple(each.context for each in sizes if not each.known)
    if len(known) < 2:
        nothing = Estimate("exponent", np.nan, np.nan, np.nan, "undecided")
        return Scaling(nothing, np.nan, nothing, np.nan, np.nan, contexts, left_out, np.nan, (np.nan, np.nan))
    along = np.log(np.array(contexts, dtype=np.float64))
    values, draws = np.array([each.size for each in known]), np.stack([each.draws for each in known], axis=-1)
    draws = np.where(np.isfinite(draws).all(axis=-1, keepdims=True), draws, np.nan)
    power, power_draws = line(along, np.log(values)), line(along, np.log(draws))
    logarithm, logarithm_draws = line(along, values), line(along, draws)
    enough = len(known) >= FEWEST_CONTEXTS and not left_out
    usable = power_draws[0][np.isfinite(power_draws[0])]
    return Scaling(
        exponent=_estimate("exponent", float(power[0]), power_draws[0], enough, below=1.0),
        factor=float(np.exp(power[1])),
        slope=_estimate("slope", float(logarithm[0]), logarithm_draws[0], enough, above=0.0),
        offset=float(logarithm[1]),
        logarithm_fits_better=_share_better(along, draws, power_draws, logarithm_draws),
        contexts=contexts,
        left_out=left_out,
        unknown=1 - len(usable) / len(draws),
        among_known=interval(float(power[0]), usable) if len(usable) else (np.nan, np.nan),
    )


def line(along: Floats, heights: Floats) -> tuple[Floats, Floats]:
    """Slope and height at 0 of the straight line nearest to `heights[..., i]` over `along[i]`."""
    centred = along - along.mean()
    slope = heights @ centred / (centred @ centred)
    return slope, heights.mean(axis=-1) - slope * along.mean()


def _estimate(
    name: str, value: float, draws: Floats, enough: bool, below: float | None = None, above: float | None = None
) -> Estimate:
    low, high = interval(value, draws)
    verdict: Verdict = "undecided"
    if enough and below is not None:
        verdict = "reproduced" if high < below else "not reproduced" if low >= below else "undecided"
    if enough and above is not None:
        verdict = "reproduced" if low > above else "not reproduced" if high <= above else "undecided"
    return Estimate(name, value, low, high, verdict)


def _share_better(
    along: Floats, draws: Floats, power: tuple[Floats, Floats], logarithm: tuple[Floats, Floats]
) -> float:
    fitted = logarithm[1][:, None] + logarithm[0][:, None] * along
    usable = np.isfinite(draws).all(axis=-1)
    if len(along) < FEWEST_CONTEXTS or not usable.any():
        return float("nan")
    heights = np.log(draws[usable])
    by_power = ((heights - power[1][usable, None] - power[0][usable, None] * along) ** 2).sum(axis=-1)
    # A line that falls to 0 or below has no logarithm, and fits no size there.
    reached = np.maximum(fitted[usable], np.finfo(np.float64).tiny)
    return float((((heights - np.log(reached)) ** 2).sum(axis=-1) < by_power).mean())
