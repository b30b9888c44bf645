import importlib.util
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path

import pytest

from lengthwise.runs.engines.engine import EngineError, Serial, completed, get_engine
from lengthwise.runs.engines.ray_engine import PATIENCE, require_cluster
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
        require_cluster(address)
    assert str(problem.value).startswith(f"no Ray cluster can be reached at {address}: connection refused")


@pytest.mark.parametrize("address", ["nowhere", "host:port", "ray://", ":6379"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(EngineError, match="is no address of a Ray cluster; write host:port"):
        require_cluster(address)


@contextmanager
def listening(answer: bytes | None) -> Iterator[tuple[str, list[bytes]]]:
    """A port of this machine that says something to whoever connects, or nothing and keeps the connection."""
    heard: list[bytes] = []
    with socket.socket() as server, ExitStack() as kept:
        server.bind(("127.0.0.1", 0))
        server.listen()

        def serve() -> None:
            with suppress(OSError):
                connection = kept.enter_context(server.accept()[0])
                if answer is not None:
                    heard.append(connection.recv(1000))
                    connection.sendall(answer)
                    connection.close()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"127.0.0.1:{server.getsockname()[1]}", heard
        thread.join(timeout=10)


@pytest.mark.parametrize("scheme", ["", "ray://"])
@pytest.mark.parametrize("answer", [None, b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\0\0", b"SSH-2.0\r\n"])
def test_who_does_not_talk_as_ray_does_is_refused_within_the_patience(answer: bytes | None, scheme: str) -> None:
    with listening(answer) as (address, _), pytest.raises(EngineError) as problem:
        require_cluster(scheme + address, patience=0.05)
    assert str(problem.value) == (
        f"no Ray cluster can be reached at {scheme}{address}: what listens there does not answer as Ray does; is it "
        "running there (ray start --head)?"
    )


@pytest.mark.parametrize("answer", [b"\0\0\x06\x04\0\0\0\0\0\0\x03\0\0\0d", b"\x15\x03\x03\0\x02\x02\x28"])
def test_settings_of_http_2_and_the_wish_for_tls_are_left_to_ray_itself(answer: bytes) -> None:
    with listening(answer) as (address, heard):
        require_cluster(address)
    assert heard[0].startswith(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")


def test_the_patience_leaves_time_within_five_seconds() -> None:
    assert 2 * PATIENCE < 5


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
