"""SimpleTask and ModPTask: values and distributions against their definitions, through words and through counts."""

import math
from collections.abc import Iterator
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pytest

from lengthwise.errors import LengthwiseError
from lengthwise.limit.constructions import Construction, mod_p_task, simple_task
from lengthwise.tasks import CountBatch, CountedTask, ModPTask, SimpleTask
from tests.tasks.definitions import (
    all_words,
    chances_of_counts,
    mod_p_chances,
    mod_p_value,
    simple_chances,
    simple_value,
)
from tests.tasks.statistics import assert_drawn_from

DRAWN = 20_000


def rows(array: npt.NDArray[Any]) -> Iterator[tuple[int, ...]]:
    return map(tuple, array.tolist())


def as_counts(batch: CountBatch) -> Iterator[tuple[Any, int]]:
    tables = (tuple(map(tuple, table)) for table in batch.counts.tolist())
    return zip(tables, batch.last.tolist(), strict=True)


# ------------------------------------------------------------------------------------------------- SimpleTask


@pytest.mark.parametrize("omega", [2.0, 5.5, -1.0])
def test_the_target_of_simple_task_is_the_sine_of_the_lead_of_zeros(omega: float) -> None:
    task = SimpleTask(omega)
    for length in (1, 2, 7, 40):
        batch = task.sample(length, 200, np.random.default_rng(length))
        wanted = [simple_value(word, omega) for word in rows(batch.tokens)]
        assert batch.targets[:, 0].tolist() == pytest.approx(wanted, abs=1e-12)


def test_targets_of_given_words_are_undefined_exactly_where_the_definition_divides_by_zero() -> None:
    words = list(all_words(3, 4))
    found = SimpleTask(3.0).targets(np.array(words))[:, 0]
    for word, value in zip(words, found.tolist(), strict=True):
        wanted = simple_value(word, 3.0)
        assert math.isnan(value) if wanted is None else value == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("length", [1, 2, 5])
def test_words_of_simple_task_have_the_papers_distribution_without_those_of_twos(length: int) -> None:
    batch = SimpleTask().sample(length, DRAWN, np.random.default_rng(11))
    assert_drawn_from(simple_chances(length), rows(batch.tokens))


@pytest.mark.parametrize("length", [1, 2, 5])
def test_counts_of_simple_task_drawn_directly_are_those_of_its_words(length: int) -> None:
    batch = SimpleTask().sample_counts(length, DRAWN, np.random.default_rng(12))
    assert_drawn_from(chances_of_counts(simple_chances(length), 3, 1), as_counts(batch))


class Given:
    """A generator that gives these numbers instead of random ones from a range, and zeros from a range from 0 on."""

    def __init__(self, *numbers: int) -> None:
        self.numbers = numbers

    def integers(self, low: int, high: int | None = None, *, size: int) -> npt.NDArray[np.int64]:
        assert high is None or all(low <= number < high for number in self.numbers)
        return np.zeros(size, dtype=np.int64) if high is None else np.array(self.numbers)


def counts_of_numbers(length: int, *numbers: int) -> list[list[int]]:
    rng = cast(np.random.Generator, Given(*numbers))
    found: list[list[int]] = SimpleTask().sample_counts(length, len(numbers), rng).counts[:, :, 0].tolist()
    return found


