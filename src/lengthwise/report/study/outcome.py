"""What came of training, for one position scheme, and whether it agrees with the verdict.

The rule looks at the largest training length N and at the median over seeds of the score, the accuracy or the variance
explained (`lengthwise.report.study.measurement`):

- *not learned*, if the score on words of length N is below 95 %: nothing can be said about longer words;
- *generalizes*, if the score at the longest test length, 8N, is at least 95 %;
- *fails*, if it is at most 50 %;
- *unclear*, if it is between.

Verdict and outcome *agree* if yes meets generalizes, or no meets fails; they *disagree* if yes meets fails, or no meets
generalizes. All else is undecided.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from lengthwise.regular import Answer
from lengthwise.report.study.expectation import SCHEME_NAMES
from lengthwise.report.study.measurement import Measurement
from lengthwise.report.study.wording import percent

GOOD = 0.95
"""The score from which on words are mastered."""
BAD = 0.5
"""The score up to which they are not."""

Outcome = Literal["generalizes", "fails", "unclear", "not learned", "not measured"]
Agreement = Literal["confirmed", "contradicted", "undecided"]


@dataclass(frozen=True)
class Finding:
    """What came of one scheme, and whether that is what the verdict says."""

    scheme: str
    verdict: str
    """yes, no or unknown."""
    outcome: Outcome
    why: str
    """The numbers behind the outcome, in one sentence."""
    agreement: Agreement
    explanation: str
    """What the agreement, or its lack, means."""

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            "scheme": self.scheme,
            "verdict": self.verdict,
            "outcome": self.outcome,
            "why": self.why,
            "agreement": self.agreement,
            "explanation": self.explanation,
        }


def finding(answer: Answer, measured: Measurement) -> Finding:
    """The outcome of a scheme beside the verdict on it."""
    outcome, why = judged(measured)
    agreement, explanation = compared(answer.kind, outcome, SCHEME_NAMES[measured.scheme])
    return Finding(measured.scheme, answer.kind, outcome, why, agreement, explanation)


def judged(measured: Measurement) -> tuple[Outcome, str]:
    """The outcome by the rule above, and its reason."""
    trained = measured.longest
    if trained is None:
        return "not measured", "No model was trained."
    first, last = trained.lengths[0], trained.lengths[-1]
    seeds = len(trained.seeds)
    median = f"the median {measured.measure} of {seeds} seed{'' if seeds == 1 else 's'}"
    if first.score < GOOD:
        return "not learned", (
            f"Trained on lengths up to {trained.train_length:,}, {median} is {percent(first.score)} at length "
            f"{first.test_length:,} itself, below {percent(GOOD)}."
        )
    why = (
        f"Trained on lengths up to {trained.train_length:,}, {median} is {percent(first.score)} at length "
        f"{first.test_length:,} and {percent(last.score)} at length {last.test_length:,}"
    )
    if last.score >= GOOD:
        return "generalizes", f"{why}, at least {percent(GOOD)}."
    if last.score <= BAD:
        return "fails", f"{why}, at most {percent(BAD)}."
    return "unclear", f"{why}, between {percent(BAD)} and {percent(GOOD)}."


def compared(verdict: str, outcome: Outcome, name: str) -> tuple[Agreement, str]:
    """Whether verdict and outcome agree, and what that means."""
    match verdict, outcome:
        case ("yes", "generalizes"):
            return "confirmed", f"{name}: the verdict says yes, and the trained models generalize."
        case ("no", "fails"):
            return "confirmed", f"{name}: the verdict says no, and the trained models fail on longer inputs."
        case ("yes", "fails"):
            return "contradicted", (
                f"{name}: the verdict says yes, but the trained models fail on longer inputs. The verdict is about an "
                "ideal learner and training inputs that are long enough; here training was short, optimisation may "
                "have found a solution that is right on short inputs only, or the training lengths may be too small. "
                "More minutes or more seeds can tell."
            )
        case ("no", "generalizes"):
            return "contradicted", (
                f"{name}: the verdict says no, but the trained models are right on inputs of the longest length that "
                "was tested. No means that nothing is guaranteed, not that failure is certain: the models may fail at "
                "lengths beyond those tested, or on inputs that are rare in the test."
            )
        case (_, "not learned"):
            return "undecided", (
                f"{name}: the models did not learn the task on the training lengths, so they say nothing about longer "
                "inputs. More minutes may help."
            )
        case (_, "not measured"):
            return "undecided", f"{name}: nothing was measured."
        case ("unknown", _):
            return "undecided", f"{name}: there is no verdict to compare the measurement with."
        case _:
            return "undecided", (
                f"{name}: the score at the longest test length is neither good nor bad, which speaks neither for "
                "the verdict nor against it."
            )
