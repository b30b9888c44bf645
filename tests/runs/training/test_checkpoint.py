"""A training that is interrupted at any step and goes on makes the same files, byte for byte."""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

import pytest

from lengthwise.runs.config import RunConfig
from lengthwise.runs.store.run_directory import CHECKED, DONE
from lengthwise.runs.training import checkpoint as checkpointing
from lengthwise.runs.training import train as training
from lengthwise.runs.training.checkpoint import (
    FACTS,
    FOLDER,
    VARIABLE,
    CheckpointError,
    Checkpoints,
    TrainingState,
    begun,
    goes_on,
    interrupted,
    read_checkpoint,
)
from lengthwise.runs.training.train import train_run
from tests.runs.training.test_train import KINDS, small

CASES: dict[str, dict[str, Any]] = {
    **KINDS,
    "seeds that end one after the other": {
        "seeds": 4,
        "stopping": {"steps": 150, "loss": 0.15, "rule": "moving-average", "window": 5},
    },
}


class KilledError(Exception):
    """Stands for a kill: nothing is tidied up but what the system does."""


EVERY = 3
"""Steps between two checkpoints in these tests."""


@contextmanager
def killed(before: int | None) -> Iterator[list[int]]:
    """Kill the training before a step is done, not right after a checkpoint; the steps that were begun."""
    seen: list[int] = []

    class Killing(Checkpoints):
        def keep_if_due(self, state: TrainingState, metrics: Callable[[], str]) -> None:
            self._seconds = 0.0
            if state.step % EVERY == 0:
                super().keep_if_due(state, metrics)
            seen.append(state.step)
            if state.step == before:
                raise KilledError

    with patch.object(training, "Checkpoints", Killing), pytest.raises(KilledError) if before else nullcontext():
        yield seen


def files(run: Path) -> dict[str, bytes]:
    return {name: (run / name).read_bytes() for name in (*CHECKED, DONE)}


@pytest.mark.parametrize("name", CASES)
def test_an_interrupted_run_has_the_bytes_of_one_that_was_not(name: str, tmp_path: Path) -> None:
    config = small(**CASES[name])
    whole = train_run(config, tmp_path / "whole" / "runs")
    last = max(seed.steps for seed in whole.done().seeds)
    runs, before = tmp_path / "killed" / "runs", 0
    for step in (1, last // 3, 2 * last // 3, last):
        with killed(step) as steps:
            train_run(config, runs)
        assert (steps[0], steps[-1]) == (before // EVERY * EVERY, step), "it goes on at its last checkpoint"
        before = step
    assert files(train_run(config, runs).path) == files(whole.path)
    assert not (tmp_path / "killed" / FOLDER).exists()


def test_models_of_another_architecture_go_on_as_well(tmp_path: Path) -> None:
    model = {"architecture": "lstm"}
    config = RunConfig(**{**small().settings(), "model": model, "train_length": 6, "test_lengths": [6]})
    whole = train_run(config, tmp_path / "whole" / "runs")
    with killed(7):
        train_run(config, tmp_path / "runs")
    with killed(None) as steps:
        again = train_run(config, tmp_path / "runs")
    assert steps[0] == 6
    assert files(again.path) == files(whole.path)


def test_seeds_of_the_case_end_at_different_steps(tmp_path: Path) -> None:
    done = train_run(small(**CASES["seeds that end one after the other"]), tmp_path / "runs").done()
    assert len({seed.steps for seed in done.seeds}) > 1


@pytest.fixture
def left(tmp_path: Path) -> Path:
    """The directory of a checkpoint at step 6."""
    with killed(7):
        train_run(small(), tmp_path / "runs")
    return tmp_path / FOLDER / small().id


def test_a_checkpoint_says_where_it_goes_on(left: Path) -> None:
    assert goes_on(left, small()).endswith(" goes on at step 6")
    assert [path.name for path in left.iterdir() if path.name != FACTS] == ["step-6.safetensors"]
    ((path, saved),) = interrupted(left.parent)
    assert path == left
    assert not isinstance(saved, CheckpointError)
    assert begun(small(seeds=5), [saved]) == [small()]
    assert begun(small(seeds=2), [saved]) == []
    assert begun(small(train_length=7), [saved]) == []


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("name", [FACTS, "step-6.safetensors"])
@pytest.mark.parametrize("damage", [flip, Path.unlink, lambda path: path.write_bytes(b"")])
def test_a_damaged_checkpoint_is_not_used_and_that_is_said(
    left: Path, name: str, damage: Callable[[Path], None], tmp_path: Path
) -> None:
    damage(left / name)
    if (left / FACTS).exists():
        assert goes_on(left, small()) == f"the checkpoint {left} is damaged and not used; training begins anew"
    whole = train_run(small(), tmp_path / "whole" / "runs")
    assert files(train_run(small(), tmp_path / "runs").path) == files(whole.path)


def test_a_checkpoint_of_another_environment_or_run_is_not_used(left: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = shutil.copytree(left, left.with_name(small(train_length=7).id))
    with pytest.raises(CheckpointError, match="is damaged"):
        read_checkpoint(other)
    with pytest.raises(CheckpointError, match="other versions or on another processor"):
        read_checkpoint(left, "cuda")
    monkeypatch.setattr(checkpointing, "environment", lambda: {"processor": "another"})
    with pytest.raises(CheckpointError, match="other versions or on another processor and is not used"):
        read_checkpoint(left)


def test_a_path_in_a_checkpoint_leads_nowhere_else(left: Path) -> None:
    from lengthwise.runs.store.sealed import sealed

    facts = json.loads((left / FACTS).read_text())
    facts["tensors"]["name"] = "../step-6.safetensors"
    shutil.copy(left / "step-6.safetensors", left.parent)
    (left / FACTS).write_text(json.dumps(sealed(facts)))
    with pytest.raises(CheckpointError, match="is damaged"):
        read_checkpoint(left)


def test_the_clock_decides_when_and_nothing_else(tmp_path: Path) -> None:
    times = iter(range(100))
    written: list[Any] = []

    class Noting(Checkpoints):
        def _keep(self, state: TrainingState, metrics: str) -> None:
            written.append(state)

    with Noting(tmp_path / FOLDER, small(), "cpu", 10, clock=lambda: float(next(times))) as kept:
        for step in range(30):
            kept.keep_if_due(cast(TrainingState, step), str)
    # One look at the clock for a step, and one more after a checkpoint.
    assert written == [9, 19, 29]


def test_one_process_owns_a_checkpoint(left: Path, tmp_path: Path) -> None:
    with Checkpoints(left.parent, small(), "cpu") as first:
        assert first._owned()
        with killed(None) as steps:
            train_run(small(), tmp_path / "runs")
        assert steps[0] == 0
        assert (left / "step-6.safetensors").exists(), "what another process owns is left alone"


def test_what_a_kill_left_in_the_directory_is_removed(left: Path, tmp_path: Path) -> None:
    (left / ".lengthwise-0123456789abcdef.new").write_bytes(b"half")
    with killed(9):
        train_run(small(), tmp_path / "runs")
    assert sorted(path.name for path in left.iterdir()) == [FACTS, "step-9.safetensors"]


def test_the_environment_says_how_often_and_nonsense_is_a_minute(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for value, seconds in (("3.5", 3.5), ("-1", 0.0), ("often", 60.0)):
        monkeypatch.setenv(VARIABLE, value)
        assert Checkpoints(tmp_path, small(), "cpu")._seconds == seconds
