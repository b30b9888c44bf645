"""`lengthwise search`: the simplest model that learns a task."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lengthwise.cli import app
from lengthwise.errors import LengthwiseError

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
        (("simple-task",), "read at the last position"),
        (("nothing-such",), "there is no task"),
    ],
)
def test_nonsense_is_refused_in_one_sentence(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["search", *SMALL, *arguments, "--store", str(tmp_path)])
    assert isinstance(result.exception, LengthwiseError)
    assert message in str(result.exception)
