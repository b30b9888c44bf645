"""Any model is scored on the same words by the same rule."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import lengthwise as lw
from lengthwise.models import wilson
from lengthwise.runs import Run


def ab_star(symbols: list[str]) -> set[str]:
    return {"a", "end"} if symbols[-1] == "b" else {"b"}


class Recorder:
    """Keeps the words that it was asked about."""

    def __init__(self) -> None:
        self.words: dict[int, list[str]] = {}

    def __call__(self, symbols: list[str]) -> set[str]:
        self.words.setdefault(len(symbols), []).append("".join(symbols))
        return {"a", "end"}


class AbStar(nn.Module):
    """After a comes b; after b comes a, or the end. Weights by hand."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.tensor([[-1.0, 1.0, -1.0], [1.0, -1.0, 1.0]]))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.table[tokens]


def test_a_function_that_is_right_everywhere_is_right_on_every_word() -> None:
    found = lw.evaluate(ab_star, "(ab)*", [4, 50], words=30)
    assert [(each.length, each.words, each.accuracy, each.position_accuracy) for each in found.results] == [
        (4, 30, 1.0, 1.0),
        (50, 30, 1.0, 1.0),
    ]
    assert found.verdict == {"nope": "yes", "local": "yes", "ape": "yes", "recurrent": "yes", "state_space": "yes"}
    other = lw.evaluate(lambda symbols: {"a", "end"}, "(aa)*", [4], words=1).verdict
    assert other == {"nope": "no", "local": "no", "ape": "yes", "recurrent": "yes", "state_space": "no"}


def test_one_wrong_position_makes_a_word_wrong_and_costs_one_prediction() -> None:
    def wrong_at_three(symbols: list[str]) -> set[str]:
        return ab_star(symbols) - ({"b"} if len(symbols) == 3 else set())

    (found,) = lw.evaluate(wrong_at_three, "(ab)*", 10, words=20).results
    assert (found.accuracy, found.position_accuracy) == (0.0, 0.9)


def test_words_that_contain_a_pattern_are_counted_as_a_regex_counts_them() -> None:
    seen: set[str] = set()

    def wrong_after_aba(symbols: list[str]) -> set[str]:
        word = "".join(symbols)
        if len(word) == 9:
            seen.add(word)
        return set() if word.endswith("aba") else {"a", "b", "end"}

    (found,) = lw.evaluate(wrong_after_aba, "(a|b)*", 9, words=400).results
    recorder = Recorder()
    lw.evaluate(recorder, "(a|b)*", 9, words=400)
    words = recorder.words[9]
    assert len(words) == 400
    assert seen == set(words)
    wrong = [len(re.findall("(?=aba)", word)) for word in words]
    assert found.accuracy == sum(not count for count in wrong) / 400
    assert found.position_accuracy == pytest.approx(1 - sum(wrong) / (9 * 400))


def test_a_module_is_asked_about_the_words_that_a_function_is_asked_about() -> None:
    tokens: list[torch.Tensor] = []

    class Spy(nn.Module):
        def forward(self, given: torch.Tensor) -> torch.Tensor:
            tokens.append(given)
            return torch.zeros(*given.shape, 3)

    recorder = Recorder()
    lw.evaluate(recorder, "(a|b)*", 12, words=1500, seed=3)
    lw.evaluate(Spy(), "(a|b)*", 12, words=1500, seed=3)
    assert ["".join("ab"[id_] for id_ in row) for row in torch.cat(tokens).tolist()] == recorder.words[12]
    other = Recorder()
    lw.evaluate(other, "(a|b)*", 12, words=1500, seed=4)
    assert other.words[12] != recorder.words[12]


def test_a_module_its_class_and_a_function_of_the_same_language_score_alike() -> None:
    models: list[object] = [AbStar, AbStar(), ab_star]
    assert {lw.evaluate(model, "(ab)*", 8, words=5).results[0].accuracy for model in models} == {1.0}


@pytest.mark.parametrize("name", ["dyck1", "majority", "induction-all", "d2", "contains-ab"])
def test_a_program_and_its_limit_transformer_are_right_on_their_own_task(name: str) -> None:
    program = lw.Subject.of(name).as_program()
    for model in (program, lw.compile(name).model):
        assert lw.evaluate(model, name, 20, words=12).results[0].accuracy == 1.0


def test_an_acceptor_is_scored_on_ends_alone_and_is_wrong_where_another_language_differs() -> None:
    program = lw.crasp.parse('alphabet "a" "b"\nC = # "b" >= 0')  # accepts everything
    (found,) = lw.evaluate(program, "(ab)*", 8, words=7).results
    assert (found.accuracy, found.position_accuracy) == (0.0, 0.5)  # (ab)* may end after every second symbol
    assert found.note is not None


