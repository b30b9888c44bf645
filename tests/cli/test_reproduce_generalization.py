"""`lengthwise reproduce huang-fig1` and the tables beside what was measured, as a user meets them."""

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from lengthwise.experiments.catalogue import find
from lengthwise.runs.config import RunConfig
from lengthwise.runs.store.run_directory import Result
from lengthwise.runs.training import train
from lengthwise.runs.training.evaluate import evaluate
from tests.e2e.command import Done, lengthwise

FILES = [
    "cells.csv", "claims.json", "confusion.csv", "confusion.md", "figure.svg", "overlay.svg", "provenance.json",
    "results.csv", "timings.json",
]  # fmt: skip
SMOKE = ("reproduce", "huang-fig1", "--preset", "smoke", "--format", "svg", "--engine", "serial")
PLACES = ("--store", "store", "--out", "out")


@pytest.fixture(scope="module")
def smoke(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    """A directory in which the smoke preset was trained."""
    directory = tmp_path_factory.mktemp("smoke")
    return directory, lengthwise(*SMOKE, *PLACES, cwd=directory)


@pytest.fixture
def copied(smoke: tuple[Path, Done], tmp_path: Path) -> Path:
    """The same with a store of its own."""
    shutil.copytree(smoke[0] / "store", tmp_path / "store")
    return tmp_path


def read(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(directory.iterdir())}


def test_the_smoke_preset_is_trained_drawn_and_judged(smoke: tuple[Path, Done]) -> None:
    directory, done = smoke
    assert done.returncode == 0, done.stderr
    head, counts, *rest = done.stdout.splitlines()
    assert head.startswith("Huang et al., Figure 1: ")
    assert head.endswith(" (huang-fig1, preset smoke)")
    assert counts.startswith("8 cells and 2 baselines, 10 models trained")
    for title in ("Verdict against outcome", "Claims", "Disagreements", "Not learned or not run", "Predictors"):
        assert title in rest
    assert sorted(read(directory / "out" / "huang-fig1" / "smoke")) == FILES
    assert rest[-1].startswith("out/huang-fig1/smoke: ")


def test_the_same_command_again_trains_nothing_and_writes_the_same_bytes(
    smoke: tuple[Path, Done], copied: Path
) -> None:
    directory, first = smoke
    again = lengthwise(*SMOKE, *PLACES, cwd=copied)
    assert (again.stdout, again.stderr) == (first.stdout, "")
    kept = lengthwise(*SMOKE, "--store", "store", "--out", "kept", "--no-train", cwd=copied)
    assert kept.returncode == 0
    written = [read(place / "huang-fig1" / "smoke") for place in (directory / "out", copied / "out", copied / "kept")]
    assert written[0] == written[1] == written[2]


def test_json_has_cells_claims_and_every_accuracy(smoke: tuple[Path, Done], copied: Path) -> None:
    done = lengthwise(*SMOKE, *PLACES, "--no-train", "--json", cwd=copied)
    data = json.loads(done.stdout)
    assert list(data) == [
        "schema", "figure", "title", "preset", "claims", "cells", "confusion", "missing", "files", "remarks",
        "provenance", "results", "timings", "failed",
    ]  # fmt: skip
    assert (len(data["cells"]), len(data["results"]), data["missing"], data["failed"]) == (10, 30, [], [])
    assert {claim["verdict"] for claim in data["claims"]} <= {"reproduced", "not reproduced", "undecided"}
    with (smoke[0] / "out" / "huang-fig1" / "smoke" / "results.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["accuracy"]) for row in rows] == [each["accuracy"] for each in data["results"]]


def test_without_training_an_empty_store_is_an_error_and_one_that_lacks_runs_is_shown(copied: Path) -> None:
    empty = lengthwise(*SMOKE, "--store", "empty", "--out", "out", "--no-train", cwd=copied)
    assert (empty.returncode, empty.stdout) == (2, "")
    assert "the store empty lacks 10 models (task:binary-majority NoPE (1 seeds), " in empty.stderr
    assert empty.stderr.endswith("which is all of them; without --no-train they are trained\n")
    assert not (copied / "out").exists()
    for run in (copied / "store" / "runs").iterdir():
        if json.loads((run / "config.json").read_text(encoding="utf-8"))["task"] == "tomita-1":
            shutil.rmtree(run)
    done = lengthwise(*SMOKE, *PLACES, "--no-train", cwd=copied)
    assert done.returncode == 0
    assert "lacks 2 models (tomita-1 NoPE (1 seeds), tomita-1 APE (1 seeds)) for huang-fig1" in done.stderr
    assert "Not run: Tomita 1 NoPE, Tomita 1 APE." in done.stdout


def test_kept_results_take_the_place_of_runs_and_give_the_same_files(smoke: tuple[Path, Done], tmp_path: Path) -> None:
    directory, first = smoke
    kept = (*SMOKE, "--kept", str(directory / "out"), "--no-train")
    done = lengthwise(*kept, *PLACES, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, first.stdout)
    assert done.stderr.endswith("out/huang-fig1/smoke: 10 runs taken over\n")
    assert read(tmp_path / "out" / "huang-fig1" / "smoke") == read(directory / "out" / "huang-fig1" / "smoke")
    again = lengthwise(*kept, *PLACES, cwd=tmp_path)
    assert (again.returncode, again.stdout) == (0, first.stdout)
    assert again.stderr.endswith("out/huang-fig1/smoke: 0 runs taken over\n")
    other = lengthwise("reproduce", "huang-fig1", "--kept", str(directory / "out"), "--no-train", cwd=tmp_path)
    assert (other.returncode, other.stdout) == (2, "")
    assert "results.csv cannot be read: No such file or directory; results are taken over from" in other.stderr


def test_ctrl_c_keeps_what_is_finished_and_the_same_command_ends_with_the_same_tables(
    smoke: tuple[Path, Done], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(config: RunConfig, *others: Any) -> tuple[Result, ...]:
        if config.task == "tomita-1":
            raise KeyboardInterrupt
        return evaluate(config, *others)

    with monkeypatch.context() as patch:
        patch.setattr(train, "evaluate", interrupted)
        done = lengthwise(*SMOKE, *PLACES, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr.splitlines()[-1] == (
        "interrupted: 6 of 10 runs were finished and are kept; the same command goes on with the others"
    )
    assert not (tmp_path / "out").exists()
    again = lengthwise(*SMOKE, *PLACES, cwd=tmp_path)
    assert again.returncode == 0
    assert again.stderr.count(" finished ") == 4
    assert again.stdout == smoke[1].stdout
    one, other = (read(place / "out" / "huang-fig1" / "smoke") for place in (smoke[0], tmp_path))
    assert all(one[name] == other[name] for name in FILES if name not in ("provenance.json", "timings.json"))


def test_a_run_that_fails_is_told_and_the_others_are_shown(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def short_of_memory(config: RunConfig, *others: Any) -> tuple[Result, ...]:
        raise MemoryError("no more of it")

    monkeypatch.setattr(train, "evaluate", short_of_memory)
    for run in (copied / "store" / "runs").iterdir():
        if json.loads((run / "config.json").read_text(encoding="utf-8"))["task"] == "tomita-1":
            shutil.rmtree(run)
    done = lengthwise(*SMOKE, *PLACES, cwd=copied)
    assert done.returncode == 3
    assert done.stdout.count("failed: tomita-1 start=True N=8, 1 seeds: MemoryError: no more of it\n") == 2
    assert "Not run: Tomita 1 NoPE, Tomita 1 APE." in done.stdout
    nothing = lengthwise(*SMOKE, "--store", "empty", "--out", "none", cwd=copied)
    assert (nothing.returncode, nothing.stdout) == (3, "")
    assert "all 10 runs of huang-fig1 failed, the first as follows: MemoryError: no more of it\n" in nothing.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("huang-fig1", "--preset", "smoky"), "huang-fig1: there is no preset 'smoky'; did you mean smoke?"),
        (("huang-fig1", "--format", "gif"), "there is no format 'gif'"),
        (("huang-figg1",), "did you mean huang-fig1"),
        (("huang-table2", "--store", "missing"), "there is no store missing"),
        (("huang-table2", "--store", ".", "--preset", "none"), "there is no preset 'none'"),
        (("huang-table3", "--store", ".", "--out", "x"), "leave --out out"),
        (("huang-table3", "--preset", "quick"), "leave --preset out"),
        (("huang-table3", "--kept", "results"), "leave --kept out"),
        (("huang-fig5", "--kept", "results"), "results.csv cannot be read: No such file or directory"),
        (("golowich-fig4", "--kept", "results"), "golowich-fig4 is measured on models, which are kept in the store"),
    ],
)
def test_bad_input_gets_one_sentence(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    done = lengthwise("reproduce", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_figures_lists_the_experiment_with_as_many_cells_as_its_presets_have() -> None:
    source = find("huang-fig1")
    cells = {name: size["configs"] for name, size in source.facts()["presets"].items()}
    assert cells == {name: len(source.cells(name)) for name in cells}
    listed = {each["name"]: each for each in json.loads(lengthwise("figures", "--json").stdout)}
    assert listed["huang-fig1"]["presets"]["smoke"] == {"configs": 10, "seeds": 1, "models": 10}


@pytest.mark.parametrize(
    ("table", "task", "absent"), [("huang-table2", "tomita-1", "d2"), ("huang-table3", "parity", "sort")]
)
def test_tables_stand_beside_what_was_measured(
    table: str, task: str, absent: str, smoke: tuple[Path, Done], copied: Path
) -> None:
    options = ("--store", "store", "--preset", "smoke")
    data = json.loads(lengthwise("reproduce", table, *options, "--json", cwd=copied).stdout)
    rows = {row["name"]: row for row in data["rows"]}
    with (smoke[0] / "out" / "huang-fig1" / "smoke" / "cells.csv").open(encoding="utf-8", newline="") as file:
        name = task if table == "huang-table2" else f"task:{task}"
        cells = {row["scheme"]: row for row in csv.DictReader(file) if row["task"] == name}
    assert data["preset"] == "smoke"
    assert list(rows[task]["measured"]) == ["nope", "ape"]
    for scheme, found in rows[task]["measured"].items():
        assert found["mean"] == float(cells[scheme]["mean_24"])
        assert (found["learned"], found["tried"]) == (int(cells[scheme]["learned"]), 1)
        assert found["outcome"] == cells[scheme]["outcome"]
    assert rows[absent]["measured"]["ape"]["outcome"] == "not in the preset"
    assert rows[absent]["measured"]["ape"]["mean"] is None
    text = lengthwise("reproduce", table, *options, cwd=copied).stdout
    header = next(line for line in text.splitlines() if line.startswith("#"))
    assert header.split("AC⁰")[1].split() == [
        "NoPE",
        "measured",
        "NoPE",
        "outcome",
        "APE",
        "measured",
        "APE",
        "outcome",
    ]
    # Nothing was trained for it, and without a store the table is as ever.
    assert len(list((copied / "store" / "runs").iterdir())) == 10
    plain = lengthwise("reproduce", table).stdout
    assert "measured" not in plain
    assert "measured" not in json.loads(lengthwise("reproduce", table, "--json").stdout)["rows"][0]
