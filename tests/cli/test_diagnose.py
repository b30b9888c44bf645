"""`lengthwise diagnose`: influence in a text, for a model of Hugging Face, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lengthwise.cli import app
from tests.diagnose.text_models import saved_hugging_face

RUNNER = CliRunner()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Without a tokenizer: its tokens are bytes."""
    return saved_hugging_face(tmp_path_factory.mktemp("models") / "gpt2", vocabulary=256)


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("texts") / "text"
    path.write_text("a cat and a dog and a cat again\n" * 2, encoding="utf-8")
    return path


def test_influence_is_shown_for_a_model_of_hugging_face(model: Path, text: Path) -> None:
    request = ["diagnose", str(model), "--influence", "--text", str(text), "--window", "12", "--recent", "5"]
    shown = RUNNER.invoke(app, [*request, "--tokens", "2", "--examples", "4"])
    assert shown.exit_code == 0, shown.output
    assert "influential tokens: correlation" in shown.output
    found = json.loads(RUNNER.invoke(app, [*request, "--tokens", "2", "--examples", "4", "--json"]).stdout)
    assert [window["begin"] for window in found["windows"]] == [0, 17, 34, 52]
    first = found["windows"][0]
    assert first["predicted"] == " "
    costs = [each["loss_without"] for each in first["influential"]]
    assert costs == sorted(costs, reverse=True)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([], "there is --influence"),
        (["--influence"], "give --text FILE"),
        (["--influence", "--text", "not there"], "cannot be read"),
        (["--influence", "--text", "TEXT", "--window", "500"], "a window has 500"),
        (["--influence", "--text", "TEXT", "--window", "40", "--recent", "5"], "at most 30 tokens"),
        (["--influence", "--text", "TEXT", "--window", "12", "--recent", "11"], "recent ones"),
        (["--influence", "--text", "TEXT", "--window", "12", "--recent", "5", "--tokens", "7"], "6 far ones, not 7"),
    ],
)
def test_what_cannot_be_diagnosed_is_told_in_a_sentence(given: list[str], told: str, model: Path, text: Path) -> None:
    done = RUNNER.invoke(app, ["diagnose", str(model), *(str(text) if part == "TEXT" else part for part in given)])
    assert done.exit_code != 0
    assert told in str(done.exception)


def test_a_directory_that_is_no_model_of_text_is_refused(tmp_path: Path, text: Path) -> None:
    given = ["diagnose", str(tmp_path), "--influence", "--text", str(text)]
    assert "is no model" in str(RUNNER.invoke(app, given).exception)
    (tmp_path / "done.json").write_text("{}", encoding="utf-8")
    assert "the run of a task" in str(RUNNER.invoke(app, given).exception)
