"""The answer of a study in two sentences: what is to be expected, and what was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lengthwise.regular import Verdict
from lengthwise.report.study.expectation import SCHEMES_IN_WORDS
from lengthwise.report.study.measurement import AtTestLength, Measurement, Trained
from lengthwise.report.study.outcome import GOOD, Finding
from lengthwise.report.study.wording import listed, percent, spelled

EITHER = "with or without position information"
UNLEARNED = "did not learn it well enough to be tested on longer inputs"


def answer(
    title: str, verdict: Verdict, measured: Mapping[str, Measurement], findings: Mapping[str, Finding]
) -> tuple[str, str]:
    """Two sentences for somebody who knows neither C-RASP nor limit transformers."""
    return expected_sentence(title, verdict), measured_sentence(measured, findings)


def expected_sentence(title: str, verdict: Verdict) -> str:
    """What the verdict lets one expect."""
    learns = f"that learns {title} on short inputs"
    works = "expected to keep working on long ones"
    match verdict.nope.kind, verdict.ape.kind:
        case ("yes", "yes"):
            return f"Yes: a transformer {learns} is {works}, {EITHER}."
        case ("yes", _):
            return f"Yes: a transformer without position information {learns} is {works}."
        case ("no", "yes"):
            return (
                f"Yes, with position information: a transformer with absolute positions {learns} is {works}, but one "
                "without position information is not."
            )
        case (_, "yes"):
            return (
                f"Yes, with position information: a transformer with absolute positions {learns} is {works}; whether "
                "one without position information is, too, is not known."
            )
        case ("no", "no"):
            return f"No: a transformer {learns} is not {works}, {EITHER}."
        case ("no", _):
            return (
                f"Not without position information: a transformer without it {learns} is not {works}; for one with "
                "absolute positions this was not decided."
            )
        case _:
            return f"Not decided: whether a transformer {learns} is {works} is not known."


def measured_sentence(measured: Mapping[str, Measurement], findings: Mapping[str, Finding]) -> str:
    """What the trained models did; schemes of which the same is to be said share a clause."""
    clauses: dict[int, dict[str, list[tuple[str, str]]]] = {}
    for scheme, each in measured.items():
        if (trained := each.longest) is None:
            continue
        learned = findings[scheme].outcome != "not learned"
        did = f"were {_right(each, trained.lengths[-1])}" if learned else UNLEARNED
        who = (f"{_how_many(trained)} " if learned else "", SCHEMES_IN_WORDS[scheme])
        clauses.setdefault(trained.train_length, {}).setdefault(did, []).append(who)
    if not clauses:
        return "No model has been trained yet."
    told = "; ".join(
        f"trained on lengths up to {length:,}, " + ", and ".join(f"{_models(who)} {did}" for did, who in each.items())
        for length, each in clauses.items()
    )
    if any(found.agreement == "contradicted" for found in findings.values()):
        return f"The measurement does not agree with that: {told}."
    return f"{told[0].upper()}{told[1:]}."


def _models(who: Sequence[tuple[str, str]]) -> str:
    """Models by their number and scheme; the word itself stands once."""
    (count, scheme), *others = who
    return listed([f"{count}models {scheme}", *(count + scheme for count, scheme in others)])


def _how_many(trained: Trained) -> str:
    """How many models are right at the longest test length."""
    scores = trained.lengths[-1].scores
    good = sum(score >= GOOD for score in scores)
    return f"{spelled(good) if good else 'none'} of {spelled(len(scores))}"


def _right(measured: Measurement, at: AtTestLength) -> str:
    """What it means to be right."""
    if measured.measure == "accuracy":
        return f"right on at least {percent(GOOD)} of the inputs of length {at.test_length:,}"
    return f"close to the right value at length {at.test_length:,} (at least {percent(GOOD)} of its variance explained)"
