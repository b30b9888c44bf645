"""Claims about what predictions of text depend on.

| kind | the number that is positive if it holds |
|---|---|
| `lower-perplexity` | log perplexity of a model at L, minus that at L̄, on the same bytes (Table 1) |
| `lower-than-recent` | the same against predictions from the last L bytes alone: the one that shows use of far bytes |
| `correlated` | Pearson's correlation of what the chosen tokens are worth and what all far ones are (Figs. 4 and 6) |
| `closer-than-random` | by how much tokens that are chosen explain more of it than tokens at random do |

A correlation is above 0 for nearly any bytes and any model, as both coordinates begin with L_short. So its detail says
what bytes at random have, and `closer-than-random` is the claim that compares.

A claim holds if the interval of the number is above 0. Intervals come from resampled files, and a verdict needs six of
them; they say how far other text of this kind would give other numbers, not other trainings. With several seeds there
is a number for each, and the worst verdict counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from lengthwise.diagnose.influence.scatter import Measured
from lengthwise.experiments.finding import Estimate, Finding, Verdict
from lengthwise.experiments.text.parts import PairOutcome
from lengthwise.runs.resampling import FEWEST_IN_ALL

if TYPE_CHECKING:
    from lengthwise.experiments.text.experiment import Claim

WORST_FIRST: tuple[Verdict, ...] = ("not reproduced", "undecided", "reproduced")
STATISTICS = {
    "lower-perplexity": "log perplexity at L minus at L̄",
    "lower-than-recent": "log perplexity of recent minus at L̄",
    "correlated": "correlation",
    "closer-than-random": "explained minus by random",
}


def judged(claim: Claim, outcomes: Sequence[PairOutcome]) -> Finding:
    """What the outcomes of all seeds say about a claim."""
    there = [each for each in outcomes if each.windows is not None or claim.chosen is not None]
    if not there:
        return Finding.without_results(claim.text, claim.kind)
    estimates = []
    for each in there:
        found = number(claim, each)
        name = STATISTICS[claim.kind]
        told = f"{name}, seed {each.pair.short.seed}" if len(there) > 1 else name
        estimates.append(Estimate(told, found.value, found.low, found.high, _verdict(found)))
    return Finding.of(
        claim.text,
        claim.kind,
        sorted(estimates, key=lambda each: WORST_FIRST.index(each.verdict)),
        " ".join(_detail(claim, each) for each in there),
        2 * len(there),
        len(there),
    )


def number(claim: Claim, outcome: PairOutcome) -> Measured:
    """The number that is positive if the claim holds."""
    if claim.kind == "lower-perplexity":
        return outcome.entropy(claim.model, "short").minus(outcome.entropy(claim.model, "long"))
    if claim.kind == "lower-than-recent":
        return outcome.entropy(claim.model, "recent").minus(outcome.entropy(claim.model, "long"))
    chosen = outcome.scatter(claim.model, claim.chosen or claim.model)
    if claim.kind == "correlated":
        return chosen["correlation"]
    return chosen["explained"].minus(outcome.scatter(claim.model, "random")["explained"])


def _verdict(found: Measured) -> Verdict:
    if np.isnan(found.low) or found.files < FEWEST_IN_ALL:
        return "undecided"
    return "reproduced" if found.low > 0 else "not reproduced" if found.high <= 0 else "undecided"


def _detail(claim: Claim, outcome: PairOutcome) -> str:
    pair = outcome.pair
    if claim.chosen is None:
        at = {context: np.exp(outcome.entropy(claim.model, context).value) for context in ("short", "long", "recent")}
        return (
            f"Perplexity by byte: {at['short']:.3f} at {pair.recent}, {at['long']:.3f} at {pair.window}, "
            f"{at['recent']:.3f} from the last {pair.recent} bytes alone."
        )
    by = {who: outcome.scatter(claim.model, who) for who in (claim.chosen, "random")}
    ours, random = by[claim.chosen], by["random"]
    numbers = (
        f"{pair.tokens[0]} of {pair.window - pair.recent - 1} far bytes in {len(outcome.files)} windows of "
        f"{ours['gain'].files} files: correlation {ours['correlation'].value:.2f} (at random "
        f"{random['correlation'].value:.2f}), explained {ours['explained'].value:.2f} "
        f"({random['explained'].value:.2f}), recovered {ours['recovered'].value:.2f} "
        f"({random['recovered'].value:.2f}) of a mean gain of "
        f"{ours['gain'].value:.3f} nats."
    )
    if claim.kind != "correlated":
        return numbers
    return (
        f"{numbers} Both coordinates begin with L_short, so that a correlation alone says little: bytes at random have "
        f"{random['correlation'].value:.2f}."
    )
