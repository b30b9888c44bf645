"""The outcome of training, and whether it is what the verdict says.

The rule looks at the median over seeds of the score, the accuracy or the variance explained
(`lengthwise.study.measurement`), and at the longest training length N that was *learned*: a median of at least 99 % on
words of training lengths (95 % of the variance, for tasks with numbers).

- *generalizes*, if the median at 2N is at least 90 %: Theorem 7 of Huang et al. promises 2N, from some N on;
- *fails*, if it is less, and at most 50 % at 3N; 75 % where one answer is asked for, yes or no, which can be guessed;
- *undecided* otherwise, and where nothing was learned or 2N was not tested.

2N stands for the words above the test length before it, so 80 for those of 61 to 80 symbols. Longer training lengths
that were not learned are passed over, and named: that the time was too short for them says nothing about others.

Verdict and outcome *agree* if yes meets generalizes, or no meets fails; they *disagree* if yes meets fails, or no meets
generalizes. All else is undecided.

How sure is that? A word is right or wrong, so with w words a share p of right ones is off by more than 1.96 √(p(1-p)/w)
in one of twenty studies: 2.6 points at 90 % with 500 words. Words are not what limits it: seeds differ more. If a seed
generalizes with probability q, the median of three says so with probability q²(3 - 2q): 90 % for q = 0.8, 50 % for q =
0.5. To tell q = 0.8 from q = 0.2 with 95 % probability takes seven seeds (`seeds_needed`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from lengthwise.regular import Answer
from lengthwise.study.measurement import HOLDS, AtTestLength, Measurement, Trained
from lengthwise.study.wording import listed, percent, spelled

GOOD = 0.9
"""The score at 2N from which on models generalize."""
BAD = 0.5
"""The score at 3N up to which they fail."""
BAD_ANSWERS = 0.75
"""The same where every word has one of two answers: half way between guessing and being right."""

Outcome = Literal["generalizes", "fails", "undecided"]
Agreement = Literal["confirmed", "contradicted", "undecided"]


@dataclass(frozen=True)
class Finding:
    """What came of one scheme, and whether that is what the verdict says."""

    scheme: str
    name: str
    verdict: str
    """yes, no or unknown."""
    train_length: int | None
    """The training length that counts, if there is one."""
    outcome: Outcome
    why: str
    """The numbers behind the outcome, in a sentence; in a second one, longer training lengths that were not learned."""
    agreement: Agreement
    explanation: str
    """What the agreement, or its lack, means."""
    how_far: int | None
    """The longest test length up to which the median seed has 95 % of words right."""
    how_far_range: tuple[int | None, int | None]
    """The same for the worst and the best seed."""
    farthest: int | None
    """The longest test length."""
    seeds_good: int
    """How many seeds are at least 90 % right at 2N."""
    seeds: int
    learned: bool

    @property
    def unanimous(self) -> bool:
        """Whether all seeds agree with the outcome *generalizes*."""
        return self.outcome == "generalizes" and self.seeds_good == self.seeds

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            "scheme": self.scheme,
            "name": self.name,
            "verdict": self.verdict,
            "outcome": self.outcome,
            "agreement": self.agreement,
            "train_length": self.train_length,
            "how_far": self.how_far,
            "how_far_range": list(self.how_far_range),
            "longest_tested": self.farthest,
            "learned": self.learned,
            "seeds_generalizing": self.seeds_good,
            "seeds": self.seeds,
            "why": self.why,
            "explanation": self.explanation,
        }


def finding(answer: Answer, measured: Measurement) -> Finding:
    """The outcome of a scheme beside the verdict on it."""
    trained = decisive(measured)
    outcome, why = judged(measured)
    learned = trained is not None and trained.learned
    agreement, explanation = compared(answer.kind, outcome, learned, measured.scheme.name)
    twice = None if trained is None else trained.at(2 * trained.train_length)
    far = () if trained is None else trained.how_far_by_seed
    known = [each or 0 for each in far]
    return Finding(
        measured.scheme.key,
        measured.scheme.name,
        answer.kind,
        None if trained is None else trained.train_length,
        outcome,
        why,
        agreement,
        explanation,
        None if trained is None else trained.how_far,
        (min(known, default=0) or None, max(known, default=0) or None),
        None if trained is None else trained.lengths[-1].test_length,
        0 if twice is None else sum(score >= GOOD for score in twice.scores),
        0 if trained is None else len(trained.seeds),
        learned,
    )


def decisive(measured: Measurement) -> Trained | None:
    """The training length that counts: the longest that was learned, or else the longest that there is something on."""
    known = measured.known
    return next((each for each in reversed(known) if each.learned), known[-1] if known else None)


def passed_over(measured: Measurement) -> tuple[Trained, ...]:
    """The training lengths beyond the one that counts, none of which was learned."""
    counts = decisive(measured)
    return tuple(each for each in measured.known if counts is not None and each.train_length > counts.train_length)


def judged(measured: Measurement) -> tuple[Outcome, str]:
    """The outcome by the rule above, and its reason."""
    trained = decisive(measured)
    if trained is None:
        return "undecided", "No model was trained."
    first = trained.lengths[0]
    seeds = len(trained.seeds)
    median = f"the {'' if seeds == 1 else 'median '}{measured.measure} of {spelled(seeds)} seed{'s' * (seeds > 1)}"
    why = f"Trained on words of up to {trained.train_length:,} symbols ({trained.model}), {median} is "
    inside = f"{percent(first.score)} on words of training lengths"
    if not trained.learned:
        shorter = "; no shorter training length was learned either" if len(measured.known) > 1 else ""
        return "undecided", f"{why}{inside}, below {percent(trained.least)}: not learned{shorter}."
    twice, thrice = (trained.at(multiple * trained.train_length) for multiple in (2, 3))
    if twice is None:
        return "undecided", f"{why}{inside}; words of twice that length were not tested."
    why += f"{inside} and {_score(twice)}"
    more = _not_learned(measured)
    if twice.score >= GOOD:
        return "generalizes", f"{why}, at least {percent(GOOD)}{_seeds(twice)}.{more}"
    bad = failing(measured)
    if thrice is None:
        return "undecided", f"{why}, below {percent(GOOD)}; words of three times that length were not tested.{more}"
    why += f", below {percent(GOOD)}, and {_score(thrice)}"
    if thrice.score <= bad:
        return "fails", f"{why}, at most {percent(bad)}.{more}"
    return "undecided", f"{why}, above {percent(bad)}.{more}"


def failing(measured: Measurement) -> float:
    """The score at 3N up to which models fail."""
    return BAD_ANSWERS if measured.two_answers else BAD


def _score(at: AtTestLength) -> str:
    where = f"{at.shortest:,} to {at.test_length:,}" if at.shortest < at.test_length else f"{at.test_length:,}"
    return f"{percent(at.score)} at {where}"


def _seeds(at: AtTestLength) -> str:
    good = sum(score >= GOOD for score in at.scores)
    return "" if good == len(at.scores) else f", though only with {spelled(good)} of {spelled(len(at.scores))} seeds"


def _not_learned(measured: Measurement) -> str:
    """A sentence about longer training lengths that were not learned, if there are any."""
    if not (longer := passed_over(measured)):
        return ""
    lengths = listed([f"{each.train_length:,}" for each in longer])
    scores = listed([percent(each.lengths[0].score) for each in longer])
    which = f"length {lengths} was" if len(longer) == 1 else f"lengths {lengths} were"
    return f" The longer training {which} not learned: {measured.measure} there {scores}."


def compared(verdict: str, outcome: Outcome, learned: bool, name: str) -> tuple[Agreement, str]:
    """Whether verdict and outcome agree, and what that means."""
    match verdict, outcome:
        case ("yes", "generalizes"):
            return "confirmed", f"{name}: the verdict says yes, and the trained models generalize."
        case ("no", "fails"):
            return "confirmed", f"{name}: the verdict says no, and the trained models fail on longer inputs."
        case ("yes", "fails"):
            return "contradicted", (
                f"{name}: the verdict says yes, but the trained models fail on longer inputs. The verdict is about an "
                "ideal learner and training inputs that are long enough; gradient descent may have found a solution "
                "that is right on short inputs only, or the training length may be too small."
            )
        case ("no", "generalizes"):
            return "contradicted", (
                f"{name}: the verdict says no, but the trained models are right on inputs of twice the training "
                "length. No means that nothing is guaranteed, not that failure is certain: the models may fail at "
                "longer lengths, or on inputs that are rare in the test."
            )
        case (_, "undecided") if not learned:
            return "undecided", (
                f"{name}: the models did not learn the task on the training lengths, so they say nothing about longer "
                "inputs. More minutes may help."
            )
        case ("unknown", _):
            return "undecided", f"{name}: there is no verdict to compare the measurement with."
        case _:
            return "undecided", (
                f"{name}: the models were not seen to hold at twice the training length, nor to fail at three times "
                "that length, which speaks neither for the verdict nor against it."
            )


def seeds_needed(high: float, low: float, confidence: float = 0.95) -> int:
    """How many seeds tell a task that seeds generalize on with one probability from one with another.

    Args:
        high: The probability that a seed generalizes in the one case, above one half.
        low: The same in the other case, below one half.
        confidence: With which probability the median over seeds has to be right in both cases.

    Returns:
        The least odd number of seeds.

    Raises:
        ValueError: The probabilities are not on both sides of one half.

    Example:
        >>> seeds_needed(0.8, 0.2)
        7

    """
    if not 0 <= low < 0.5 < high <= 1:
        raise ValueError(f"one half lies between the two probabilities, not so for {low} and {high}")
    seeds = 1
    while min(_majority(high, seeds), _majority(1 - low, seeds)) < confidence:
        seeds += 2
    return seeds


def _majority(share: float, seeds: int) -> float:
    """The probability that more than half of some independent seeds succeed."""
    return sum(
        math.comb(seeds, good) * share**good * (1 - share) ** (seeds - good)
        for good in range(seeds // 2 + 1, seeds + 1)
    )


__all__ = [
    "BAD", "BAD_ANSWERS", "GOOD", "HOLDS", "Agreement", "Finding", "Outcome", "compared", "decisive", "failing",
    "finding", "judged", "passed_over", "seeds_needed",
]  # fmt: skip
