"""`lengthwise figures` and `lengthwise reproduce FIGURE` as a user meets them, with real training."""

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from lengthwise.runs.config import RunConfig
from lengthwise.runs.store.run_directory import Result
from lengthwise.runs.training import train
from lengthwise.runs.training.evaluate import evaluate
from tests.e2e.command import Done, lengthwise

PAPERS = Path(__file__).parents[2] / "papers"
FIGURE = """
title = "A small figure"

[settings]
task = "simple-task"
test_lengths = ["N", "2N", "4N"]
seeds = 2
model = { width = 4, hidden = 8 }
optimizer.batch = 64
evaluation.words = 64
stopping.loss = 0.2

[[axes]]
parameters.omega = [1, 3]

[sweeps.lengths]
[sweeps.again]
axes = [{ parameters.omega = [3], train_length = [8] }]

[presets.quick]
settings.stopping.steps = 12
[presets.quick.sweeps.lengths]
axes = [{ parameters.omega = [1, 3] }, { train_length = [4, 8] }]

[presets.longer]
settings.stopping = { steps = 100, loss = "none" }
[presets.longer.sweeps.lengths]
axes = [{ parameters.omega = [1, 2, 3] }, { train_length = [4, 8] }]

[[plot.panels]]
kind = "plateau"
over = "train_length"
lines = "parameters.omega"

[[claims]]
kind = "plateau"
[[claims]]
text = "It falls."
kind = "falls"
with = "train_length"
"""
FILES = ["claims.json", "figure.png", "figure.svg", "provenance.json", "results.csv", "timings.json"]
OWN = ("--engine", "serial", "--store", "store", "--out", "out")
"""Options that train in this process."""


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    """A directory in which the small figure was reproduced."""
    directory = tmp_path_factory.mktemp("small")
    (directory / "small.toml").write_text(FIGURE)
    return directory, lengthwise("reproduce", "small.toml", *OWN, cwd=directory)


def read(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(directory.iterdir())}


def test_a_figure_of_ones_own_is_trained_drawn_and_judged(done: tuple[Path, Done]) -> None:
    directory, shown = done
    assert (shown.returncode, sorted(read(directory / "out" / "small" / "quick"))) == (0, FILES)
    lines = shown.stdout.splitlines()
    assert lines[0] == "A small figure (small, preset quick)"
    assert re.fullmatch(r"4 configs, 8 of 8 models trained, of which \d reached loss 0\.2", lines[1])
    assert "It falls." in lines
    assert (
        lines[-1]
        == f"{Path('out', 'small', 'quick')}: results.csv, claims.json, figure.svg, figure.png, provenance.json, "
        "timings.json"
    )
    assert len(re.findall(r"finished \(\d of 4 runs", shown.stderr)) == 4


