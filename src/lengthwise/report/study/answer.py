"""The answer of a study in two sentences: what is to be expected, and what was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lengthwise.regular import Verdict
from lengthwise.report.study.expectation import SCHEMES_IN_WORDS, USUAL, expected
from lengthwise.report.study.measurement import AtTestLength, Measurement, Trained
from lengthwise.report.study.outcome import GOOD, Finding, decisive, passed_over
from lengthwise.report.study.wording import listed, percent, spelled

EITHER = {
    "ape": "with or without position information",
    "relative": "without position information or with relative positions",
}
"""Both of two schemes, the first of which has no position information."""
UNLEARNED = "did not learn it well enough to be tested on longer inputs"


def answer(
    title: str,
    verdict: Verdict,
    schemes: Sequence[str],
    measured: Mapping[str, Measurement],
    findings: Mapping[str, Finding],
) -> tuple[str, str]:
    """Two sentences for somebody who knows neither C-RASP nor limit transformers."""
    return expected_sentence(title, verdict, schemes), measured_sentence(measured, findings)


def expected_sentence(title: str, verdict: Verdict, schemes: Sequence[str] = USUAL) -> str:
    """What the verdict lets one expect, without position information and with what the other scheme has of it.

    If several schemes have some, it is about absolute positions, which tell most.
    """
    other = "relative" if "relative" in schemes and "ape" not in schemes else "ape"
    positioned = SCHEMES_IN_WORDS[other]
    learns = f"that learns {title} on short inputs"
    works = "expected to keep working on long ones"
    match verdict.nope.kind, expected(verdict, other).kind:
        case ("yes", "yes"):
            return f"Yes: a transformer {learns} is {works}, {EITHER[other]}."
        case ("yes", _):
            return f"Yes: a transformer without position information {learns} is {works}."
        case ("no", "yes"):
            return (
                f"Yes, with position information: a transformer {positioned} {learns} is {works}, but one without "
                "position information is not."
            )
        case (_, "yes"):
            return (
                f"Yes, with position information: a transformer {positioned} {learns} is {works}; whether one without "
                "position information is, too, is not known."
            )
        case ("no", "no"):
            return f"No: a transformer {learns} is not {works}, {EITHER[other]}."
        case ("no", _):
            return (
                f"Not without position information: a transformer without it {learns} is not {works}; for one "
                f"{positioned} this was not decided."
            )
        case _:
            return f"Not decided: whether a transformer {learns} is {works} is not known."


def measured_sentence(measured: Mapping[str, Measurement], findings: Mapping[str, Finding]) -> str:
    """What the trained models did; schemes of which the same is to be said share a clause."""
    clauses: dict[str, dict[str, list[tuple[str, str]]]] = {}
    for scheme, each in measured.items():
        if (trained := decisive(each)) is None:
            continue
        learned = findings[scheme].outcome != "not learned"
        did = f"were {_right(each, trained.lengths[-1])}" if learned else UNLEARNED
        who = (f"{_how_many(trained)} " if learned else "", SCHEMES_IN_WORDS[scheme])
        clauses.setdefault(_trained(each, trained), {}).setdefault(did, []).append(who)
    if not clauses:
        return "No model has been trained yet."
    told = "; ".join(
        f"{how}, " + ", and ".join(f"{_models(who)} {did}" for did, who in each.items())
        for how, each in clauses.items()
    )
    agreements = {found.agreement for found in findings.values()}
    if "contradicted" in agreements:
        much = "agrees with that only in part" if "confirmed" in agreements else "does not agree with that"
        return f"The measurement {much}: {told}."
    return f"{told[0].upper()}{told[1:]}."


def _trained(measured: Measurement, trained: Trained) -> str:
    """The training length that counts; longer ones that were not learned are not passed over in silence."""
    longer = [f"{each.train_length:,}" for each in passed_over(measured)]
    unlearned = f" (those up to {listed(longer)} were not learned)" if longer else ""
    return f"trained on lengths up to {trained.train_length:,}{unlearned}"


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
