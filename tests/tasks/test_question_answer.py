"""Tasks from a function that asks and one that answers: their words, symbols and lengths, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lengthwise.errors import LengthwiseError
from lengthwise.tasks import Batch, QuestionAnswerTask, Task, get, lengths, registered, validate
from lengthwise.tasks.request import MEASURED_WORDS, input_length
from lengthwise.user_code import is_ours


class Reverse(QuestionAnswerTask):
    """The question backwards."""

    def question(self, rng: np.random.Generator, length: int) -> list[str]:
        return [str(symbol) for symbol in rng.choice(["a", "b", "c"], length)]

    def answer(self, question: list[str]) -> list[str]:
        return question[::-1]


class Blocks(QuestionAnswerTask):
    """The question without repetitions, so that answers differ in length."""

    name = "blocks"

    def question(self, rng: np.random.Generator, length: int) -> str:
        return "".join("ab"[bit] for bit in rng.integers(2, size=length))

    def answer(self, question: str) -> str:
        return "".join(symbol for symbol, _ in groupby(question))


@dataclass(frozen=True)
class Shift(QuestionAnswerTask):
    """Every number plus a step, modulo 12."""

    step: int = 1

    symbols = tuple(str(number) for number in range(12))
    min_length, max_length = 2, 5

    def question(self, rng: np.random.Generator, length: int) -> list[str]:
        return [str(number) for number in rng.integers(12, size=length)]

    def answer(self, question: list[str]) -> list[str]:
        return [str((int(symbol) + self.step) % 12) for symbol in question]


def words(task: Task, batch: Batch) -> list[tuple[list[str], list[str], list[bool]]]:
    return [
        (task.alphabet.decode(tokens), task.alphabet.decode(targets), mask)
        for tokens, targets, mask in zip(batch.tokens, batch.targets, batch.mask.tolist(), strict=True)
    ]


def without_repetitions(question: Sequence[str]) -> list[str]:
    return [symbol for place, symbol in enumerate(question) if not place or question[place - 1] != symbol]


@pytest.mark.parametrize(
    ("task", "definition"),
    [
        (Reverse(), lambda question: list(reversed(question))),
        (Blocks(), without_repetitions),
        (Shift(5), lambda question: [str(sum((int(symbol), 5)) % 12) for symbol in question]),
    ],
)
def test_words_are_the_question_and_the_answer_between_marks_and_only_the_answer_is_scored(
    task: QuestionAnswerTask, definition: Any
) -> None:
    rng = np.random.default_rng(3)
    for length in lengths(task, 9):
        batch = task.sample(length, 40, rng)
        assert batch.tokens.shape == (40, task.input_length(length))
        for tokens, targets, mask in words(task, batch):
            question = tokens[1 : length + 1]
            whole = ["SOS", *question, "SEP", *definition(question), "EOS"]
            used = len(whole) - 1
            assert (tokens[:used], targets[:used]) == (whole[:-1], whole[1:])
            assert set(tokens[used:]) <= {"EOS"}
            assert mask == [length < place < used for place in range(len(tokens))]


def test_such_a_task_has_what_every_task_has() -> None:
    for task in (Reverse(), Blocks(), Shift()):
        assert isinstance(task, Task)
        validate(task, "it")
        assert (task.loss, task.outputs) == ("next-token", len(task.alphabet))
        assert task.sample(3, 0, np.random.default_rng(0)).tokens.shape == (0, task.input_length(3))
    assert (Reverse().name, Blocks().name) == ("Reverse", "blocks")
    assert (dict(Reverse().parameters), dict(Shift(7).parameters)) == ({}, {"step": 7})


def test_symbols_are_found_in_sampled_words_or_listed() -> None:
    assert Reverse().alphabet.symbols == ("a", "b", "c", "SOS", "SEP", "EOS")
    assert Shift().alphabet.symbols == (*(str(number) for number in range(12)), "SOS", "SEP", "EOS")

    class Unlisted(Shift):
        symbols = None  # type: ignore[assignment]

    assert Unlisted().alphabet.symbols == Shift().alphabet.symbols


def test_lengths_have_a_least_a_greatest_and_gaps() -> None:
    assert lengths(Reverse(), 4) == (1, 2, 3, 4)
    assert lengths(Shift(), 9) == (2, 3, 4, 5)

    class Even(Reverse):
        def lengths(self, up_to: int) -> tuple[int, ...]:
            return tuple(range(2, up_to + 1, 2))

    assert Even().sample(4, 2, np.random.default_rng(0)).tokens.shape == (2, 10)
    with pytest.raises(LengthwiseError, match="Even has no questions of length 5; possible lengths are 2, 4, 6, 8, 10"):
        Even().sample(5, 2, np.random.default_rng(0))
    with pytest.raises(LengthwiseError, match="Shift has no questions of length 6; possible lengths are 2, 3, 4, 5"):
        Shift().sample(6, 2, np.random.default_rng(0))
    with pytest.raises(LengthwiseError, match="Shift has words of length 2 and more, not of length 1"):
        Shift().sample(1, 2, np.random.default_rng(0))


def test_the_same_random_numbers_give_the_same_words() -> None:
    for task in (Reverse(), Blocks(), Shift()):
        first, again, other = (task.sample(5, 30, np.random.default_rng(seed)).tokens for seed in (8, 8, 9))
        assert np.array_equal(first, again)
        assert not np.array_equal(first, other)


class Broken(Reverse):
    asked: Any = None
    answered: Any = None

    def question(self, rng: np.random.Generator, length: int) -> Any:
        return super().question(rng, length) if self.asked is None else self.asked

    def answer(self, question: Any) -> Any:
        return ["a"] if self.answered is None else self.answered


@pytest.mark.parametrize(
    ("asked", "answered", "message"),
    [
        ("a", None, "Broken.question(rng, 3) returned 1 symbols; it must return 3, or say in min_length"),
        ([1, 2, 3], None, "Broken.question(rng, 3) has 1 of type int as a symbol; symbols are strings, as in str(7)"),
        (7, None, "Broken.question(rng, 3) returned 7 of type int; it must return a list of symbols or a string"),
        ("aba", 7, "Broken.answer('aba') returned 7 of type int; it must return a list of symbols or a string"),
        ("aba", ["a", None], "Broken.answer('aba') has None of type NoneType as a symbol; symbols are strings"),
        ("aba", "z", "Broken.answer() returned the symbol 'z', which was not seen in sampled words; list it in `sym"),
        ("aba", ["EOS"], "'EOS' marks a part of the words of Broken and cannot be one of its own symbols"),
        ("SEP a b", "a", "'SEP' marks a part of the words of Broken and cannot be one of its own symbols"),
    ],
)
def test_what_fits_no_word_is_refused_in_a_sentence(asked: Any, answered: Any, message: str) -> None:
    task = Broken()
    assert task.alphabet.symbols[:3] == ("a", "b", "c")
    task.asked, task.answered = asked, answered
    with pytest.raises(LengthwiseError) as refused:
        task.sample(3, 1, np.random.default_rng(0))
    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)


def test_listed_symbols_that_are_none_or_do_not_suffice_are_refused() -> None:
    class Numbers(Reverse):
        symbols = (1, 2)  # type: ignore[assignment]

    class Few(Reverse):
        symbols = "ab"

    with pytest.raises(LengthwiseError, match=r'Numbers.symbols is \(1, 2\); list strings, as in "abc"'):
        _ = Numbers().alphabet
    with pytest.raises(LengthwiseError, match=r"returned the symbol 'c', which is not in `symbols`; list it in"):
        Few().sample(8, 64, np.random.default_rng(0))


# ------------------------------------------------------------------------------------------ how long inputs get


class Rare(Reverse):
    """One answer in some thousand is longer than the others."""

    def answer(self, question: list[str]) -> list[str]:
        return ["a"] * (3 if question == ["a"] * len(question) else 1)


def test_an_answer_that_is_longer_than_all_that_were_measured_makes_a_wider_batch() -> None:
    task = Rare()
    assert task.input_length(8) == 2 + 8 + 1
    wide = task.sample(8, 30_000, np.random.default_rng(0))
    long = [row for row in words(task, wide) if row[0][1:9] == ["a"] * 8]
    assert wide.tokens.shape[1] == 2 + 8 + (3 if long else 1)
    for tokens, targets, mask in long:
        assert (tokens[9:], targets[9:], mask[9:]) == (["SEP", "a", "a", "a"], ["a", "a", "a", "EOS"], [True] * 4)


def test_an_answer_that_is_longer_than_the_task_says_is_refused() -> None:
    class Said(Blocks):
        def answer_length(self, length: int) -> int:
            return 2

    with pytest.raises(
        LengthwiseError, match=r"returned \d symbols for a question of length 9; answer_length\(9\) say"
    ):
        Said().sample(9, 50, np.random.default_rng(0))


class Padded:
    """A hand-written task that reads 2n + 1 or 2n + 2 symbols for a length n, and counts how often it is asked."""

    name, loss = "padded", "next-token"
    min_length = 2
    program = language = None

    def __init__(self) -> None:
        self.calls = 0
        self.alphabet = Reverse().alphabet
        self.outputs, self.parameters = len(self.alphabet), dict[str, Any]()

    def lengths(self, up_to: int) -> tuple[int, ...]:
        return tuple(range(2, up_to + 1, 2))

    def sample(self, length: int, batch: int, rng: np.random.Generator) -> Batch:
        self.calls += 1
        width = 2 * length + 1 + int((rng.random(batch) < 0.05).any())
        tokens = rng.integers(3, size=(batch, width))
        return Batch(tokens, tokens, np.ones(tokens.shape, dtype=bool))


def test_inputs_of_a_users_task_are_measured_once_for_each_length() -> None:
    task: Any = Padded()
    assert [input_length(task, length) for length in (2, 8, 2, 8)] == [6, 18, 6, 18]
    assert task.calls == 2
    assert input_length(task, 9) == 18  # there are no words of 9, so those of 8 are the longest
    assert input_length(task, 1) == 1  # there are none at all
    assert MEASURED_WORDS >= 200


def test_inputs_of_our_own_tasks_are_never_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in registered():
        task = get(name)
        if not is_ours(task):
            continue
        drawn = task.sample(lengths(task, 12)[-1], 3, np.random.default_rng(0)).tokens.shape[1]
        with monkeypatch.context() as patch:
            patch.setattr(type(task), "sample", None)
            assert input_length(task, lengths(task, 12)[-1]) == drawn


def test_seeds_whose_words_differ_in_width_are_trained_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lengthwise.runs.config import RunConfig
    from lengthwise.runs.training.train import train_run
    from lengthwise.tasks import register_task, registry

    monkeypatch.setattr(registry, "_makers", dict(registry._makers))

    @register_task("wavering")
    class Wavering(Reverse):
        name = "wavering"

        def answer(self, question: list[str]) -> list[str]:
            return ["a"] * (3 if question[:3] == ["a", "b", "a"] else 1)

        def answer_length(self, length: int) -> int:
            return 3

        def drawn(self, length: int, batch: int, rng: np.random.Generator) -> Any:
            questions, answers = super().drawn(length, batch, rng)
            used = 3 if (answers[:, 1] != self.alphabet.index("EOS")).any() else 1
            return questions, answers[:, :used]

    config = RunConfig(
        task="wavering", train_length=4, test_lengths=[4], seeds=2, model={"width": 4, "hidden": 4},
        optimizer={"batch": 8}, stopping={"steps": 12}, evaluation={"words": 4},
    )  # fmt: skip
    widths = {tuple(get("wavering").sample(4, 8, np.random.default_rng(seed)).tokens.shape) for seed in range(9)}
    assert widths == {(8, 7), (8, 9)}
    assert train_run(config, tmp_path).path.exists()


def test_an_input_that_is_too_long_for_its_positions_is_refused_with_what_to_do() -> None:
    from lengthwise.nn.config import DecoderConfig
    from lengthwise.nn.model import Decoder
    from lengthwise.nn.positions.scheme import PositionError

    model = Decoder(DecoderConfig(6, 6, width=4, position="learned", position_parameters={"context": 10}), seeds=(0,))
    with pytest.raises(PositionError) as refused:
        model.positions.training_places(11, 2, np.random.default_rng(0), None)
    assert str(refused.value) == (
        "inputs of length 11 do not fit into a context of 10 positions; set model.position_parameters.context=11 or "
        "more, or let the task's input_length() say how long its inputs get"
    )