def test_the_table_has_every_number_of_every_sweep_and_shared_runs_are_made_once(done: tuple[Path, Done]) -> None:
    directory, _ = done
    with (directory / "out" / "small" / "quick" / "results.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == (4 + 1) * 2 * 3
    kept: dict[tuple[float, ...], float] = {}
    for run in (directory / "store" / "runs").iterdir():
        settings = json.loads((run / "config.json").read_text())
        for result in json.loads((run / "done.json").read_text())["results"]:
            place = settings["parameters"]["omega"], settings["train_length"], result["seed"], result["test_length"]
            assert place not in kept
            kept[place] = result["loss"]
    for row in rows:
        at = float(row["parameters.omega"]), *(int(row[name]) for name in ("train_length", "seed", "test_length"))
        assert float(row["loss"]) == kept[at]
    assert len(kept) == 4 * 2 * 3


def test_the_provenance_says_where_numbers_come_from_and_nothing_about_the_machine_s_names(
    done: tuple[Path, Done],
) -> None:
    directory, _ = done
    path = directory / "out" / "small" / "quick" / "provenance.json"
    found = json.loads(path.read_text())
    assert found["command"] == "lengthwise reproduce small.toml --preset quick"
    assert len(found["file_sha256"]) == 64
    assert (found["seeds"], found["configs"], found["models"], found["trained"]) == ([0, 1], 4, 8, 8)
    kept = [json.loads(file.read_text())["seconds"] for file in directory.glob("store/runs/*/timing.json")]
    assert "seconds" not in path.read_text()
    assert json.loads(path.with_name("timings.json").read_text())["seconds"] == pytest.approx(sum(kept))
    assert [each["runs"] for each in found["environments"]] == [4]
    assert {"threads", "processor", "packages", "commit"} <= set(found["environments"][0])
    for secret in (str(directory), os.uname().nodename, str(Path.home())):
        assert f'"{secret}' not in path.read_text()
        assert f"{secret}/" not in path.read_text()


def test_the_same_command_again_trains_nothing_and_writes_the_same_bytes(done: tuple[Path, Done]) -> None:
    directory, first = done
    before = read(directory / "out" / "small" / "quick")
    times = {path: path.stat().st_mtime_ns for path in directory.glob("store/runs/*/*")}
    again = lengthwise("reproduce", "small.toml", *OWN, cwd=directory)
    assert (again.stdout, again.stderr) == (first.stdout, "")
    assert read(directory / "out" / "small" / "quick") == before
    assert {path: path.stat().st_mtime_ns for path in directory.glob("store/runs/*/*")} == times


def test_json_has_claims_numbers_provenance_and_files(done: tuple[Path, Done]) -> None:
    directory, _ = done
    shown = lengthwise("reproduce", "small.toml", *OWN, "--json", "--no-train", "--format", "pdf", cwd=directory)
    found = json.loads(shown.stdout)
    assert list(found) == [
        "schema", "figure", "title", "preset", "claims", "missing", "files", "remarks", "provenance", "results",
        "timings",
        "failed",
    ]  # fmt: skip
    assert [claim["kind"] for claim in found["claims"]] == ["plateau", "falls"]
    assert {claim["verdict"] for claim in found["claims"]} <= {"reproduced", "not reproduced", "undecided"}
    assert (found["missing"], found["failed"], found["remarks"]) == ([], [], [])
    assert len(found["results"]) == 30
    assert found["claims"] == json.loads((directory / "out" / "small" / "quick" / "claims.json").read_text())
    assert all((directory / file).is_file() for file in found["files"])
    assert (directory / "out" / "small" / "quick" / "figure.pdf").read_bytes().startswith(b"%PDF")
    (directory / "out" / "small" / "quick" / "figure.pdf").unlink()


def test_without_training_what_is_missing_is_told_and_what_is_there_is_shown(done: tuple[Path, Done]) -> None:
    directory, _ = done
    empty = lengthwise("reproduce", "small.toml", *OWN[:2], "--store", "none", "--no-train", cwd=directory)
    assert (empty.returncode, empty.stdout) == (2, "")
    assert empty.stderr == (
        "the store none lacks 8 models (simple-task omega=1.0 N=4 (2 seeds), simple-task omega=1.0 N=8 (2 seeds), "
        "simple-task omega=3.0 N=4 (2 seeds), simple-task omega=3.0 N=8 (2 seeds)) for small, preset 'quick', "
        "which is all of them; without --no-train they are trained\n"
    )
    assert not (directory / "none").exists()
    (directory / "more.toml").write_text(FIGURE.replace("train_length = [4, 8]", "train_length = [4, 8, 16]"))
    part = lengthwise("reproduce", "more.toml", *OWN, "--no-train", cwd=directory)
    assert part.returncode == 0
    assert "the store store lacks 4 models (simple-task omega=1.0 N=16 (2 seeds)," in part.stderr
    assert "8 of 12 models trained" in part.stdout


def test_a_damaged_run_is_mentioned_and_made_again_and_what_it_was_is_kept(
    done: tuple[Path, Done], tmp_path: Path
) -> None:
    directory = shutil.copytree(done[0], tmp_path / "copy")
    before = read(directory / "out" / "small" / "quick")
    victim = min(directory.glob("store/runs/*/"))
    (victim / "model.safetensors").write_bytes(b"nonsense")
    told = lengthwise("reproduce", "small.toml", *OWN, cwd=directory)
    assert told.returncode == 0
    assert f"{victim.relative_to(directory)} is damaged: model.safetensors has changed" in told.stderr
    assert (directory / "store" / "runs" / f"{victim.name}.damaged-1" / "model.safetensors").is_file()
    after = read(directory / "out" / "small" / "quick")
    assert {name for name in before if after[name] != before[name]} <= {"provenance.json", "timings.json"}


def test_without_matplotlib_the_numbers_are_written_all_the_same(
    done: tuple[Path, Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    directory, _ = done
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    told = lengthwise("reproduce", "small.toml", *OWN[:4], "--out", "bare", cwd=directory)
    assert told.returncode == 0
    assert told.stderr == (
        "figures need matplotlib; install it with pip install 'lengthwise[report]'; "
        "the numbers and the claims are written without the figure\n"
    )
    assert sorted(read(directory / "bare" / "small" / "quick")) == [
        "claims.json", "provenance.json", "results.csv", "timings.json",
    ]  # fmt: skip


def test_if_all_runs_fail_there_is_nothing_to_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def short_of_memory(*_: Any) -> tuple[Result, ...]:
        raise MemoryError("no more of it")

    monkeypatch.setattr(train, "evaluate", short_of_memory)
    (tmp_path / "small.toml").write_text(FIGURE)
    done = lengthwise("reproduce", "small.toml", *OWN, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (3, "")
    assert (
        done.stderr.splitlines()[-1] == "all 4 runs of small failed, the first as follows: MemoryError: no more of it"
    )
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("change", "arguments", "message"),
    [
        (None, ["--preset", "quik"], "small: there is no preset 'quik'; did you mean quick?"),
        (None, ["--format", "svg,gif"], "there is no format 'gif' for figures; there are svg, pdf, png"),
        (None, ["--engine", "locl"], "there is no engine 'locl'; did you mean local?"),
        (None, ["--engine", "ray", "--address", "127.0.0.1:1"], "Ray"),
        (None, ["--engine", "local", "--processes", "0"], "0 worker processes are too few; give at least 1"),
        (None, ["--device", "tpu"], "'device' should be 'cpu', 'cuda' or 'auto', got 'tpu'"),
        (None, ["--store", "small.toml"], "could not be written: not a directory"),
        (("[settings]", "[settings"), [], "small.toml is not TOML"),
        (("[plot", "[plots"), [], "small.toml: there is no setting 'plots'; did you mean plot?"),
        (("words = ", "wrods = "), [], "preset 'quick': there is no setting 'evaluation.wrods'; did you mean eval"),
        (("with = ", "width = "), [], "small.toml: claim 2: a claim of the kind 'falls' needs 'with'"),
        (('"falls"', '"drops"'), [], "small.toml: claim 2: a claim has a 'kind', one of plateau, rises, falls"),
        (("lines = ", "line = "), [], "small.toml: panel 1: there is no setting 'line'; did you mean lines?"),
        (('lines = "parameters.omega"', 'lines = "parameters.omga"'), [], "has no setting 'parameters.omga'"),
        (("[presets.quick", '[presets."../quick"'), ["--preset", "../quick"], "no name of a directory"),
    ],
)
def test_a_mistake_is_told_in_one_sentence_before_anything_is_trained(
    change: tuple[str, str] | None, arguments: list[str], message: str, tmp_path: Path
) -> None:
    (tmp_path / "small.toml").write_text(FIGURE.replace(*change) if change else FIGURE)
    done = lengthwise("reproduce", "small.toml", *OWN, *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["small.toml"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_full_disk_is_told_and_old_results_stay(done: tuple[Path, Done]) -> None:
    directory, _ = done
    results = directory / "out" / "small" / "quick"
    before = read(results)
    (results / "results.csv").unlink()
    (results / "results.csv").symlink_to("/dev/full")
    told = lengthwise("reproduce", "small.toml", *OWN, cwd=directory)
    assert (results / "results.csv").readlink() == Path("/dev/full")
    (results / "results.csv").unlink()
    (results / "results.csv").write_bytes(before["results.csv"])
    assert told.returncode == 2
    assert told.stderr.startswith(f"{Path('out', 'small', 'quick')} could not be written: no space left on device")
    assert read(results) == before


def test_a_run_that_fails_is_told_and_the_others_are_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def short_of_memory(config: RunConfig, *others: Any) -> tuple[Result, ...]:
        if config.train_length == 8:
            raise MemoryError("no more of it")
        return evaluate(config, *others)

    monkeypatch.setattr(train, "evaluate", short_of_memory)
    (tmp_path / "small.toml").write_text(FIGURE)
    done = lengthwise("reproduce", "small.toml", *OWN, cwd=tmp_path)
    assert done.returncode == 3
    assert "4 configs, 4 of 8 models trained" in done.stdout
    assert "failed: simple-task omega=1.0 N=8, 2 seeds: MemoryError: no more of it\n" in done.stdout
    assert sorted(read(tmp_path / "out" / "small" / "quick")) == FILES


def test_ctrl_c_keeps_what_is_finished_and_the_same_command_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(config: RunConfig, *others: Any) -> tuple[Result, ...]:
        if config.parameters["omega"] == 3:
            raise KeyboardInterrupt
        return evaluate(config, *others)

    (tmp_path / "small.toml").write_text(FIGURE)
    with monkeypatch.context() as patch:
        patch.setattr(train, "evaluate", interrupted)
        done = lengthwise("reproduce", "small.toml", *OWN, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (130, "")
    told = "interrupted: 2 of 4 runs were finished and are kept; the same command goes on with the others"
    assert done.stderr.splitlines()[-1] == told
    assert not (tmp_path / "out").exists()
    again = lengthwise("reproduce", "small.toml", *OWN, cwd=tmp_path)
    assert again.returncode == 0
    assert len(re.findall(r"finished \(\d of 2 runs", again.stderr)) == 2


def test_tables_are_reproduced_as_ever_and_refuse_what_belongs_to_training() -> None:
    assert lengthwise("reproduce", "huang-table2").stdout.startswith("Huang et al., Table 2: ")
    done = lengthwise("reproduce", "huang-table2", "--preset", "paper", "--no-train", "--format", "svg")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "huang-table2 is a table, for which nothing is trained; leave --preset, --format, --no-train out\n"
    )


def test_figures_lists_all_files_and_tables_with_the_sizes_of_their_presets() -> None:
    listed: list[dict[str, Any]] = json.loads(lengthwise("figures", "--json").stdout)
    names = [each["name"] for each in listed]
    files = sorted(f"{path.parent.name}-{path.stem}" for path in PAPERS.glob("*/*.toml"))
    probes = sorted(f"{path.parent.parent.name}-{path.stem}" for path in PAPERS.glob("*/probes/*.toml"))
    fitted = sorted(f"{path.parent.parent.name}-{path.stem}" for path in PAPERS.glob("*/positional/*.toml"))
    trained = sorted(f"{path.parent.parent.name}-{path.stem}" for path in PAPERS.glob("*/generalization/*.toml"))
    texts = sorted(f"{path.parent.parent.name}-{path.stem}" for path in PAPERS.glob("*/text/*.toml"))
    assert names == [*files, *probes, *fitted, *trained, *texts, "huang-table2", "huang-table3"]
    for each in listed:
        for size in each["presets"].values():
            assert 0 < size["configs"] <= size["models"] <= size["configs"] * size["seeds"]
    text = lengthwise("figures").stdout
    assert all(f"\n{name} " in f"\n{text}" for name in names)


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(PAPERS.glob("*/*.toml")), ids=lambda path: path.stem)
def test_the_smoke_preset_of_every_published_figure_runs_to_the_end(
    path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    # One store for all: figures share runs.
    directory = tmp_path_factory.getbasetemp() / "published"
    directory.mkdir(exist_ok=True)
    name = f"{path.parent.name}-{path.stem}"
    done = lengthwise("reproduce", name, "--preset", "smoke", "--format", "svg", "--json", *OWN, cwd=directory)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["missing"] == []
    assert {claim["verdict"] for claim in found["claims"]} <= {"reproduced", "not reproduced", "undecided"}
    assert sorted(read(directory / "out" / name / "smoke")) == [name for name in FILES if name != "figure.png"]


@pytest.mark.slow
def test_a_driver_killed_in_the_middle_and_started_again_writes_what_one_that_was_left_alone_does(
    tmp_path: Path,
) -> None:
    for name in ("killed", "alone"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "small.toml").write_text(FIGURE)
    wanted = ["reproduce", "small.toml", "--preset", "longer", "--store", "store", "--out", "out"]
    command = [sys.executable, "-m", "lengthwise", *wanted, "--engine", "local", "--processes", "2"]
    process = subprocess.Popen(command, cwd=tmp_path / "killed", stderr=subprocess.DEVNULL, start_new_session=True)
    runs = tmp_path / "killed" / "store" / "runs"
    while process.poll() is None and not [path for path in runs.glob("*/done.json") if ".part-" not in str(path)]:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    finished = [path for path in runs.iterdir() if ".part-" not in path.name]
    assert 0 < len(finished) < 6
    assert not (tmp_path / "killed" / "out").exists()
    for name in ("killed", "alone"):
        assert lengthwise(*wanted, "--engine", "serial", cwd=tmp_path / name).returncode == 0
    one, other = (read(tmp_path / name / "out" / "small" / "longer") for name in ("killed", "alone"))
    origin = [json.loads(each.pop("provenance.json")) for each in (one, other)]
    assert all(json.loads(each.pop("timings.json"))["seconds"] > 0 for each in (one, other))
    assert one == other
    # How seeds were shared out over runs differs; what the numbers are does not.
    for each in origin:
        del each["runs"]
        each["environments"] = [{**found, "runs": 0} for found in each["environments"]]
    assert origin[0] == origin[1]
