from pathlib import Path
from typing import Any

import pytest

from lengthwise.errors import LengthwiseError
from lengthwise.experiments.sweeps.figure import Figure
from lengthwise.runs.grid import expand

SETTINGS: dict[str, Any] = {"task": "simple-task", "train_length": 4, "test_lengths": ["N", "2N"]}
FIGURE = """
title = "A figure"
[settings]
task = "mod-p-task"
test_lengths = ["N", "4N"]
seeds = 8

[[axes]]
train_length = [16, 32]
[[axes]]
parameters.period = [3, 5]
model.width = [8, 12]

[sweeps.plain]
[sweeps.wide.settings.model]
hidden = 64

[presets.smoke]
settings.seeds = 2
axes = [{train_length = [8]}]
[presets.smoke.sweeps.wide]
settings.stopping.steps = 3
[presets.paper]

[plot]
x = "test_length"
"""


def test_axes_are_combined_and_the_settings_of_one_go_together() -> None:
    axes: list[dict[str, Any]] = [
        {"train_length": [4, 8]},
        {"parameters": {"omega": [1, 2, 3]}, "model.width": [4, 5, 6]},
    ]
    found = [
        (config.train_length, config.parameters["omega"], config.settings()["model"]["width"], config.test_lengths)
        for config in expand(SETTINGS, axes)
    ]
    assert found == [(n, omega, omega + 3, (n, 2 * n)) for n in (4, 8) for omega in (1, 2, 3)]


def test_equal_points_of_a_grid_are_one_config() -> None:
    assert len(expand(SETTINGS, [{"parameters.omega": [2, 2.0, 3]}])) == 2
    assert len(expand(SETTINGS)) == 1


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        ([{"train_length": 4}], "an axis has a list of values for each setting, but 'train_length' has 4"),
        ([{"train_length": []}], "but 'train_length' has []"),
        ([{"train_length": [4, 8], "seeds": [1]}], "equally many values, but train_length has 2, seeds has 1"),
        ([{}], "but there are none"),
        ([{"parameters.omga": [1]}], "simple-task has no parameter 'omga'; it has omega (at parameters.omga = 1)"),
        ([{"model.widht": [1]}], "did you mean model.width"),
    ],
)
def test_a_grid_that_makes_no_runs_is_refused_with_the_place(axes: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(LengthwiseError) as problem:
        expand(SETTINGS, axes)
    assert message in str(problem.value)


def test_presets_change_settings_and_replace_axes(tmp_path: Path) -> None:
    (tmp_path / "figure.toml").write_text(FIGURE)
    figure = Figure.from_file(tmp_path / "figure.toml")
    paper, smoke = figure.configs("paper"), figure.configs("smoke")
    assert {name: len(configs) for name, configs in paper.items()} == {"plain": 4, "wide": 4}
    assert {name: len(configs) for name, configs in smoke.items()} == {"plain": 1, "wide": 1}
    assert [config.settings()["model"]["hidden"] for config in (paper["plain"][0], paper["wide"][0])] == [256, 64]
    assert [len(configs[0].seeds) for configs in (paper["plain"], smoke["plain"])] == [8, 2]
    assert [smoke[name][0].stopping.steps for name in ("plain", "wide")] == [20_000, 3]
    assert figure.plot == {"x": "test_length"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("[plot]", "[plots]"), "there is no setting 'plots'; did you mean plot"),
        (("title =", "titel ="), "the setting 'title' is missing"),
        (("smoke.sweeps.wide", "smoke.sweeps.wied"), "the preset 'smoke' changes a sweep 'wied'"),
        (("[plot]", "[plot"), "is not TOML"),
    ],
)
def test_a_figure_file_with_a_mistake_is_refused_with_its_name(
    tmp_path: Path, change: tuple[str, str], message: str
) -> None:
    (tmp_path / "figure.toml").write_text(FIGURE.replace(*change))
    with pytest.raises(LengthwiseError) as problem:
        Figure.from_file(tmp_path / "figure.toml")
    assert message in str(problem.value)
    assert str(tmp_path / "figure.toml") in str(problem.value)


def test_an_unknown_preset_is_refused_with_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "figure.toml").write_text(FIGURE)
    with pytest.raises(LengthwiseError, match="there is no preset 'papre'; did you mean paper"):
        Figure.from_file(tmp_path / "figure.toml").configs("papre")
