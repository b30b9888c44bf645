"""Results that were kept without their runs: a store made from them says the same, and never more than they do."""

import csv
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from lengthwise.errors import LengthwiseError
from lengthwise.experiments.catalogue import catalogue, find
from lengthwise.experiments.results import Results, as_bytes, write_results
from lengthwise.runs.config import RunConfig
from lengthwise.runs.store.kept_results import KeptResultsError, take_over
from lengthwise.runs.store.sealed import sealed
from lengthwise.runs.store.store import Store
from lengthwise.runs.training.retest import trained_alike
from lengthwise.runs.training.train import train_run
from tests.experiments.test_results import sweeps
from tests.runs.stand_in import config, pretended

KEPT = Path(__file__).parents[3] / "results"
EXPERIMENT = find("huang-fig1")


def written(results: Results, directory: Path) -> Path:
    files = {"provenance.json": as_bytes(results.provenance()), "timings.json": as_bytes(results.timings())}
    write_results(directory, {"results.csv": results.table(), **files})
    return directory


def configs() -> list[RunConfig]:
    return [each for sweep in sweeps().values() for each in sweep]


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """The results of two sweeps, one of whose runs has an environment of its own."""
    store = Store(tmp_path / "store")
    for place, each in enumerate({each.settings_id: each for each in configs()}.values()):
        run = pretended(each, store.runs)
        if place == 1:
            _change_environment(run.path, {"pretended": "elsewhere", "trained_in": "another run"})
    return written(Results(store, sweeps()), tmp_path / "kept")


def _change_environment(run: Path, facts: dict[str, Any]) -> None:
    (run / "environment.json").write_text(json.dumps(facts))
    done = json.loads((run / "done.json").read_text())
    done["files"]["environment.json"] = hashlib.sha256((run / "environment.json").read_bytes()).hexdigest()
    (run / "done.json").write_text(json.dumps(sealed(done)))


def test_a_store_made_from_results_gives_the_same_results_and_the_same_provenance(kept: Path, tmp_path: Path) -> None:
    taken = take_over(kept, configs(), Store(tmp_path / "other"))
    assert (taken.runs, taken.other) == (3, 0)
    again = Results(Store(tmp_path / "other"), sweeps())
    assert not again.missing()
    assert again.table() == (kept / "results.csv").read_bytes()
    assert as_bytes(again.provenance()) == (kept / "provenance.json").read_bytes()
    assert as_bytes(again.timings()) == (kept / "timings.json").read_bytes()
    told = json.loads((kept / "provenance.json").read_text())
    assert len(told["environments"]) == 2
    assert [run.get("trained_in") for run in told["runs"]].count("another run") == 1


def test_what_a_store_has_is_not_taken_over_and_what_is_not_asked_for_is_left_out(kept: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "other")
    first, *_ = configs()
    own = pretended(first, store.runs)
    assert (taken := take_over(kept, [first], store)).runs == 0
    assert taken.other == 2
    assert own.done().weights
    assert len(store.rows()) == 4


def test_trained_models_are_never_looked_for_in_runs_without_weights(tmp_path: Path) -> None:
    small = config(stopping={"steps": 2}, optimizer={"batch": 8}, evaluation={"words": 8})
    train_run(small, tmp_path / "store" / "runs")
    kept = written(Results(Store(tmp_path / "store"), {"": [small]}), tmp_path / "kept")
    other = Store(tmp_path / "other")
    take_over(kept, [small], other)
    longer = small.model_copy(update={"test_lengths": (4, 8, 16)})
    assert trained_alike(longer, tmp_path / "store" / "runs") is not None
    assert trained_alike(longer, other.runs) is None
    with pytest.raises(LengthwiseError, match="made from kept results, which have no weights; remove the directory"):
        other.directories(small)[0].model()


