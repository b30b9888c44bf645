import importlib.util
import socket
from pathlib import Path

import pytest

from lengthwise.lab.engines import EngineError, get_engine
from lengthwise.lab.ray_engine import _require_reachable

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
def test_a_sweep_on_ray_makes_the_runs_of_a_sweep_here(tmp_path: Path) -> None:
    from lengthwise.lab.engines import Serial
    from lengthwise.lab.store import Store
    from lengthwise.lab.sweep import run_sweep
    from tests.lab.stand_in import configs, numbers, pretended

    stores = [Store(tmp_path / name) for name in ("ray", "serial")]
    for store, engine in zip(stores, (get_engine("ray", 2), Serial()), strict=True):
        assert len(run_sweep(configs(3), store, engine, pretended).failed) == 0
    assert numbers(stores[0].rows()) == numbers(stores[1].rows())
