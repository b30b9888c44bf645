"""`lengthwise train`, as a person calls it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from lengthwise.cli.train import train
from lengthwise.errors import LengthwiseError
from lengthwise.runs.config import RunConfig

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
        "schema", "meaning", "task", "parameters", "train_length", "seeds", "reached", "results", "settings", "runs",
        "failed",
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


# ------------------------------------------------------------------------------ several schemes and training lengths

TINY = [
    *("--seeds", "2", "--steps", "3", "--engine", "serial"),
    *("--set", "optimizer.batch=16", "--set", "evaluation.words=16", "--set", "model.hidden=4"),
]


def invoke(store: Path, *arguments: str) -> Result:
    return CliRunner().invoke(app, [*arguments, *TINY, "--store", str(store)])


def test_several_schemes_and_lengths_make_one_table(tmp_path: Path) -> None:
    done = invoke(tmp_path, "(ab)*", "-n", "4,6", "--positions", "none,rope", "-t", "N,2N,24")
    assert done.exit_code == 0, done.output
    meaning, title, goal, empty, *table = done.stdout.splitlines()
    assert meaning == "regex over {a, b}"
    assert title == (
        f"(ab)*, layers/heads/width 1/1/16: median accuracy over seeds at each test length, kept in {tmp_path}"
    )
    assert goal == "reached: seeds whose training reached loss 1e-05"
    assert empty == ""
    assert table[0].split() == ["scheme", "N", "seeds", "reached", "steps", "N", "2N", "24"]
    assert [line.split()[:5] for line in table[1:]] == [
        ["NoPE", "4", "2/2", "0", "3"],
        ["NoPE", "6", "2/2", "0", "3"],
        ["RoPE", "4", "2/2", "0", "3"],
        ["RoPE", "6", "2/2", "0", "3"],
    ]
    assert len({len(line) for line in table}) == 1


def test_several_configs_are_a_list_in_json_with_the_numbers_that_each_has_alone(tmp_path: Path) -> None:
    done = invoke(tmp_path, "(ab)*", "-n", "4,6", "--positions", "none,rope", "-t", "N,2N", "--json")
    found = json.loads(done.stdout)
    assert list(found) == ["schema", "meaning", "runs", "left_out"]
    assert [(each["scheme"], each["train_length"]) for each in found["runs"]] == [
        ("NoPE", 4), ("NoPE", 6), ("RoPE", 4), ("RoPE", 6),
    ]  # fmt: skip
    alone = json.loads(
        invoke(tmp_path / "alone", "(ab)*", "-n", "6", "--position", "rope", "-t", "N,2N", "--json").stdout
    )
    assert found["runs"][3]["results"] == alone["results"]
    assert found["runs"][3]["settings"] == alone["settings"]


def test_a_scheme_that_does_not_fit_is_named_and_the_others_go_on(tmp_path: Path) -> None:
    done = invoke(tmp_path, "(ab)*", "-n", "4", "--positions", "none,relative", "-t", "N", "--json")
    assert done.exit_code == 3
    found = json.loads(done.stdout)
    assert [each["scheme"] for each in found["runs"]] == ["NoPE"]
    reason = "the position scheme 'relative' needs the parameter 'window'"
    assert found["left_out"] == [{"position": "relative", "train_length": 4, "reason": reason}]
    assert f"left out: RPE (relative) at N = 4: {reason}" in done.stderr


def test_a_parameter_of_positions_goes_to_the_schemes_that_have_it(tmp_path: Path) -> None:
    window = ("--set", "model.position_parameters.window=2")
    done = invoke(tmp_path, "(ab)*", "-n", "4", "--positions", "none,relative", "-t", "N", "--json", *window)
    assert done.exit_code == 0, done.output
    parameters = [each["settings"]["model"]["position_parameters"] for each in json.loads(done.stdout)["runs"]]
    assert parameters == [{}, {"window": 2}]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["(ab)*", "-n", "4", "--positions", "none,lerned"], "there is no position scheme 'lerned'; nearest: learned"),
        (["(ab)*", "-n", "4,x"], "--train-length is a number, or numbers with commas between, not '4,x'"),
        (["(ab)*"], "give --train-length, or set train_length in the file of --config"),
        (["-n", "4"], "give a SUBJECT, such as majority, or set task in the file of --config"),
        (["(ab)*", "-n", "4", "--positions", "relative,limit"], "needs the parameter 'window'"),
        (["(ab)*", "-n", "4,6", "--positions", "none,rope", "-t", "4"], "shorter than the training length 6"),
        (["(ab)*", "-n", "4", "--log", "wandb:x"], "--log is tensorboard:DIR or trackio:PROJECT, not 'wandb:x'"),
        (["(ab)*", "-n", "4", "--plot", "x.gif"], "a figure is written as .svg, .pdf, .png, not as x.gif"),
        (["--config", "missing.toml"], "missing.toml cannot be read: No such file or directory"),
        (["--config", "settings.yaml"], "settings.yaml is neither a .toml nor a .json file"),
    ],
)
def test_bad_comparisons_are_refused_before_anything_is_trained(
    arguments: list[str], message: str, tmp_path: Path
) -> None:
    done = invoke(tmp_path / "store", *arguments)
    assert isinstance(done.exception, LengthwiseError)
    assert message in str(done.exception)
    assert list(tmp_path.iterdir()) == []


# ----------------------------------------------------------------------------------------------- files of settings

FILE = """
task = "(ab)*"
train_length = 4
test_lengths = ["N", "2N"]
seeds = [1, 3]

