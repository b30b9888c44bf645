"""The drawing of `lengthwise train --plot`."""

import re
from pathlib import Path
from typing import Any

import pytest

from lengthwise.drawing.style import COLOURS
from lengthwise.drawing.training_plot import plot_training
from lengthwise.errors import LengthwiseError
from lengthwise.runs.config import RunConfig
from lengthwise.runs.store.run_directory import SeedSummary
from lengthwise.runs.store.summary import AtLength, Summary


def summary(position: str, train_length: int, ending: Any = "accuracy", accuracies: bool = True) -> Summary:
    config = RunConfig(
        task="(ab)*", train_length=train_length, test_lengths=["N", "4N"], seeds=2, model={"position": position}
    )
    lengths = tuple(AtLength(each, (0.1, 0.2), (0.5, 1.0) if accuracies else None, 8) for each in config.test_lengths)
    return Summary(config, ("x",), tuple(SeedSummary(seed, 5, ending, 0.1) for seed in (0, 1)), lengths)


def drawn(tmp_path: Path, *summaries: Summary) -> str:
    plot_training(summaries, tmp_path / "figure.svg")
    return (tmp_path / "figure.svg").read_text()


def test_there_is_a_line_for_each_scheme_and_length_and_a_colour_for_each_scheme(tmp_path: Path) -> None:
    drawing = drawn(tmp_path, summary("none", 4), summary("none", 8), summary("rope", 4), summary("rope", 8))
    legend = re.findall(r">((?:NoPE|RoPE), N = \d)<", drawing)
    assert legend == ["NoPE, N = 4", "NoPE, N = 8", "RoPE, N = 4", "RoPE, N = 8"]
    assert all(colour in drawing for colour in COLOURS[:2])
    assert COLOURS[2] not in drawing
    assert "100 %" in drawing
    assert "Hollow" not in drawing


def test_losses_are_drawn_where_a_config_has_no_accuracy_and_seeds_that_did_not_learn_are_told(tmp_path: Path) -> None:
    drawing = drawn(tmp_path, summary("none", 4), summary("rope", 4, "steps", accuracies=False))
    assert "(ab)*: loss against test length" in drawing
    assert "loss (cross entropy)" in drawing
    assert "Hollow: a seed is missing, diverged, or did not reach the goal of training." in drawing


def test_the_same_numbers_make_the_same_bytes(tmp_path: Path) -> None:
    assert drawn(tmp_path, summary("none", 4)) == drawn(tmp_path, summary("none", 4))


def test_nothing_is_not_drawn(tmp_path: Path) -> None:
    nothing = Summary(summary("none", 4).config, (), (), ())
    with pytest.raises(LengthwiseError, match="nothing to draw"):
        drawn(tmp_path, nothing)
