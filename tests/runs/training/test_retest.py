"""Runs that take the models of others: the same results as if they had been trained, and never the wrong models."""

import json
from pathlib import Path
from typing import Any

import pytest

from lengthwise.errors import LengthwiseError
from lengthwise.runs.config import RunConfig
from lengthwise.runs.engines.engine import Local, Serial
from lengthwise.runs.grid import merged
from lengthwise.runs.store.run_directory import RunDirectory
from lengthwise.runs.store.store import Store
from lengthwise.runs.sweep import run_sweep
from lengthwise.runs.training.retest import in_rounds, trained_alike
from lengthwise.runs.training.train import train_run

SMALL: dict[str, Any] = {
    "task": "task:sparse-parity",
    "parameters": {"most": 2, "indices": 3},
    "train_length": 10,
    "train_from": 6,
    "test_lengths": [10, 12],
    "seeds": [0, 3],
    "model": {"width": 8, "hidden": 8, "position": "rope"},
    "optimizer": {"batch": 16},
    "stopping": {"steps": 4, "loss": "none", "check_every": 2},
    "evaluation": {"words": 40},
}


def small(**changes: Any) -> RunConfig:
    return RunConfig(**merged(SMALL, changes))


def trained_in(run: RunDirectory) -> str | None:
    return run.environment().get("trained_in")


OTHERS: dict[str, dict[str, Any]] = {
    "lengths": {"test_lengths": [14]},
    "parameters": {"evaluation": {"parameters": {"fewest": 2, "most": 2}}},
    "words": {"evaluation": {"words": 20, "seed": 5}},
    "one seed": {"seeds": [3], "test_lengths": [14]},
}


@pytest.mark.parametrize("change", OTHERS)
def test_what_is_tested_again_has_the_results_of_what_is_trained(change: str, tmp_path: Path) -> None:
    first = train_run(small(), tmp_path / "both")
    again = train_run(small(**OTHERS[change]), tmp_path / "both")
    alone = train_run(small(**OTHERS[change]), tmp_path / "alone")
    assert trained_in(first) is None
    assert trained_in(again) == first.run
    assert trained_in(alone) is None
    assert again.done().results == alone.done().results
    assert again.done().seeds == alone.done().seeds
    assert all((again.model()[name] == weight).all() for name, weight in alone.model().items())


@pytest.mark.parametrize(
    "change",
    [
        {"seeds": [0, 1]},
        {"train_from": 8},
        {"parameters": {"most": 3}},
        {"optimizer": {"batch": 8}},
        {"stopping": {"steps": 5}},
        {"model": {"width": 16}},
    ],
)
def test_models_that_were_trained_otherwise_are_never_taken(change: dict[str, Any], tmp_path: Path) -> None:
    train_run(small(), tmp_path)
    assert trained_alike(small(test_lengths=[14]), tmp_path) is not None
    assert trained_alike(small(**merged(change, {"test_lengths": [14]})), tmp_path) is None


def test_where_an_accuracy_ends_training_its_words_must_be_alike(tmp_path: Path) -> None:
    until = {"stopping": {"accuracy": 0.9}}
    train_run(small(**until), tmp_path)
    assert trained_alike(small(**merged(until, {"test_lengths": [14]})), tmp_path) is not None
    assert trained_alike(small(**merged(until, {"evaluation": {"words": 20}})), tmp_path) is None


def test_damaged_models_are_trained_anew(tmp_path: Path) -> None:
    first = train_run(small(), tmp_path)
    (first.path / "model.safetensors").write_bytes(b"nothing")
    assert trained_in(train_run(small(test_lengths=[14]), tmp_path)) is None


@pytest.mark.parametrize("engine", [Serial(), Local(2)])
def test_a_sweep_trains_once_what_it_tests_in_several_ways(engine: Any, tmp_path: Path) -> None:
    configs = [small(evaluation={"parameters": {"fewest": k, "most": k}}) for k in (1, 2, 3)]
    store = Store(tmp_path)
    assert not run_sweep(configs, store, engine).failed
    sources = [trained_in(run) for config in configs for run in store.directories(config)]
    assert sources.count(None) == 2  # a run for each seed
    assert len(sources) == 6
    accuracies = {json.dumps([row.accuracy for row in store.rows([config])]) for config in configs}
    assert len(accuracies) > 1


def test_runs_come_in_two_rounds_only_if_some_are_trained_alike() -> None:
    first, again, other = small(), small(test_lengths=[14]), small(optimizer={"batch": 8})
    assert in_rounds([first, other]) == [[first, other]]
    assert in_rounds([first, again, other]) == [[first, other], [again]]
    assert in_rounds([first.with_seeds((0,)), again]) == [[first.with_seeds((0,)), again]]
    assert in_rounds([]) == []


def test_a_task_with_other_symbols_cannot_be_tested() -> None:
    with pytest.raises(LengthwiseError, match="other symbols or other outputs"):
        small(evaluation={"parameters": {"indices": 5}})
    with pytest.raises(LengthwiseError, match="no parameter 'fewset'"):
        small(evaluation={"parameters": {"fewset": 1}})


def test_training_words_are_not_shorter_than_said() -> None:
    assert small().training_lengths() == (6, 8, 10)
    with pytest.raises(LengthwiseError, match="has no words of 11 to 10 symbols"):
        small(train_from=11)
