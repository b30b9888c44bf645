import importlib.util
import socket
from functools import partial
from pathlib import Path

import pytest

from lengthwise.runs.engines.engine import EngineError, Serial, completed, get_engine
from lengthwise.runs.engines.ray_engine import _require_reachable
from lengthwise.runs.store.store import Store
from lengthwise.runs.sweep import run_sweep
from tests.runs.engines.test_engines import fails_on_two, kills_itself_on_one
from tests.runs.stand_in import configs, numbers, pretended

HAS_RAY = importlib.util.find_spec("ray") is not None


@pytest.mark.skipif(HAS_RAY, reason="Ray is installed here")
def test_without_ray_the_engine_says_how_to_get_it() -> None:
    with pytest.raises(EngineError, match=r"needs Ray, which is not installed; install lengthwise\[cluster\]"):
        get_engine("ray")


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


@pytest.mark.parametrize("scheme", ["", "ray://"])
def test_an_address_where_nobody_listens_is_refused_in_one_sentence(scheme: str) -> None:
    address = f"{scheme}127.0.0.1:{free_port()}"
    with pytest.raises(EngineError) as problem:
        _require_reachable(address)
    assert str(problem.value).startswith(f"no Ray cluster can be reached at {address}: connection refused")


@pytest.mark.parametrize("address", ["nowhere", "host:port", "ray://", ":6379"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(EngineError, match="is no address of a Ray cluster; write host:port"):
        _require_reachable(address)


@pytest.mark.slow
@pytest.mark.skipif(not HAS_RAY, reason="Ray is not installed")
def test_killed_workers_and_errors_on_ray_cost_their_own_items_only(tmp_path: Path) -> None:
    engine = get_engine("ray", 2)
    failed = {outcome.item: outcome.error for outcome in completed(engine, fails_on_two, range(4))}
    assert [item for item, error in failed.items() if error is not None] == [2]
    assert str(failed[2]) == "two is not a good number"
    once = partial(kills_itself_on_one, tmp_path / "mark")
    assert all(outcome.error is None for outcome in completed(engine, once, range(4)))
    always = {
        outcome.item: outcome.error for outcome in completed(engine, partial(kills_itself_on_one, None), range(4))
    }
    assert [item for item, error in always.items() if error is not None] == [1]
    assert "died 2 times" in str(always[1])


@pytest.mark.slow
@pytest.mark.skipif(not HAS_RAY, reason="Ray is not installed")
def test_a_sweep_on_ray_makes_the_runs_of_a_sweep_here(tmp_path: Path) -> None:
    stores = [Store(tmp_path / name) for name in ("ray", "serial")]
    for store, engine in zip(stores, (get_engine("ray", 2), Serial()), strict=True):
        assert len(run_sweep(configs(3), store, engine, pretended).failed) == 0
    assert numbers(stores[0].rows()) == numbers(stores[1].rows())
