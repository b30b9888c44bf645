"""What every task promises: the interface, batches of the stated form, the same words for the same seed."""

from typing import Any

import numpy as np
import pytest

from lengthwise.errors import LengthwiseError
from lengthwise.subjects import task_of
from lengthwise.tasks import Batch, CountedTask, Task, lengths

TASKS: list[tuple[str, dict[str, Any]]] = [
    ("simple-task", {"omega": 3.5}),
    ("mod-p-task", {"period": 5, "residue": 2}),
    ("k-gram", {"context": 2, "alphabet_size": 4}),
    ("(ab|ba)*", {}),
    ("d12", {}),
    ("induction-all", {"followed": 0.3}),
    ("sort", {}),
]
TASK_IDS = [name for name, _ in TASKS]


@pytest.fixture(params=TASKS, ids=TASK_IDS)
def task(request: pytest.FixtureRequest) -> Task:
    name, parameters = request.param
    return task_of(name, **parameters)


def same(left: Batch, right: Batch) -> bool:
    return np.array_equal(left.tokens, right.tokens) and np.array_equal(left.targets, right.targets)


def test_batches_have_the_stated_form(task: Task) -> None:
    assert isinstance(task, Task)
    found = lengths(task, 50)
    for length in (task.min_length, found[0], found[-1]):
        for number in (0, 1, 300):
            batch = task.sample(length, number, np.random.default_rng(0))
            assert batch.tokens.shape == batch.mask.shape == (number, length)
            assert batch.tokens.dtype == np.int64
            assert batch.mask.dtype == bool
            assert batch.positions is None
            if number:
                assert 0 <= batch.tokens.min() <= batch.tokens.max() < len(task.alphabet)
            if task.loss == "regression":
                assert batch.targets.shape == (number, task.outputs)
                assert batch.targets.dtype == np.float64
                assert np.isfinite(batch.targets).all()
                assert batch.mask[:, -1].all()
                assert not batch.mask[:, :-1].any()
            else:
                assert task.outputs == len(task.alphabet) + 1
                assert batch.targets.shape == (number, length, task.outputs)
                assert batch.targets.dtype == bool
                assert batch.mask.all()


def test_counts_have_the_stated_form(task: Task) -> None:
    if not isinstance(task, CountedTask):
        assert not hasattr(task, "sample_counts")
        return
    for length in (task.min_length, 50):
        for number in (0, 300):
            batch = task.sample_counts(length, number, np.random.default_rng(0))
            assert batch.counts.shape == (number, len(task.alphabet), task.period)
            assert batch.last.shape == (number,)
            assert batch.counts.dtype == batch.last.dtype == np.int64
            assert batch.targets.shape == (number, task.outputs)
            assert batch.lengths.tolist() == [length] * number
            assert (batch.counts.sum(axis=(1, 2)) == length).all()
            here = batch.counts[np.arange(number), batch.last, length % task.period]
            assert (here > 0).all(), "the last symbol is among those counted"


def test_the_same_seed_gives_the_same_words_and_another_one_gives_others(task: Task) -> None:
    length = lengths(task, 24)[-1]
    first, again, other = (task.sample(length, 64, np.random.default_rng(seed)) for seed in (8, 8, 9))
    assert same(first, again)
    assert not np.array_equal(first.tokens, other.tokens)
    if isinstance(task, CountedTask):
        counted = [task.sample_counts(length, 64, np.random.default_rng(seed)) for seed in (8, 8)]
        assert np.array_equal(counted[0].counts, counted[1].counts)
        assert np.array_equal(counted[0].last, counted[1].last)


def test_a_sampler_goes_on_with_its_generator_and_leaves_no_trace_in_the_task(task: Task) -> None:
    length = lengths(task, 24)[-1]
    rng = np.random.default_rng(8)
    first, second = task.sample(length, 64, rng), task.sample(length, 64, rng)
    assert not np.array_equal(first.tokens, second.tokens)
    assert same(first, task.sample(length, 64, np.random.default_rng(8)))


def test_long_words_are_drawn_in_pieces_that_differ() -> None:
    for name in ("simple-task", "mod-p-task"):
        tokens = task_of(name).sample(20_000, 5, np.random.default_rng(1)).tokens
        assert len({row.tobytes() for row in tokens}) == 5


def test_words_that_are_too_short_and_negative_batches_are_refused(task: Task) -> None:
    with pytest.raises(LengthwiseError, match=f"words of length {task.min_length} and more, not of length 0"):
        task.sample(0, 1, np.random.default_rng(0))
    with pytest.raises(LengthwiseError, match="no negative number of words; -1 were asked for"):
        task.sample(lengths(task, 30)[-1], -1, np.random.default_rng(0))
    if isinstance(task, CountedTask):
        with pytest.raises(LengthwiseError, match="not of length 0"):
            task.sample_counts(0, 1, np.random.default_rng(0))