def test_every_count_vector_belongs_to_one_number() -> None:
    length = 30
    found = counts_of_numbers(length, *range(1, (length + 1) * (length + 2) // 2))
    wanted = {(zeros, ones, length - zeros - ones) for zeros in range(31) for ones in range(31 - zeros)}
    assert sorted(map(tuple, found)) == sorted(wanted - {(0, 0, length)})


def test_counts_stay_exact_at_a_billion_symbols() -> None:
    length = 10**9
    for both in [*range(length - 50, length + 1), *range(94_906_200, 94_906_300), *range(6 * 10**8, 6 * 10**8 + 50)]:
        first = both * (both + 1) // 2
        twos = length - both
        assert counts_of_numbers(length, first - 1, first) == [[both - 1, 0, twos + 1], [0, both, twos]]
    with pytest.raises(LengthwiseError, match="at most 1000000000 symbols"):
        SimpleTask().sample_counts(length + 1, 1, np.random.default_rng(0))


def test_shares_of_long_words_have_the_moments_of_a_uniform_point_of_the_simplex() -> None:
    length, number = 10**9, 20_000
    drawn = SimpleTask().sample_counts(length, number, np.random.default_rng(0)).counts[:, :, 0]
    assert (drawn >= 0).all()
    assert (drawn.sum(axis=1) == length).all()
    assert np.abs(drawn.mean(axis=0) / length - 1 / 3).max() < 4 * math.sqrt(1 / 18 / number)
    assert np.abs(drawn.var(axis=0) / length**2 * 18 - 1).max() < 0.05


# --------------------------------------------------------------------------------------------------- ModPTask


@pytest.mark.parametrize(("period", "residue"), [(1, 0), (3, 0), (3, 1), (5, 4), (8, 0)])
def test_the_target_of_mod_p_task_is_the_share_of_ones_at_its_positions(period: int, residue: int) -> None:
    task = ModPTask(period, residue)
    for length in (task.min_length, task.min_length + 1, 23, 40):
        batch = task.sample(length, 100, np.random.default_rng(length))
        wanted = [mod_p_value(word, period, residue) for word in rows(batch.tokens)]
        assert batch.targets[:, 0].tolist() == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(("length", "period", "residue"), [(1, 3, 1), (5, 3, 0), (6, 3, 2), (7, 2, 1), (4, 1, 0)])
def test_words_and_counts_of_mod_p_task_have_the_papers_distribution(length: int, period: int, residue: int) -> None:
    task = ModPTask(period, residue)
    chances = mod_p_chances(length, period)
    words = task.sample(length, DRAWN, np.random.default_rng(13))
    assert_drawn_from(chances, rows(words.tokens))
    counts = task.sample_counts(length, DRAWN, np.random.default_rng(14))
    assert_drawn_from(chances_of_counts(chances, 2, period), as_counts(counts))


# ------------------------------------------------------------------------------------------------------- both

TASKS: list[CountedTask] = [SimpleTask(2.0), SimpleTask(4.5), ModPTask(3, 0), ModPTask(4, 2), ModPTask(7, 5)]


@pytest.mark.parametrize("task", TASKS, ids=str)
@pytest.mark.parametrize("length", [7, 12, 31])
def test_targets_of_counts_are_those_of_any_word_with_them(task: CountedTask, length: int) -> None:
    batch = task.sample_counts(length, 50, np.random.default_rng(length))
    assert (batch.counts.sum(axis=1) == [len(range(r or task.period, length + 1, task.period)) for r in
                                         range(task.period)]).all()  # fmt: skip
    for counts, last, target in zip(batch.counts, batch.last, batch.targets, strict=True):
        left = counts.copy()
        word = np.zeros(length, dtype=np.int64)
        for position in range(length, 0, -1):  # the last symbol first, which has to be there
            here = left[:, position % task.period]
            word[position - 1] = last if position == length else int(here.argmax())
            here[word[position - 1]] -= 1
        assert (left == 0).all()
        assert task.targets(word[None])[0].tolist() == pytest.approx(target.tolist(), abs=1e-12)  # type: ignore[attr-defined]


def test_the_targets_are_those_of_the_constructions() -> None:
    pairs: list[tuple[CountedTask, Construction, int]] = [
        (SimpleTask(2.5), simple_task(2.5), 9),
        (ModPTask(3, 0), mod_p_task(3, 0), 8),
        (ModPTask(3, 2), mod_p_task(3, 2), 8),
    ]
    for task, construction, length in pairs:
        batch = task.sample(length, 30, np.random.default_rng(5))
        for word, target in zip(batch.tokens, batch.targets, strict=True):
            wanted = construction.target(word)
            assert wanted is not None
            assert target.tolist() == pytest.approx(wanted.tolist(), abs=1e-12)


def test_parameters_that_make_no_sense_are_refused() -> None:
    with pytest.raises(LengthwiseError, match="finite number, got nan"):
        SimpleTask(math.nan)
    with pytest.raises(LengthwiseError, match="positive number of positions, got 0"):
        ModPTask(0, 0)
    with pytest.raises(LengthwiseError, match="a residue modulo 3 is from 0 to 2, got 3"):
        ModPTask(3, 3)
