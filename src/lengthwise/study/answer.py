"""The answer of a study: a headline, what is to be expected, and what was measured.

The headline answers "which training length and which scheme do I need for length L?": for every scheme the smallest
training length whose median seed has 95 % of the words right at L.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lengthwise.regular import Verdict
from lengthwise.study.expectation import expected
from lengthwise.study.measurement import HOLDS, Measurement
from lengthwise.study.outcome import Finding
from lengthwise.study.schemes import KNOWN, Scheme
from lengthwise.study.wording import listed, percent, spelled

EITHER = {
    "ape": "with or without positional encodings",
    "relative": "without positional encodings or with a bias on short distances",
    "periodic": "without positional encodings or with periodic absolute positions",
}
"""Both of two schemes, the first of which has no positional encodings."""


@dataclass(frozen=True)
class Needed:
    """The smallest training length with which a scheme holds at the target length."""

    scheme: str
    name: str
    train_length: int | None
    """None if none of those that were trained does."""
    longest: int
    """The longest training length that was learned, or trained if none was."""
    learned: bool
    """Whether any training length was learned."""
    good: int
    """How many seeds hold there."""
    seeds: int

    @property
    def told(self) -> str:
        """For the headline."""
        if not self.learned:
            return f"not learned ({self.name})"
        if self.train_length is None:
            return f"none up to {self.longest:,} ({self.name})"
        few = "" if self.good == self.seeds else f", {spelled(self.good)} of {spelled(self.seeds)} seeds"
        return f"{self.train_length:,} ({self.name}{few})"


@dataclass(frozen=True)
class StudyAnswer:
    """What a study says first."""

    target_length: int
    needed: tuple[Needed, ...]
    headline: str
    expected: str
    measured: str

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            "headline": self.headline,
            "expected": self.expected,
            "measured": self.measured,
            "target_length": self.target_length,
            "smallest_train_length": {each.scheme: each.train_length for each in self.needed},
        }


def study_answer(
    title: str,
    verdict: Verdict,
    target: int,
    measured: Mapping[str, Measurement],
    findings: Mapping[str, Finding],
) -> StudyAnswer:
    """The answer in a headline and two sentences, for somebody who knows neither C-RASP nor limit transformers."""
    needed = tuple(smallest(each, target) for each in measured.values() if each.known)
    schemes = [each.scheme for each in measured.values()]
    return StudyAnswer(
        target,
        needed,
        headline(needed, target, measured),
        expected_sentence(title, verdict, schemes),
        _measured(findings),
    )


def smallest(measured: Measurement, target: int) -> Needed:
    """The smallest training length of a scheme whose median seed holds at a length."""
    scheme = measured.scheme
    learned = [each for each in measured.known if each.learned]
    for each in learned:
        at = each.at(target)
        if at is not None and at.score >= HOLDS:
            good = sum(score >= HOLDS for score in at.scores)
            return Needed(scheme.key, scheme.name, each.train_length, each.train_length, True, good, len(at.scores))
    longest = (learned or measured.known)[-1].train_length
    return Needed(scheme.key, scheme.name, None, longest, bool(learned), 0, len(measured.known[-1].seeds))


def headline(needed: Sequence[Needed], target: int, measured: Mapping[str, Measurement]) -> str:
    """One line: the smallest training length for each scheme."""
    if not needed:
        return "No model has been trained yet."
    words = "of words right" if next(iter(measured.values())).measure == "accuracy" else "of the variance explained"
    told = ", ".join(each.told for each in needed)
    return f"Smallest N with ≥ {percent(HOLDS)} {words} at length {target:,}: {told}."


def expected_sentence(title: str, verdict: Verdict, schemes: Sequence[Scheme]) -> str:
    """What the verdict lets one expect, without positional encodings and with what the other scheme has of it.

    If several schemes have some, it is about absolute positions, which tell most.
    """
    keys = [scheme.key for scheme in schemes]
    other = next((key for key in ("ape", "relative", "periodic") if key in keys), "ape")
    positioned = next(each.words for each in KNOWN.values() if each.key == other)
    learns = f"that learns {title} on short inputs"
    works = "expected to keep working on long ones"
    match verdict.nope.kind, expected(verdict, other).kind:
        case ("yes", "yes"):
            return f"Yes: a transformer {learns} is {works}, {EITHER[other]}."
        case ("yes", _):
            return f"Yes: a transformer without positional encodings {learns} is {works}."
        case ("no", "yes"):
            return (
                f"Yes, with positions: a transformer {positioned} {learns} is {works}, but one without positional "
                "encodings is not."
            )
        case (_, "yes"):
            return (
                f"Yes, with positions: a transformer {positioned} {learns} is {works}; whether one without positional "
                "encodings is, too, is not known."
            )
        case ("no", "no"):
            return f"No: a transformer {learns} is not {works}, {EITHER[other]}."
        case ("no", _):
            return (
                f"Not without positional encodings: a transformer without them {learns} is not {works}; for one "
                f"{positioned} this was not decided."
            )
        case _:
            return f"Not decided: whether a transformer {learns} is {works} is not known."


def _measured(findings: Mapping[str, Finding]) -> str:
    """What the trained models did, a clause for each scheme."""
    clauses = [_clause(each) for each in findings.values()]
    if not clauses:
        return "No model has been trained yet."
    told = "; ".join(clauses)
    agreements = {found.agreement for found in findings.values()}
    if "contradicted" in agreements:
        much = "agrees with that only in part" if "confirmed" in agreements else "does not agree with that"
        return f"The measurement {much}: {told}."
    return f"Measured: {told}."


def _clause(found: Finding) -> str:
    if found.train_length is None:
        return f"{found.name} was not trained"
    if not found.learned:
        return f"{found.name} did not learn words of up to {found.train_length:,} symbols"
    trained = f"{found.name}, trained up to {found.train_length:,}, "
    outcome = "neither generalizes nor fails by the rule" if found.outcome == "undecided" else str(found.outcome)
    if found.outcome == "generalizes" and not found.unanimous:
        outcome += f" with {spelled(found.seeds_good)} of {spelled(found.seeds)} seeds"
    return f"{trained}{outcome} and {how_far_told(found)}"


def how_far_told(found: Finding) -> str:
    """How far a scheme holds, with the range over seeds."""
    if found.how_far is None:
        return f"is below {percent(HOLDS)} even at the training lengths"
    most = " (the longest tested)" if found.how_far == found.farthest else ""
    low, high = found.how_far_range
    spread = "" if low == high else f" (seeds: {listed([_length(low), _length(high)], 'to')})"
    return f"holds to length {found.how_far:,}{most}{spread}"


def _length(length: int | None) -> str:
    return "none" if length is None else f"{length:,}"
