"""The rule that judges trained models, and what it means together with a verdict."""

import math
from dataclasses import replace
from itertools import product

import pytest

from lengthwise.regular import Answer
from lengthwise.report.study.measurement import AtTestLength, Measurement, Trained, target_variance
from lengthwise.report.study.outcome import Outcome, compared, finding, judged
from lengthwise.report.study.wording import number, percent
from lengthwise.tasks import get


def at(length: int, *scores: float) -> AtTestLength:
    return AtTestLength(length, tuple(1 - score for score in scores), scores, 64)


def trained(train_length: int, *lengths: AtTestLength) -> Trained:
    seeds = tuple(range(len(lengths[0].scores))) if lengths else ()
    return Trained(train_length, seeds, 3, len(seeds), 0, (10,) * len(seeds), lengths, {}, "0" * 16)


def measured(*found: Trained) -> Measurement:
    return Measurement("nope", "none", "accuracy", found)


@pytest.mark.parametrize(
    ("short", "long", "outcome"),
    [
        (0.95, 0.95, "generalizes"),
        (1.0, 0.9499, "unclear"),
        (1.0, 0.5001, "unclear"),
        (1.0, 0.5, "fails"),
        (0.9499, 1.0, "not learned"),
        (0.2, 0.2, "not learned"),
    ],
)
def test_the_thresholds_are_95_and_50_percent(short: float, long: float, outcome: str) -> None:
    assert judged(measured(trained(8, at(8, short), at(64, long))))[0] == outcome


@pytest.mark.parametrize(("long", "outcome"), [(0.95, "generalizes"), (0.7501, "unclear"), (0.75, "fails")])
def test_where_one_answer_is_asked_for_being_right_half_the_time_is_guessing(long: float, outcome: str) -> None:
    found = replace(measured(trained(8, at(8, 1.0), at(64, long))), answered="the end")
    assert judged(found)[0] == outcome


@pytest.mark.parametrize(
    ("long", "outcome"), [(0.97, "generalizes"), (0.7, "unclear"), (0.4, "fails")]
)  # fmt: skip
def test_the_longest_training_length_that_was_learned_counts(long: float, outcome: str) -> None:
    shorter = trained(4, at(4, 1.0), at(32, 1.0 - long))
    learned = trained(8, at(8, 0.99), at(64, long))
    tried = [trained(16, at(16, 0.8), at(128, 0.5)), trained(32, at(32, 0.1), at(256, 1.0))]
    assert judged(measured(shorter, learned, *tried))[0] == outcome
    assert finding(Answer("yes", ""), measured(shorter, learned, *tried)).train_length == 8
    # One that was learned again counts, whatever lies between.
    again = trained(64, at(64, 0.95), at(512, 1 - long))
    found = finding(Answer("yes", ""), measured(shorter, learned, *tried, again))
    assert (found.train_length, "not learned" in found.why) == (64, False)


def test_longer_training_lengths_that_were_not_learned_are_named_with_their_scores() -> None:
    learned = trained(8, at(8, 0.99), at(64, 0.98))
    first, second = trained(16, at(16, 0.8), at(128, 0.5)), trained(32, at(32, 0.1), at(256, 0.0))
    whys = [judged(measured(learned, *longer))[1] for longer in ([], [first], [first, second])]
    assert whys[1].removeprefix(whys[0]) == (
        " The longer training length 16 was not learned: there the median accuracy is 80 %."
    )
    assert whys[2].removeprefix(whys[0]) == (
        " The longer training lengths 16 and 32 were not learned: there the median accuracy is 80 % and 10 %."
    )


def test_if_no_training_length_was_learned_the_longest_is_told() -> None:
    none = measured(trained(4, at(4, 0.9), at(32, 1.0)), trained(8, at(8, 0.2), at(64, 0.0)))
    found = finding(Answer("yes", ""), none)
    assert (found.outcome, found.train_length) == ("not learned", 8)
    assert "20 % at length 8 itself, below 95 %; no shorter training length was learned either" in found.why
    assert "shorter" not in judged(measured(trained(8, at(8, 0.2), at(64, 0.0))))[1]


def test_the_median_seed_counts() -> None:
    bad = trained(4, at(4, 0.1, 0.1, 0.1), at(32, 0.0, 0.0, 0.0))
    good = trained(8, at(8, 0.0, 0.97, 1.0), at(16, 0.0, 0.0, 0.0), at(64, 0.2, 0.96, 0.99))
    outcome, why = judged(measured(bad, good))
    assert outcome == "generalizes"
    assert "up to 8" in why
    assert "97 % at length 8 and 96 % at length 64" in why


def test_a_training_length_without_runs_is_passed_over() -> None:
    assert judged(measured(trained(4, at(4, 1.0), at(32, 1.0)), trained(8)))[0] == "generalizes"
    assert judged(measured(trained(8)))[0] == "not measured"
    assert finding(Answer("yes", ""), measured(trained(8))).train_length is None


def test_a_diverged_seed_is_infinitely_bad() -> None:
    lengths = [AtTestLength(length, (math.nan, math.nan, 0.0), (-math.inf, -math.inf, 1.0), 64) for length in (8, 64)]
    assert judged(Measurement("ape", "learned", "variance explained", (trained(8, *lengths),)))[0] == "not learned"


def test_verdict_and_outcome_agree_only_if_both_say_the_same() -> None:
    outcomes: tuple[Outcome, ...] = ("generalizes", "fails", "unclear", "not learned", "not measured")
    agreement = {(verdict, outcome): compared(verdict, outcome, "NoPE")[0] for verdict, outcome in
                 product(("yes", "no", "unknown"), outcomes)}  # fmt: skip
    assert {pair for pair, found in agreement.items() if found == "confirmed"} == {
        ("yes", "generalizes"), ("no", "fails"),
    }  # fmt: skip
    assert {pair for pair, found in agreement.items() if found == "contradicted"} == {
        ("yes", "fails"), ("no", "generalizes"),
    }  # fmt: skip


def test_a_contradiction_says_what_it_can_mean() -> None:
    fails = measured(trained(8, at(8, 1.0), at(64, 0.0)))
    works = measured(trained(8, at(8, 1.0), at(64, 1.0)))
    assert "optimisation" in finding(Answer("yes", ""), fails).explanation
    assert "not that failure is certain" in finding(Answer("no", ""), works).explanation


def test_always_saying_the_mean_explains_no_variance() -> None:
    # The share of 1s at every third position is uniform on 0, 1/n, …, 1, which has variance (n + 2) / 12n.
    task = get("mod-p-task", period=3)
    assert target_variance(task, 300) == pytest.approx(102 / 1200, rel=0.05)
    assert target_variance(task, 300) == target_variance(task, 300)


@pytest.mark.parametrize(
    ("share", "text"),
    [(1.0, "100 %"), (0.99999, "over 99.9 %"), (0.95, "95 %"), (0.1234, "12.3 %"), (1e-6, "under 0.1 %"), (0.0, "0 %")],
)
def test_percentages_are_never_rounded_to_all_or_nothing(share: float, text: str) -> None:
    assert percent(share) == text


def test_losses_are_written_as_people_write_them() -> None:
    assert [number(loss) for loss in (0.0123, 3.14e-6, math.nan)] == ["0.012", "3.1·10⁻⁶", "diverged"]
