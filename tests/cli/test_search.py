"""`lengthwise search`: the simplest model that learns a task."""

import json
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lengthwise.cli import app
from lengthwise.errors import LengthwiseError
from lengthwise.experiments import runs
from lengthwise.experiments.catalogue import find
from lengthwise.runs.config import RunConfig
from lengthwise.runs.sweep import run_sweep
from tests.experiments.generalization.made_up import Accuracies, trainer

SMALL = [
    "-n", "3", "--layers", "1", "--heads", "1", "--widths", "4,8", "--rates", "1e-2", "--steps", "60", "--engine",
    "serial", "--set", "evaluation.words=20", "--set", "stopping.check_every=20", "--set", "optimizer.batch=16",
]  # fmt: skip


def searched(store: Path, *arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["search", *arguments, *SMALL, "--store", str(store)])
    if isinstance(result.exception, LengthwiseError):
        raise result.exception
    return result.exit_code, result.stdout


def test_the_first_model_that_is_perfect_ends_the_search(tmp_path: Path) -> None:
    code, text = searched(tmp_path, "a*", "--position", "none")
    assert code == 0
    assert "1/1/4" in text
    assert "<- chosen" in text
    assert "1 larger models were not tried" in text
    code, again = searched(tmp_path, "a*", "--position", "none", "--json")
    data = json.loads(again)
    assert data["chosen"]["model"] == "1/1/4"
    assert data["settings"]["model"]["width"] == 4
    assert [entry["model"] for entry in data["tried"]] == ["1/1/4"]


def test_where_no_model_learns_the_task_it_says_so_and_fails(tmp_path: Path) -> None:
    code, text = searched(tmp_path, "task:copy-repeat")
    assert code == 1
    assert "no model learned the task" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("a*", "--layers", "one"), "--layers takes numbers"),
        (("a*", "--position", "rope"), "--position is none or learned"),
        (("a*", "--seeds", "0"), "0 seeds are too few"),
        (("simple-task",), "a search needs accuracies"),
        (("nothing-such",), "there is no program, language or task"),
        (("a*", "--widths", "0"), "'width' should be greater than or equal to 1, got 0"),
        (("a*", "--layers", "0"), "'layers' should be greater than or equal to 1, got 0"),
        (("a*", "--steps", "0"), "'steps' should be greater than or equal to 1, got 0"),
        (("a*", "--rates", "nan"), "'rate' should be a finite number, got nan"),
        (("task:sort", "--rates", "-1"), "'rate' should be greater than 0, got -1.0"),
        (("a*", "--test-lengths", "3"), "give N and at least one more, such as N,2N,3N, not 3"),
        (("a*", "--test-lengths", "6,9"), "longer than N = 3 and not longer than the second test length"),
        (("a*", "--heads", "1,3"), "3 heads do not divide the width 4 evenly"),
        (("a*", "--set", "model.width=6"), "give --widths instead"),
        (("a*", "--set", "optimizer.learning_rate=0.1"), "give --rates instead"),
        (("a*", "--set", "stopping.steps=7"), "give --steps instead"),
        (("a*", "--position", "none", "--set", "optimizer.position_penalty=1"), "'none' adds no vectors"),
    ],
)
def test_nonsense_is_refused_in_one_sentence(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["search", *SMALL, *arguments, "--store", str(tmp_path)])
    assert isinstance(result.exception, LengthwiseError)
    assert message in str(result.exception)
    assert "\n" not in str(result.exception)
    assert not list(tmp_path.rglob("*.json")), "something was trained before"


def chosen_settings(monkeypatch: pytest.MonkeyPatch, store: Path, *arguments: str) -> RunConfig:
    """How the chosen model is trained, where those with a learning rate of 1e-4 learn nothing and others everything."""

    def accuracies(config: RunConfig, seed: int) -> Accuracies:
        return (1.0, 1.0, 1.0) if config.optimizer.learning_rate.hidden != 1e-4 else (0.5, 0.5, 0.5)

    monkeypatch.setattr(runs, "run_sweep", partial(run_sweep, train=trainer(accuracies)))
    options = ["--engine", "serial", "--json", "--store", str(store)]
    result = CliRunner().invoke(app, ["search", *arguments, *options])
    assert result.exit_code == 0, result.exception
    return RunConfig.from_store(json.loads(result.stdout)["settings"])


@pytest.mark.parametrize(
    ("task", "position", "scheme", "options"),
    [
        ("tomita-1", "learned", "ape", ""),
        ("tomita-2", "none", "nope", ""),
        ("task:copy-unique", "learned", "ape", "--layers 2 --widths 64"),
        ("task:sort", "none", "nope", "--widths 256"),
        ("012-02", "learned", "ape", "--layers 6 --heads 4 --widths 128"),
        ("task:parity", "none", "nope", "--rates 1e-4 --largest"),
    ],
)
def test_a_model_of_the_paper_is_trained_as_in_the_published_experiment(
    task: str, position: str, scheme: str, options: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = find("huang-fig1").figure.cells("paper")
    (published,) = (cell.settings for cell in cells if (cell.task, cell.scheme) == (task, scheme))
    found = chosen_settings(monkeypatch, tmp_path, task, "--position", position, *options.split())
    assert found.settings() == published.settings()


def test_what_is_set_stands_above_the_published_experiment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = ("--set", "uneven=false", "--set", "stopping.check_every=500")
    found = chosen_settings(monkeypatch, tmp_path, "012-02", *options)
    assert not found.parameters.get("uneven")
    assert found.stopping.check_every == 500


@pytest.mark.parametrize(("steps", "looks"), [(60, 60), (3000, 3000), (4000, 3000)])
def test_the_accuracy_is_looked_at_as_in_the_experiment_or_at_the_end_if_that_is_sooner(
    steps: int, looks: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = chosen_settings(monkeypatch, tmp_path, "a*", "--steps", str(steps))
    assert (found.stopping.steps, found.stopping.check_every) == (steps, looks)
