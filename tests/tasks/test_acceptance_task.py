"""Accepting programs as tasks: targets against the languages they are meant for, words against what they are for."""

from collections import Counter
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from lengthwise.crasp import library, parse
from lengthwise.errors import LengthwiseError
from lengthwise.subjects import describe, names, task_of
from lengthwise.tasks import AcceptanceTask, LanguageTask, Task
from lengthwise.tasks.acceptance_task import UNEVEN, UNIFORM
from tests.tasks.definitions import all_words, simplex_chance
from tests.tasks.statistics import assert_drawn_from


def balanced(word: str) -> bool:
    while "()" in word:
        word = word.replace("()", "")
    return not word


MEANT = {"majority": lambda word: word.count("1") >= word.count("0"), "dyck1": balanced}


@pytest.mark.parametrize("name", MEANT)
def test_targets_say_which_prefixes_are_words(name: str) -> None:
    task = task_of(name)
    batch = task.sample(13, 60, np.random.default_rng(1))
    assert batch.targets.shape == (60, 13, task.outputs)
    assert batch.mask.all()
    for ids, accepted in zip(batch.tokens, batch.targets[:, :, 0], strict=True):
        word = "".join(task.alphabet.decode(ids))
        assert accepted.tolist() == [MEANT[name](word[:end]) for end in range(1, 14)]


def test_a_word_is_the_same_whether_evaluated_alone_or_in_a_batch_of_several_parts() -> None:
    task = task_of("dyck1")
    batch = task.sample(3000, 40, np.random.default_rng(2))
    alone = np.concatenate([AcceptanceTask(library.get("dyck1")).targets(word[None]) for word in batch.tokens])
    assert (batch.targets == alone).all()


def test_plain_words_are_uniform_or_have_probabilities_of_their_own() -> None:
    task = AcceptanceTask(library.get("anbncn"))
    rng = np.random.default_rng(3)
    uneven = np.arange(40_000) % 2 == 1
    drawn = task._drawn(uneven, 4, rng)
    own = {word: simplex_chance(map(word.count, range(3))) for word in all_words(3, 4)}
    assert_drawn_from(dict.fromkeys(own, Fraction(1, 81)), map(tuple, drawn[~uneven].tolist()))
    assert_drawn_from(own, map(tuple, drawn[uneven].tolist()))


def test_every_word_is_possible() -> None:
    drawn = Counter(map(tuple, task_of("majority").sample(5, 4000, np.random.default_rng(4)).tokens.tolist()))
    assert set(drawn) == set(product(range(2), repeat=5))


@pytest.mark.parametrize(("name", "share"), [("majority", 0.4), ("dyck1", 0.2)])
@pytest.mark.parametrize("length", [32, 256])
def test_late_positions_of_many_words_are_answered_in_both_ways(name: str, share: float, length: int) -> None:
    late = task_of(name).sample(length, 600, np.random.default_rng(5)).targets[:, length // 2 :, 0]
    assert (late.any(axis=1) & ~late.all(axis=1)).mean() >= share


def test_neither_uniform_nor_uneven_words_of_dyck1_would_do_alone() -> None:
    task = AcceptanceTask(library.get("dyck1"))
    for kind in (UNIFORM, UNEVEN):
        words = task._drawn(np.full(600, kind == UNEVEN), 256, np.random.default_rng(6))
        assert task.targets(words)[:, 128:].any(axis=(1, 2)).mean() < 0.1


def test_words_are_those_of_the_seed() -> None:
    first, again, other = (task_of("majority").sample(20, 30, np.random.default_rng(seed)) for seed in (7, 7, 8))
    assert (first.tokens == again.tokens).all()
    assert (first.tokens != other.tokens).any()


@pytest.mark.parametrize("batch", [0, 1])
def test_the_smallest_batches_and_words_can_be_drawn(batch: int) -> None:
    assert task_of("dyck1").sample(1, batch, np.random.default_rng(0)).targets.shape == (batch, 1, 1)
    one_symbol = AcceptanceTask(parse('alphabet "a"\nY = #"a" >= 3'))
    assert (
        one_symbol.sample(4, batch, np.random.default_rng(0)).targets[:, :, 0].tolist()
        == [[False, False, True, True]] * batch
    )


# ---------------------------------------------------------------------------------------------------- names


def assert_the_same(task: Task, other: Task) -> None:
    assert (task.name, task.parameters) == (other.name, other.parameters)
    left, right = (one.sample(9, 20, np.random.default_rng(0)) for one in (task, other))
    assert (left.tokens == right.tokens).all()
    assert (left.targets == right.targets).all()


@pytest.mark.parametrize("name", ["majority", "dyck1", "anbncn", "majority-interleave", "majority-interleave:2"])
def test_library_programs_without_an_automaton_are_acceptance_tasks(name: str) -> None:
    task = task_of(name)
    assert isinstance(task, AcceptanceTask)
    assert task.parameters == {}
    assert_the_same(task, task_of(task.name, **task.parameters))


def test_library_programs_are_listed_with_what_is_asked() -> None:
    assert {"majority", "dyck1", "contains-ab"} <= set(names())
    assert describe("majority") == "which prefixes are accepted: the words over {0, 1} with at least as many 1s as 0s"
    assert describe("contains-ab").startswith("next symbols of the words over {a, b} in which")


def test_a_program_of_a_regular_language_still_has_next_symbols() -> None:
    assert isinstance(task_of("contains-ab"), LanguageTask)


def test_a_program_file_is_a_task_that_can_be_made_again_when_it_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = Path("twice.crasp")
    file.write_text('alphabet "a" "b" "c"\nY = #"a" == 2 * #"b"\n', encoding="utf-8")
    task = task_of("twice.crasp")
    file.unlink()
    assert isinstance(task, AcceptanceTask)
    assert_the_same(task, task_of(task.name, **task.parameters))
    made = AcceptanceTask(parse('alphabet "a" "b"\nY = #"a" == 2 * #"b"', title="twice"))
    assert_the_same(made, task_of(made.name, **made.parameters))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('alphabet "a" "b"\nC = #"a"', "the program sums defines no Boolean, so it accepts nothing"),
        ("Y = i % 2 == 0", "the program sums mentions no symbol; declare some"),
    ],
)
def test_programs_that_are_no_tasks_are_refused(text: str, message: str) -> None:
    with pytest.raises(LengthwiseError, match=message):
        AcceptanceTask(parse(text, title="sums"))


def test_parameters_that_do_not_fit_are_refused() -> None:
    with pytest.raises(LengthwiseError, match="majority has no parameter 'followed'; it has start"):
        task_of("majority", followed=0.5)
