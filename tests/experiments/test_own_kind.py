"""A kind of experiment of one's own: a cell, what comes of it, and a report are all that it needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from lengthwise.errors import LengthwiseError
from lengthwise.experiments import catalogue
from lengthwise.experiments.catalogue import find, register_experiment
from lengthwise.experiments.experiment import CellExperiment, CellReport
from lengthwise.experiments.figure_file import FigureFile, Preset, preset_of
from lengthwise.experiments.kept import Result
from lengthwise.runs.settings import Hashed, Positive
from tests.experiments.reproduced import reproduced

FIGURE = """
title = "Squares"
experiment = "squares"
[presets.smoke]
sides = [2, 3]
[presets.more]
sides = [2, 3, 4]
"""


class Square(Hashed):
    """What is computed."""

    hashed_with: ClassVar = {"format": 1, "kind": "square"}
    side: Positive
    trials: Positive = 1


@dataclass(frozen=True)
class Area(Result):
    """What comes of it."""

    cell: Square
    area: int

    @property
    def told(self) -> str:
        return f"{self.cell.side}: {self.area}"


class SquarePreset(Preset):
    sides: tuple[Positive, ...]


class SquareFigure(FigureFile):
    presets: dict[str, SquarePreset]


def measure(cell: Square) -> Area:
    return Area(cell, cell.side**2)


class Squares(CellExperiment[SquareFigure]):
    content = SquareFigure
    folder = "squares"
    results: ClassVar = {Square: Area}
    run = staticmethod(measure)

    def cells(self, preset: str) -> list[Square]:
        return [Square(side=side) for side in preset_of(self.figure.presets, preset).sides]

    def restored(self, preset: str, directory: Path) -> Iterator[Area]:
        yield from ()

    def report(self, preset: str, store: Path) -> SquareReport:
        return SquareReport(self, preset, self.there(preset, store))


class SquareReport(CellReport):
    findings = ()

    def records(self) -> Iterator[dict[str, Any]]:
        for each in self.results:
            yield {"side": each.cell.side, "area": each.area}

    def lines(self) -> Iterator[str]:
        yield f"{len(self.results)} squares"

    @property
    def drawings(self) -> dict[str, Any]:
        return {}

    def draw(self, path: Path) -> None:
        """There is no drawing."""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(catalogue, "KINDS", {**catalogue.KINDS})
    register_experiment("squares")(Squares)
    (tmp_path / "own.toml").write_text(FIGURE, encoding="utf-8")
    return tmp_path / "own.toml"


def test_it_is_computed_kept_and_told_like_all_others(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = reproduced(str(own), own.parent)
    assert {path.name for path in made.iterdir()} == {"results.csv", "claims.json", "provenance.json", "timings.json"}
    assert (made / "results.csv").read_text(encoding="utf-8") == "side,area\n2,4\n3,9\n"
    assert "2 squares" in capsys.readouterr().out
    assert len(list((own.parent / "store" / "squares").iterdir())) == 2
    experiment = find(str(own))
    assert experiment.facts()["presets"]["more"] == {"configs": 3, "seeds": 1, "models": 3}
    assert [cell.side for cell in experiment.next("more", own.parent / "store")] == [4]


@pytest.mark.usefixtures("own")
def test_two_kinds_of_one_name_are_refused() -> None:
    with pytest.raises(LengthwiseError, match="two kinds of experiment 'squares'"):
        register_experiment("squares")(Squares)