[model]
position = "learned"
hidden = 4

[optimizer]
batch = 16

[stopping]
steps = 3

[evaluation]
words = 16
"""


def with_file(tmp_path: Path, *arguments: str) -> dict[str, Any]:
    (tmp_path / "run.toml").write_text(FILE)
    command = ["--config", str(tmp_path / "run.toml"), "--engine", "serial", "--store", str(tmp_path), "--json"]
    done = CliRunner().invoke(app, [*command, *arguments])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def test_a_file_of_settings_is_a_run(tmp_path: Path) -> None:
    found = with_file(tmp_path)
    assert found["settings"] == RunConfig.from_toml(FILE).settings()
    assert list(found)[:5] == ["schema", "meaning", "task", "parameters", "train_length"]


def test_options_override_a_file_and_what_follows_from_settings_follows_anew(tmp_path: Path) -> None:
    found = with_file(tmp_path, "-n", "6", "--seeds", "1", "--steps", "2", "--set", "model.width=8")["settings"]
    assert (found["train_length"], found["test_lengths"], found["seeds"]) == (6, [6, 12], [0])
    assert (found["stopping"]["steps"], found["model"]["width"], found["optimizer"]["batch"]) == (2, 8, 16)
    same = RunConfig.from_toml(FILE.replace("train_length = 4", "train_length = 6"))
    assert found["model"]["position_parameters"] == same.settings()["model"]["position_parameters"]
    found = with_file(tmp_path, "(aab)*", "-n", "6", "--positions", "none")["settings"]
    assert (found["task"], found["model"]["position"], found["model"]["position_parameters"]) == ("(aab)*", "none", {})


def test_a_drawing_is_written_beside_the_table_or_in_its_place(tmp_path: Path) -> None:
    figure = tmp_path / "figure.svg"
    done = invoke(
        tmp_path / "store", "(ab)*", "-n", "4", "--positions", "none,rope", "-t", "N,2N", "--plot", str(figure)
    )
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[-1] == str(figure)
    drawing = figure.read_text()
    assert "NoPE, N = 4" in drawing
    assert "RoPE, N = 4" in drawing
    assert "(ab)*: accuracy against test length" in drawing


@pytest.mark.parametrize("kind", ["plain", "--json"])
def test_a_drawing_on_standard_output_is_alone_there(kind: str, tmp_path: Path) -> None:
    extra = ["--json"] if kind == "--json" else []
    done = invoke(tmp_path / "store", "(ab)*", "-n", "4", "-t", "N,2N", "--plot", "-", *extra)
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("<?xml")
    assert done.stdout.rstrip().endswith("</svg>")
    assert "regex over {a, b}" in done.stderr


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