def test_tables_that_lack_something_are_refused(kept: Path, tmp_path: Path) -> None:
    table, origin = kept / "results.csv", kept / "provenance.json"
    lines, facts = table.read_text().splitlines(), json.loads(origin.read_text())
    store = Store(tmp_path / "other")

    table.write_text("\n".join(lines[:-1]) + "\n")
    with pytest.raises(KeptResultsError, match=r"results.csv lacks results of the run \w+, seed 1, which provenance"):
        take_over(kept, configs(), store)
    table.write_text("\n".join([lines[0], lines[1].replace("steps", "bored"), *lines[2:]]))
    with pytest.raises(KeptResultsError, match=r"results.csv, line 2, is no line of results"):
        take_over(kept, configs(), store)
    table.unlink()
    with pytest.raises(KeptResultsError, match=r"results.csv cannot be read: No such file"):
        take_over(kept, configs(), store)

    table.write_text("\n".join(lines))
    damaged: list[Any] = [{}, {**facts, "runs": [{"run": "a"}]}, [], {**facts, "environments": [1, 2]}]
    for broken in damaged:
        origin.write_text(json.dumps(broken))
        with pytest.raises(KeptResultsError, match="does not say, for each run, what it was computed with"):
            take_over(kept, configs(), store)


def test_where_there_are_several_environments_every_run_must_say_its_own(kept: Path, tmp_path: Path) -> None:
    origin = kept / "provenance.json"
    facts = json.loads(origin.read_text())

    def refused(environments: list[Any], place: Any) -> None:
        runs = [{**run, "environment": place} for run in facts["runs"]]
        if place == "not said":
            runs = [{name: value for name, value in run.items() if name != "environment"} for run in runs]
        origin.write_text(json.dumps({**facts, "environments": environments, "runs": runs}))
        with pytest.raises(KeptResultsError, match="for each run"):
            take_over(kept, configs(), Store(tmp_path / "other"))

    for place in ("not said", -1, 2, "0", 0.0, None):
        refused(facts["environments"], place)
    refused(facts["environments"][:1], 1)
    refused([], 0)


def presets(figure: str) -> list[str]:
    return sorted(path.name for path in (KEPT / figure).iterdir()) if (KEPT / figure).is_dir() else []


@pytest.mark.parametrize(
    ("figure", "preset"), [(figure, preset) for figure in catalogue("sweep") for preset in presets(figure)]
)
def test_the_results_of_this_repository_are_what_their_figures_ask_for_today(
    figure: str, preset: str, tmp_path: Path
) -> None:
    directory, store = KEPT / figure / preset, Store(tmp_path)
    asked = find(figure).configs(preset)  # type: ignore[attr-defined]
    taken = take_over(directory, [each for sweep in asked.values() for each in sweep], store)
    results = Results(store, asked)
    assert taken.other == 0
    assert results.table() == (directory / "results.csv").read_bytes()
    told, found = json.loads((directory / "provenance.json").read_text()), json.loads(as_bytes(results.provenance()))
    for facts in (told, found):
        # A run with more seeds than the preset has comes back with those of the preset, so it has another id.
        seconds = {run["run"]: run["seconds"] for run in told["runs"]} if facts is told else results.timings()["runs"]
        facts["runs"] = sorted((run["settings"], run["seeds"], seconds[run["run"]]) for run in facts["runs"])
    assert {name: told[name] for name in found} == found


@pytest.mark.parametrize("preset", presets("huang-fig1"))
def test_the_runs_of_huang_et_al_are_those_that_their_file_asks_for_today(preset: str, tmp_path: Path) -> None:
    directory, store = KEPT / "huang-fig1" / preset, Store(tmp_path)
    taken = take_over(directory, [cell.settings for cell in EXPERIMENT.cells(preset)], store)
    with (directory / "results.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert (taken.runs, taken.other) == (len({(row["settings"], row["seed"]) for row in rows}), 0)
    found = {(row.config.settings_id, row.seed, row.test_length): row.accuracy for row in store.rows()}
    assert found == {(row["settings"], int(row["seed"]), int(row["to"])): float(row["accuracy"]) for row in rows}
