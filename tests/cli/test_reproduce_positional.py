import json
from pathlib import Path

import pytest

from tests.experiments.reproduced import reproduced


def test_what_one_figure_has_fitted_the_other_does_not_fit_again(tmp_path: Path) -> None:
    reproduced("huang-fig5", tmp_path)
    store = tmp_path / "store" / "positional"
    before = {path.name for path in store.glob("*.json")}
    reproduced("huang-fig6", tmp_path)
    assert len({path.name for path in store.glob("*.json")} - before) == 6


def test_without_training_what_is_there_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reproduced("huang-fig5", tmp_path)
    next((tmp_path / "store" / "positional").glob("*.json")).unlink()
    reproduced("huang-fig5", tmp_path, train=False)
    assert "1 of 6 cells are missing" in capsys.readouterr().err


def test_the_command_knows_them_by_name(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from lengthwise.cli import app

    runner = CliRunner()
    request = ["reproduce", "huang-fig5", "--preset", "smoke", "--engine", "serial", "--format", "svg", "--json"]
    places = ["--store", str(tmp_path / "store"), "--out", str(tmp_path / "out")]
    done = runner.invoke(app, request + places)
    assert done.exit_code == 0, done.output
    assert (tmp_path / "out" / "huang-fig5" / "smoke" / "figure.svg").exists()
    listed = {each["name"]: each for each in json.loads(runner.invoke(app, ["figures", "--json"]).stdout)}
    assert listed["huang-fig5"]["presets"]["paper"] == {"configs": 20, "seeds": 3, "models": 60}
    assert set(listed["huang-fig6"]["presets"]) == {"smoke", "quick", "paper"}
