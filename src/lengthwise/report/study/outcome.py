"""What came of training, for one position scheme, and whether it agrees with the verdict.

The rule looks at the median over seeds of the score, the accuracy or the variance explained
(`lengthwise.report.study.measurement`). A training length N is *learned* if the score on words of length N itself is at
least 95 %. What counts is the longest one that was learned:

- *generalizes*, if the score at its longest test length, 8N, is at least 95 %;
- *fails*, if it is at most 50 %, or 75 % where one answer is asked for, yes or no, which can be guessed;
- *unclear*, if it is between;
- *not learned*, if there is no such training length: nothing can be said about longer words.

Longer training lengths take more steps to learn. That the time was too short for them says nothing about the shorter
ones, so they are passed over, and named.

Verdict and outcome *agree* if yes meets generalizes, or no meets fails; they *disagree* if yes meets fails, or no meets
generalizes. All else is undecided.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from lengthwise.regular import Answer
from lengthwise.report.study.expectation import SCHEME_NAMES
from lengthwise.report.study.measurement import Measurement, Trained
from lengthwise.report.study.wording import listed, percent

GOOD = 0.95
"""The score from which on words are mastered."""
BAD = 0.5
"""The score up to which they are not."""
BAD_ANSWERS = 0.75
"""The same where one answer is asked for, yes or no: half way between guessing and being right."""

Outcome = Literal["generalizes", "fails", "unclear", "not learned", "not measured"]
Agreement = Literal["confirmed", "contradicted", "undecided"]


@dataclass(frozen=True)
class Finding:
    """What came of one scheme, and whether that is what the verdict says."""

    scheme: str
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

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            "scheme": self.scheme,
            "verdict": self.verdict,
            "train_length": self.train_length,
            "outcome": self.outcome,
            "why": self.why,
            "agreement": self.agreement,
            "explanation": self.explanation,
        }


def finding(answer: Answer, measured: Measurement) -> Finding:
    """The outcome of a scheme beside the verdict on it."""
    outcome, why = judged(measured)
    agreement, explanation = compared(answer.kind, outcome, SCHEME_NAMES[measured.scheme])
    counts = decisive(measured)
    length = None if counts is None else counts.train_length
    return Finding(measured.scheme, answer.kind, length, outcome, why, agreement, explanation)


def is_learned(trained: Trained) -> bool:
    """Whether the median score at the training length itself is good."""
    return bool(trained.lengths) and trained.lengths[0].score >= GOOD


def decisive(measured: Measurement) -> Trained | None:
    """The training length that counts: the longest that was learned, or else the longest that there is something on."""
    known = measured.known
    return next(filter(is_learned, reversed(known)), known[-1] if known else None)


def passed_over(measured: Measurement) -> tuple[Trained, ...]:
    """The training lengths beyond the one that counts, none of which was learned."""
    counts = decisive(measured)
    return tuple(each for each in measured.known if counts is not None and each.train_length > counts.train_length)


def judged(measured: Measurement) -> tuple[Outcome, str]:
    """The outcome by the rule above, and its reason."""
    trained = decisive(measured)
    if trained is None:
        return "not measured", "No model was trained."
    first, last = trained.lengths[0], trained.lengths[-1]
    seeds = len(trained.seeds)
    median = f"the median {measured.measure} of {seeds} seed{'' if seeds == 1 else 's'}"
    why = f"Trained on lengths up to {trained.train_length:,}, {median} is {percent(first.score)} at length "
    if not is_learned(trained):
        shorter = "; no shorter training length was learned either" if len(measured.known) > 1 else ""
        return "not learned", f"{why}{first.test_length:,} itself, below {percent(GOOD)}{shorter}."
    why += f"{first.test_length:,} and {percent(last.score)} at length {last.test_length:,}"
    more = _not_learned(measured)
    if last.score >= GOOD:
        return "generalizes", f"{why}, at least {percent(GOOD)}.{more}"
    bad = failing(measured)
    if last.score <= bad:
        return "fails", f"{why}, at most {percent(bad)}.{more}"
    return "unclear", f"{why}, between {percent(bad)} and {percent(GOOD)}.{more}"


def failing(measured: Measurement) -> float:
    """The score up to which models fail."""
    return BAD_ANSWERS if measured.answered == "the end" else BAD


def _not_learned(measured: Measurement) -> str:
    """A sentence about longer training lengths that were not learned, if there are any."""
    if not (longer := passed_over(measured)):
        return ""
    lengths = listed([f"{each.train_length:,}" for each in longer])
    scores = listed([percent(each.lengths[0].score) for each in longer])
    which = f"length {lengths} was" if len(longer) == 1 else f"lengths {lengths} were"
    return f" The longer training {which} not learned: there the median {measured.measure} is {scores}."


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
