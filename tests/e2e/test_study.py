"""`lengthwise study`, as a person calls it: a report that is the same whatever happened on the way to it."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.e2e.command import lengthwise

TINY = ("--minutes", "0.01")
"""The smallest experiment that there is."""


def start(cwd: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "lengthwise", "study", *arguments, *TINY, "--engine", "serial"]
    return subprocess.Popen(
        command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def finished_runs(cwd: Path) -> dict[str, int]:
    found = (cwd / "lengthwise-runs" / "runs").glob("*/done.json")
    return {path.parent.name: path.stat().st_mtime_ns for path in found if ".part-" not in path.parent.name}


def report(cwd: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (cwd / "lengthwise-studies").glob("*/report.*")}


@pytest.mark.slow
def test_a_study_that_was_killed_ends_with_the_report_of_one_that_was_not(tmp_path: Path) -> None:
    killed, quiet = tmp_path / "killed", tmp_path / "quiet"
    killed.mkdir()
    quiet.mkdir()
    process = start(killed, "(aa)*")
    while len(finished_runs(killed)) < 2 and process.poll() is None:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert report(killed) == {}
    kept = finished_runs(killed)
    assert kept
    # How fast the machine is was measured once, and is part of the plan.
    shutil.copytree(killed / "lengthwise-runs" / "plans", quiet / "lengthwise-runs" / "plans")
    for directory in (killed, quiet):
        again = start(directory, "(aa)*")
        said, warned = again.communicate()
        assert again.returncode == 0, warned
        assert said.startswith("regex over {a}\nYes, with positions: ")
    assert {run: finished_runs(killed)[run] for run in kept} == kept
    assert sorted(report(killed)) == ["report.html", "report.json"]
    assert report(killed) == report(quiet)


@pytest.mark.slow
def test_a_second_study_trains_nothing_and_prints_the_same_data(tmp_path: Path) -> None:
    arguments = ("study", "simple-task", "--omega", "3", *TINY, "--engine", "serial", "--train-lengths", "4,8")
    first = lengthwise(*arguments, "--format", "svg,pdf", cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    assert "training length" in first.stdout
    assert first.stdout.splitlines()[-1].startswith("lengthwise-studies/simple-task-omega-3/report.html, report.json, ")
    trained, files = finished_runs(tmp_path), report(tmp_path)
    charts = {path.name: path.read_bytes() for path in (tmp_path / "lengthwise-studies").glob("*/*.pdf")}
    assert charts
    second = lengthwise(*arguments, "--format", "svg,pdf", "--json", cwd=tmp_path)
    assert second.returncode == 0
    assert second.stderr == ""
    assert finished_runs(tmp_path) == trained
    assert report(tmp_path) == files
    assert second.stdout.encode() == files["report.json"]
    assert charts == {path.name: path.read_bytes() for path in (tmp_path / "lengthwise-studies").glob("*/*.pdf")}
    found = json.loads(second.stdout)
    assert found["schema"] == 2
    assert found["subject"]["parameters"] == {"omega": 3.0}
    assert found["bounds"]["defined"] is True
    assert {each["verdict"] for each in found["outcomes"].values()} == {"yes"}


@pytest.mark.slow
def test_lengths_schemes_and_target_are_options(tmp_path: Path) -> None:
    arguments = ("d2", "--train-lengths", "4,8", "--target-length", "20", "--positions", "none,rope,relative,periodic")
    done = lengthwise("study", *arguments, *TINY, "--engine", "serial", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert done.stdout.encode() == report(tmp_path)["report.json"]
    assert list(data["measured"]) == list(data["outcomes"]) == ["nope", "rope", "relative"]
    assert data["plan"]["skipped_schemes"]["periodic"].startswith("no program for the task has a period")
    for found in data["measured"].values():
        tested = {each["train_length"]: [at["test_length"] for at in each["results"]] for each in found["trained"]}
        assert tested == {4: [4, 6, 8, 12, 16, 20], 8: [8, 12, 16, 20]}
    for outcome in data["outcomes"].values():
        assert outcome["outcome"] in ("generalizes", "fails", "undecided")
        assert outcome["agreement"] in ("confirmed", "contradicted", "undecided")
        assert {"verdict", "train_length", "how_far"} <= set(outcome)
    assert "at length 20" in data["answer"]["headline"]


def test_a_dry_run_shows_the_plan_and_keeps_nothing(tmp_path: Path) -> None:
    done = lengthwise("study", "task:sort", "--dry-run", "--train-lengths", "5", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "first: 6 models on words of up to 5 symbols (NoPE, APE; a GPT-2 with 2/2/64, at most " in done.stdout
    assert list(tmp_path.iterdir()) == []
    plan = json.loads(lengthwise("study", "d2", "--dry-run", "--json", "-n", "4", cwd=tmp_path).stdout)
    assert plan["schema"] == 1
    assert plan["request"]["train_lengths"] == [4]
    assert plan["steps"] >= 10


def test_a_parameter_of_the_task_may_be_called_like_an_option(tmp_path: Path) -> None:
    given = ("--positions", "none,learned", "--set", "positions=plain")
    done = lengthwise("study", "reversal", "--dry-run", *given, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "(NoPE, APE; " in done.stdout


@pytest.mark.slow
def test_ctrl_c_ends_a_study_with_one_sentence(tmp_path: Path) -> None:
    process = start(tmp_path, "majority")
    while not list(tmp_path.glob("lengthwise-runs/runs/*")) and process.poll() is None:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    said, warned = process.communicate()
    assert process.returncode == 130
    assert said.startswith("library program majority over {0, 1}\nYes: a transformer that learns majority")
    assert warned.splitlines()[-1].startswith("interrupted: ")
    assert "Traceback" not in warned
    assert report(tmp_path) == {}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["majorty"], "did you mean majority"),
        (["additoin"], "there is no program, language or task 'additoin'; did you mean addition"),
        (["nothing.crasp"], "nothing.crasp"),
        (["(a"], "(a"),
        (["simple-task", "--set", "omga=3"], "simple-task has no parameter 'omga'; it has omega"),
        (["simple-task", "--set", "omega=3", "--omega", "4"], "the parameter 'omega' is set twice"),
        (["majority", "--omega", "3"], "majority has no parameter 'omega'"),
        (["majority", "--minutes", "0"], "minutes"),
        (["majority", "--seeds", "0"], "seeds"),
        (["majority", "--format", "gif"], "there is no format 'gif' for figures"),
        (["majority", "--engine", "locl"], "did you mean local"),
        (["regex:abc", "--alphabet", "abc"], "regex:abc has no words of"),
        (["majority", "--positions", "ropee"], "there is no position scheme 'ropee'; nearest: rope"),
        (["majority", "--train-lengths", "ten"], "--train-lengths are whole numbers"),
        (["majority", "-n", "40", "--target-length", "30"], "the target length 30 is not longer than the training"),
        (["majority", "--model", "big"], "a model is written as layers/heads/width"),
    ],
)
def test_bad_input_is_refused_in_one_message_before_anything_is_trained(
    arguments: list[str], message: str, tmp_path: Path
) -> None:
    done = lengthwise("study", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []
