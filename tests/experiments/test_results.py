import csv
import io
import json
import math
import shutil
from pathlib import Path

import pytest

from lengthwise.experiments.results import Results, varying_settings, write_results
from lengthwise.runs.config import RunConfig
from lengthwise.runs.grid import expand
from lengthwise.runs.store.disk import DiskError
from lengthwise.runs.store.sealed import sealed
from lengthwise.runs.store.store import Store
from tests.runs.stand_in import config, pretended


def sweeps() -> dict[str, list[RunConfig]]:
    """Two sweeps that share one config."""
    shared = config(parameters={"omega": 2})
    return {
        "long": [shared, config(parameters={"omega": 2}, train_length=8)],
        "wide": [shared, config(parameters={"omega": 2}, model={"width": 32, "heads": [1], "hidden": [8]})],
    }


def filled(path: Path, seeds_together: bool = True) -> Results:
    store = Store(path)
    for each in {each.id: each for configs in sweeps().values() for each in configs}.values():
        for seeds in [each.seeds] if seeds_together else [(seed,) for seed in each.seeds]:
            pretended(each.with_seeds(seeds), store.runs)
    return Results(store, sweeps())


def read(table: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(table.decode())))


def test_the_table_has_a_row_for_each_config_seed_and_length_with_the_numbers_of_the_run_directories(
    tmp_path: Path,
) -> None:
    rows = read(filled(tmp_path).table())
    assert len(rows) == 4 * 2 * 2
    known: dict[tuple[int, ...], float] = {}
    for directory in (tmp_path / "runs").iterdir():
        settings = json.loads((directory / "config.json").read_text())
        for result in json.loads((directory / "done.json").read_text())["results"]:
            place = settings["train_length"], settings["model"]["width"], result["seed"], result["test_length"]
            known[place] = result["loss"]
    for row in rows:
        at = tuple(int(row[name]) for name in ("train_length", "model.width", "seed", "test_length"))
        assert float(row["loss"]) == known[at]
    assert [(row["sweep"], row["train_length"], row["seed"], row["test_length"]) for row in rows[:5]] == [
        ("long", "4", "0", "4"), ("long", "4", "0", "8"), ("long", "4", "1", "4"), ("long", "4", "1", "8"),
        ("long", "8", "0", "8"),
    ]  # fmt: skip


def test_the_columns_are_what_varies_and_the_parameters_of_the_task(tmp_path: Path) -> None:
    assert list(read(filled(tmp_path).table())[0]) == [
        "sweep", "parameters.omega", "model.width", "model.hidden", "train_length", "seed", "test_length", "loss",
        "accuracy", "words", "steps", "ending", "training_loss", "settings",
    ]  # fmt: skip


def test_a_setting_that_only_some_configs_have_varies() -> None:
    plain = {"task": "mod-p-task", "train_length": 8, "test_lengths": ["N"]}
    found: list[RunConfig] = [*expand(plain), *expand({**plain, "model": {"position": "periodic"}})]
    assert varying_settings(found) == [
        "parameters.period", "parameters.residue", "model.position", "model.position_parameters.period",
    ]  # fmt: skip


def test_the_table_does_not_depend_on_how_seeds_were_shared_out_and_the_provenance_says_it(tmp_path: Path) -> None:
    together, apart = filled(tmp_path / "a"), filled(tmp_path / "b", seeds_together=False)
    assert together.table() == apart.table()
    assert [len(each.provenance()["runs"]) for each in (together, apart)] == [3, 6]


def test_results_are_the_same_bytes_each_time_and_from_a_copy_of_the_store(tmp_path: Path) -> None:
    first = filled(tmp_path / "store")
    shutil.copytree(tmp_path / "store" / "runs", tmp_path / "elsewhere" / "runs")
    copy = Results(Store(tmp_path / "elsewhere"), sweeps())
    assert first.table() == copy.table()
    assert first.provenance() == copy.provenance()
    assert str(tmp_path) not in json.dumps(first.provenance())


def test_the_timings_add_up_seconds_and_the_provenance_tells_environments_apart(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for place, seconds in enumerate((1.25, 2.5)):
        each = pretended(config(train_length=4 + place), store.runs)
        path = each.path / "timing.json"
        path.write_text(json.dumps(sealed({**json.loads(path.read_text()), "seconds": seconds})))
    results = Results(store, {"": [config(train_length=4), config(train_length=5), config(train_length=6)]})
    found, timings = results.provenance(), results.timings()
    assert (timings["seconds"], found["configs"], found["models"], found["trained"]) == (3.75, 3, 6, 4)
    assert found["environments"] == [{"runs": 2, "pretended": True}]
    assert sorted(timings["runs"].values()) == [1.25, 2.5]
    assert {run["run"] for run in found["runs"]} == set(timings["runs"])
    assert "seconds" not in json.dumps(found)
    assert found["seeds"] == [0, 1]


def test_what_the_store_lacks_is_told_and_left_out(tmp_path: Path) -> None:
    store = Store(tmp_path)
    pretended(config(seeds=[1]), store.runs)
    results = Results(store, {"": [config()]})
    assert [each.seeds for each in results.missing()] == [(0,)]
    assert {row["seed"] for row in read(results.table())} == {"1"}
    empty = Results(Store(tmp_path / "nothing"), {"": [config()]})
    assert empty.rows == {}
    assert empty.table() == b"\n"


def test_a_seed_that_diverged_has_no_number_and_stays_in_the_table(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run = pretended(config(), store.runs)
    done = json.loads((run.path / "done.json").read_text())
    done["results"][0]["loss"] = None
    (run.path / "done.json").write_text(json.dumps(sealed(done)))
    rows = read(Results(store, {"": [config()]}).table())
    assert [math.isnan(float(row["loss"])) for row in rows] == [True, False, False, False]


def test_files_that_cannot_be_written_are_told_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DiskError) as problem:
        write_results(tmp_path / "file" / "below", {"a": b""})
    assert "below could not be written: not a directory" in str(problem.value)
    assert "\n" not in str(problem.value)
