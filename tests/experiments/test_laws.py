"""What holds for every kind of experiment: results are kept, work goes on after an interruption, mistakes come first.

One figure of each kind is made at the size of a few seconds, with what the repository has of it as its file.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lengthwise.errors import LengthwiseError
from lengthwise.experiments import kept
from lengthwise.experiments.catalogue import KINDS, catalogue, find, kind_of
from lengthwise.experiments.experiment import CellExperiment
from lengthwise.runs.engines.engine import Serial
from lengthwise.runs.sweep import SweepInterruptedError
from tests.experiments.reproduced import reproduced

FIGURES = {
    "sweep": "izzo-fig1",
    "probes": "edelman-fig2",
    "fresh batches": "edelman-fig3",
    "positional": "huang-fig5",
    "generalization": "huang-fig1",
    "text": "golowich-fig4",
}
"""A figure of each kind; probes are of two."""


@pytest.fixture(scope="module", params=list(FIGURES.values()), ids=list(FIGURES))
def name(request: pytest.FixtureRequest) -> str:
    chosen: str = request.param
    return chosen


@pytest.fixture(scope="module")
def whole(name: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory in which the figure was made; its files are in the directory that `files` reads."""
    directory = tmp_path_factory.mktemp("whole")
    reproduced(name, directory)
    return directory


def files(directory: Path, name: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (directory / "out" / name / "smoke").iterdir()}


def times(store: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in store.rglob("*.json")}


def test_every_kind_has_a_figure_here_and_is_known_by_its_file() -> None:
    assert {kind_of(find(name).path) for name in FIGURES.values()} == set(KINDS)
    for kind in KINDS:
        assert all(type(each) is KINDS[kind].experiment for each in catalogue(kind).values())


def test_the_files_are_tables_claims_origin_and_drawings(whole: Path, name: str) -> None:
    found = files(whole, name)
    drawings = {each for each in found if each.endswith(".svg")}
    assert set(found) == {*find(name).tables, "claims.json", "provenance.json", "timings.json", *drawings}
    assert "results.csv" in found
    assert {"figure.svg"} <= drawings
    assert found["figure.svg"].count(b"<path") > 20
    origin, claims = json.loads(found["provenance.json"]), json.loads(found["claims.json"])
    assert (origin["figure"], origin["title"]) == (name, find(name).figure.title)
    assert origin["command"] == f"lengthwise reproduce {name} --preset smoke"
    experiment = find(name)
    if isinstance(experiment, CellExperiment):
        results = (whole / "store" / experiment.folder).glob("*.json")
        assert sorted(cell["settings"] for cell in origin["cells"]) == sorted(path.stem for path in results)
    assert b"seconds" not in found["provenance.json"]
    timings = json.loads(found["timings.json"])
    assert timings["seconds"] == pytest.approx(sum(timings.get("runs", timings.get("cells")).values()), abs=1e-2)
    assert all(each["verdict"] in ("reproduced", "not reproduced", "undecided") for each in claims)