def test_functions_answer_questions_symbol_by_symbol_or_at_once() -> None:
    def question(symbols: list[str]) -> list[str]:
        return sorted(symbols[symbols.index("SOS") + 1 : symbols.index("SEP")], key=int)

    def next_symbol(symbols: list[str]) -> str:
        answer, written = question(symbols), len(symbols) - symbols.index("SEP") - 1
        return answer[written] if written < len(answer) else "EOS"

    for model in (question, next_symbol, lambda symbols: [*question(symbols), "EOS"]):
        assert lw.evaluate(model, "task:sort", 12, words=9).results[0].accuracy == 1.0
    for model in (lambda symbols: [*question(symbols), "1"], lambda symbols: question(symbols)[:-1]):
        assert lw.evaluate(model, "task:sort", 12, words=9).results[0].accuracy == 0.0


def test_numbers_are_scored_by_their_squared_error() -> None:
    recorded: list[list[str]] = []

    def zero(symbols: list[str]) -> float:
        recorded.append(symbols)
        return 0.0

    (found,) = lw.evaluate(zero, "simple-task", 6, words=16, omega=2).results
    task = lw.tasks.get("simple-task", omega=2)
    assert found.accuracy is None
    assert found.loss == pytest.approx(float(np.mean(task.sample(6, 16, _stream(6)).targets ** 2)))
    assert len(recorded) == 16


def _stream(length: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(0, spawn_key=(2, length)))


@pytest.mark.slow
def test_a_run_is_worth_what_its_results_say(tmp_path: Path) -> None:
    cases: list[tuple[str, dict[str, Any]]] = [
        ("d2", {"model": {"position": "learned"}}),
        ("task:majority", {"model": {"position": "randomized"}}),
        ("simple-task", {"parameters": {"omega": 2}, "optimizer": {"inputs": "tokens"}}),
        ("reversal", {"model": {"position": "coupled"}}),
    ]
    for number, (task, settings) in enumerate(cases):
        config = lw.RunConfig(
            task=task, train_length=6, test_lengths=[6, 8, 12], seeds=[1], stopping={"steps": 15},
            evaluation={"words": 300}, **{**settings, "optimizer": {"batch": 16, **settings.get("optimizer", {})}},
        )  # fmt: skip
        run = lw.train(config, store=tmp_path / str(number), engine="serial", show=False).runs[0]
        found = lw.evaluate(run, None, [6, 8, 12], words=300).results
        for result, score in zip(run.results, found, strict=True):
            if score.accuracy is None:
                assert score.loss == pytest.approx(result["loss"], rel=1e-5)
            else:
                assert (score.accuracy, score.position_accuracy) == (result["accuracy"], result["position_accuracy"])


def test_a_run_that_reads_a_start_symbol_is_asked_behind_it(tmp_path: Path) -> None:
    config = lw.RunConfig(
        task="(ab)*", parameters={"start": True}, train_length=6, test_lengths=[6, 10], stopping={"steps": 30},
        optimizer={"batch": 32}, evaluation={"words": 50},
    )  # fmt: skip
    run = lw.train(config, store=tmp_path, engine="serial", show=False).runs[0]
    found = lw.evaluate(run, "(ab)*", [6, 10], words=50).results
    assert lw.evaluate(run, None, [6, 10], words=50).results == found
    assert [(each.accuracy, each.position_accuracy) for each in found] == [
        (each["accuracy"], each["position_accuracy"]) for each in run.results
    ]


def test_wilsons_interval_holds_what_a_binomial_test_would_not_reject() -> None:
    low, high = wilson(0.3, 50)
    # The ends are where (share - p)² n = z² p (1 - p).
    for end in (low, high):
        assert (0.3 - end) ** 2 * 50 == pytest.approx(1.959963984540054**2 * end * (1 - end))
    assert wilson(0.0, 10)[0] == 0.0
    assert wilson(1.0, 10)[1] == pytest.approx(1.0)


def test_a_run_may_be_given_as_a_directory_or_as_an_object(tmp_path: Path) -> None:
    config = lw.RunConfig(task="(ab)*", train_length=4, test_lengths=[8], stopping={"steps": 2})
    run = lw.train(config, store=tmp_path, engine="serial", show=False).runs[0]
    assert isinstance(run, Run)
    directory = run.directory.path
    assert lw.evaluate(directory, None, 8, words=5).results == lw.evaluate(run, "(ab)*", 8, words=5).results
