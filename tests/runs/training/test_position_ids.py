"""Position ids in training and in tests: tasks with ids of their own, schemes that draw, scale or predict ids."""

from pathlib import Path
from typing import Any

import pytest

from lengthwise.errors import LengthwiseError
from lengthwise.runs.config import RunConfig
from lengthwise.runs.engines.engine import Serial
from lengthwise.runs.grid import merged
from lengthwise.runs.store.store import Store
from lengthwise.runs.store.summary import summarise
from lengthwise.runs.sweep import run_sweep
from lengthwise.runs.training.train import train_run

SMALL: dict[str, Any] = {
    "task": "task:reversal",
    "train_length": 4,
    "test_lengths": [4, 6],
    "seeds": 2,
    "model": {"width": 8, "hidden": 8, "layers": 2},
    "optimizer": {"batch": 16},
    "stopping": {"steps": 3, "loss": "none"},
    "evaluation": {"words": 20},
}
PLAIN = {"parameters": {"positions": "plain"}}


def small(**changes: Any) -> RunConfig:
    return RunConfig(**merged(SMALL, changes))


@pytest.mark.parametrize("lengths", ["per-word", "independent"])
@pytest.mark.parametrize(
    ("position", "task"),
    [
        ("coupled", {}),
        ("predictive", {}),
        *((name, PLAIN) for name in ("learned", "pose", "randomized", "interpolation", "alibi", "fire", "rope")),
    ],
)
def test_every_scheme_trains_with_the_same_bits_alone_and_beside_others(
    position: str, task: dict[str, Any], lengths: str, tmp_path: Path
) -> None:
    config = small(**merged(task, {"model": {"position": position}, "optimizer": {"lengths": lengths}}))
    together = train_run(config, tmp_path / "together").model()
    alone = train_run(config.with_seeds((1,)), tmp_path / "alone").model()
    assert set(together) == set(alone)
    assert all((together[name][1] == alone[name][0]).all() for name in alone)


def test_contexts_come_from_the_task_and_the_lengths() -> None:
    task = small(**PLAIN).get_task()
    reads: Any = task
    found = {
        name: small(**merged(PLAIN, {"model": {"position": name}})).model.position_parameters["context"]
        for name in ("learned", "pose", "randomized", "interpolation")
    }
    longest, trained = reads.input_length(6), reads.input_length(4)
    assert found == {"learned": longest, "pose": longest, "randomized": longest, "interpolation": trained}
    coupled: Any = small().get_task()
    assert small(model={"position": "coupled"}).model.position_parameters["context"] == coupled.largest_id(6)


@pytest.mark.slow
def test_predicted_ids_and_symbols_are_learned_together(tmp_path: Path) -> None:
    config = small(
        model={"position": "predictive", "width": 32, "hidden": 64, "layers": 2, "layer_norm": True},
        optimizer={"batch": 64, "learning_rate": 3e-3},
        stopping={"steps": 1500, "accuracy": 1.0, "check_every": 100},
        evaluation={"words": 200},
        seeds=1,
    )
    store = Store(tmp_path)
    run_sweep([config], store, Serial())
    summary = summarise(store, config)
    assert summary.reached == 1
    assert summary.lengths[0].accuracies is not None
    assert summary.lengths[0].accuracies[0] > 0.95


def test_a_model_that_predicts_ids_needs_a_task_that_has_some(tmp_path: Path) -> None:
    config = small(**merged(PLAIN, {"model": {"position": "predictive", "position_parameters": {"context": 20}}}))
    with pytest.raises(LengthwiseError, match="gives none"):
        train_run(config, tmp_path)


def test_a_scheme_that_draws_ids_refuses_those_of_a_task(tmp_path: Path) -> None:
    with pytest.raises(LengthwiseError, match="draws position ids itself"):
        train_run(small(model={"position": "pose"}), tmp_path)
