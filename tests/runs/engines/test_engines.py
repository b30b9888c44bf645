import os
import signal
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from lengthwise.errors import LengthwiseError
from lengthwise.runs.engines.engine import (
    Engine,
    EngineError,
    Local,
    Serial,
    completed,
    engine_names,
    get_engine,
    register_engine,
)


def squared(number: int) -> int:
    return number * number


def fails_on_two(number: int) -> int:
    if number == 2:
        raise LengthwiseError("two is not a good number")
    return number


def kills_itself_on_one(mark: Path | None, number: int) -> tuple[int, int]:
    """Its process is killed on 1: every time, or only as long as the mark is not there."""
    if number == 1 and (mark is None or not mark.exists()):
        if mark is not None:
            mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number, os.getpid()


def threads_of_a_worker(_: int) -> str:
    return os.environ["OMP_NUM_THREADS"]


@pytest.mark.parametrize("engine", [Serial(), Local(2)], ids=["serial", "local"])
def test_every_item_has_one_outcome(engine: Engine) -> None:
    outcomes = list(completed(engine, squared, range(5)))
    assert sorted((outcome.item, outcome.value) for outcome in outcomes) == [(n, n * n) for n in range(5)]
    assert all(outcome.error is None for outcome in outcomes)


@pytest.mark.parametrize("engine", [Serial(), Local(2)], ids=["serial", "local"])
def test_an_error_costs_its_own_item_only(engine: Engine) -> None:
    outcomes = {outcome.item: outcome for outcome in completed(engine, fails_on_two, range(4))}
    assert {item for item, outcome in outcomes.items() if outcome.error is None} == {0, 1, 3}
    assert str(outcomes[2].error) == "two is not a good number"
    assert isinstance(outcomes[2].error, LengthwiseError)


def test_an_item_whose_worker_is_killed_once_is_tried_again_and_costs_no_other(tmp_path: Path) -> None:
    outcomes = list(completed(Local(2), partial(kills_itself_on_one, tmp_path / "mark"), range(4)))
    assert sorted(outcome.value[0] for outcome in outcomes if outcome.value is not None) == [0, 1, 2, 3]


def test_an_item_whose_workers_are_always_killed_is_given_up_with_the_reason() -> None:
    outcomes = {outcome.item: outcome for outcome in completed(Local(2), partial(kills_itself_on_one, None), range(4))}
    assert {item for item, outcome in outcomes.items() if outcome.error is None} == {0, 2, 3}
    assert isinstance(outcomes[1].error, EngineError)
    assert "died 2 times (SIGKILL(-9))" in str(outcomes[1].error)


def test_workers_have_one_thread_each() -> None:
    assert [outcome.value for outcome in completed(Local(1), threads_of_a_worker, [0])] == ["1"]


def sleeps(mark: Path, number: int) -> None:
    (mark / f"{number}-{os.getpid()}").touch()
    time.sleep(600)


def test_workers_end_when_nobody_wants_their_outcomes_any_more(tmp_path: Path) -> None:
    outcomes = completed(Local(2), first_quick_then(partial(sleeps, tmp_path)), range(3))
    next(outcomes)
    while len(list(tmp_path.iterdir())) < 2:
        time.sleep(0.02)
    outcomes.close()
    for path in tmp_path.iterdir():
        with pytest.raises(ProcessLookupError):
            os.kill(int(path.name.partition("-")[2]), 0)


def first_quick_then(function: Callable[[int], None]) -> Callable[[int], None]:
    return partial(_first_quick, function)


def _first_quick(function: Callable[[int], None], number: int) -> None:
    if number:
        function(number)


@pytest.mark.parametrize(
    ("name", "address", "message"),
    [
        ("locla", None, "there is no engine 'locla'; did you mean local"),
        ("slurm", None, "there is no engine 'slurm'; there are serial, local, ray"),
        ("local", "host:1", "the engine 'local' has no address; --address belongs to --engine ray"),
    ],
)
def test_an_engine_that_cannot_be_had_is_refused_in_one_sentence(name: str, address: str | None, message: str) -> None:
    with pytest.raises(LengthwiseError) as problem:
        get_engine(name, address=address)
    assert message in str(problem.value)


def test_an_engine_needs_at_least_one_process() -> None:
    with pytest.raises(EngineError, match="0 worker processes are too few"):
        get_engine("local", processes=0)


def test_two_engines_cannot_have_one_name() -> None:
    with pytest.raises(EngineError, match="two engines are named 'serial'"):
        register_engine("serial")(lambda processes, address: Serial())
    assert engine_names()[:3] == ("serial", "local", "ray")
