"""The claim that attention is a hardmax once training words are long enough, judged from trained models.

    [[claims]]
    kind = "uniform-attention"
    length = 80                 # of the words on which attention is looked at

The paper shows it by a picture (Izzo et al., Figure 3); here two numbers stand for it, of the models trained on the
longest words: the attention that positions other than ≡ k (mod p) get in all, and the standard deviation of what
positions ≡ k get, in parts of its mean. The claim is reproduced if the intervals of both end below their limits, and
not reproduced if one of them begins above; medians over seeds decide. The number on which the verdict rests comes
first. The limits are ours: the paper has none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from lengthwise.diagnose.hardmax import HardmaxCheck, SeedAttention, check
from lengthwise.experiments.finding import Estimate, Finding, Verdict, estimate
from lengthwise.experiments.sweeps.cells import TRAIN_LENGTH, cells, strata
from lengthwise.experiments.sweeps.claims import COMMON, Claim, Evaluator
from lengthwise.runs.config import ConfigError
from lengthwise.runs.config_problems import nearest
from lengthwise.runs.resampling import AVERAGES, Resampling, median
from lengthwise.runs.store.store import Store
from lengthwise.runs.store.summary import Summary

WORST_FIRST: tuple[Verdict, ...] = ("not reproduced", "undecided", "reproduced")
KIND = "uniform-attention"
TEXT = "Positions other than ≡ k (mod p) get almost no attention, and those ≡ k nearly the same."
MOST_ON_OTHERS = 0.05
"""The most attention that is almost none."""
MOST_UNEVEN = 0.25
"""The most that equal shares may deviate, in parts of their mean."""

STATISTICS: tuple[tuple[str, Callable[[SeedAttention], float], float], ...] = (
    ("attention on others", lambda seed: seed.others.mass, MOST_ON_OTHERS),
    ("deviation at ≡ k", lambda seed: seed.attended.relative_deviation, MOST_UNEVEN),
)
"""What is measured of a seed, and its limit."""


def uniform_attention(store: Store, resampling: Resampling | None = None) -> Evaluator:
    """A judge of such claims, for `lengthwise.experiments.sweeps.claims.evaluate`; it loads the models from a store."""
    how = resampling or Resampling()

    def judged(claim: Claim, summaries: Sequence[Summary]) -> Finding:
        length = _length(claim)
        text = str(claim.get("text", TEXT))
        there = [summary for summary in summaries if summary.seeds]
        if not there:
            reason = f"None of {len(summaries)} configs has results yet." if summaries else "There are no configs."
            return Finding.without_results(text, KIND, reason)
        looked_at = {summary.config.id: check(store, summary.config, length) for summary in there}
        chosen = _longest_trained(there)
        checks = [looked_at[summary.config.id] for summary in chosen]
        return Finding.of(
            text,
            KIND,
            _estimates(chosen, checks, how),
            _detail(list(looked_at.values())),
            len(checks),
            min(len(found.seeds) for found in checks),
        )

    return judged


def verdict_below(limit: float) -> Callable[[float, float], Verdict]:
    """What an interval says about a number that should be small."""

    def verdict(low: float, high: float) -> Verdict:
        if high <= limit:
            return "reproduced"
        return "not reproduced" if low > limit else "undecided"

    return verdict


def _length(claim: Claim) -> int:
    """The length of the words, after a look at all keys of the claim."""
    known = ("length", *COMMON)
    for key in claim:
        if key not in known:
            raise ConfigError(f"a claim of the kind {KIND!r} has no {key!r}; {nearest(key, known)}")
    length = claim.get("length")
    if isinstance(length, bool) or not isinstance(length, int) or length < 1:
        raise ConfigError(f"a claim of the kind {KIND!r} needs 'length', a positive number of symbols, got {length!r}")
    return length


def _longest_trained(summaries: Sequence[Summary]) -> list[Summary]:
    """Of the configs that differ in their training length alone, the one with the longest."""
    grid = [cells([summary])[0] for summary in summaries]
    longest: dict[int, Summary] = {}
    for summary, stratum in zip(summaries, strata(grid, [TRAIN_LENGTH]), strict=True):
        before = longest.get(stratum)
        if before is None or summary.config.train_length > before.config.train_length:
            longest[stratum] = summary
    return list(longest.values())


def _estimates(chosen: Sequence[Summary], checks: Sequence[HardmaxCheck], how: Resampling) -> list[Estimate]:
    """Both numbers by medians over seeds, the one that decides first, then by means: of several configs, the median."""
    grid = [cells([summary])[0] for summary in chosen]
    found = []
    for average_name, average in AVERAGES.items():
        both = []
        for name, statistic, limit in STATISTICS:
            measured = [_comparable([statistic(seed) for seed in each.seeds]) for each in checks]
            value = float(median(np.array([average(values) for values in measured])))
            draws = median(np.stack([average(drawn) for drawn in how.draws(measured)], axis=-1))
            both.append(estimate(f"{name}, {average_name}", value, draws, grid, verdict_below(limit)))
        found += sorted(both, key=lambda each: WORST_FIRST.index(each.verdict))
    return found


def _comparable(values: Sequence[float]) -> npt.NDArray[np.float64]:
    """The numbers of all seeds; a seed that diverged is infinitely far from a hardmax."""
    array = np.array(values, dtype=np.float64)
    return np.where(np.isnan(array), np.inf, array)


def _detail(checks: Sequence[HardmaxCheck]) -> str:
    """The medians of all configs, by training length."""
    told = []
    for each in sorted(checks, key=lambda found: found.config.train_length):
        numbers = [median(_comparable([statistic(seed) for seed in each.seeds])) for _, statistic, _ in STATISTICS]
        told.append(f"{each.config}: {100 * float(numbers[0]):.2g} % and {100 * float(numbers[1]):.2g} %")
    return (
        f"At length {checks[0].length}, attention on other positions, and the deviation at positions ≡ k in parts of "
        f"the mean (medians over seeds; limits {100 * MOST_ON_OTHERS:g} % and {100 * MOST_UNEVEN:g} % for the longest "
        f"training lengths): {'; '.join(told)}."
    )
