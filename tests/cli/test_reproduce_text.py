"""Figures 4 and 6 and Table 1 of Golowich et al., as a whole, at the size of a few seconds."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from lengthwise.cli import app
from lengthwise.experiments.catalogue import find
from lengthwise.experiments.text import parts
from lengthwise.runs.store.sealed import write_sealed
from lengthwise.runs.text import training
from tests.experiments.reproduced import reproduced

NAME = "golowich-fig4"
TABLES = ("perplexity.csv", "correlations.csv", "examples.csv", "corpus.csv", "results.csv", "claims.json")
PAIR = find(NAME).cells("smoke")[0]


def made(directory: Path, train: bool = True, as_json: bool = False) -> Path:
    return reproduced(NAME, directory, train=train, as_json=as_json)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("whole"))


def rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def test_the_figure_the_tables_and_the_text_they_are_from_are_written(whole: Path) -> None:
    assert {path.name for path in whole.iterdir()} == {*TABLES, "provenance.json", "timings.json", "figure.svg"}
    drawing = (whole / "figure.svg").read_text(encoding="utf-8")
    assert all(title in drawing for title in ("Figure 4", "Figure 6a", "Figure 6b", "Figure 6c"))
    table = rows(whole / "perplexity.csv")
    assert [(row["model"], row["test_length"], row["seen"]) for row in table] == [
        (model, *lengths) for model in ("short", "long") for lengths in (("8", "8"), ("16", "16"), ("16", "8"))
    ]
    assert all(10 < float(row["perplexity"]) < 256 for row in table)
    facts = json.loads((whole / "provenance.json").read_text(encoding="utf-8"))
    assert facts["complete"]
    sizes = {
        side: sum(int(row["size"]) for row in rows(whole / "corpus.csv") if row["side"] == side)
        for side in facts["corpus"]
        if side != "sha256"
    }
    assert sizes == {side: facts["corpus"][side]["bytes"] for side in ("training", "validation")}
    assert [cell["pose_steps"] for cell in facts["cells"]] == [6, 0]


def test_the_correlations_are_those_of_the_points(whole: Path) -> None:
    points = rows(whole / "examples.csv")
    for row in rows(whole / "correlations.csv"):
        chosen = [each for each in points if all(each[key] == row[key] for key in ("model", "chosen_by", "tokens"))]
        short, long, sparse = (
            np.array([float(each[f"loss_{kind}"]) for each in chosen]) for kind in ("short", "long", "sparse")
        )
        assert len(chosen) == int(row["examples"]) == 24
        assert float(row["correlation"]) == pytest.approx(np.corrcoef(short - long, short - sparse)[0, 1], abs=1e-6)
        places = [list(map(int, each["positions"].split())) for each in chosen]
        assert all(len(set(each)) == int(row["tokens"]) and set(each) <= set(range(1, 8)) for each in places)


def test_a_run_that_is_killed_again_and_again_gives_the_same_tables(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "KEEP_SECONDS", 0.0)
    steps, measured = training._updated, write_sealed
    left = {"step": 13, "part": 2}

    def step_or_kill(*given: Any) -> float:
        left["step"] -= 1
        if left["step"] == 0:
            raise MemoryError
        return steps(*given)

    def part_or_kill(*given: Any) -> None:
        left["part"] -= 1
        if left["part"] == 0:
            raise MemoryError
        measured(*given)

    monkeypatch.setattr(training, "_updated", step_or_kill)
    monkeypatch.setattr(parts, "write_sealed", part_or_kill)
    for _ in range(2):
        with pytest.raises(MemoryError):
            made(tmp_path)
    again = made(tmp_path)
    assert left == {"step": 13 - 1 - 40, "part": 2 - 1 - 4}
    for name in TABLES:
        assert (again / name).read_bytes() == (whole / name).read_bytes(), name


def test_without_training_what_is_there_is_shown(whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = whole.parent.parent.parent
    before = {path.name: path.read_bytes() for path in whole.iterdir()}
    made(root, train=False, as_json=True)
    data = json.loads(capsys.readouterr().out)
    assert data["claims"] == json.loads(before["claims.json"])
    assert {path.name: path.read_bytes() for path in whole.iterdir()} == before
    part = root / "store" / "text" / PAIR.id / "examples-00010.json"
    content = part.read_bytes()
    part.unlink()
    made(root, train=False)
    shown = capsys.readouterr()
    assert "some results are missing" in shown.err
    assert "Figure 6b" in shown.out
    part.write_bytes(content)
    made(root)
    assert {path.name: path.read_bytes() for path in whole.iterdir()} == before


def test_the_commands_know_it_by_name(whole: Path) -> None:
    root, runner = whole.parent.parent.parent, CliRunner()
    places = ["--store", str(root / "store"), "--out", str(root / "out")]
    done = runner.invoke(
        app, ["reproduce", NAME, "--preset", "smoke", "--engine", "serial", "--format", "svg", *places]
    )
    assert done.exit_code == 0, done.output
    assert "Golowich et al., Figures 4 and 6" in done.output
    listed = {each["name"]: each for each in json.loads(runner.invoke(app, ["figures", "--json"]).stdout)}
    assert listed[NAME]["presets"]["quick"] == {"configs": 2, "seeds": 1, "models": 2}


def test_influence_in_a_text_of_ones_own_is_shown_for_such_a_model(whole: Path, tmp_path: Path) -> None:
    model = whole.parent.parent.parent / "store" / "text" / PAIR.short.id
    text = tmp_path / "text"
    text.write_text("What comes next depends on what was said before. " * 3, encoding="utf-8")
    request = ["diagnose", str(model), "--influence", "--text", str(text), "--window", "16", "--recent", "8"]
    runner = CliRunner()
    shown = runner.invoke(app, [*request, "--tokens", "3", "--examples", "7"])
    assert shown.exit_code == 0, shown.output
    found = json.loads(runner.invoke(app, [*request, "--tokens", "3", "--examples", "7", "--json"]).stdout)
    assert len(found["windows"]) == 7
    content = text.read_bytes()
    for window in found["windows"]:
        assert window["predicted"] == chr(content[window["begin"] + 15])
        for each in window["influential"]:
            assert each["token"] == chr(content[window["begin"] + each["position"] - 1])
            assert 1 <= each["position"] <= 7
    assert set(found["statistics"]) == {"influential", "random"}
