import json
from pathlib import Path

import pytest

from lengthwise.errors import LengthwiseError
from lengthwise.experiments.catalogue import find
from lengthwise.experiments.probes import Cell, Outcomes, experiment, measure
from lengthwise.runs.sweep import SweepInterruptedError
from tests.experiments.reproduced import reproduced


@pytest.mark.parametrize(("name", "key"), [("edelman-fig2", "verdict"), ("edelman-fig3", "transitions")])
def test_a_figure_of_probes_is_trained_once_and_drawn_from_what_is_kept(
    name: str, key: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reproduced(name, tmp_path)
    cells = sorted((tmp_path / "store" / "probes").glob("*.json"))
    written = {path: path.stat().st_mtime_ns for path in cells}
    directory = tmp_path / "out" / name / "smoke"
    figure = (directory / "figure.svg").read_bytes()
    assert figure.count(b"<path") > 20
    assert "Edelman et al." in capsys.readouterr().out
    reproduced(name, tmp_path, train=False, as_json=True)
    data = json.loads(capsys.readouterr().out)
    summary = json.loads((directory / "summary.json").read_text(encoding="utf-8"))
    assert data == {**summary, "files": data["files"], "remarks": [], "failed": []}
    assert sorted(data["files"]) == sorted(str(path) for path in directory.iterdir())
    assert key in data
    assert sorted(data["cells"]) == [path.stem for path in cells]
    assert {path: path.stat().st_mtime_ns for path in cells} == written
    assert (directory / "figure.svg").read_bytes() == figure


def test_without_training_an_empty_store_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(LengthwiseError, match="has none of the 4 cells"):
        reproduced("edelman-fig2", tmp_path, train=False)


def test_without_training_what_is_there_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reproduced("edelman-fig2", tmp_path)
    first = find("edelman-fig2").figure.cells("smoke")[0]
    (tmp_path / "store" / "probes" / f"{first.id}.json").unlink()
    reproduced("edelman-fig2", tmp_path, train=False)
    assert "1 of 4 cells are missing" in capsys.readouterr().err


def test_a_store_without_examples_gives_the_same_numbers_and_a_drawing_without_curves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reproduced("edelman-fig2", tmp_path)
    directory = tmp_path / "out" / "edelman-fig2" / "smoke"
    whole, drawn = json.loads((directory / "summary.json").read_text()), (directory / "figure.svg").read_text()
    assert "T = 20, m = 40: " in drawn
    assert [(each["context"], each["samples"], len(each["curves"])) for each in whole["examples"]] == [
        (20, 4, 3),
        (20, 40, 3),
    ]
    for example in whole["examples"]:
        (tmp_path / "store" / "probes" / f"{example['cell']}.json").unlink()
    reproduced("edelman-fig2", tmp_path, train=False)
    assert "2 of 2 examples are missing; what is there is shown" in capsys.readouterr().err
    without, drawn = json.loads((directory / "summary.json").read_text()), (directory / "figure.svg").read_text()
    assert "T = 20, m = 40: " not in drawn
    assert without.pop("examples") == []
    assert without.pop("cells") == whole.pop("cells")[:4]
    assert [each.pop("cells") for each in (*without["environments"], *whole["environments"])] == [4, 6]
    assert without == {name: value for name, value in whole.items() if name != "examples"}


def test_after_ctrl_c_the_same_command_ends_with_the_same_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reproduced("edelman-fig2", tmp_path / "whole")
    expected = capsys.readouterr().out
    done: list[str] = []

    def interrupted(cell: Cell) -> Outcomes:
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(cell.id)
        return measure(cell)

    with monkeypatch.context() as patch:
        patch.setattr(experiment, "measure", interrupted)
        with pytest.raises(SweepInterruptedError, match=r"^interrupted: .*the same command goes on from there"):
            reproduced("edelman-fig2", tmp_path / "resumed")
    kept = tmp_path / "resumed" / "store" / "probes"
    written = {path: path.stat().st_mtime_ns for path in kept.iterdir()}
    assert sorted(path.stem for path in written) == sorted(done)
    assert not (tmp_path / "resumed" / "out").exists()
    reproduced("edelman-fig2", tmp_path / "resumed")
    assert capsys.readouterr().out.replace("resumed", "whole") == expected
    assert {path: path.stat().st_mtime_ns for path in written} == written
    for name in ("summary.json", "figure.svg"):
        one, other = (tmp_path / which / "out" / "edelman-fig2" / "smoke" / name for which in ("whole", "resumed"))
        assert one.read_bytes() == other.read_bytes()


@pytest.mark.parametrize("content", ["", "{}", "[1]", "null", '{"cell": 3}'])
def test_a_damaged_file_of_a_cell_is_named_before_anything_is_trained(content: str, tmp_path: Path) -> None:
    figure = find("edelman-fig2").figure
    (tmp_path / "store" / "probes").mkdir(parents=True)
    for cell in (figure.cells("smoke")[-1], figure.examples("smoke")[-1]):
        path = tmp_path / "store" / "probes" / f"{cell.id}.json"
        path.write_text(content, encoding="utf-8")
        with pytest.raises(LengthwiseError, match=f"{cell.id}.json cannot be read as the result of a cell; delete it"):
            reproduced("edelman-fig2", tmp_path)
        path.unlink()
        assert not [each for each in path.parent.iterdir() if each.stem in {a.id for a in figure.cells("smoke")}]
