"""Files of an experiment are made from the store alone: an interruption leaves no trace in them."""

import csv
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from lengthwise.errors import LengthwiseError
from lengthwise.experiments.generalization.cell import Cell, train_cells
from lengthwise.experiments.generalization.experiment import Generalization
from lengthwise.experiments.generalization.report import GeneralizationReport
from lengthwise.experiments.reproduce import Reproduction, reproduce
from lengthwise.runs.config import RunConfig
from lengthwise.runs.engines.engine import get_engine
from lengthwise.runs.store.run_directory import Result
from lengthwise.runs.store.store import Store
from lengthwise.runs.sweep import SweepInterruptedError
from lengthwise.runs.training import train
from lengthwise.runs.training.evaluate import evaluate

SMALL = """
title = "Two tasks"

[settings]
train_length = 4
test_lengths = [4, 8, 12]
evaluation = { bins = true, words = 24 }
optimizer = { batch = 16, lengths = "independent" }
stopping = { loss = "none", accuracy = 1.0, check_every = 5 }

[[entries]]
task = "tomita-1"
kind = "regular"
parameters.start = true
nope = { layers = 1, heads = 1, width = 8, rate = 1e-2, steps = 20 }
ape = { layers = 1, heads = 1, width = 8, rate = 1e-2, steps = 20 }

[[entries]]
task = "task:binary-majority"
kind = "algorithmic"
ape = { layers = 1, heads = 1, width = 8, rate = 1e-2, steps = 10 }
baseline = { layers = 1, heads = 0, width = 8, rate = 1e-2, steps = 5 }

[presets.all]
wanted = 2
most = 4
[presets.one]
wanted = 1
most = 1
settings.optimizer.batch = 8
tasks = ["tomita-1"]
"""
FILES = [
    "cells.csv", "claims.json", "confusion.csv", "confusion.md", "figure.svg", "overlay.svg", "provenance.json",
    "results.csv", "timings.json",
]  # fmt: skip


@pytest.fixture
def source(tmp_path: Path) -> Generalization:
    (tmp_path / "small.toml").write_text(SMALL)
    return Generalization("small", tmp_path / "small.toml", own=True)


def trained(cells: Sequence[Cell], directory: Path) -> Store:
    store = Store(directory)
    assert train_cells(cells, store, get_engine("serial")) == ()
    return store


def read(made: Reproduction) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(made.directory.iterdir())}


def made_of(source: Generalization, preset: str, store: Store, out: Path) -> Reproduction:
    made = reproduce(str(source.path), preset, store=store.path, out=out, formats=["svg"], train=False)
    assert isinstance(made, Reproduction)
    return made


def text(made: Reproduction) -> str:
    assert isinstance(made.report, GeneralizationReport)
    return made.report.text()


def records(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(content.decode().splitlines()))


def test_a_sweep_that_was_interrupted_and_resumed_gives_the_same_files(
    source: Generalization, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = source.cells("all")
    whole = made_of(source, "all", trained(cells, tmp_path / "whole"), tmp_path / "out" / "whole")
    # One seed for each, then Ctrl-C in the middle of the others, then all.
    store = trained([replace(cell, wanted=1, most=1) for cell in cells], tmp_path / "resumed")
    part = made_of(source, "all", store, tmp_path / "out" / "part")
    with monkeypatch.context() as patch:
        done: list[RunConfig] = []

        def interrupted(config: RunConfig, *others: Any) -> tuple[Result, ...]:
            if done:
                raise KeyboardInterrupt
            done.append(config)
            return evaluate(config, *others)

        patch.setattr(train, "evaluate", interrupted)
        with pytest.raises(SweepInterruptedError, match=r"1 of \d+ runs were finished"):
            train_cells(cells, store, get_engine("serial"))
    train_cells(cells, store, get_engine("serial"))
    resumed = made_of(source, "all", store, tmp_path / "out" / "resumed")
    one, other, fewer = read(whole), read(resumed), read(part)
    assert sorted(one) == FILES
    for name in FILES:
        if name not in ("provenance.json", "timings.json"):
            assert one[name] == other[name], name
    assert fewer["results.csv"] != one["results.csv"]
    assert text(whole) == text(resumed)
    again = made_of(source, "all", store, tmp_path / "out" / "again")
    assert read(again) == other


def test_results_have_every_seed_and_bin_and_cells_their_means(source: Generalization, tmp_path: Path) -> None:
    made = made_of(source, "all", trained(source.cells("all"), tmp_path / "store"), tmp_path / "out")
    files = read(made)
    results, cells = records(files["results.csv"]), records(files["cells.csv"])
    provenance = json.loads(files["provenance.json"])
    assert len({(row["settings"], row["seed"]) for row in results}) == provenance["models"] == provenance["trained"]
    assert [(row["from"], row["to"]) for row in results[:3]] == [("1", "4"), ("5", "8"), ("9", "12")]
    assert {(row["task"], row["scheme"]) for row in cells} == {
        ("tomita-1", "nope"),
        ("tomita-1", "ape"),
        ("task:binary-majority", "ape"),
        ("task:binary-majority", "baseline"),
    }
    for cell in cells:
        own = [row for row in results if (row["task"], row["scheme"]) == (cell["task"], cell["scheme"])]
        seeds = {row["seed"] for row in own}
        assert len(own) == 3 * len(seeds)
        assert int(cell["tried"]) == len(seeds) <= 4
        learned = sorted({row["seed"] for row in own if row["ending"] == "accuracy"})
        assert int(cell["learned"]) == len(learned)
        if cell["scheme"] != "baseline":
            assert cell["counted"].split() == learned[:2]
        shown = [row for row in own if row["seed"] in (cell["counted"].split() or seeds)]
        for end in ("4", "8", "12"):
            found = [float(row["accuracy"]) for row in shown if row["to"] == end]
            assert float(cell[f"mean_{end}"]) == pytest.approx(fmean(found))
            assert [float(cell[f"lowest_{end}"]), float(cell[f"highest_{end}"])] == [min(found), max(found)]
    assert "## Verdict against outcome" in files["confusion.md"].decode()


def test_tasks_that_a_preset_leaves_out_are_told(source: Generalization, tmp_path: Path) -> None:
    made = made_of(source, "one", trained(source.cells("one"), tmp_path / "store"), tmp_path / "out")
    assert "Tasks that this preset leaves out, 1 of 2: Binary Majority." in read(made)["figure.svg"].decode()
    assert "Not in this preset: Binary Majority." in text(made)
    assert "Settings of this preset: optimizer.batch = 8." in text(made)


def test_a_store_without_any_run_gives_no_files(source: Generalization, tmp_path: Path) -> None:
    with pytest.raises(LengthwiseError, match=r"lacks \d+ models .* for small, preset 'all', which is all of them"):
        made_of(source, "all", Store(tmp_path / "store"), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_preset_that_does_not_exist_is_told_with_those_that_do(source: Generalization) -> None:
    with pytest.raises(LengthwiseError, match=r"small: there is no preset 'al'; did you mean all\?"):
        source.cells("al")


def test_a_device_is_a_setting_of_every_run(source: Generalization) -> None:
    assert {cell.settings.device for cell in source.cells("all")} == {"cpu"}
    assert {cell.settings.device for cell in Generalization("small", source.path, "auto").cells("all")} == {"auto"}