def test_what_is_kept_is_never_computed_again_and_gives_the_same_bytes(
    whole: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before, written = files(whole, name), times(whole / "store")
    assert written
    reproduced(name, whole)
    shown = capsys.readouterr()
    assert shown.err == ""
    reproduced(name, whole, train=False)
    assert capsys.readouterr() == shown
    assert shown.out.startswith(f"{find(name).figure.title} ({name}, preset smoke)\n")
    assert (files(whole, name), times(whole / "store")) == (before, written)


def test_json_has_the_claims_and_the_files(whole: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    reproduced(name, whole, train=False, as_json=True)
    data = json.loads(capsys.readouterr().out)
    assert (data["figure"], data["preset"]) == (name, "smoke")
    assert data.get("claims", []) == json.loads(files(whole, name)["claims.json"]) or "scaling" in data
    assert sorted(Path(each).name for each in data["files"]) == sorted(files(whole, name))
    assert (data["remarks"], data["failed"]) == ([], [])


def test_after_ctrl_c_what_is_finished_is_kept_and_the_same_call_ends_with_the_same_files(
    whole: Path, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = Serial.completed

    def interrupted(self: Serial, *given: Any) -> Iterator[Any]:
        for number, outcome in enumerate(plain(self, *given)):
            if number:
                raise KeyboardInterrupt
            yield outcome

    with monkeypatch.context() as patch:
        patch.setattr(Serial, "completed", interrupted)
        with pytest.raises(SweepInterruptedError, match="the same command goes on"):
            reproduced(name, tmp_path)
    assert not (tmp_path / "out").exists()
    written = times(tmp_path / "store")
    assert written
    experiment = find(name)
    if isinstance(experiment, CellExperiment):
        assert [path.stem for path in written] == [experiment.cells("smoke")[0].id]
    reproduced(name, whole)
    expected = capsys.readouterr().out
    reproduced(name, tmp_path)
    assert capsys.readouterr().out.replace(str(tmp_path), str(whole)) == expected
    assert written.items() <= times(tmp_path / "store").items()
    one, other = files(whole, name), files(tmp_path, name)
    for each in one:
        # What it took differs, and with it what runs are called; captions of runs name the figure file alone.
        assert each in ("provenance.json", "timings.json") or one[each] == other[each], each


def test_kept_files_take_the_place_of_a_store(whole: Path, name: str, tmp_path: Path) -> None:
    options: dict[str, Any] = {"train": False, "store": "fresh", "kept": whole / "out"}
    if name == FIGURES["text"]:
        with pytest.raises(LengthwiseError, match="kept in the store alone; leave --kept out"):
            reproduced(name, tmp_path, **options)
        return
    reproduced(name, tmp_path, **options)
    assert files(tmp_path, name) == files(whole, name)


def test_a_file_of_ones_own_is_of_the_same_kind(whole: Path, name: str, tmp_path: Path) -> None:
    own = shutil.copy(find(name).path, tmp_path / "own.toml")
    directory = reproduced(str(own), tmp_path, train=False, store=str(whole / "store"))
    found = {path.name: path.read_bytes() for path in directory.iterdir()}
    assert found.keys() == files(whole, name).keys()
    assert found["claims.json"] == files(whole, name)["claims.json"]
    assert found["results.csv"] == files(whole, name)["results.csv"]
    told = json.loads(found["provenance.json"])
    assert (told["figure"], told["command"]) == ("own", "lengthwise reproduce own.toml --preset smoke")


def test_without_training_an_empty_store_is_an_error_and_nothing_is_written(name: str, tmp_path: Path) -> None:
    experiment = find(name)
    told = r"; without --no-train they are (trained|fitted)$"
    if isinstance(experiment, CellExperiment):
        told = f"has none of the {experiment.size('smoke').configs} cells{told}"
    with pytest.raises(LengthwiseError, match=told):
        reproduced(name, tmp_path, train=False)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"formats": ["gif"]}, "there is no format 'gif'"),
        ({"engine": "locl"}, "there is no engine 'locl'; did you mean local"),
        ({"device": "tpu"}, "on the processor; leave --device out|'device' should be 'cpu', 'cuda' or 'auto'"),
    ],
)
def test_a_mistake_is_told_before_anything_is_computed(
    name: str, options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(LengthwiseError, match=message):
        reproduced(name, tmp_path, **options)
    assert not list(tmp_path.iterdir())


def test_outputs_that_cannot_be_written_are_refused_before_anything_is_computed(name: str, tmp_path: Path) -> None:
    (tmp_path / "out" / name / "smoke" / "results.csv").mkdir(parents=True)
    with pytest.raises(LengthwiseError, match=r"results\.csv"):
        reproduced(name, tmp_path)
    assert not (tmp_path / "store").exists()


def test_a_preset_that_is_not_there_gets_the_nearest(name: str) -> None:
    with pytest.raises(LengthwiseError, match=r"there is no preset 'smoky'; did you mean smoke\?"):
        find(name).cells("smoky")


def test_a_kind_that_is_not_there_gets_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('title = "x"\nexperiment = "positionl"\n[presets.a]\n', encoding="utf-8")
    with pytest.raises(LengthwiseError, match="no kind of experiment 'positionl'; did you mean positional"):
        find(str(tmp_path / "own.toml"))


def test_a_result_that_is_damaged_is_named_before_anything_is_computed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment = find(name)
    if not isinstance(experiment, CellExperiment):
        pytest.skip("runs and models have files of their own, which are tested with their store")

    def computed(*_: object) -> None:
        raise AssertionError("nothing is computed")

    monkeypatch.setattr(kept, "_with_environment", computed)
    cell = experiment.cells("smoke")[-1]
    path = tmp_path / "store" / experiment.folder / f"{cell.id}.json"
    path.parent.mkdir(parents=True)
    for content in ("", "{}", "[1]", "null", '{"cell": 3}'):
        path.write_text(content, encoding="utf-8")
        with pytest.raises(LengthwiseError, match=f"{cell.id}.json cannot be read as the result of a cell; delete it"):
            reproduced(name, tmp_path)
