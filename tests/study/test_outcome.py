"""The rule that judges trained models, and what it means together with a verdict."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from lengthwise.regular import Answer
from lengthwise.study.answer import headline, smallest
from lengthwise.study.measurement import AtTestLength, Measurement, Trained, has_two_answers, target_variance
from lengthwise.study.outcome import Outcome, compared, finding, judged, seeds_needed
from lengthwise.study.schemes import scheme_of
from lengthwise.study.wording import number, percent
from lengthwise.subjects import Subject
from lengthwise.tasks import get


def at(length: int, *scores: float) -> AtTestLength:
    return AtTestLength(length, length - 9, tuple(1 - score for score in scores), scores, scores, 64)


def trained(train_length: int, *lengths: AtTestLength) -> Trained:
    seeds = tuple(range(len(lengths[0].scores))) if lengths else ()
    return Trained(
        train_length, "2/2/64", 0, seeds, 3, len(seeds), 0, (10,) * len(seeds), lengths, (), None, 0.99, {}, "0" * 16
    )


def measured(*found: Trained) -> Measurement:
    return Measurement(scheme_of("none"), "accuracy", found, found)


@pytest.mark.parametrize(
    ("short", "twice", "thrice", "outcome"),
    [
        (1.0, 0.9, 0.0, "generalizes"),
        (0.99, 1.0, 1.0, "generalizes"),
        (1.0, 0.8999, 0.5, "fails"),
        (1.0, 0.0, 0.5001, "undecided"),
        (1.0, 0.8999, 0.8999, "undecided"),
        (0.9899, 1.0, 1.0, "undecided"),
        (0.2, 0.1, 0.0, "undecided"),
    ],
)
def test_models_generalize_from_90_percent_at_2n_and_fail_below_with_at_most_50_at_3n(
    short: float, twice: float, thrice: float, outcome: str
) -> None:
    assert judged(measured(trained(40, at(40, short), at(80, twice), at(120, thrice))))[0] == outcome


@pytest.mark.parametrize(("thrice", "outcome"), [(0.7501, "undecided"), (0.75, "fails")])
def test_where_one_answer_is_asked_for_being_right_half_the_time_is_guessing(thrice: float, outcome: str) -> None:
    found = replace(measured(trained(40, at(40, 1.0), at(80, 0.8), at(120, thrice))), two_answers=True)
    assert judged(found)[0] == outcome


@pytest.mark.parametrize(
    ("task", "two"),
    [
        ("task:parity", True),
        ("task:binary-majority", True),
        ("program:majority", True),
        ("task:sort", False),
        ("parity", False),
        ("d3", False),
        ("simple-task", False),
    ],
)
def test_tasks_with_one_of_two_answers_for_every_word_are_told_from_others(task: str, two: bool) -> None:
    assert has_two_answers(Subject.of(task).as_task(), 20) == two


def test_lengths_between_and_beyond_do_not_count() -> None:
    curve = [at(40, 1.0), at(60, 0.0), at(80, 0.95), at(100, 0.0), at(120, 0.0), at(240, 0.0)]
    assert judged(measured(trained(40, *curve)))[0] == "generalizes"


def test_the_median_seed_decides_and_two_of_three_are_named() -> None:
    found = finding(
        Answer("yes", ""), measured(trained(40, at(40, 1.0, 1.0, 1.0), at(80, 1.0, 0.44, 1.0), at(120, 1.0, 0.1, 0.9)))
    )
    assert (found.outcome, found.seeds_good, found.seeds, found.unanimous) == ("generalizes", 2, 3, False)
    assert "only with two of three seeds" in found.why


def test_the_longest_training_length_that_was_learned_counts() -> None:
    shorter = trained(10, at(10, 1.0), at(20, 1.0), at(30, 1.0))
    learned = trained(20, at(20, 1.0), at(40, 0.1), at(60, 0.1))
    unlearned = trained(40, at(40, 0.8), at(80, 1.0), at(120, 1.0))
    found = finding(Answer("yes", ""), measured(shorter, learned, unlearned))
    assert (found.train_length, found.outcome) == (20, "fails")
    assert "The longer training length 40 was not learned: accuracy there 80 %." in found.why


@pytest.mark.parametrize("lengths", [(40, 60), (40, 60, 80)])
def test_what_was_not_tested_at_2n_or_3n_is_undecided(lengths: Sequence[int]) -> None:
    outcome, why = judged(measured(trained(40, *(at(each, 1.0 if each == 40 else 0.3) for each in lengths))))
    assert (outcome, why.endswith(" length were not tested.")) == ("undecided", True)


def test_nothing_trained_is_undecided() -> None:
    found = finding(Answer("no", ""), measured())
    assert (found.outcome, found.agreement, found.train_length, found.how_far) == ("undecided", "undecided", None, None)


def test_how_far_is_the_longest_length_up_to_which_the_median_seed_holds() -> None:
    curve = [at(40, 1.0, 1.0, 1.0), at(60, 0.95, 0.9, 1.0), at(80, 0.94, 0.9, 1.0), at(100, 1.0, 1.0, 1.0)]
    found = finding(Answer("yes", ""), measured(trained(40, *curve)))
    # The hole at 80 ends it, whatever is beyond; the seeds end at 60, 40 and nowhere.
    assert found.how_far == 60
    assert found.how_far_range == (40, 100)
    assert trained(40, at(40, 0.9)).how_far is None


OUTCOMES: tuple[Outcome, ...] = ("generalizes", "fails", "undecided")


@pytest.mark.parametrize(("verdict", "outcome"), list(itertools.product(("yes", "no", "unknown"), OUTCOMES)))
def test_agreement_is_decided_only_where_both_speak(verdict: str, outcome: Outcome) -> None:
    agreement, explanation = compared(verdict, outcome, True, "NoPE")
    expected = {
        ("yes", "generalizes"): "confirmed",
        ("no", "fails"): "confirmed",
        ("yes", "fails"): "contradicted",
        ("no", "generalizes"): "contradicted",
    }.get((verdict, outcome), "undecided")
    assert agreement == expected
    assert explanation.startswith("NoPE: ")
    assert explanation.endswith(".")


def test_the_headline_has_the_smallest_training_length_that_holds_at_the_target() -> None:
    short = trained(10, at(10, 1.0, 1.0, 1.0), at(20, 1.0, 1.0, 1.0), at(120, 0.94, 0.94, 1.0))
    middle = trained(20, at(20, 1.0, 1.0, 1.0), at(40, 1.0, 1.0, 1.0), at(120, 0.96, 0.2, 0.99))
    long = trained(40, at(40, 1.0, 1.0, 1.0), at(80, 1.0, 1.0, 1.0), at(120, 1.0, 1.0, 1.0))
    found = measured(short, middle, long)
    needed = smallest(found, 120)
    assert (needed.train_length, needed.good, needed.seeds) == (20, 2, 3)
    other = replace(found, scheme=scheme_of("rope"), trained=(short,))
    told = headline((needed, smallest(other, 120)), 120, {"nope": found, "rope": other})
    assert told == (
        "Smallest N with ≥ 95 % of words right at length 120: 20 (NoPE, two of three seeds), none up to 10 (RoPE)."
    )
    unlearned = measured(trained(40, at(40, 0.5), at(120, 1.0)))
    assert smallest(unlearned, 120).told == "not learned (NoPE)"


@pytest.mark.parametrize(("high", "low"), [(0.8, 0.2), (0.9, 0.1), (0.7, 0.4), (0.95, 0.45)])
def test_seeds_needed_is_what_simulated_medians_need(high: float, low: float) -> None:
    needed = seeds_needed(high, low)
    rng = np.random.default_rng(0)

    def right(share: float, seeds: int) -> float:
        good = (rng.random((20_000, seeds)) < share).sum(axis=1) > seeds / 2
        return float(good.mean())

    assert min(right(high, needed), right(1 - low, needed)) > 0.94
    if needed > 1:
        assert min(right(high, needed - 2), right(1 - low, needed - 2)) < 0.96


def test_seeds_on_one_side_of_one_half_cannot_be_told_apart_by_their_median() -> None:
    with pytest.raises(ValueError, match="one half"):
        seeds_needed(0.9, 0.6)


@pytest.mark.parametrize(
    ("share", "shown"),
    [(1, "100 %"), (0.9996, "over 99.9 %"), (0.5, "50 %"), (0.123, "12.3 %"), (0.0001, "under 0.1 %"), (0, "0 %")],
)
def test_shares_are_never_rounded_to_all_or_nothing(share: float, shown: str) -> None:
    assert percent(share) == shown


def test_losses_have_two_digits() -> None:
    assert [number(each) for each in (0.0131, 3.14e-6, math.nan, math.inf)] == ["0.013", "3.1·10⁻⁶", "diverged", "∞"]


def test_the_variance_of_targets_is_the_loss_of_always_saying_the_mean() -> None:
    task = get("simple-task", omega=3)
    drawn = task.sample(16, 200_000, np.random.default_rng(7)).targets
    assert target_variance(task, 16) == pytest.approx(float(((drawn - drawn.mean()) ** 2).mean()), rel=0.05)
