"""Training stops at its time limit as at Ctrl-C; clocks here count runs or looks and not seconds."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from functools import partial
from io import StringIO
from pathlib import Path

import pytest

import lengthwise as lw
from lengthwise import resources
from lengthwise.resources import TimeLimitError, time_limit
from lengthwise.runs.config import RunConfig
from lengthwise.runs.display.progress import Progress
from lengthwise.runs.engines.engine import Engine, Local, Serial
from lengthwise.runs.store.run_directory import RunDirectory
from lengthwise.runs.store.store import Store
from lengthwise.runs.sweep import SweepTimeLimitError, run_sweep
from lengthwise.runs.training.checkpoint import VARIABLE
from tests.runs.stand_in import configs, pretended
from tests.runs.training.test_checkpoint import files
from tests.runs.training.test_train import small
from tests.test_resources import Clock, clock

__all__ = ["clock"]


def quiet(wanted: list[RunConfig], store: Store, train: Callable[[RunConfig, Path], RunDirectory]) -> int:
    """How many runs a sweep makes."""
    return len(run_sweep(wanted, store, Serial(), train, partial(Progress, stream=StringIO())).made)


def test_runs_that_were_finished_in_time_are_kept_and_the_others_are_made_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, made = Store(tmp_path), []

    def train(config: RunConfig, runs: Path) -> RunDirectory:
        made.append(config)
        return pretended(config, runs)

    monkeypatch.setattr(resources, "clock", lambda: 10.0 * len(made))
    with time_limit(25).in_force(), pytest.raises(SweepTimeLimitError) as caught:
        quiet(configs(5), store, train)
    assert str(caught.value) == (
        "the time limit of 25 seconds was reached: 3 of 5 runs were finished and are kept; the same command goes on "
        "with the others"
    )
    assert quiet(configs(5), store, train) == 2
    assert len(made) == len(set(made)) == 5


def test_a_run_without_a_failure_of_its_own_is_not_called_failed_when_time_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def train(config: RunConfig, runs: Path) -> RunDirectory:
        raise ValueError("there is something else")

    monkeypatch.setattr(resources, "clock", lambda: 0.0)
    with time_limit(1).in_force():
        found = run_sweep(configs(1), Store(tmp_path), Serial(), train, partial(Progress, stream=StringIO()))
    (failure,) = found.failed
    assert re.search(r"test_time_limit\.py:\d+: ValueError: there is something else$", failure.reason)


def test_training_that_was_stopped_by_the_limit_goes_on_to_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    monkeypatch.setenv(VARIABLE, "0")
    config, whole, stopped = small(), Store(tmp_path / "whole"), Store(tmp_path / "stopped")
    lw.train(config, store=whole.path, engine="serial", show=False)
    assert clock.now == 0  # without a limit time is not even asked for
    with pytest.raises(SweepTimeLimitError, match=r"0 of 1 runs were finished .* 1 of them at step") as caught:
        lw.train(config, store=stopped.path, engine="serial", show=False, seconds=8)
    assert isinstance(caught.value, TimeLimitError)
    lw.train(config, store=stopped.path, engine="serial", show=False)
    assert files(stopped.runs / config.id) == files(whole.runs / config.id)


def forever(item: int) -> None:
    time.sleep(3600)


@pytest.mark.parametrize("engine", [Local(1), Local(2)], ids=["one worker", "two workers"])
def test_workers_are_not_waited_for_after_the_limit(engine: Engine, clock: Clock) -> None:
    with time_limit(2).in_force(), pytest.raises(TimeLimitError):
        list(engine.completed(forever, [1, 2, 3]))


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_a_limit_that_is_no_positive_number_is_refused_before_anything_is_trained(
    seconds: float, tmp_path: Path
) -> None:
    for verb in (partial(lw.train, small(), show=False), partial(lw.search, "majority")):
        with pytest.raises(lw.LengthwiseError, match="positive number of seconds"):
            verb(store=tmp_path, engine="serial", seconds=seconds)
    assert not list(tmp_path.iterdir())
