"""The lengths that a study trains and tests at."""

import pytest

from lengthwise.errors import LengthwiseError
from lengthwise.study.lengths import study_lengths
from lengthwise.subjects import task_of
from lengthwise.tasks.request import lengths


def test_a_study_begins_with_40_and_tests_to_three_and_six_times_that() -> None:
    found = study_lengths(task_of("(a|b)*b(a|b)*"))
    assert (found.train, found.target) == ((40, 20, 10), 120)
    assert found.tested(40, far=False) == (40, 60, 80, 100, 120)
    assert found.tested(40, far=True) == (40, 60, 80, 100, 120, 160, 240)
    assert found.dropped == ()


@pytest.mark.parametrize("train", [(40, 20, 10), (10, 20), (15, 40), (7, 11, 13), (50,)])
@pytest.mark.parametrize("target", [None, 200])
def test_all_training_lengths_are_tested_at_the_same_lengths_with_2n_and_3n_among_them(
    train: tuple[int, ...], target: int | None
) -> None:
    found = study_lengths(task_of("majority"), train, target)
    assert found.train == tuple(sorted(train, reverse=True))
    assert found.target == (target or 3 * max(train))
    for length in train:
        tested = found.tested(length, far=False)
        assert tested[0] == length
        assert tested[-1] == found.target
        assert {2 * length, 3 * length} <= set(tested)
        assert set(tested) == {each for each in found.near if each >= length}


def test_lengths_do_not_depend_on_shorter_training_lengths() -> None:
    task = task_of("d3")
    alone, among = study_lengths(task, (40,)), study_lengths(task, (10, 20, 40))
    assert alone.tested(40, far=True) == among.tested(40, far=True)


def test_bins_without_words_are_dropped_and_named() -> None:
    found = study_lengths(task_of("task:sort"))
    assert max(lengths(task_of("task:sort"), 500)) == 150
    assert found.far == (160,)  # for words of 121 to 150 symbols
    (said,) = found.dropped
    assert said == "task:sort has no words for the test length 240 (longest: 150)."


def test_a_training_length_without_words_of_its_own_is_that_of_the_longest_that_are_shorter() -> None:
    found = study_lengths(task_of("(ab)*"), (7, 15), 30)
    assert found.train == (14, 7)
    assert found.tested(14, far=False) == (14, 21, 28, 30)
    assert found.dropped == ("(ab)* has no words of 15 symbols: trained up to 14.",)


def test_a_task_with_short_words_only_is_trained_on_a_third_of_them() -> None:
    class Short:
        name, min_length = "short", 1

        def lengths(self, up_to: int) -> range:
            return range(1, min(up_to, 24) + 1)

    found = study_lengths(Short())  # type: ignore[arg-type]
    assert (found.train[0], found.target) == (8, 24)


def test_gaps_as_long_as_a_bin_are_dropped() -> None:
    found = study_lengths(task_of("((a|b){50})*"))
    assert found.train[0] == 90  # 40 more than the shortest words
    assert all(
        any(each % 50 == 0 for each in range(low + 1, high + 1))
        for low, high in zip((0, *found.near), found.near, strict=False)
    )


@pytest.mark.parametrize(
    ("train", "target", "message"),
    [
        ((40,), 40, "the target length 40 is not longer than the training length 40"),
        ((0,), None, "a training length is a whole number from 1 on, not 0"),
        ((200,), None, "no words of more than 200 symbols"),
    ],
)
def test_lengths_that_make_no_study_are_refused(train: tuple[int, ...], target: int | None, message: str) -> None:
    with pytest.raises(LengthwiseError, match=message):
        study_lengths(task_of("task:sort"), train, target)
