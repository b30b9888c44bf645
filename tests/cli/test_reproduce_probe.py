import json
from pathlib import Path

import pytest

from lengthwise.cli.reproduce_probe import reproduce_probe
from lengthwise.errors import LengthwiseError


def made(name: str, directory: Path, train: bool = True, as_json: bool = False) -> None:
    out, store = str(directory / "out"), str(directory / "store")
    reproduce_probe(name, "smoke", store, out, ["svg"], train, "serial", None, None, as_json)


@pytest.mark.parametrize(("name", "key"), [("edelman-fig2", "verdict"), ("edelman-fig3", "transitions")])
def test_a_figure_of_probes_is_trained_once_and_drawn_from_what_is_kept(
    name: str, key: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made(name, tmp_path)
    cells = sorted((tmp_path / "store" / "probes").glob("*.json"))
    written = {path: path.stat().st_mtime_ns for path in cells}
    directory = tmp_path / "out" / name / "smoke"
    figure = (directory / "figure.svg").read_bytes()
    assert figure.count(b"<path") > 20
    assert "Edelman et al." in capsys.readouterr().out
    made(name, tmp_path, train=False, as_json=True)
    data = json.loads(capsys.readouterr().out)
    assert data == json.loads((directory / "summary.json").read_text(encoding="utf-8"))
    assert key in data
    assert sorted(data["cells"]) == [path.stem for path in cells]
    assert {path: path.stat().st_mtime_ns for path in cells} == written
    assert (directory / "figure.svg").read_bytes() == figure


def test_without_training_an_empty_store_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(LengthwiseError, match="has none of the 4 cells"):
        made("edelman-fig2", tmp_path, train=False)


def test_without_training_what_is_there_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made("edelman-fig2", tmp_path)
    next((tmp_path / "store" / "probes").glob("*.json")).unlink()
    made("edelman-fig2", tmp_path, train=False)
    assert "1 of 4 cells are missing" in capsys.readouterr().err
