"""The algorithmic tasks against definitions in plain Python, written from the paper's appendix E.2.1."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from lengthwise.errors import LengthwiseError
from lengthwise.public import decide
from lengthwise.regular import task_names
from lengthwise.subjects import describe, names, task_of
from lengthwise.tasks import AnswerTask, Batch, Task, lengths, registered

NAMES = tuple(f"task:{name}" for name in task_names())
SPECIAL = {"SOS", "SEP", "EOS", "="}

# ------------------------------------------------------------------------------------------------ the definitions


def most_frequent(word: Sequence[str]) -> str:
    ranking = Counter(word).most_common(2)
    assert len(ranking) < 2 or ranking[0][1] > ranking[1][1], f"{word} has no answer"
    return ranking[0][0]


def sorted_numbers(word: Sequence[str]) -> list[str]:
    assert len(set(word)) == len(word)
    return sorted(word, key=int)


def copied(word: Sequence[str]) -> list[str]:
    assert len(set(word)) == len(word)
    return list(word)


def summed(word: Sequence[str]) -> list[str]:
    left, right = "".join(word).split("+")
    for number in (left, right):
        assert number, "both numbers have a bit"
        assert number == "0" or number[0] == "1", "no zero stands in front"
    return list(f"{int(left, 2) + int(right, 2):b}")


ANSWERS: dict[str, Callable[[Sequence[str]], list[str]]] = {
    "task:binary-majority": lambda word: [most_frequent(word)],
    "task:binary-majority-interleave": lambda word: [most_frequent(word[track::3]) for track in range(3)],
    "task:majority": lambda word: [most_frequent(word)],
    "task:sort": sorted_numbers,
    "task:copy-unique": copied,
    "task:copy-repeat": list,
    "task:parity": lambda word: ["o" if word.count("1") % 2 else "e"],
    "task:addition": summed,
}
LETTERS = "abcdefghijklmnopqrstuvwxyz"
SYMBOLS = {
    "task:binary-majority": ["0", "1"],
    "task:binary-majority-interleave": ["0", "1"],
    "task:majority": list(LETTERS),
    "task:sort": [str(number) for number in range(150)],
    "task:copy-unique": [str(number) for number in range(150)],
    "task:copy-repeat": ["a", "b"],
    "task:parity": ["0", "1", "e", "o"],
    "task:addition": ["0", "1", "+", "="],
}
SHORTEST = dict.fromkeys(NAMES, 1) | {"task:binary-majority-interleave": 3, "task:parity": 0, "task:addition": 4}


def rows(task: Task, batch: Batch) -> list[tuple[list[str], list[str], list[bool]]]:
    """Tokens, targets and mask of every word, in symbols."""
    return [
        (task.alphabet.decode(tokens), task.alphabet.decode(targets), mask)
        for tokens, targets, mask in zip(batch.tokens, batch.targets, batch.mask.tolist(), strict=True)
    ]


def asked(name: str, question: Sequence[str]) -> tuple[list[str], list[str], list[bool]]:
    """What a model reads and is asked, for a question without SOS and the separator."""
    answer = ANSWERS[name](question)
    whole = ["SOS", *question, "=" if name == "task:addition" else "SEP", *answer, "EOS"]
    before = len(whole) - len(answer) - 2
    return whole[:-1], whole[1:], [False] * before + [True] * (len(answer) + 1)


# ------------------------------------------------------------------------------------------------------- formats


@pytest.mark.parametrize("name", NAMES)
def test_words_answers_and_what_is_scored_are_as_the_paper_defines_them(name: str) -> None:
    task = task_of(name)
    rng = np.random.default_rng(0)
    for length in [*lengths(task, 24), lengths(task, 50)[-1], lengths(task, 150)[-1]]:
        for tokens, targets, mask in rows(task, task.sample(length, 30, rng)):
            separator = tokens.index("=" if name == "task:addition" else "SEP")
            question = tokens[1:separator]
            assert len(question) + (name == "task:addition") == length
            assert not SPECIAL & set(question)
            wanted = asked(name, question)
            used = len(wanted[0])
            assert (tokens[:used], targets[:used], mask[:used]) == wanted
            # Only sums differ in length; what fills up a batch is not scored.
            assert used == len(tokens) or name == "task:addition"
            assert set(tokens[used:]) <= {"EOS"}
            assert not any(mask[used:])


@pytest.mark.parametrize("name", NAMES)
def test_batches_have_the_form_of_next_token_prediction(name: str) -> None:
    task = task_of(name)
    assert isinstance(task, Task)
    assert isinstance(task, AnswerTask)
    assert (task.loss, task.language) == ("next-token", None)
    assert task.outputs == len(task.alphabet)
    for length in (task.min_length, lengths(task, 50)[-1]):
        for number in (0, 1, 70):
            batch = task.sample(length, number, np.random.default_rng(1))
            shape = (number, task.input_length(length))
            assert batch.tokens.shape == batch.targets.shape == batch.mask.shape == shape
            assert batch.tokens.dtype == batch.targets.dtype == np.int64
            assert batch.mask.dtype == bool
            assert batch.positions is None


@pytest.mark.parametrize("name", NAMES)
def test_symbols_and_shortest_words_are_those_of_the_paper(name: str) -> None:
    task = task_of(name)
    marks = ["SOS", "EOS"] if name == "task:addition" else ["SOS", "SEP", "EOS"]
    assert list(task.alphabet.symbols) == [*SYMBOLS[name], *marks]
    assert task.min_length == SHORTEST[name]
    assert lengths(task, 50)[0] == SHORTEST[name]


def test_lengths_are_multiples_of_the_tracks_and_as_many_as_there_are_different_numbers() -> None:
    assert lengths(task_of("task:binary-majority-interleave"), 13) == (3, 6, 9, 12)
    assert lengths(task_of("task:binary-majority-interleave", tracks=2), 5) == (2, 4)
    assert lengths(task_of("task:sort"), 1000) == tuple(range(1, 151))
    assert lengths(task_of("task:copy-unique", symbols=4), 50) == (1, 2, 3, 4)
    assert lengths(task_of("task:parity"), 2) == (0, 1, 2)
    assert lengths(task_of("task:addition"), 6) == (4, 5, 6)


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_gives_the_same_words_and_another_one_gives_others(name: str) -> None:
    task = task_of(name)
    length = lengths(task, 24)[-1]
    first, again, other = (task.sample(length, 64, np.random.default_rng(seed)).tokens for seed in (8, 8, 9))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


# -------------------------------------------------------------------------------------------------- names, verdicts


def test_every_task_of_table_3_can_be_trained_on_under_its_name_behind_a_prefix() -> None:
    assert set(NAMES) <= set(registered())
    assert len(set(names())) == len(names())
    for name in NAMES:
        assert task_of(name).name == name
        assert "EOS" in describe(name)


@pytest.mark.parametrize("name", task_names())
def test_a_task_knows_what_decide_says_of_it(name: str) -> None:
    task = task_of(f"task:{name}")
    assert isinstance(task, AnswerTask)
    assert task.decided_as == name
    said, wanted = task.verdict(), decide(name)
    assert [said.nope.kind, said.local.kind, said.ape.kind] == [wanted.nope.kind, wanted.local.kind, wanted.ape.kind]
    assert (task.program is not None) == (said.ape.kind == "yes")


@pytest.mark.parametrize(
    ("name", "parameters", "longest"),
    [
        ("task:binary-majority", {}, 12),
        ("task:binary-majority-interleave", {}, 12),
        ("task:binary-majority-interleave", {"tracks": 2}, 8),
        ("task:majority", {}, 6),
        ("task:majority", {"symbols": 3}, 9),
        ("task:sort", {"symbols": 7}, 7),
        ("task:sort", {}, 3),
        ("task:copy-unique", {"symbols": 7}, 7),
        ("task:copy-unique", {}, 3),
    ],
)
def test_the_program_of_a_task_predicts_every_answer(name: str, parameters: dict[str, Any], longest: int) -> None:
    task = task_of(name, **parameters)
    assert task.program is not None
    for length in lengths(task, longest):
        for tokens, targets, mask in rows(task, task.sample(length, 6, np.random.default_rng(length))):
            predicted = task.program.next_tokens(tokens[1:])  # SOS is its position 0
            for place, scored in enumerate(mask):
                assert not scored or predicted[place - 1] == {targets[place]}


# ------------------------------------------------------------------------------------------------------ refusals


@pytest.mark.parametrize(
    ("name", "parameters", "length", "message"),
    [
        ("task:binary-majority", {}, 0, "task:binary-majority has words of length 1 and more, not of length 0"),
        ("task:parity", {}, -1, "task:parity has words of length 0 and more, not of length -1"),
        ("task:addition", {}, 3, "task:addition has words of length 4 and more, not of length 3"),
        (
            "task:binary-majority-interleave", {}, 7,
            "task:binary-majority-interleave has words whose length is a multiple of its 3 tracks, such as 6 or 9, "
            "not 7",
        ),
        (
            "task:sort", {}, 151,
            "task:sort has words of up to 150 symbols, none of which is repeated, not of 151; set symbols=151 or more",
        ),
        (
            "task:copy-unique", {"symbols": 5}, 6,
            "task:copy-unique has words of up to 5 symbols, none of which is repeated, not of 6; "
            "set symbols=6 or more",
        ),
    ],
)  # fmt: skip
def test_an_impossible_length_is_refused_in_one_sentence(
    name: str, parameters: dict[str, Any], length: int, message: str
) -> None:
    with pytest.raises(LengthwiseError) as caught:
        task_of(name, **parameters).sample(length, 1, np.random.default_rng(0))
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("task:majority", {"symbols": 27}, "the number of letters is a number from 2 to 26, not 27"),
        ("task:copy-repeat", {"symbols": 0}, "the number of letters is a number from 1 to 26, not 0"),
        ("task:sort", {"symbols": "0"}, "the number of symbols is a number from 1 to 1000, not 0"),
        ("task:binary-majority-interleave", {"tracks": 0}, "the number of tracks is a number from 1 to 100, not 0"),
        ("task:parity", {"symbols": 3}, "task:parity has no parameter 'symbols'; it has none"),
        ("task:srot", {}, "there is no task 'srot'; did you mean task:sort"),
        ("copy-repaet", {}, "there is no program, language or task 'copy-repaet'; did you mean copy-repeat"),
    ],
)
def test_what_does_not_make_a_task_is_refused(name: str, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(LengthwiseError) as caught:
        task_of(name, **parameters)
    assert str(caught.value).startswith(message)
