import json
from pathlib import Path

import pytest

from lengthwise.experiments.catalogue import find
from tests.experiments.reproduced import reproduced


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
