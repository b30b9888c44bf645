"""`lw.load`: runs with their results and what their models answer, compiled models and programs."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import lengthwise as lw
from lengthwise.errors import LengthwiseError, WordError

Train = Callable[..., lw.Run]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Train:
    """Trains a tiny model and loads its run by its directory."""
    store = tmp_path_factory.mktemp("store")

    def make(task: str, train_length: int, seeds: int = 1, steps: int = 30, **settings: Any) -> lw.Run:
        model = {"layers": 1, "heads": 1, "width": 16, **settings.pop("model", {})}
        config = lw.RunConfig(
            task=task,
            train_length=train_length,
            test_lengths=["N", "2N"],
            seeds=seeds,
            stopping={"steps": steps},
            model=model,
            **settings,
        )
        loaded = lw.load(lw.runs.train_run(config, store / "runs").path)
        assert isinstance(loaded, lw.Run)
        return loaded

    return make


@pytest.fixture(scope="module")
def alternating(trained: Train) -> lw.Run:
    """A model that has learned (ab)*."""
    return trained("(ab)*", 8, seeds=2, steps=300, optimizer={"learning_rate": 0.01})


def test_a_run_has_its_settings_and_a_record_for_every_seed_and_test_length(alternating: lw.Run) -> None:
    assert alternating.config.train_length == 8
    assert alternating.config.task == "(ab)*"
    assert [(each["seed"], each["test_length"]) for each in alternating.results] == [(0, 8), (0, 16), (1, 8), (1, 16)]
    done = alternating.directory.done()
    for record, result in zip(alternating.results, done.results, strict=True):
        assert (record["loss"], record["accuracy"], record["words"]) == (result.loss, result.accuracy, result.words)
        assert record["steps"] == next(each.steps for each in done.seeds if each.seed == result.seed)
        assert math.isfinite(record["training_loss"])


def test_the_model_of_a_seed_computes_what_the_run_was_tested_with(alternating: lw.Run) -> None:
    for seed in alternating.config.seeds:
        run = alternating.with_seed(seed)
        assert run.model.seeds == (seed,)
        tokens = torch.from_numpy(run.task.sample(8, 4, np.random.default_rng(0)).tokens)
        place = run.config.seeds.index(seed)
        assert torch.equal(run.model(tokens)[0], alternating.models(tokens)[place])


def test_a_model_that_learned_a_language_predicts_as_the_language_does(alternating: lw.Run) -> None:
    language = lw.regular.Language.from_regex("(ab)*")
    for seed in alternating.config.seeds:
        run = alternating.with_seed(seed)
        at_training_length = next(
            each for each in run.results if each["seed"] == seed and each["test_length"] == run.config.train_length
        )
        assert at_training_length["accuracy"] == 1.0
        found = run.predict("abababab")
        assert found.accepts is True
        assert found.next is not None
        for end, symbols in enumerate(found.next, start=1):
            assert symbols == frozenset(language.next_symbols("abababab"[:end]).symbols)
        assert run.predict("aba").accepts is False
        assert str(run.predict("aba")) == "rejects, next b"
        assert run.predict(["a", "b"]) == run.predict("ab")


def test_a_start_symbol_is_read_and_not_answered_at(trained: Train) -> None:
    run = trained("(ab)*", 4, parameters={"start": True})
    found = run.predict("abab")
    assert found.read == ("$", "a", "b", "a", "b")
    assert found.next is not None
    assert len(found.next) == 4
    tokens = torch.tensor([[2, 0, 1, 0, 1]])
    outputs = (run.model(tokens)[0, 0, 1:] > 0).tolist()
    assert [sorted(symbols) for symbols in found.next] == [
        [symbol for symbol, can in zip("ab", row, strict=False) if can] for row in outputs
    ]
    assert found.accepts == outputs[-1][-1]


def test_a_task_that_only_accepts_has_no_next_symbols(trained: Train) -> None:
    run = trained("majority", 6)
    found = run.predict("0111")
    assert found.next is None
    output = run.model(torch.from_numpy(run.task.alphabet.encode("0111").astype(np.int64))[None])[0, 0, -1, 0]
    assert found.accepts == bool(output > 0)


@pytest.mark.parametrize(("task", "question"), [("task:sort", "3 1 2"), ("task:addition", "1 0 + 1")])
def test_a_question_is_answered_as_the_model_is_scored(task: str, question: str, trained: Train) -> None:
    """What is written is right exactly if every output is, given what should stand before."""
    run = trained(task, 6, optimizer={"lengths": "independent"})
    found = run.predict(question)
    assert found.read[0] == "SOS"
    assert found.read[1:-1] == tuple(question.split())
    assert found.answer is not None
    assert "EOS" not in found.answer
    ids = run.task.alphabet.encode([*found.read, *found.answer]).astype(np.int64)
    outputs = run.model(torch.from_numpy(ids)[None])[0, 0, len(found.read) - 1 :]
    said = run.task.alphabet.decode(outputs.argmax(-1).numpy())
    assert tuple(said[: len(found.answer)]) == found.answer
    assert len(said) == len(found.answer) + 1
    if said[-1] != "EOS":
        assert len(found.read) + len(found.answer) > run.task.input_length(len(question.split()))  # type: ignore[attr-defined]


def test_the_separator_may_be_given_with_the_question(trained: Train) -> None:
    run = trained("task:sort", 4)
    assert run.predict("3 1 SEP").read == run.predict("3 1").read == ("SOS", "3", "1", "SEP")


def test_a_regression_gives_numbers(trained: Train) -> None:
    run = trained("simple-task", 6, parameters={"omega": 3})
    found = run.predict("0 1 1 2")
    assert found.numbers is not None
    assert found.numbers == pytest.approx(run.model(torch.tensor([[0, 1, 1, 2]]))[0, 0].tolist())
    assert found.accepts is found.next is found.answer is None


def test_random_position_ids_are_the_same_in_every_prediction(trained: Train) -> None:
    run = trained("(ab)*", 4, model={"position": "randomized"})
    assert run.predict("abab") == lw.Run(run.directory.path).predict("abab")


@pytest.mark.parametrize(
    ("word", "problem"),
    [("", "the word is empty"), ("abc", "'c' is no symbol of (ab)*; it has a b")],
)
def test_a_word_that_cannot_be_read_is_refused(word: str, problem: str, alternating: lw.Run) -> None:
    with pytest.raises(WordError) as refused:
        alternating.predict(word)
    assert problem in str(refused.value)


def test_a_word_longer_than_the_table_of_positions_is_refused(trained: Train) -> None:
    run = trained("(ab)*", 4, model={"position": "learned"})
    with pytest.raises(LengthwiseError):
        run.predict("ab" * 50)


def test_words_that_come_with_position_ids_are_refused(trained: Train) -> None:
    run = trained("task:reversal", 4, model={"position": "coupled"})
    with pytest.raises(LengthwiseError, match="come with position ids, which a word alone does not say"):
        run.predict("a b SEP")


def test_what_is_not_a_run_is_refused_with_what_it_is(alternating: lw.Run, tmp_path: Path) -> None:
    store = alternating.directory.path.parent.parent
    with pytest.raises(LengthwiseError, match=r"is a store of \d+ runs; load one of them"):
        lw.load(store)
    with pytest.raises(LengthwiseError, match=r"done\.json is missing"):
        lw.load(tmp_path)
    with pytest.raises(LengthwiseError, match="there is no such file or directory"):
        lw.load(tmp_path / "nothing")
    with pytest.raises(LengthwiseError, match="has no seed 7; its seeds are 0, 1"):
        lw.load(alternating.directory.path, seed=7)
    copy = tmp_path / alternating.directory.path.name
    shutil.copytree(alternating.directory.path, copy)
    (copy / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(LengthwiseError, match=r"config\.json has changed since it was written"):
        lw.load(copy)


def test_models_and_programs_are_loaded_from_their_files(tmp_path: Path) -> None:
    limit, ordinary, text = (tmp_path / name for name in ("limit.safetensors", "ordinary.safetensors", "own.crasp"))
    lw.compile("dyck1", out=limit)
    lw.compile("dyck1", context=20, out=ordinary)
    text.write_text(str(lw.crasp.load("dyck1")), encoding="utf-8")
    kinds = (lw.limit.LimitTransformer, lw.limit.Transformer, lw.crasp.Program)
    for file, kind in zip((limit, ordinary, text), kinds, strict=True):
        model = lw.load(file)
        assert isinstance(model, kind)
        assert [model.accepts(word) for word in ("(())", ")(")] == [True, False]
        assert [each.accepts for each in lw.evaluate(file, ["(())", ")("]).answers] == [True, False]
    with pytest.raises(LengthwiseError, match="is not a run, so it has no seed 1"):
        lw.load(limit, seed=1)


def test_training_configs_gives_the_same_runs_as_training_a_subject(tmp_path: Path) -> None:
    given = lw.train("(ab)*", 4, test_lengths=["N"], seeds=1, steps=5, store=tmp_path, engine="serial", show=False)
    (run,) = given.runs
    again = lw.train(run.config, store=tmp_path, engine="serial", show=False)
    assert [each.directory for each in again.runs] == [run.directory]
    assert again.as_json() == given.as_json()


def test_a_language_of_ones_own_is_trained(tmp_path: Path) -> None:
    language = lw.regular.Language.from_regex("(aab)*")
    found = lw.train(language, 6, test_lengths=["N"], seeds=1, steps=5, store=tmp_path, engine="serial", show=False)
    assert found.runs[0].task.language == language
