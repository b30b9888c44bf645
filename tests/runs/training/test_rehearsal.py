"""Schemes and tasks that do not fit together are refused before anything is trained, and all others are not."""

from pathlib import Path
from typing import Any

import pytest

from lengthwise.errors import LengthwiseError
from lengthwise.experiments.catalogue import catalogue, find
from lengthwise.nn.positions import names
from lengthwise.runs.config import RunConfig
from lengthwise.runs.engines.engine import Serial
from lengthwise.runs.store.store import Store
from lengthwise.runs.sweep import run_sweep
from lengthwise.runs.training.rehearsal import require_positions


def config(task: str, position: str, context: int | None = None, **parameters: Any) -> RunConfig:
    given = {} if context is None else {"context": context}
    return RunConfig(
        task=task,
        parameters=parameters,
        train_length=6,
        test_lengths=[6, 12],
        model={"width": 8, "hidden": 8, "position": position, "position_parameters": given},
        optimizer={"batch": 8},
        stopping={"steps": 2, "loss": "none"},
        evaluation={"words": 8},
    )


@pytest.mark.parametrize(
    ("refused", "message"),
    [
        (config("task:reversal", "predictive", 8), "position ids up to 12 do not fit into a context of 8"),
        (config("task:reversal", "coupled", 8), "do not fit into a context of 8"),
        (config("task:reversal", "learned"), "'learned': position 0 is outside .*; with positions=plain"),
        (config("task:reversal", "pose"), "draws position ids itself"),
        (config("task:sort", "predictive", 30), "gives no position ids, which this scheme has to predict"),
        (config("task:sort", "coupled", 30), "takes the position ids of a task"),
        (config("task:sort", "learned", 9), "inputs of length 14 do not fit into a context of 9"),
        (config("task:sort", "randomized", 9), "inputs of length 14 do not fit into a context of 9"),
    ],
)
def test_what_does_not_fit_is_refused_before_anything_is_run(refused: RunConfig, message: str, tmp_path: Path) -> None:
    with pytest.raises(LengthwiseError, match=message):
        run_sweep([refused], Store(tmp_path / "store"), Serial())
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize("position", sorted({*names()} - {"periodic", "relative", "limit"}))  # they want parameters
def test_what_is_not_refused_can_be_trained_and_tested(position: str, tmp_path: Path) -> None:
    fitting = []
    tasks: list[tuple[str, dict[str, Any]]] = [
        ("task:reversal", {}),
        ("task:reversal", {"positions": "plain"}),
        ("task:sort", {}),
    ]
    for task, parameters in tasks:
        try:
            chosen = config(task, position, **parameters)
            require_positions(chosen)
        except LengthwiseError:
            continue
        fitting.append(chosen)
    found = run_sweep(fitting, Store(tmp_path), Serial())
    assert fitting
    assert found.failed == ()
    assert len(found.made) == len(fitting)


def test_all_presets_of_all_figures_fit() -> None:
    checked = 0
    sweeps: Any = catalogue("sweep")
    for figure in sweeps.values():
        for preset in figure.figure.presets:
            for each in (each for sweep in figure.configs(preset).values() for each in sweep):
                require_positions(each)
                checked += 1
    experiment = find("huang-fig1").figure
    for preset in experiment.presets:
        for cell in experiment.cells(preset):
            require_positions(cell.settings)
            checked += 1
    assert checked > 300
