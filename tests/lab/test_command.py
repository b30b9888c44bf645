"""`lengthwise train`, as a person calls it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from lengthwise.cli.train import train
from lengthwise.errors import LengthwiseError

app = typer.Typer()
app.command()(train)

SMALL = [
    *("--train-length", "4", "--seeds", "2", "--steps", "3", "--engine", "serial"),
    *("--set", "optimizer.batch=16", "--set", "evaluation.words=16", "--set", "model.hidden=4"),
]


def run(store: Path, *arguments: str, task: str = "simple-task") -> dict[str, object]:
    done = CliRunner().invoke(app, [task, *SMALL, "--store", str(store), "--json", *arguments])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def test_one_command_trains_and_tests_and_the_same_again_shows_the_same(tmp_path: Path) -> None:
    first = run(tmp_path, "--set", "omega=3", "--test-lengths", "4,8, 4N")
    assert list(first) == [
        "meaning", "task", "parameters", "train_length", "seeds", "reached", "results", "settings", "runs", "failed",
    ]  # fmt: skip
    assert first["parameters"] == {"omega": 3.0}
    assert isinstance(first["results"], list)
    assert [each["test_length"] for each in first["results"]] == [4, 8, 16]
    assert [len(each["losses"]) for each in first["results"]] == [2, 2, 2]
    directories = sorted((tmp_path / "runs").iterdir())
    times = [path.stat().st_mtime_ns for path in directories]
    assert run(tmp_path, "--set", "omega=3", "--test-lengths", "N,2N,4N") == first
    assert sorted((tmp_path / "runs").iterdir()) == directories
    assert [path.stat().st_mtime_ns for path in directories] == times


def test_a_person_gets_a_table(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["(ab)*", *SMALL, "--test-lengths", "4", "--store", str(tmp_path)])
    assert done.exit_code == 0
    first, *lines = done.stdout.splitlines()
    assert first == "regex over {a, b}"
    assert lines[0] == f"(ab)* N=4: 2 of 2 seeds trained, kept in {tmp_path}"
    assert lines[1] == "0 of 2 seeds reached loss 1e-05; 3 steps (median)"
    assert lines[3].split() == ["length", "median", "loss", "lowest", "highest", "accuracy"]
    assert lines[4].split()[0] == "4"


def test_settings_of_every_group_can_be_set(tmp_path: Path) -> None:
    found = run(
        tmp_path,
        *("--position", "periodic", "--set", "stopping.rule=moving-average", "--set", "model.layer_norm=true"),
        *("--set", "stopping.loss=none", "--seeds", "3,5", "--set", "period=2"),
        task="mod-p-task",
    )
    settings = found["settings"]
    assert isinstance(settings, dict)
    assert settings["model"]["position_parameters"] == {"period": 2}
    assert settings["model"]["layer_norm"] is True
    assert settings["stopping"] | {"rule": "moving-average", "loss": None} == settings["stopping"]
    assert settings["seeds"] == [3, 5]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--set", "omga=3"], "simple-task has no parameter 'omga'; it has omega"),
        (["--set", "model.widht=3"], "there is no setting 'model.widht'; did you mean model.width"),
        (["--set", "omega"], "a parameter is set as in omega=2, not 'omega'"),
        (["--test-lengths", "2"], "which is shorter than the training length 4"),
        (["--test-lengths", "4,,8"], "'test_lengths.1' should be a valid integer"),
        (["--seeds", "two"], "--seeds is a number of seeds, or seeds with commas between, not 'two'"),
        (["--engine", "locl"], "there is no engine 'locl'; did you mean local"),
        (["--engine", "serial", "--address", "x:1"], "--address belongs to --engine ray"),
        (["--device", "tpu"], "'device' should be 'cpu', 'cuda' or 'auto', got 'tpu'"),
        (["--store", "/dev/null/store"], "could not be written: not a directory"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(arguments: list[str], message: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["simple-task", *SMALL, "--store", str(tmp_path), *arguments])
    assert isinstance(done.exception, LengthwiseError)
    assert message in str(done.exception)
    assert "\n" not in str(done.exception)


def test_a_damaged_run_is_mentioned_and_the_others_are_used(tmp_path: Path) -> None:
    run(tmp_path, "--seeds", "3")
    damaged = tmp_path / "runs" / ("0" * 16)
    damaged.mkdir()
    done = CliRunner().invoke(app, ["simple-task", *SMALL, "--seeds", "3", "--store", str(tmp_path)])
    assert done.exit_code == 0
    assert f"the run directory {damaged} is damaged: done.json is missing" in done.stderr


@pytest.mark.slow
def test_ctrl_c_ends_a_command_with_one_line_and_no_half_run(tmp_path: Path) -> None:
    code = "import sys, typer; from lengthwise.cli.train import train; app = typer.Typer(); app.command()(train); app()"
    arguments = ["simple-task", "-n", "4", "--steps", "1000000", "--store", str(tmp_path)]
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments], stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    while not list(tmp_path.glob("runs/*.part-*/metrics.jsonl")):
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    said = process.communicate()[1]
    assert process.returncode == 130
    assert said.splitlines()[-1].startswith("interrupted: 0 of ")
    assert "Traceback" not in said
    assert [path for path in (tmp_path / "runs").iterdir() if ".part-" not in path.name] == []
