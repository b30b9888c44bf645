"""`lengthwise diagnose`: influence in a text, for a model of Hugging Face, and what is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lengthwise.cli import app
from lengthwise.errors import LengthwiseError
from tests.diagnose.text_models import saved_hugging_face
from tests.e2e.command import lengthwise

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
        (
            ["--influence", "--text", "TEXT", "--window", "12", "--recent", "5", "--tokens", "0"],
            "1 influential token or",
        ),
        (["--influence", "--text", "TEXT", "--window", "0"], "a window of 0 tokens is too short; it has 3 or more"),
        (["--influence", "--text", "TEXT", "--seed", "-1"], "-1 is no seed of random tokens; give --seed 0 or more"),
    ],
)
def test_what_cannot_be_diagnosed_is_told_in_a_sentence(given: list[str], told: str, model: Path, text: Path) -> None:
    done = RUNNER.invoke(app, ["diagnose", str(model), *(str(text) if part == "TEXT" else part for part in given)])
    assert done.exit_code != 0
    assert isinstance(done.exception, LengthwiseError)
    assert told in str(done.exception)


def test_a_directory_that_is_no_model_of_text_is_refused(tmp_path: Path, text: Path) -> None:
    given = ["diagnose", str(tmp_path), "--influence", "--text", str(text)]
    assert "is no model" in str(RUNNER.invoke(app, given).exception)
    (tmp_path / "done.json").write_text("{}", encoding="utf-8")
    assert "the run of a task" in str(RUNNER.invoke(app, given).exception)


@pytest.mark.parametrize(("examples", "told"), [(1, "1 window is"), (2, "2 windows are"), (5, "5 windows are")])
def test_too_few_windows_have_no_intervals_and_that_is_said(examples: int, told: str, model: Path, text: Path) -> None:
    request = ["diagnose", str(model), "--influence", "--text", str(text), "--window", "12", "--recent", "5"]
    request += ["--tokens", "2", "--examples", str(examples)]
    *_, influential, random, last = lengthwise(*request).stdout.splitlines()
    assert last.startswith(f"{told} too few for intervals, which need 6")
    assert influential.startswith("influential tokens: correlation ")
    assert random.startswith("random tokens: correlation ")
    assert not any(sign in influential + random for sign in ("[", "inf,", "nan", "∞"))
    found = json.loads(lengthwise(*request, "--json").stdout)["statistics"]
    measured = [numbers for chosen in found.values() for numbers in chosen.values()]
    assert [(each["low"], each["high"]) for each in measured] == [(None, None)] * 8
    assert isinstance(found["influential"]["explained"]["value"], float)
    assert (found["influential"]["correlation"]["value"] is None) == (examples == 1)


def test_six_windows_have_intervals(model: Path, text: Path) -> None:
    request = ["diagnose", str(model), "--influence", "--text", str(text), "--window", "12", "--recent", "5"]
    request += ["--tokens", "2", "--examples", "6"]
    *_, influential, random = lengthwise(*request).stdout.splitlines()
    assert random.startswith("random tokens: ")
    assert influential.count("[") == random.count("[") == 4
    found = json.loads(lengthwise(*request, "--json").stdout)["statistics"]
    for chosen in found.values():
        assert all(each["low"] <= each["value"] <= each["high"] for each in chosen.values())


@pytest.mark.parametrize(
    ("damaged", "message"),
    [
        ("config.json", "/config.json cannot be read as JSON: "),
        ("model.safetensors", " has no causal language model that can be loaded: "),
    ],
)
def test_a_damaged_model_is_one_line_and_exit_code_2(
    damaged: str, message: str, model: Path, text: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(model, tmp_path / "copy")
    content = (copy / damaged).read_bytes()
    (copy / damaged).write_bytes(content[: len(content) // 2])
    done = lengthwise("diagnose", str(copy), "--influence", "--text", str(text))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"{copy}{message}")
    assert done.stderr.count("\n") == 1
