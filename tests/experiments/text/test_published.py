from __future__ import annotations

from pathlib import Path

import pytest

from lengthwise.errors import UnknownNameError
from lengthwise.experiments.catalogue import find
from lengthwise.experiments.text.experiment import TextFigure
from lengthwise.runs.text import TextError, TextPair
from tests.runs.text.conftest import small_cell


@pytest.fixture
def figure() -> TextFigure:
    found: TextFigure = find("golowich-fig4").figure
    return found


def test_the_figure_is_that_of_the_paper(figure: TextFigure) -> None:
    (pair,) = figure.pairs("paper")
    assert (pair.recent, pair.window, pair.tokens[0]) == (64, 128, 5)
    assert (pair.short.steps, pair.short.pose_steps, pair.long.steps) == (49_000, 15_000, 48_000)
    assert (pair.short.batch, pair.long.batch, pair.short.warm_up) == (8192, 4096, 5000)
    model = pair.short.decoder()
    assert (model.width, model.layers, model.heads, model.hidden, model.position) == (2048, 24, 32, 8192, "pose")
    assert pair.long.decoder().position == "rope"
    assert figure.published["short"] == {64: 17.59, 128: 14.74}


def test_quick_has_the_lengths_of_the_paper_and_the_same_number_of_bytes_for_both(figure: TextFigure) -> None:
    (pair,) = figure.pairs("quick")
    assert (pair.recent, pair.window) == (64, 128)
    assert pair.short.pose_steps == 0.3 * pair.short.steps
    cells = pair.cells.values()
    assert len({cell.steps * cell.batch * cell.context for cell in cells}) == 1


def test_pairs_that_do_not_fit_together_are_refused() -> None:
    short = small_cell()
    with pytest.raises(ValueError, match="as many bytes"):
        TextPair(short=short, long=small_cell(context=12, pose_steps=0))
    with pytest.raises(ValueError, match="7 far tokens, not 8"):
        TextPair(short=short, long=small_cell(context=16, pose_steps=0), tokens=(8,))
    with pytest.raises(ValueError, match="same text"):
        TextPair(short=short, long=small_cell(context=16, pose_steps=0, corpus={"most": 99}))
    with pytest.raises(ValueError, match="divides"):
        TextPair(short=small_cell(context=6), long=small_cell(context=16, pose_steps=0))


def test_mistakes_in_a_file_are_told_with_its_name(tmp_path: Path, figure: TextFigure) -> None:
    text = find("golowich-fig4").path.read_text(encoding="utf-8")
    (tmp_path / "bad.toml").write_text(text.replace('chosen = "long"', 'chosne = "long"'), encoding="utf-8")
    with pytest.raises(TextError, match=r"bad\.toml.*chosne"):
        TextFigure.from_file(tmp_path / "bad.toml")
    with pytest.raises(UnknownNameError, match="did you mean quick"):
        figure.pairs("quik")


def test_a_cell_is_known_by_all_that_decides_its_numbers() -> None:
    assert small_cell().id == small_cell().id
    others = [small_cell(seed=1), small_cell(pose_steps=4), small_cell(corpus={"most": 5000}), small_cell(rate=0.1)]
    assert len({small_cell().id, *(cell.id for cell in others)}) == 5
